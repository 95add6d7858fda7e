"""A page without what only leads elsewhere: link targets, ids, addresses of pictures.

They are the first thing that a budget cuts, because a reader of the text misses none of them: on
Wikipedia pages they are half of the tokens, and without them 512 tokens hold the answer's row for
13 questions in 100 more (``benchmarks/pruning_quality.py``). What a tag says of the text stays:
spans of cells, numbers of items, alternative texts, directions, states of form fields.
"""

from __future__ import annotations

from collections.abc import Mapping

from longleaf.types import Nodes, subtree_ends
from longleaf.unnest import may_nest

_LEADS = frozenset(("cite", "class", "headers", "href", "id", "lang", "name", "role", "src"))
# Said by attributes alone: nothing is left of these without them.
_HOLLOW = frozenset(("a", "bdi", "font", "span"))
_NONE: Mapping[str, str] = {}


def unlinked(nodes: Nodes) -> Nodes:
    """Return the tree without these attributes and without the elements that are nothing but them.

    Text and its order stay as they are; the class of code, which names its language, stays too.
    """
    attrs = [_left(tag, found) for tag, found in zip(nodes.tag, nodes.attrs, strict=True)]
    hollow = [tag in _HOLLOW and not found for tag, found in zip(nodes.tag, attrs, strict=True)]
    if not any(hollow):
        return Nodes(nodes.tag, nodes.parent, nodes.end, nodes.text, attrs, nodes.origin)
    opened = _without(nodes, attrs, hollow)
    # A link may be all that keeps two elements apart that cannot stand in each other.
    if may_nest(opened.tag, opened.parent, opened.end):
        return Nodes(nodes.tag, nodes.parent, nodes.end, nodes.text, attrs, nodes.origin)
    return opened


def _left(tag: str, attrs: Mapping[str, str]) -> Mapping[str, str]:
    if not attrs or _LEADS.isdisjoint(attrs):
        return attrs
    kept = {name: value for name, value in attrs.items() if name not in _LEADS}
    if tag in ("pre", "code") and "class" in attrs:
        kept["class"] = attrs["class"]
    return kept or _NONE


def _without(nodes: Nodes, attrs: list[Mapping[str, str]], hollow: list[bool]) -> Nodes:
    """Return the tree with some elements replaced by their children; text beside text is one node."""
    place: list[int] = []  # where each node, or the one that took its place, is now
    chosen: list[int] = []
    parent: list[int] = []
    text: list[str] = []
    last: dict[int, int] = {}  # the last child of each new node
    for node, up in enumerate(nodes.parent):
        above = place[up] if up >= 0 else -1
        if hollow[node]:
            place.append(above)
            continue
        beside = last.get(above, -1)
        if not nodes.tag[node] and beside >= 0 and not nodes.tag[chosen[beside]]:
            text[beside] += nodes.text[node]
            place.append(beside)
            continue
        last[above] = len(chosen)
        place.append(len(chosen))
        chosen.append(node)
        parent.append(above)
        text.append(nodes.text[node])
    return Nodes(
        [nodes.tag[n] for n in chosen],
        parent,
        subtree_ends(parent),
        text,
        [attrs[n] for n in chosen],
        [nodes.origin[n] for n in chosen],
    )
