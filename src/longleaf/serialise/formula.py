"""MathML in one line of text: the marks without which numbers run together and fractions change."""

from __future__ import annotations

from longleaf.types import Nodes

# Before each part of an element, first to last; a part of several pieces gets parentheses.
_PARTS: dict[str, tuple[str, ...]] = {
    "mfrac": ("", "/"),
    "msup": ("", "^"),
    "msub": ("", "_"),
    "msubsup": ("", "_", "^"),
    "munder": ("", "_"),
    "munderover": ("", "_", "^"),
    "mover": ("", "^"),
    "mroot": ("", "^1/"),
}
# And between the parts of elements that have any number of them.
_BETWEEN = {"mtr": " ", "mtable": "; ", "mfenced": ", "}
# The parents whose children are marked.
MARKED = frozenset((*_PARTS, *_BETWEEN))


def mark_before(nodes: Nodes, node: int) -> str:
    """Return what is written before an element of a formula, an opening parenthesis included."""
    root = "√" + "(" * _is_compound(nodes, node) if nodes.tag[node] == "msqrt" else ""
    up = nodes.parent[node]
    kind = nodes.tag[up] if up >= 0 else ""
    if kind in _BETWEEN:
        first = nodes.attrs[up].get("open", "(") if kind == "mfenced" else ""
        return (_BETWEEN[kind] if _place(nodes, node) else first) + root
    if kind not in _PARTS or _is_accent(nodes, node):
        return root
    place = _place(nodes, node)
    mark = _PARTS[kind][place] if place < len(_PARTS[kind]) else ""
    return mark + "(" * _is_grouped(nodes, node) + root


def mark_after(nodes: Nodes, node: int) -> str:
    """Return what is written after an element of a formula."""
    root = ")" * _is_compound(nodes, node) if nodes.tag[node] == "msqrt" else ""
    up = nodes.parent[node]
    kind = nodes.tag[up] if up >= 0 else ""
    if kind in _BETWEEN:
        is_last = kind == "mfenced" and nodes.end[node] == nodes.end[up]
        return root + (nodes.attrs[up].get("close", ")") if is_last else "")
    if kind not in _PARTS or _is_accent(nodes, node):
        return root
    return root + ")" * _is_grouped(nodes, node)


def _place(nodes: Nodes, node: int) -> int:
    child, place = nodes.parent[node] + 1, 0
    while child < node:
        place += bool(nodes.tag[child])
        child = nodes.end[child]
    return place


def _is_grouped(nodes: Nodes, node: int) -> bool:
    """Return whether a part has several pieces, and stands where these would not hold together."""
    kind = nodes.tag[nodes.parent[node]]
    return (kind == "mfrac" or _place(nodes, node) > 0) and _is_compound(nodes, node)


def _is_compound(nodes: Nodes, node: int) -> bool:
    return sum(map(nodes.says, range(node, nodes.end[node]))) > 1


def _is_accent(nodes: Nodes, node: int) -> bool:
    """Return whether an element is a bar, a hat or an arrow over another one."""
    if nodes.tag[nodes.parent[node]] != "mover":
        return False
    return not any(c.isalnum() for n in range(node, nodes.end[node]) for c in nodes.text[n])
