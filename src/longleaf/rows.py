"""Rows that belong together, because a rowspan reaches from one into the next."""

from __future__ import annotations

from longleaf.clean_rules import MAX_ROWSPAN, html_integer
from longleaf.types import Nodes


def rowspan(nodes: Nodes, row: int) -> int:
    """Return how many rows the cells of a row reach over, at most."""
    cell, reach = row + 1, 1
    while cell < nodes.end[row]:
        span = html_integer(nodes.attrs[cell].get("rowspan", "1"))
        if span is not None:
            reach = max(reach, span or MAX_ROWSPAN)  # 0: to the end of the row group
        cell = nodes.end[cell]
    return reach


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
