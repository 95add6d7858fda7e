"""The HTML of an answer: self-contained, safe, and leading from sentence to excerpt and back."""

import re

import pytest

from longleaf.render.answer import answer_html
from longleaf.render.markdown import answer_markdown
from longleaf.render.text import answer_text
from longleaf.types import Answer, Citation, Evidence, Excerpt, Hit, Plan, Step
from render.markup import read

TEXT = "The lamp burns for **11** hours. [1] It weighs `300 g`. [2]\n\n```\nlamp.on()\n```\n\n[2]"
HOSTILE = (
    '<p onclick="steal()">It weighs <code>300 g</code>.<script>alert(1)</script>'
    '<img src="http://evil.example/x.png" onerror="steal()"><a href="javascript:steal()">more</a>'
    '<iframe src="http://evil.example"></iframe><form action="http://evil.example"><input></form></p>'
    "<pre>lamp.on()</pre><style>*{display:none}</style></div></section></main>"
)


def citation(marker, quote, start, end, verdict="supported"):
    return Citation(marker, start, end, "d", marker, quote, "", "", "lamp.html", "a", verdict, 1.0)


def answer(**changes):
    spans = [
        (0, TEXT.index(" [1]")),
        (TEXT.index("It"), TEXT.index(" [2]")),
        (TEXT.index("```"), TEXT.rindex("\n\n[2]")),
    ]
    fields = {
        "question": "How long <b>does</b> it burn?",
        "text": TEXT,
        "abstained": False,
        "stop_reason": "complete",
        "citations": (
            citation(1, "The lamp burns for 11 hours.", *spans[0]),
            citation(2, "It weighs 300 g.", *spans[1]),
            citation(2, "lamp.on()", *spans[2]),
        ),
        "excerpts": (
            Excerpt(
                1,
                "d",
                1,
                "lamp.html",
                "Lamp & Co",
                ("Battery",),
                "<p>The lamp burns for <b>11</b> hours.</p>",
            ),
            Excerpt(2, "d", 2, "lamp.html", "Lamp & Co", ("Weight",), HOSTILE),
        ),
        "version": "0",
    }
    return Answer(**(fields | changes))


def test_page_is_balanced_and_loads_nothing():
    parser = read(answer_html(answer()))
    assert not parser.tags & {"script", "iframe", "form", "input", "img", "link", "object"}
    assert "evil.example" not in answer_html(answer())
    assert "javascript:" not in answer_html(answer())


def test_every_marker_leads_to_an_excerpt_and_back():
    parser = read(answer_html(answer()))
    assert set(parser.targets) <= set(parser.ids)
    assert len(parser.ids) == len(set(parser.ids))
    assert {"quote-0", "quote-1", "quote-2"} <= set(parser.targets)
    assert {"marker-0", "marker-1", "marker-2"} <= set(parser.targets)


def test_the_quote_is_marked_across_inline_tags():
    html = answer_html(answer())
    assert re.sub(r"<[^>]+>", "", "".join(re.findall(r"<mark>.*?</mark>", html))).startswith(
        "The lamp burns for 11 hours"
    )


def test_text_is_escaped():
    html = answer_html(answer())
    assert "How long &lt;b&gt;does&lt;/b&gt; it burn?" in html
    assert "Lamp &amp; Co" in html


@pytest.mark.parametrize("verdict", ["partial", "unsupported", "unchecked"])
def test_a_verdict_is_said_in_words(verdict):
    changed = (citation(1, "The lamp burns for 11 hours.", 0, 30, verdict),)
    assert f'class="verdict {verdict}"' in answer_html(answer(citations=changed))
    assert re.search(
        rf"<span class=\"verdict {verdict}\">\S+ {verdict}</span>", answer_html(answer(citations=changed))
    )


def test_abstention_shows_the_closest_passages():
    quiet = answer(
        text="",
        abstained=True,
        stop_reason="no_evidence",
        citations=(),
        excerpts=(),
        closest=(answer().excerpts[0],),
    )
    for written in (answer_html(quiet), answer_markdown(quiet), answer_text(quiet)):
        assert "do not say" in written
        assert "Battery" in written
    read(answer_html(quiet))


def test_markdown_and_text_keep_the_answer_as_it_is_and_list_each_source_once():
    for written in (answer_markdown(answer()), answer_text(answer())):
        assert written.startswith(TEXT)
        tail = written[len(TEXT) :]
        assert tail.count("Lamp & Co › Battery") == 1
        assert tail.count("Weight") == 1
        assert "lamp.html#a:~:text=" in tail


