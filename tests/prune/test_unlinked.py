"""What a budget cuts first: link targets and ids, before any text."""

import pytest
from hypothesis import given, settings

from checks import REAL, TABLED, real_tree, shape, tree_of
from longleaf.parse import parse
from longleaf.prune import prune
from longleaf.prune.unlinked import unlinked
from longleaf.serialise.html import to_html
from longleaf.serialise.text import to_text
from longleaf.types import Document
from strategies import pages


def plain(html):
    return to_html(unlinked(tree_of(html).page.nodes))


def test_what_leads_elsewhere_goes_and_what_a_tag_says_stays():
    html = '<p id="a">See <a href="b.html">the <b>lamp</b></a> and <span id="c">more</span>.</p>'
    assert "<body><p>See the <b>lamp</b> and more.</p></body>" in plain(html)
    table = (
        '<table><tr><td colspan="2" id="x" headers="h">1</td></tr></table><ol start="4"><li value="7">x</ol>'
    )
    found = plain(table)
    assert '<td colspan="2">1</td>' in found
    assert '<ol start="4"><li value="7">x</li></ol>' in found
    assert '<img alt="a lamp">' in plain('<p><img src="lamp.png" alt="a lamp">')
    assert '<pre class="language-python">' in plain('<pre class="language-python">x = 1\ny = 2</pre>')
    assert '<span dir="rtl">' in plain('<p>a <span dir="rtl" id="z">b</span>')


def test_a_link_that_keeps_headings_apart_stays():
    html = "<h1>One<a href=x><h2>Two</h2></a></h1>"
    nodes = unlinked(tree_of(html).page.nodes)
    assert shape(parse(Document.from_html(to_html(nodes))).nodes) == shape(nodes)
    assert "href" not in to_html(nodes)


@settings(max_examples=60)
@given(pages())
def test_no_text_is_lost_and_the_tree_is_what_it_parses_to(html):
    tree = tree_of(html)
    if tree is not None:
        nodes = unlinked(tree.page.nodes)
        assert to_text(nodes) == to_text(tree.page.nodes)
        assert shape(parse(Document.from_html(to_html(nodes))).nodes) == shape(nodes)


@pytest.mark.parametrize("path", [*REAL, TABLED], ids=lambda p: p.name)
def test_real_pages(path):
    nodes = real_tree(path).page.nodes
    found = unlinked(nodes)
    assert to_text(found) == to_text(nodes)
    assert "href" not in to_html(found)
    assert shape(parse(Document.from_html(to_html(found))).nodes) == shape(found)


def test_links_stay_where_everything_fits_or_where_they_are_asked_for():
    html = "".join(
        f'<p>The lamp number {i} burns <a href="/lamps/number/{i}">here</a>.</p>' for i in range(20)
    )
    whole = prune(html, "Which lamp?", 10000)
    assert whole.html.count("href") == 20
    small = prune(html, "Which lamp?", 100)
    linked = prune(html, "Which lamp?", 100, links=True)
    assert "href" not in small.html
    assert "href" in linked.html
    assert small.text.startswith(linked.text)
    assert len(small.text) > len(linked.text)
    assert max(small.tokens_after, linked.tokens_after) <= 100
