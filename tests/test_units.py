"""Sentences, items, rows and code inside a block."""

from itertools import pairwise

import pytest
from hypothesis import given, settings

from checks import REAL, TABLED, real_tree, tree_of
from longleaf.blocks import span_text
from longleaf.language import has_word, words
from longleaf.types import Span
from longleaf.units import cut_points, units
from strategies import LIMITS, odd_tables, pages

FEW = settings(max_examples=80, deadline=None)


def said(html, limit=128):
    tree = tree_of(html, limit)
    nodes = tree.page.nodes
    return [(u.kind, span_text(nodes, u.span)) for block in tree.blocks for u in units(nodes, block)]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>One two. Three.</p>", [("sentence", "One two."), ("sentence", "Three.")]),
        ("<p>One <b>two. Three</b> four.</p>", [("sentence", "One two."), ("sentence", "Three four.")]),
        ("<p>one<br>two</p>", [("sentence", "one"), ("sentence", "two")]),
        ("<ul><li>A. B.</li><li><p>C.</p></li></ul>", [("item", "A. B."), ("item", "C.")]),
        (
            "<table><tr><th>a<th>b<tr><td>c<td>d</table>",
            [("row", "a\tb"), ("row", "c\td")],
        ),
        ("<pre>One. Two.\n\nThree.</pre>", [("code", "One. Two.\n\nThree.")]),
        (
            "<dl><dt>a</dt><dd>Bees see. Cows too.</dd></dl>",
            [("term", "a"), ("sentence", "Bees see."), ("sentence", "Cows too.")],
        ),
        ("<h2>One. Two.</h2>", [("heading", "One. Two.")]),
        ("<p>保修期为两年。从购买起算。</p>", [("sentence", "保修期为两年。"), ("sentence", "从购买起算。")]),
    ],
)
def test_units_by_hand(html, expected):
    assert said(html) == expected


def check_cover(tree):
    nodes = tree.page.nodes
    for block in tree.blocks:
        parts = units(nodes, block)
        assert [w for u in parts for w in words(span_text(nodes, u.span))] == words(block.text)
        if parts:
            assert (parts[0].span.start, parts[-1].span.end) == (block.span.start, block.span.end)
        for one, two in pairwise(parts):
            assert one.span.end == two.span.start


@FEW
@given(pages(), LIMITS)
def test_the_units_of_a_block_cover_it(html, limit):
    tree = tree_of(html, limit)
    if tree is not None:
        check_cover(tree)


@FEW
@given(odd_tables(), LIMITS)
def test_the_units_of_a_table_cover_it(html, limit):
    check_cover(tree_of(html, limit))


@pytest.mark.parametrize("path", [*REAL, TABLED], ids=lambda p: p.name)
@pytest.mark.parametrize("limit", [12, 128])
def test_the_units_of_a_real_page_cover_it(path, limit):
    check_cover(real_tree(path, limit))


@FEW
@given(pages(), LIMITS)
def test_cut_points_are_in_order_inside_the_block_and_after_its_first_word(html, limit):
    tree = tree_of(html, limit)
    for block in () if tree is None else tree.blocks:
        points = cut_points(tree.page.nodes, block)
        assert points == sorted(set(points))
        for point in points:
            assert block.span.start < point < block.span.end
            assert has_word(span_text(tree.page.nodes, Span(block.span.start, point)))


@pytest.mark.parametrize(
    ("html", "parts"),
    [
        ("<p>One two. Three four. Five.</p>", ["One two.", "One two. Three four."]),
        ("<pre>a\n\nb\nc\n</pre>", ["a", "a", "a\n\nb"]),
        ("<p><input type=checkbox><br>One.<br>Two.</p>", ["[ ]\nOne."]),
        ("<pre>--\n--\na\nb</pre>", ["--\n--\na"]),
        ("<table><tr><td rowspan=2>a<td>b<tr><td>c<tr><td>d<td>e</table>", ["a\tb\nc"]),
    ],
)
def test_where_a_block_may_be_cut_short(html, parts):
    tree = tree_of(html)
    nodes, block = tree.page.nodes, tree.blocks[0]
    points = cut_points(nodes, block)
    assert [span_text(nodes, Span(block.span.start, point)) for point in points] == parts
