"""What a page shows for an element without text: a picture's words, a field's value, an option's label."""

from __future__ import annotations

from longleaf.clean_rules import PICTURES
from longleaf.types import Nodes

# Elements that may show words of an attribute.
STAND_INS = PICTURES | {"input", "option", "optgroup"}
_BOXES = {"checkbox", "radio"}
_WORDLESS = _BOXES | {"file", "password", "hidden"}


def stand_in(nodes: Nodes, node: int) -> str:
    """Return the words that an element shows out of its attributes; most show none."""
    tag, attrs = nodes.tag[node], nodes.attrs[node]
    if tag in PICTURES:
        return attrs.get("alt", "")
    if tag == "input":
        kind = attrs.get("type", "text").lower()
        if kind == "image":
            return attrs.get("alt") or attrs.get("value") or ""
        return "" if kind in _WORDLESS else attrs.get("value") or attrs.get("placeholder") or ""
    if tag == "optgroup":
        return attrs.get("label", "")
    if tag == "option" and not any(map(nodes.says, range(node + 1, nodes.end[node]))):
        return attrs.get("label") or attrs.get("value") or ""
    return ""


def box(nodes: Nodes, node: int) -> str:
    """Return the mark of a check box or a radio button: ``[x]``, ``[ ]``; nothing for other elements."""
    attrs = nodes.attrs[node]
    if nodes.tag[node] != "input" or attrs.get("type", "").lower() not in _BOXES:
        return ""
    return "[x]" if "checked" in attrs else "[ ]"
