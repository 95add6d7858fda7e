"""Answers as Markdown and as plain text: the text untouched, then where it comes from."""

import pytest

from longleaf.render.from_markdown import markdown_html
from longleaf.render.markdown import answer_markdown
from longleaf.render.sources import ABSTENTION, trail
from longleaf.render.text import answer_text
from longleaf.types import Answer, Citation, Excerpt

TEXT = "- It *burns*. [1]\n- It is [odd](x). [12]"


def citation(marker, url="https://e.org/lamp_(old).html", quote="It burns."):
    return Citation(marker, 0, 3, "d", marker, quote, "", "", url, "top", "supported", 1.0)


def excerpt(marker, title="Lamp", headings=("Lamp", "Use_it *now*"), html="<p>It burns.</p>"):
    return Excerpt(marker, "d", marker, "https://e.org/lamp_(old).html", title, headings, html)


ANSWER = Answer(
    "Does it?",
    TEXT,
    False,
    "complete",
    (citation(1), citation(12), citation(1, quote="Later.")),
    excerpts=(excerpt(12), excerpt(1)),
)
QUIET = Answer(
    "Does it?",
    "",
    True,
    "no_evidence",
    closest=(
        excerpt(
            1,
            html="<html><head><title>Lamp</title></head><body><h1>Lamp</h1><ul><li>a<li>b</ul><pre>x\n\ny</pre>",
        ),
        excerpt(2, html=" "),
    ),
)


@pytest.mark.parametrize("write", [answer_markdown, answer_text])
def test_the_text_is_never_altered(write):
    assert write(ANSWER).startswith(TEXT + "\n\n")


def test_markdown_lists_a_line_a_marker_with_the_first_citations_link():
    lines = answer_markdown(ANSWER).split("\n")
    assert lines[-4:-2] == ["**Sources**", ""]
    assert lines[-2].startswith(
        "- [1] Lamp › Use_it \\*now\\* — [https://e.org/lamp_(old).html#top](<https://"
    )
    assert lines[-2].endswith("#top:~:text=It%20burns.>)")
    assert lines[-1].startswith("- [12] ")


def test_the_list_of_sources_is_itself_good_markdown():
    html = markdown_html(answer_markdown(ANSWER))
    assert html.count('<a href="https://e.org/lamp_(old).html#top:~:text=It%20burns."') == 2
    assert "Use_it *now*" in html


def test_plain_text_has_each_address_on_a_line_of_its_own():
    lines = answer_text(ANSWER).split("\n")
    assert lines[-6:-4] == ["Sources", ""]
    assert "[1]  Lamp › Use_it *now*" in lines
    assert "[12] Lamp › Use_it *now*" in lines
    assert lines.count("     https://e.org/lamp_(old).html#top:~:text=It%20burns.") == 2


def test_a_page_without_address_has_no_link():
    bare = Answer("q", "a [1]", False, "complete", (citation(1, url=""),), excerpts=(excerpt(1),))
    assert answer_text(bare).endswith("[1] Lamp › Use_it *now*")
    assert answer_markdown(bare).endswith("- [1] Lamp › Use_it \\*now\\*")


def test_a_citation_without_excerpt_is_listed_by_its_address():
    bare = Answer("q", "a [1]", False, "complete", (citation(1, url="a.html"),))
    assert "[1] a.html\n    a.html#top:~:text=It%20burns." in answer_text(bare)


def test_an_abstention_says_so_and_quotes_what_is_closest():
    assert answer_markdown(QUIET).split("\n\n")[0] == ABSTENTION
    assert (
        "> - a\n> - b\n>\n> ```\n> x\n>\n> y\n> ```\n>\n> Lamp › Use_it \\*now\\* — [https://e.org/lamp_(old).html]"
        in answer_markdown(QUIET)
    )
    assert "  │ a\n  │ b\n  │ x\n  │\n  │ y\n  Lamp › Use_it *now*\n  https://e.org/" in answer_text(QUIET)


@pytest.mark.parametrize("write", [answer_markdown, answer_text])
def test_an_abstention_with_nothing_close_is_one_sentence(write):
    assert write(Answer("q", "", True, "no_evidence")) == ABSTENTION


@pytest.mark.parametrize(
    ("title", "headings", "shown"),
    [
        ("Lamp", ("Lamp", "Use"), ("Lamp", "Use")),
        ("Lamp — The Shop", ("Lamp", "Use"), ("Lamp — The Shop", "Use")),
        ("Lamp | Shop", ("Lamp",), ("Lamp | Shop",)),
        ("Use cases", ("Use", "Case"), ("Use cases", "Use", "Case")),
        ("", ("Use",), ("https://e.org/lamp_(old).html", "Use")),
        (" A\n b ", (" ", "c"), ("A b", "c")),
    ],
)
def test_a_place_says_each_thing_once(title, headings, shown):
    assert trail(excerpt(1, title, headings)) == shown
