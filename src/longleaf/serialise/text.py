"""``Nodes`` to the text that a browser shows: lines for blocks, tabs between cells.

This is the text of every block: it is searched, quoted and counted, so nothing is added to
what the page says but the few marks that keep numbers apart (``10^6``, ``3/4``).
"""

from __future__ import annotations

from collections.abc import Mapping

from longleaf.clean_rules import BLOCK_TAGS, PRE_TAGS
from longleaf.language import run_together
from longleaf.serialise.formula import MARKED, mark_after, mark_before
from longleaf.serialise.stand_in import STAND_INS, box, stand_in
from longleaf.types import Nodes

_CELLS = frozenset(("td", "th"))
_PRE = PRE_TAGS
# Elements that leave no trace in the text, unless one is a part of a formula.
_PLAIN = frozenset(
    """#comment a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd mark q s samp
    small span strong sub time tt u var""".split()
)
# Inline elements that a page sets apart from the words beside them, as it does with all of its own making.
PARTED = frozenset("button label select output meter progress mfrac".split())


# A stretch of each partly covered text node: node -> (from, to).
Clip = Mapping[int, tuple[int, int]]


def to_text(nodes: Nodes, root: int = 0, end: int | None = None, clip: Clip | None = None) -> str:
    """Return the visible text of the nodes ``root .. end`` (default: the subtree of ``root``).

    ``clip`` limits text nodes at the edges to a part of their characters.
    """
    if not len(nodes):
        return ""
    return _Writer(nodes, clip or {}).write(root, nodes.end[root] if end is None else end)


class _Writer:
    """Collects text; a pending break becomes one separator when the next text comes."""

    def __init__(self, nodes: Nodes, clip: Clip) -> None:
        self.nodes = nodes
        self.clip = clip
        self.out: list[str] = []
        self.pending = ""
        self.shown = False

    def write(self, root: int, stop: int) -> str:
        nodes, clip = self.nodes, self.clip
        tags, ends, texts, parents = nodes.tag, nodes.end, nodes.text, nodes.parent
        # What was open before the text begins ends in it as well.
        above = self._above(root)
        stack = [up for up in reversed(above) if ends[up] < stop]
        exact = sum(tags[up] in _PRE for up in above)
        link_end = next((ends[up] for up in above if tags[up] == "a"), -1)
        for node in range(root, stop):
            while stack and ends[stack[-1]] <= node:
                exact -= self._close(stack.pop())
            tag = tags[node]
            if not tag:
                self._put(texts[node][slice(*clip[node])] if node in clip else texts[node], exact > 0)
            elif tag not in _PLAIN or tags[parents[node]] in MARKED:
                self._open(node, tag)
                exact += tag in _PRE
                stack.append(node)
            elif tag == "a":
                # Two links without anything between are parted by a style sheet, not one word.
                self.shown = self.shown or node == link_end
                link_end = ends[node]
        while stack:
            self._close(stack.pop())
        return "".join(self.out).lstrip("\n").rstrip()

    def _above(self, node: int) -> list[int]:
        above: list[int] = []
        while (node := self.nodes.parent[node]) >= 0:
            above.append(node)
        return above

    def _open(self, node: int, tag: str) -> None:
        if tag in _CELLS:
            # A tab parts two cells of a row; the first cell starts the row's line.
            self._break("\t" if self._has_cell_before(node) else "\n")
        elif tag in BLOCK_TAGS or tag == "br":
            self._break("\n")
            if tag in STAND_INS:
                self._put_shown(stand_in(self.nodes, node))
        elif tag in STAND_INS:
            mark = box(self.nodes, node)
            self._put_shown(f"{mark} " if mark else stand_in(self.nodes, node))
        else:
            self._mark(node, tag)

    def _mark(self, node: int, tag: str) -> None:
        up = self.nodes.parent[node]
        self.shown = self.shown or is_parted(tag)
        if tag == "msqrt" or (up >= 0 and self.nodes.tag[up] in MARKED):
            self._put_mark(mark_before(self.nodes, node))
        elif tag == "sup" and self._follows_word():
            self.out.append("^")
        elif tag == "rt" and not self._has_marks(up):
            self.out.append("(")

    def _close(self, node: int) -> int:
        tag = self.nodes.tag[node]
        if tag in BLOCK_TAGS and tag not in _CELLS:
            self._break("\n")
        elif tag == "rt" and not self._has_marks(self.nodes.parent[node]):
            self.out.append(")")
        elif tag == "msqrt" or (node and self.nodes.tag[self.nodes.parent[node]] in MARKED):
            self._put_mark(mark_after(self.nodes, node))
        self.shown = self.shown or is_parted(tag)
        return tag in _PRE

    def _has_marks(self, ruby: int) -> bool:
        """Return whether a ruby text brings its own parentheses (``rp``)."""
        child = ruby + 1
        while ruby >= 0 and child < self.nodes.end[ruby]:
            if self.nodes.tag[child] == "rp":
                return True
            child = self.nodes.end[child]
        return ruby < 0

    def _has_cell_before(self, node: int) -> bool:
        up = self.nodes.parent[node]
        return up >= 0 and node != up + 1 and self.nodes.tag[up] == "tr"

    def _follows_word(self) -> bool:
        return bool(self.out) and not self.pending and self.out[-1][-1:].isalnum()

    def _put_mark(self, mark: str) -> None:
        if mark:
            self._put(mark, True)

    def _break(self, mark: str) -> None:
        # A line beats a tab, except that an empty cell must keep its tab for the columns.
        if mark == "\t":
            self.pending += "\t"
        elif "\n" not in self.pending or "\t" in self.pending:
            self.pending = self.pending.rstrip("\n") + "\n" if "\t" in self.pending else "\n"

    def _put_shown(self, text: str) -> None:
        """Put the words of a picture or a field, which are words of their own on both sides."""
        self._part(text)
        self._put(text, False)
        self.shown = True

    def _part(self, text: str) -> None:
        if self.out and not self.pending and run_together(self.out[-1][-2:], text[:2]):
            self.out.append(" ")

    def _put(self, text: str, exact: bool) -> None:
        if not text:
            return
        if self.shown:
            self.shown = False
            self._part(text)
        out = self.out
        if not exact and text[0] == " " and (self.pending or not out):
            text = text.lstrip(" ")
            if not text:
                return
        if self.pending:
            if out:
                out[-1] = out[-1].rstrip(" ")
                out.append(self.pending)
            self.pending = ""
        out.append(text)


def is_parted(tag: str) -> bool:
    """Return whether words before, in and after an inline element are not one word."""
    return tag in PARTED or "-" in tag
