"""From a block back to the element of the page as it came.

Tags, ids and numbers of the page are never changed, so a selector finds the element in any browser.
The parser's binding says nothing of places in the source text, so there are no byte offsets.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from longleaf.blocks import BlockTree
from longleaf.parse import parse
from longleaf.types import Block, Nodes

_PLAIN = re.compile(r"-?[a-zA-Z_][\w-]*\Z", re.ASCII)


# What a browser keeps out of the page's own tree: a selector ends there.
_FRAMES = frozenset(("iframe", "template", "noframes", "noembed", "noscript"))


@dataclass(frozen=True, slots=True)
class Source:
    """Where a block stands: the number of its element in the parsed page, and a CSS selector for it.

    A block of several items or rows has a selector that finds all of them, and the first one's number;
    one inside a frame has the frame's. ``anchor`` is the block's nearest id, for links.
    """

    block_id: int
    node: int
    selector: str
    anchor: str


def sources(tree: BlockTree, raw: Nodes | None = None) -> list[Source]:
    """Return the source of each block; the page is parsed once more unless its ``raw`` tree is given."""
    raw = parse(tree.page.document).nodes if raw is None else raw
    origin, selectors, out = tree.page.nodes.origin, _Selectors(raw), list[Source]()
    for block, node in zip(tree.blocks, tree.parent, strict=True):
        elements = [origin[element] for element in _elements(tree, block, node)]
        out.append(Source(block.id, origin[node], selectors.of_all(elements), block.anchor))
    return out


def _elements(tree: BlockTree, block: Block, node: int) -> list[int]:
    """Return the elements that a block consists of: the one it belongs to, or several that it holds whole."""
    nodes, (stop, offset) = tree.page.nodes, block.span.end
    (first, inside), whole = block.span.start, nodes.end[node] <= stop and not offset
    if first > node or inside or not whole:
        return [node]
    found, at = [node], nodes.end[node]
    while at < stop:
        if nodes.end[at] > stop:
            at += 1
            continue
        if nodes.tag[at]:
            found.append(at)
        at = nodes.end[at]
    return found


class _Selectors:
    """Writes selectors for the elements of one parsed page."""

    def __init__(self, raw: Nodes) -> None:
        self.raw = raw
        self._places: dict[int, dict[int, tuple[str, int, int]]] = {}
        self._known: dict[int, str] = {-1: ""}

    def of_all(self, nodes: list[int]) -> str:
        """Return one selector for some elements in document order (for text: for its element)."""
        runs: list[list[int]] = []
        for node in map(self._outside, nodes):
            if runs and self._is_next(runs[-1][-1], node):
                runs[-1].append(node)
            elif not runs or node not in runs[-1]:
                runs.append([node])
        return ", ".join(self._of_run(run) for run in runs)

    def _of_run(self, run: list[int]) -> str:
        if len(run) == 1:
            return self._of(run[0])
        name, first, _ = self._place(run[0])
        here = f"{name}:nth-of-type(n+{first}):nth-of-type(-n+{first + len(run) - 1})"
        above = self._of(self.raw.parent[run[0]])
        return f"{above} > {here}" if above else here

    def _of(self, node: int) -> str:
        path: list[int] = []
        up = node
        while up not in self._known:
            path.append(up)
            up = self.raw.parent[up]
        for below in reversed(path):
            name, place, count = self._place(below)
            step = f"{name}:nth-of-type({place})" if count > 1 else name
            above = self._known[self.raw.parent[below]]
            self._known[below] = f"{above} > {step}" if above else step
        return self._known[node]

    def _outside(self, node: int) -> int:
        """Return the element that a selector can find: an element of the page's own tree."""
        raw = self.raw
        found = node if raw.tag[node] else raw.parent[node]
        up = raw.parent[found]
        while up >= 0:
            found = up if raw.tag[up] in _FRAMES else found
            up = raw.parent[up]
        return found

    def _is_next(self, before: int, node: int) -> bool:
        if self.raw.parent[before] != self.raw.parent[node]:
            return False
        (name, place, _), (other, other_place, _) = self._place(before), self._place(node)
        return name == other and other_place == place + 1

    def _place(self, node: int) -> tuple[str, int, int]:
        """Return an element's name, which of its name it is among its siblings, and how many these are."""
        up = self.raw.parent[node]
        if up not in self._places:
            self._places[up] = self._places_in(up)
        return self._places[up][node]

    def _places_in(self, up: int) -> dict[int, tuple[str, int, int]]:
        raw = self.raw
        child, stop = (up + 1, raw.end[up]) if up >= 0 else (0, len(raw))
        by_name: dict[str, list[int]] = {}
        while child < stop:
            if raw.tag[child]:
                by_name.setdefault(raw.tag[child], []).append(child)
            child = raw.end[child]
        return {
            child: (_escaped(name), place, len(children))
            for name, children in by_name.items()
            for place, child in enumerate(children, 1)
        }


def _escaped(name: str) -> str:
    if _PLAIN.match(name):
        return name
    return "".join(c if _PLAIN.match(c) else f"\\{ord(c):x} " for c in name)
