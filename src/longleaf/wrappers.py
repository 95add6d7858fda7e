"""Which elements of a cleaned page stay: what is empty goes, and so do wrappers without meaning."""

from __future__ import annotations

from itertools import accumulate, compress

from longleaf import clean_rules as rules
from longleaf.nesting_rules import HEADINGS, ITEMS, LISTS
from longleaf.types import Nodes

_LEAVES = rules.KEEP_EMPTY | rules.PICTURES | {"input", "meter", "progress"}
_SHOWN = rules.PICTURES | {"input"}


def solid(nodes: Nodes) -> list[bool]:
    """Return which nodes stay: text, meaningful leaves, anchors, what these stand in, what parts lines."""
    keep = _with_something(nodes)
    _keep_partings(nodes, keep)
    return keep


def _with_something(nodes: Nodes) -> list[bool]:
    texts, parents, attrs = nodes.text, nodes.parent, nodes.attrs
    keep = [False] * len(texts)
    full = [False] * (len(texts) + 1)  # the last one stands for "no parent"
    for node in range(len(texts) - 1, -1, -1):
        tag = nodes.tag[node]
        if not tag:
            stays = texts[node] != ""
        elif full[node] or tag in _LEAVES:
            stays = True
        else:
            stays = tag != "#gone" and ("id" in attrs[node] or "name" in attrs[node])
        if stays:
            keep[node] = full[parents[node]] = True
    return keep


def _keep_partings(nodes: Nodes, keep: list[bool]) -> None:
    """Keep an empty element where without it a line would run into the next one."""
    tags = nodes.tag
    ended = bytearray(len(keep) + 1)  # where an element ends that is set apart and stays
    for tag, end, stays in zip(tags, nodes.end, keep, strict=True):
        if stays and tag in rules.EDGES:
            ended[end] = 1
    in_line, between = False, -1
    for node, stays in enumerate(keep):
        tag = tags[node]
        is_edge = tag in rules.EDGES
        if ended[node] or (stays and (is_edge or tag == "br")):
            in_line, between = False, -1
        if is_edge and not stays:
            between = node if between < 0 else between
        elif stays and (not tag or tag in _SHOWN):
            if in_line and between >= 0:
                keep[between] = True
            in_line, between = True, -1


def merge_wrappers(nodes: Nodes, keep: list[bool]) -> None:
    """Take out of ``keep`` wrappers that hold one block-level element and nothing else."""
    wrappers = [n for n, tag in enumerate(nodes.tag) if tag in rules.PLAIN_WRAPPERS and keep[n]]
    inner_of: dict[int, int] = {}
    core: dict[int, int] = {}  # what is left of a chain of wrappers
    for node in reversed(wrappers):
        inner = -1 if nodes.attrs[node] else _only_child(nodes, node, keep)
        if inner >= 0 and nodes.tag[inner] in rules.BLOCK_TAGS:
            inner_of[node] = inner
            core[node] = core.get(inner, inner)
    for node in wrappers:
        if node in inner_of and not _parts(nodes, node, keep, nodes.tag[inner_of[node]], core[node]):
            keep[node] = False


def _only_child(nodes: Nodes, node: int, keep: list[bool]) -> int:
    """Return the one element that a wrapper holds, or -1 when there is text or a second one."""
    child, only = node + 1, -1
    while child < nodes.end[node]:
        if keep[child]:
            if only >= 0 or not nodes.tag[child]:
                return -1
            only = child
        child = nodes.end[child]
    return only


def _parts(nodes: Nodes, node: int, keep: list[bool], inner: str, core: int) -> bool:
    """Return whether a wrapper keeps two items or two headings apart that cannot nest directly."""
    up = nodes.parent[node]
    while up >= 0 and not keep[up]:
        up = nodes.parent[up]
    above = nodes.tag[up] if up >= 0 else ""
    if nodes.tag[core] in ITEMS:
        return nodes.tag[node] != "div" and above not in LISTS
    return above in HEADINGS and inner in HEADINGS


def compact(nodes: Nodes, keep: list[bool]) -> Nodes:
    """Return the tree of what is kept; children of what is not come to stand where it stood."""
    before = [0, *accumulate(keep)]  # kept nodes before each
    place = [-1] * (len(keep) + 1)  # the last one stands for "no parent"
    for node, up in enumerate(nodes.parent):
        place[node] = before[node] if keep[node] else place[up]
    return Nodes(
        list(compress(nodes.tag, keep)),
        [place[up] for up in compress(nodes.parent, keep)],
        [before[end] for end in compress(nodes.end, keep)],
        list(compress(nodes.text, keep)),
        list(compress(nodes.attrs, keep)),
        list(compress(nodes.origin, keep)),
    )
