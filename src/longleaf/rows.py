"""The rows of a table: which are its header, and which a rowspan ties together."""

from __future__ import annotations

from longleaf.clean_rules import MAX_ROWSPAN, html_integer
from longleaf.types import Nodes

_ROW_GROUPS = frozenset(("thead", "tbody", "tfoot"))


def rowspan(nodes: Nodes, row: int) -> int:
    """Return how many rows the cells of a row reach over, at most."""
    cell, reach = row + 1, 1
    while cell < nodes.end[row]:
        span = html_integer(nodes.attrs[cell].get("rowspan", "1"))
        if span is not None:
            reach = max(reach, span or MAX_ROWSPAN)  # 0: to the end of the row group
        cell = nodes.end[cell]
    return reach


def table_rows(nodes: Nodes, table: int) -> list[int]:
    """Return the rows of a table in order, not those of tables inside of it."""
    rows: list[int] = []
    for child in nodes.children(table):
        if nodes.tag[child] == "tr":
            rows.append(child)
        elif nodes.tag[child] in _ROW_GROUPS:
            rows += [c for c in nodes.children(child) if nodes.tag[c] == "tr"]
    return rows


def is_header_row(nodes: Nodes, row: int) -> bool:
    """Return whether a row names columns: more than one cell, all of them ``th``."""
    cells = [nodes.tag[c] for c in nodes.children(row)]
    return len(cells) > 1 and all(tag == "th" for tag in cells)


def tied_rows(nodes: Nodes, first: int, stop: int) -> frozenset[int]:
    """Return the rows among the nodes ``first .. stop`` that a rowspan from above reaches into.

    Blocks never part such rows, so the rows of one block tell.
    """
    tied: set[int] = set()
    open_rows: dict[int, int] = {}
    for row in range(first, stop):
        if nodes.tag[row] == "tr":
            up = nodes.parent[row]
            if open_rows.get(up, 0) > 0:
                tied.add(row)
            open_rows[up] = max(open_rows.get(up, 0), rowspan(nodes, row)) - 1
    return frozenset(tied)
