"""Declarative shadow trees as a browser shows them: what stands in the host appears in the slots.

Only where it is written in the page (``<template shadowrootmode>``): no script is run. What is not
shown, a filled slot's fallback and what no slot takes, comes to stand in an inert ``template``.
"""

from __future__ import annotations

from collections.abc import Iterator

from longleaf.flat import NO_ATTRS, Flat
from longleaf.types import subtree_ends

# What may have a shadow tree, besides elements with a hyphen in their name (DOM standard, 4.8).
_HOSTS = frozenset(
    "article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span".split()
)


def fill_slots(flat: Flat) -> Flat:
    """Return the tree with every slot filled; the same arrays where no element has a shadow tree."""
    roots = [n for n, tag in enumerate(flat.tag) if tag == "template" and "shadowrootmode" in flat.attrs[n]]
    hosts: dict[int, int] = {}
    for root in roots:
        host = flat.parent[root]
        if host >= 0 and (flat.tag[host] in _HOSTS or "-" in flat.tag[host]):
            hosts.setdefault(host, root)
    if not hosts:
        return flat
    children: list[list[int]] = [[] for _ in flat.tag]
    for node, up in enumerate(flat.parent):
        if up >= 0:
            children[up].append(node)
    original = [list(each) for each in children] if len(hosts) > 1 else children
    for host, root in hosts.items():
        _fill(flat, root, original[host], children)
    return _in_order(flat, children)


def _fill(flat: Flat, root: int, inside: list[int], children: list[list[int]]) -> None:
    """Move what stands in one host to the slots of its shadow tree."""
    taken: dict[int, list[int]] = {}
    slots = _slots(flat, root)
    left: list[int] = []
    for node in inside:
        name = flat.attrs[node].get("slot", "") if flat.tag[node] else ""
        if flat.tag[node] in ("template", "#comment") or _is_white(flat, node):
            continue
        if name in slots:
            taken.setdefault(slots[name], []).append(node)
        else:
            left.append(node)
    for slot, nodes in taken.items():
        fallback = [n for n in children[slot] if flat.tag[n] != "template" and not _is_white(flat, n)]
        children[slot] = nodes + _inert(children, fallback)
    moved = {node for nodes in (*taken.values(), left) for node in nodes}
    children[flat.parent[root]] = [node for node in inside if node not in moved] + _inert(children, left)


def _slots(flat: Flat, root: int) -> dict[str, int]:
    """Return the slots of a shadow tree by name: the first of each, none of a shadow tree inside."""
    found: dict[str, int] = {}
    node = root + 1
    while node < flat.end[root]:
        if flat.tag[node] == "template":
            node = flat.end[node]
            continue
        if flat.tag[node] == "slot":
            found.setdefault(flat.attrs[node].get("name", ""), node)
        node += 1
    return found


def _is_white(flat: Flat, node: int) -> bool:
    return not flat.tag[node] and not flat.text[node].strip()


def _inert(children: list[list[int]], nodes: list[int]) -> list[int]:
    """Put nodes into a new element that nobody sees; its number is the next one after all others."""
    if not nodes:
        return []
    children.append(nodes)
    return [len(children) - 1]


def _in_order(flat: Flat, children: list[list[int]]) -> Flat:
    """Return the nodes in the order in which they stand now."""
    out = Flat()
    for node, up in _walk(flat, children):
        if node < len(flat.tag):
            out.add(flat.tag[node], up, flat.text[node], flat.attrs[node])
        else:
            out.add("template", up, "", NO_ATTRS)
    out.end[:] = subtree_ends(out.parent)
    return out


def _walk(flat: Flat, children: list[list[int]]) -> Iterator[tuple[int, int]]:
    """Give each node with the new number of its parent."""
    stack = [(node, -1) for node, up in enumerate(flat.parent) if up < 0][::-1]
    count = 0
    while stack:
        node, up = stack.pop()
        yield node, up
        stack += [(child, count) for child in reversed(children[node])]
        count += 1
