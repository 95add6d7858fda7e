"""Tables to Markdown: pipes where a table is a plain grid, HTML where it is not."""

from __future__ import annotations

import re
from collections.abc import Iterator

from longleaf.clean_rules import BLOCK_TAGS
from longleaf.serialise.html import to_html
from longleaf.serialise.markdown_inline import Inline
from longleaf.serialise.markdown_leaf import LeafWalker
from longleaf.types import Nodes

_ROW_GROUPS = frozenset(("thead", "tbody", "tfoot"))
# What a pipe cell can hold as lines: these elements say no more than "a line of its own".
_LINES = frozenset("p div center address section article figure figcaption header footer main".split())
_BLANK_LINE = re.compile(r"\n(?=[ \t]*\n)")


def table_rows(nodes: Nodes, table: int) -> list[list[int]]:
    """Return the cells of each row of a table (not of tables inside it); empty rows are left out."""
    rows = []
    for child in _children(nodes, table):
        if nodes.tag[child] == "tr":
            rows.append(child)
        elif nodes.tag[child] in _ROW_GROUPS:
            rows += [row for row in _children(nodes, child) if nodes.tag[row] == "tr"]
    grid = [[cell for cell in _children(nodes, row) if nodes.tag[cell] in ("td", "th")] for row in rows]
    return [row for row in grid if row]


def is_layout(nodes: Nodes, table: int, rows: list[list[int]]) -> bool:
    """Return whether a table only arranges a page: it holds tables, or blocks in one column."""
    if "table" in nodes.tag[table + 1 : nodes.end[table]] or not rows:
        return True
    return all(len(row) == 1 for row in rows) and not is_grid(nodes, rows)


def is_grid(nodes: Nodes, rows: list[list[int]]) -> bool:
    """Return whether pipes can say all that a table says: equal rows, no spans, lines as cells."""
    cells = [cell for row in rows for cell in row]
    return len({len(row) for row in rows}) == 1 and all(_is_plain(nodes, cell) for cell in cells)


def _is_plain(nodes: Nodes, cell: int) -> bool:
    attrs = nodes.attrs[cell]
    if any(attrs.get(name, "1") not in ("", "0", "1") for name in ("colspan", "rowspan")):
        return False
    inside = nodes.tag[cell + 1 : nodes.end[cell]]
    return all(tag in _LINES or (tag not in BLOCK_TAGS and tag != "hr") for tag in inside)


def pipe_table(nodes: Nodes, rows: list[list[int]]) -> list[str]:
    """Return the lines of a pipe table; nothing where no cell shows anything.

    A first row of ``th`` cells, or one in ``thead``, is the header; without one it is empty,
    because a pipe table cannot do without.
    """
    grid = [[_cell(nodes, cell) for cell in row] for row in rows]
    if not any(any(row) for row in grid):
        return []
    if _is_header(nodes, rows[0]):
        grid[0] = [_plain_cell(nodes, cell) for cell in rows[0]]
    else:
        grid.insert(0, [""] * len(grid[0]))
    lines = ["| " + " | ".join(row) + " |" for row in grid]
    lines.insert(1, "|" + " --- |" * len(grid[0]))
    return lines


def _is_header(nodes: Nodes, row: list[int]) -> bool:
    if all(nodes.tag[cell] == "th" for cell in row):
        return True
    up = nodes.parent[nodes.parent[row[0]]]
    return up >= 0 and nodes.tag[up] == "thead"


def _cell(nodes: Nodes, cell: int) -> str:
    return _plain_cell(nodes, cell, strong=nodes.tag[cell] == "th")


def _plain_cell(nodes: Nodes, cell: int, strong: bool = False) -> str:
    inline = Inline()
    if strong:
        inline.open("strong")
    LeafWalker(nodes, inline, inline.line_break).walk(cell + 1, nodes.end[cell])
    return inline.flush("cell")


def html_table(nodes: Nodes, table: int) -> list[str]:
    """Return the lines of a table's HTML; none is blank, because that would end it in Markdown."""
    return _BLANK_LINE.sub("&#10;", to_html(nodes, table)).split("\n")


def _children(nodes: Nodes, node: int) -> Iterator[int]:
    child = node + 1
    while child < nodes.end[node]:
        yield child
        child = nodes.end[child]
