"""The HTML of an answer: self-contained, safe, and leading from sentence to excerpt and back."""

import re
from html.parser import HTMLParser

import pytest

from longleaf.render.answer import answer_html
from longleaf.render.markdown import answer_markdown
from longleaf.render.text import answer_text
from longleaf.types import Answer, Citation, Excerpt

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


class Balance(HTMLParser):
    VOID = frozenset(("meta", "br", "hr", "img", "link", "input"))

    def __init__(self):
        super().__init__()
        self.open, self.ids, self.targets, self.tags = [], [], [], set()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        found = dict(attrs)
        assert not any(name.startswith("on") for name in found)
        if "id" in found:
            self.ids.append(found["id"])
        if found.get("href", "").startswith("#"):
            self.targets.append(found["href"][1:])
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def read(html):
    parser = Balance()
    parser.feed(html)
    parser.close()
    assert parser.open == []
    return parser


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
