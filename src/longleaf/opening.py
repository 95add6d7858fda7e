"""What a part of a block needs of the block before it: open headings, a term, a table's header.

A block names in ``context`` what it needs of the page before it; this is the same for a part that
begins inside of a block.
"""

from __future__ import annotations

from longleaf.rows import is_header_row, table_rows, tied_rows
from longleaf.types import Nodes, Span

_LEVELS = ("h1", "h2", "h3", "h4", "h5", "h6")


def opening_context(nodes: Nodes, block: Span, start: tuple[int, int]) -> list[int]:
    """Return the nodes between a block's start and ``start`` that what begins there stands under."""
    first, at = block.start[0], start[0]
    found: list[int] = []
    node = at
    while node >= first:
        up = nodes.parent[node]
        if nodes.tag[node] == "dd":
            found += _terms(nodes, node)
        if nodes.tag[node] == "tr":
            table = up
            while table >= 0 and nodes.tag[table] != "table":
                table = nodes.parent[table]
            if table >= 0:
                found += _table_head(nodes, table)
        node = up
    found += _headings(nodes, first, at)
    return sorted({n for n in found if first <= n and nodes.end[n] <= at})


def _headings(nodes: Nodes, first: int, at: int) -> list[int]:
    """Return the headings between two nodes that are still open at the second one."""
    open_now: list[int] = []
    for node in range(first, at):
        if nodes.tag[node] in _LEVELS:
            open_now = [n for n in open_now if nodes.tag[n] < nodes.tag[node]]
            open_now.append(node)
    return open_now


def _terms(nodes: Nodes, node: int) -> list[int]:
    """Return the terms right before a definition."""
    beside = nodes.children(nodes.parent[node])
    found: list[int] = []
    for other in reversed(beside[: beside.index(node)]):
        if nodes.tag[other] == "dt":
            found.append(other)
        elif found:
            break
    return found


def _table_head(nodes: Nodes, table: int) -> list[int]:
    """Return a table's caption and header rows."""
    rows = table_rows(nodes, table)
    found = [c for c in nodes.children(table) if nodes.tag[c] == "caption"]
    heads = [row for row in rows if nodes.tag[nodes.parent[row]] == "thead"]
    if not heads and len(rows) > 1 and is_header_row(nodes, rows[0]):
        tied = tied_rows(nodes, table, nodes.end[table])
        heads = [rows[0]]
        for row in rows[1:]:
            if row not in tied:
                break
            heads.append(row)
    return found + heads
