"""Citations hold what they say, or are not made."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longleaf.cite import CONTEXT_CHARS, bind, locate, support
from longleaf.fragments import text_fragment
from longleaf.types import Block, Document, Span

TEXT = "The first sentence stands here. The lamp burns for 11 hours.\nA third line follows it."


def block(text=TEXT):
    return Block(7, "html>body>p", Span((0, 0), (1, 0)), text, 15, None, ("Lamps",), "prose", "lamps")


DOCUMENT = Document.from_html("<p>x</p>", "lamp.html")


def test_quote_prefix_and_suffix_find_the_place():
    quote = "The lamp burns for 11 hours."
    citation = bind(1, 0, 28, quote, block(), DOCUMENT)
    assert citation is not None
    assert citation.quote == quote
    assert citation.prefix + citation.quote + citation.suffix in TEXT
    assert len(citation.prefix) <= CONTEXT_CHARS
    assert citation.verdict == "supported"
    assert (citation.document_id, citation.block_id) == (DOCUMENT.id, 7)


def test_a_quote_that_is_not_there_is_not_cited():
    assert bind(1, 0, 10, "The lamp burns for 12 hours.", block(), DOCUMENT) is None


def test_white_space_may_differ_and_the_block_wording_wins():
    citation = bind(1, 0, 10, "11 hours. A third", block(), DOCUMENT)
    assert citation is not None
    assert citation.quote == "11 hours.\nA third"


@given(st.text(min_size=1), st.text(), st.text())
def test_whatever_stands_in_a_block_is_found_in_it(quote, before, after):
    text = before + quote + after
    place = locate(quote, text)
    assert place is not None
    assert text[place[0] : place[1]] == quote


def test_link_has_anchor_and_text_fragment():
    citation = bind(1, 0, 28, "The lamp burns for 11 hours.", block(), DOCUMENT)
    assert citation is not None
    assert citation.link == "lamp.html#lamps:~:text=The%20lamp%20burns%20for%2011%20hours."


@pytest.mark.parametrize(
    ("text", "fragment"),
    [
        ("well-known, short", "well%2Dknown%2C%20short"),
        (
            "one two three four five six seven eight nine ten eleven twelve thirteen",
            "one%20two%20three%20four%20five,nine%20ten%20eleven%20twelve%20thirteen",
        ),
        ("cell a\tcell b\nrow two", "cell%20a,row%20two"),
    ],
)
def test_text_fragments(text, fragment):
    assert text_fragment("p.html#old", "", text).endswith(f":~:text={fragment}")


def test_support_is_the_share_of_terms_held():
    assert support("the lamp burns", TEXT) == 1.0
    assert support("the lamp sings", TEXT) == 0.5
    assert support("", TEXT) == 0.0


def test_a_file_name_may_hold_what_means_something_in_a_url():
    assert text_fragment("a #1?.html", "x", "word").startswith("a%20%231%3F.html#x:~:text=")
    assert (
        text_fragment("a.pdf", "page=3&paragraph=2", "b=c&d") == "a.pdf#page=3&paragraph=2:~:text=b%3Dc%26d"
    )
    assert text_fragment("https://e.org/a?b=1#old", "x", "word").startswith("https://e.org/a?b=1#x:~:text=")
