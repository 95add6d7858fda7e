"""Path labels: the readable address ``html>body>div2>p`` of a node.

Numbers are 1-based among the siblings of one name and only there when a name repeats (the
paper's example). They are labels for people and models; the tags themselves stay as they are.
"""

from __future__ import annotations

from longleaf.types import Nodes


class PathLabels:
    """Path labels of one tree; each parent's children are numbered once, so all paths are linear."""

    def __init__(self, nodes: Nodes) -> None:
        self.nodes = nodes
        self._numbered: set[int] = set()
        self._name: dict[int, str] = {}
        self._last = -1, ""

    def path(self, node: int) -> str:
        """Return the label of ``node``; a text node has the label of its parent."""
        if node == self._last[0]:  # parts of one element come one after another
            return self._last[1]
        parts: list[str] = []
        asked = node
        while node >= 0:
            if self.nodes.tag[node]:
                parts.append(self.name(node))
            node = self.nodes.parent[node]
        self._last = asked, ">".join(reversed(parts))
        return self._last[1]

    def name(self, node: int) -> str:
        """Return the last label of the path of an element: its tag, with its number."""
        up = self.nodes.parent[node]
        if up not in self._numbered:
            self._number(up)
        return self._name[node]

    def _number(self, up: int) -> None:
        nodes = self.nodes
        child, stop = (up + 1, nodes.end[up]) if up >= 0 else (0, len(nodes))
        by_name: dict[str, list[int]] = {}
        while child < stop:
            if nodes.tag[child]:
                by_name.setdefault(nodes.tag[child], []).append(child)
            child = nodes.end[child]
        for name, children in by_name.items():
            for place, child in enumerate(children, 1):
                self._name[child] = f"{name}{place}" if len(children) > 1 else name
        self._numbered.add(up)
