"""The guard against deep nesting: depth is bounded, text stays, what is hidden stays hidden."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longleaf.clean import clean
from longleaf.nesting import MAX_DEPTH, SCANNED_FROM, limit_depth
from longleaf.parse import parse
from longleaf.serialise.text import to_text
from longleaf.types import Document

MANY = SCANNED_FROM + 50


def nodes_of(html):
    return clean(Document.from_html(html)).nodes


def text(html):
    return to_text(nodes_of(html))


def seemingly_deep(pieces):
    return True


def depth(nodes):
    found = [0] * len(nodes)
    for node, up in enumerate(nodes.parent):
        found[node] = found[up] + 1 if up >= 0 else 1
    return max(found)


@pytest.mark.parametrize(
    ("unit", "tag"),
    [
        ("<p>x", "p"),
        ("<li>x", "li"),
        ("<dt>a<dd>b", "dd"),
        ("<option>x", "option"),
        ("<tr><td>a<td>b", "td"),
        ("<tr><td><font>a</tr>", "tr"),
        ("<div>x<p>y</div>", "div"),
        ("<a href=x>y", "a"),
        ("<h2>x</h2><p>y", "h2"),
        ("<b>x</b><br>", "b"),
    ],
)
def test_a_long_flat_page_is_left_alone(unit, tag):
    wrap = "<table>{}</table>" if "<tr>" in unit else "<div>{}</div>"
    html = wrap.format(unit * MANY)
    assert limit_depth(html, seemingly_deep) == html
    assert nodes_of(html).tag.count(tag) >= MANY


@pytest.mark.parametrize(
    "inert",
    [
        "<script>" + "s += '<div>';" * MANY + "</script>",
        "<!-- " + "<div>" * MANY + " -->",
        "<style>" + "/* <div> */" * MANY + "</style>",
        "<p title='" + "<div>" * MANY + "'>",
    ],
)
def test_tags_that_are_no_tags_do_not_count(inert):
    html = f"<h1>T</h1>{inert}<p>The plan costs 12 euros.</p><table><tr><td>a</td></tr></table>"
    assert text(html) == "T\nThe plan costs 12 euros.\na"


@pytest.mark.parametrize(
    "unit",
    [
        "<div>w ",
        "<span>w ",
        "<div/>w ",
        "<div x=it's>w ",
        "<ul><li>w ",
        "<table><tr><td>w ",
        "</x><div>w ",
        "<x-y>w ",
    ],
)
def test_depth_is_bounded_and_every_word_stays(unit):
    html = unit * 20_000
    assert depth(parse(Document.from_html(html)).nodes) <= 4 * MAX_DEPTH + 10  # a table adds tbody, tr, td
    assert text(html).split() == ["w"] * 20_000


@pytest.mark.parametrize(
    "hiding",
    [
        "<div hidden>HIDDEN<div>HIDDEN</div>HIDDEN</div>",
        "<div style='display:none'>HIDDEN<p>HIDDEN</div>",
        "<span hidden>HIDDEN<div>HIDDEN</span>HIDDEN</div>HIDDEN</span>",
        "<div hidden><b><div></b>HIDDEN</div>HIDDEN</div>",
        "<template>HIDDEN<div>HIDDEN</div></template>",
        "<script>HIDDEN</script><style>HIDDEN</style>",
    ],
)
@pytest.mark.parametrize("before", ["<p>row</p>\n" * MANY, "<div>" * MANY, "<b>" * MANY, "<ul><li>" * MANY])
def test_hidden_text_stays_hidden_however_deep(hiding, before):
    shown = text(f"{before}{hiding}VISIBLE")
    assert "HIDDEN" not in shown
    assert "VISIBLE" in shown


TAGS = st.sampled_from("div span b i p ul li table tr td a section font h2 template".split())
TOKENS = st.one_of(
    TAGS.map("<{}>".format),
    TAGS.map("</{}>".format),
    st.sampled_from(["w ", "<div hidden>", "<!-- x -->", "<br>"]),
)


@settings(max_examples=80, deadline=None)
@given(st.lists(TOKENS, max_size=40))
def test_below_the_limit_nothing_is_touched(tokens):
    html = "".join(tokens)
    padded = html + "<p>x</p>" * MANY
    assert limit_depth(padded, seemingly_deep) == padded
