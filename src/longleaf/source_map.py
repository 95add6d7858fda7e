"""From a block back to the element of the page as it came.

Tags, ids and numbers of the page are never changed, so a selector finds the element in any browser.
The parser's binding says nothing of places in the source text, so there are no byte offsets.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from longleaf.blocks import BlockTree
from longleaf.parse import parse
from longleaf.types import Nodes

_PLAIN = re.compile(r"-?[a-zA-Z_][\w-]*\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class Source:
    """Where a block stands: the number of its element in the parsed page, and a CSS selector for it.

    ``anchor`` is the block's nearest id, for links.
    """

    block_id: int
    node: int
    selector: str
    anchor: str


def sources(tree: BlockTree, raw: Nodes | None = None) -> list[Source]:
    """Return the source of each block; the page is parsed once more unless its ``raw`` tree is given."""
    raw = parse(tree.page.document).nodes if raw is None else raw
    origins = [tree.page.nodes.origin[node] for node in tree.parent]
    selectors = selector_of(raw, origins)
    return [
        Source(block.id, origin, selectors[origin], block.anchor)
        for block, origin in zip(tree.blocks, origins, strict=True)
    ]


def selector_of(raw: Nodes, nodes: Iterable[int]) -> dict[int, str]:
    """Return a selector for each node (for text: for the element it stands in)."""
    numbered: dict[int, dict[int, str]] = {}
    known: dict[int, str] = {}
    for asked in nodes:
        node, parts = asked, list[str]()
        while node >= 0 and node not in known:
            if raw.tag[node]:
                up = raw.parent[node]
                if up not in numbered:
                    numbered[up] = _steps(raw, up)
                parts.append(numbered[up][node])
            node = raw.parent[node]
        above = [known[node]] if node >= 0 else []
        known[asked] = " > ".join([*above, *reversed(parts)])
    return known


def _steps(raw: Nodes, up: int) -> dict[int, str]:
    """Return the step of a selector for each child: its name, and which of its name where there are more."""
    child, stop = (up + 1, raw.end[up]) if up >= 0 else (0, len(raw))
    by_name: dict[str, list[int]] = {}
    while child < stop:
        if raw.tag[child]:
            by_name.setdefault(raw.tag[child], []).append(child)
        child = raw.end[child]
    return {
        child: _escaped(name) + (f":nth-of-type({place})" if len(children) > 1 else "")
        for name, children in by_name.items()
        for place, child in enumerate(children, 1)
    }


def _escaped(name: str) -> str:
    if _PLAIN.match(name):
        return name
    return "".join(c if _PLAIN.match(c) else f"\\{ord(c):x} " for c in name)
