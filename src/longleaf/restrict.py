"""A smaller tree out of a larger one: the nodes of some spans, with everything they stand in.

What is kept is decided at the leaves (text and empty elements); an element is there when
something in it is. A table row that is there keeps all its cells, so tables stay rectangular.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from itertools import islice

from longleaf.clean_rules import EDGES, html_integer
from longleaf.types import Nodes, Span, subtree_ends


def restrict(nodes: Nodes, spans: Sequence[Span], context: Iterable[int]) -> Nodes:
    """Return the tree of ``spans`` (disjoint, in any order) plus the subtrees in ``context``.

    Node identity survives in ``origin``. The work grows with what is kept, not with the page.
    """
    keep: set[int] = set()
    text: dict[int, str] = {}
    for span in sorted(spans, key=lambda s: s.start):
        _keep_span(nodes, span, keep, text)
    for node in context:
        whole = range(node, nodes.end[node])
        keep.update(whole)
        for inner in text.keys() & set(whole):
            del text[inner]
    _keep_ancestors(nodes, keep)
    _keep_cells(nodes, keep)
    _keep_partings(nodes, keep)
    return _compact(nodes, sorted(keep), text)


def _keep_span(nodes: Nodes, span: Span, keep: set[int], text: dict[int, str]) -> None:
    (first, offset), (last, stop) = span.start, span.end
    keep.update(node for node in range(first, last) if nodes.end[node] == node + 1)
    if stop:
        keep.add(last)
    if first == last:
        if stop:
            text[first] = text.get(first, "") + nodes.text[first][offset:stop]
        return
    if offset:
        text[first] = text.get(first, "") + nodes.text[first][offset:]
    if stop:
        text[last] = nodes.text[last][:stop]


def _keep_ancestors(nodes: Nodes, keep: set[int]) -> None:
    for node in list(keep):
        up = nodes.parent[node]
        while up >= 0 and up not in keep:
            keep.add(up)
            up = nodes.parent[up]


def _keep_cells(nodes: Nodes, keep: set[int]) -> None:
    for row in [node for node in keep if nodes.tag[node] == "tr"]:
        cell, stop = row + 1, nodes.end[row]
        while cell < stop:
            if nodes.tag[cell] in ("td", "th"):
                keep.add(cell)
            cell = nodes.end[cell]


def _keep_partings(nodes: Nodes, keep: set[int]) -> None:
    """Keep the shell of an element that goes, where without it a line would run into the next one."""
    shells: set[int] = set()
    ends: list[int] = []  # of the open elements that are set apart and stay
    last = -1  # the text before in the same line
    for node in sorted(keep):
        while ends and ends[-1] <= node:
            ends.pop()
            last = -1
        if nodes.tag[node] in EDGES or nodes.tag[node] == "br":
            ends.append(nodes.end[node])
            last = -1
        elif nodes.end[node] == node + 1:
            gone = (n for n in range(last + 1, node) if last >= 0 and nodes.tag[n] in EDGES)
            shells.update(islice(gone, 1))
            last = node
    _keep_ancestors(nodes, shells)
    keep |= shells


def _compact(nodes: Nodes, chosen: list[int], text: dict[int, str]) -> Nodes:
    place = {n: i for i, n in enumerate(chosen)}
    parent = [place.get(nodes.parent[n], -1) for n in chosen]
    numbers = _numbers(nodes, chosen, place)
    return Nodes(
        [nodes.tag[n] for n in chosen],
        parent,
        subtree_ends(parent),
        [text.get(n, nodes.text[n]) for n in chosen],
        [numbers.get(n, nodes.attrs[n]) for n in chosen],
        [nodes.origin[n] for n in chosen],
    )


def _numbers(nodes: Nodes, chosen: list[int], kept: Container[int]) -> dict[int, Mapping[str, str]]:
    """Return the attributes of items that would count anew because of items that went before them."""
    changed: dict[int, Mapping[str, str]] = {}
    for numbered in (n for n in chosen if nodes.tag[n] == "ol"):
        items = [n for n in nodes.children(numbered) if nodes.tag[n] == "li"]
        attrs = nodes.attrs[numbered]
        step = -1 if "reversed" in attrs else 1
        start = html_integer(attrs.get("start", ""))
        there = sum(item in kept for item in items)
        number = start if start is not None else len(items) if step < 0 else 1
        shown = start if start is not None else there if step < 0 else 1
        for item in items if there < len(items) else ():
            own = html_integer(nodes.attrs[item].get("value", ""))
            number = number if own is None else own
            if item in kept:
                if own is None and number != shown:
                    changed[item] = {**nodes.attrs[item], "value": str(number)}
                shown = number + step
            number += step
    return changed
