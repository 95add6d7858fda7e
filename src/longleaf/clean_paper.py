"""HtmlRAG's own cleaning (section 3.2), for comparison: what the paper says, loss and all.

Scripts, styles, comments and every attribute go; elements without text go; of elements that hold
one element and nothing else only the inner one stays, whatever the two are. So headings, list
items, rows and code lose their tags, empty cells and pictures are gone: on 115 documentation pages
88 % of the rows no longer have their cells. Use ``default`` for anything but comparing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate, compress

from longleaf.clean_rules import NO_ATTRS
from longleaf.paths import PathLabels
from longleaf.types import Nodes, Removal

_DROPPED = {"script": "script", "style": "style", "#comment": "comment", "#fallback": "fallback of a frame"}
_BLANK_LINES = re.compile(r"\n\s*\n")


def clean_as_paper(raw: Nodes) -> tuple[Nodes, tuple[Removal, ...]]:
    """Return the nodes that the paper's cleaning keeps, and what it set aside with its text."""
    keep, removed = _without_code(raw)
    for node in range(len(raw) - 1, -1, -1):  # from the leaves up: a node stays if something in it does
        if raw.tag[node] and keep[node]:
            keep[node] = _has_text(raw, keep, node)
    for node, tag in enumerate(raw.tag):
        # White space between two tags would make the outer one look as if it held text.
        if not tag and not raw.says(node):
            keep[node] = keep[node] and not raw.text[node].count("\n")
    _merge_single(raw, keep)
    return _compact(raw, keep), removed


def _without_code(raw: Nodes) -> tuple[list[bool], tuple[Removal, ...]]:
    keep, labels = [True] * len(raw), PathLabels(raw)
    removed: list[Removal] = []
    node = 0
    while node < len(raw):
        reason = _DROPPED.get(raw.tag[node])
        if reason:
            end = raw.end[node]
            chars = sum(len(raw.text[i].strip()) for i in range(node, end))
            removed.append(Removal(node, labels.path(node), reason, chars))
            keep[node:end] = [False] * (end - node)
            node = end
        else:
            node += 1
    return keep, tuple(removed)


def _has_text(raw: Nodes, keep: Sequence[bool], node: int) -> bool:
    child = node + 1
    while child < raw.end[node]:
        if keep[child] and (raw.tag[child] or raw.says(child)):
            return True
        child = raw.end[child]
    return False


def _merge_single(raw: Nodes, keep: list[bool]) -> None:
    """Take out each element that holds one element and no text beside it."""
    for node, tag in enumerate(raw.tag):
        if not tag or not keep[node]:
            continue
        child, elements, says = node + 1, 0, False
        while child < raw.end[node]:
            elements += bool(raw.tag[child]) and keep[child]
            says = says or (not raw.tag[child] and raw.says(child))
            child = raw.end[child]
        if elements == 1 and not says:
            keep[node] = False


def _compact(raw: Nodes, keep: Sequence[bool]) -> Nodes:
    before = [0, *accumulate(keep)]
    place = [-1] * (len(raw) + 1)  # the last one stands for "no parent"
    for node, up in enumerate(raw.parent):
        place[node] = before[node] if keep[node] else place[up]
    kept = list(compress(range(len(raw)), keep))
    return Nodes(
        [raw.tag[node] for node in kept],
        [place[raw.parent[node]] for node in kept],
        [before[raw.end[node]] for node in kept],
        [_BLANK_LINES.sub("\n", raw.text[node]) for node in kept],
        [NO_ATTRS] * len(kept),
        kept,
    )
