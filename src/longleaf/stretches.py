"""Places inside the text of a tree: characters of many nodes as one text, and back.

A cut is a node and a character in it; sentences, lines and words run across inline elements.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

from longleaf.types import Nodes, Span


def line_spans(text: str) -> list[tuple[int, int]]:
    """Return ``(start, end)`` of each line, its line break included."""
    ends = list(accumulate(len(line) for line in text.splitlines(keepends=True)))
    return list(zip([0, *ends], ends, strict=False))


Clip = dict[int, tuple[int, int]]


def clip_of(nodes: Nodes, span: Span) -> Clip:
    """Return the stretches of the text nodes that a span covers in part: node to (from, to)."""
    (first, offset), (last, stop) = span.start, span.end
    clip: Clip = {}
    if offset:
        clip[first] = (offset, len(nodes.text[first]))
    if stop:
        clip[last] = (offset if first == last else 0, stop)
    return clip


def joined_text(
    nodes: Nodes, first: int, stop: int, clip: Clip | None = None
) -> tuple[str, list[tuple[int, int]]]:
    """Return the characters of the nodes ``first .. stop`` and (offset, node) of each text node.

    ``br`` counts as a line break; ``clip`` limits nodes at the edges.
    """
    parts: list[str] = []
    places: list[tuple[int, int]] = []
    offset = 0
    for node in range(first, stop):
        text = "\n" if nodes.tag[node] == "br" else nodes.text[node]
        if clip and node in clip:
            text = text[slice(*clip[node])]
        if not text:
            continue
        if not nodes.tag[node]:
            places.append((offset, node))
        parts.append(text)
        offset += len(text)
    return "".join(parts), places


def place_in(
    nodes: Nodes, places: list[tuple[int, int]], offset: int, clip: Clip | None = None
) -> tuple[int, int]:
    """Return the cut (node, character) at an offset of ``joined_text``."""
    begin, node = places[max(0, bisect_right(places, (offset, len(nodes))) - 1)]
    first, stop = clip[node] if clip and node in clip else (0, len(nodes.text[node]))
    if offset - begin >= stop - first:
        return node + 1, 0  # at a line break after the text
    return node, first + max(0, offset - begin)
