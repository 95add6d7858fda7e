"""A part that begins inside a block has what it stands under: headings, a term, a table's header."""

import pytest

from longleaf import Document
from longleaf.blocks import block_tree, span_text
from longleaf.clean import clean
from longleaf.serialise.html import to_html
from longleaf.types import Span
from longleaf.units import units

TABLE = "<table><caption>Plans</caption><tr><th>Plan<th>Price<tr><td>Basic<td>0<tr><td>Pro<td>12</table>"
CASES = [
    ("<p>Before.</p><h2>Two</h2><p>One is. Another is.</p>", "Another", ["<h2>Two"], ["Before", "One"]),
    (f"<h1>T</h1><p>Before.</p>{TABLE}", "Pro", ["Plans", "Price", "<td>12</td>"], ["Basic", "Before"]),
    ("<dl><dt>open</dt><dd>Opens.</dd><dt>close</dt><dt>end</dt><dd>Closes.</dd></dl>", "Closes.",
     ["<dt>close</dt><dt>end</dt>"], ["open", "Opens"]),
    ("<table><tr><th>a<td>1<tr><th>b<td>2</table>", "2", ["<th>b</th>"], ["<th>a</th>"]),
    ("<ol><li>one.<li>two.<li>three.</ol>", "three.", ['<li value="3">three.</li>'], ["two"]),
    ("<ol reversed><li>one.<li>two.<li value=9>x.<li>y.</ol>", "y.", ['<li value="8">y.</li>'], ["two"]),
]  # fmt: skip


@pytest.mark.parametrize(("html", "said", "there", "gone"), CASES)
def test_a_part_has_what_it_stands_under(html, said, there, gone):
    tree = block_tree(clean(Document.from_html(html)))
    (block,) = tree.blocks
    nodes = tree.page.nodes
    unit = next(u for u in units(nodes, block) if said in span_text(nodes, u.span))
    part = to_html(tree.restrict(set(), (Span(unit.span.start, block.span.end),)))
    assert said in part
    assert [text for text in there if text not in part] == []
    assert [text for text in gone if text in part] == []