def cited(text, *spans, verdict="supported"):
    """An answer whose citations are (marker, sentence) pairs."""
    citations = [citation(m, s, text.index(s), text.index(s) + len(s), verdict) for m, s in spans]
    excerpts = [Excerpt(m, "d", m, "a.html", "A", (), f"<p>{s}</p>") for m, s in dict(spans).items()]
    return answer(text=text, citations=tuple(citations), excerpts=tuple(excerpts))


def test_two_sources_of_one_sentence_have_a_marker_each():
    html = answer_html(
        cited("One thing. [1][2] Another. [1]", (1, "One thing."), (2, "One thing."), (1, "Another."))
    )
    assert re.search(
        r'One thing\.</span> <a [^>]*id="marker-0"[^>]*>\[1\]</a><a [^>]*id="marker-1"[^>]*>\[2\]</a> '
        r'<span class="cited supported">Another\.</span> <a [^>]*id="marker-2"',
        html,
    )


def test_a_marker_may_stand_inside_its_sentence():
    html = answer_html(cited("One thing [1].", (1, "One thing [1]")))
    assert re.search(r'One thing </span><a [^>]*id="marker-0"[^>]*>\[1\]</a>\.', html)


def test_brackets_of_the_page_are_no_markers():
    html = answer_html(cited("As [1] says. [1]", (1, "As [1] says.")))
    assert "As [1] says." in html
    assert html.count('class="marker') == 1


def test_a_citation_without_a_marker_can_still_be_gone_back_to():
    parser = read(answer_html(cited("One thing.", (1, "One thing."))))
    assert "marker-0" in parser.ids


def test_a_source_without_excerpt_shows_its_quote():
    html = answer_html(answer(excerpts=()))
    parser = read(html)
    assert set(parser.targets) <= set(parser.ids)
    assert "<mark>The lamp burns for 11 hours.</mark>" in html


def test_a_quote_that_the_excerpt_lacks_leads_to_the_card():
    lost = (Excerpt(1, "d", 1, "lamp.html", "Lamp", (), "<p>Other words.</p>"),)
    parser = read(answer_html(answer(citations=answer().citations[:1], excerpts=lost)))
    assert "source-1" in parser.targets


@pytest.mark.parametrize("verdict", ["partial", "unsupported"])
def test_a_sentence_that_is_not_held_says_so_where_it_stands(verdict):
    html = answer_html(cited("One thing. [1]", (1, "One thing."), verdict=verdict))
    assert f"[1] <small>{verdict}</small></a>" in html


def test_offsets_beyond_the_text_do_no_harm():
    wild = tuple(citation(1, "x", start, end) for start, end in ((-5, 3), (5, 4), (900, 1000)))
    read(answer_html(answer(citations=wild)))


def test_the_policy_forbids_everything_but_inline_style():
    html = answer_html(answer())
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html).group(1).replace("&#x27;", "'")
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'")
    assert "script-src" not in policy
    assert "@import" not in html
    assert "url(" not in html


def test_text_of_either_direction_is_shown_in_its_own():
    html = answer_html(answer(question="كيف؟"))
    assert '<h1 dir="auto" lang="">كيف؟</h1>' in html
    assert '<div class="excerpt" dir="auto"' in html


def test_the_steps_tell_how_the_answer_came_about():
    step = Step(
        1,
        Plan(("lamp", "<battery>"), "lamp battery"),
        (Hit("d", 1, 2.0, 1), Hit("e", 4, 1.0, 2)),
        (Evidence("d", 12345, 400, (1, 2)),),
        "The lamp burns.",
        (1, 1, 2),
        "new",
    )
    html = answer_html(
        answer(
            steps=(step,),
            stop_reason="max_seconds",
            models={"writer": "none (extractive)"},
            usage={"evidence_tokens": 400},
            timings={"total": 1.5},
        )
    )
    told = re.sub(r"<[^>]+>", " ", html[html.index('<details class="steps">') :])
    told = " ".join(told.split())
    for words in (
        "looked for lamp &lt;battery&gt;",
        "2 blocks on 2 pages: Lamp &amp; Co, e",
        "Lamp &amp; Co 12,345 → 400 tokens, 2 blocks kept",
        "3 sentences, from [1], [2]",
        "stopped because the time limit was reached",
        "writer none (extractive)",
        "evidence tokens 400",
        "total 1.50 s",
    ):
        assert words in told
    assert '<details class="steps" open' not in html
    read(html)


def test_warnings_are_shown():
    assert "skipped &lt;x&gt;" in answer_html(answer(warnings=("skipped <x>",)))
