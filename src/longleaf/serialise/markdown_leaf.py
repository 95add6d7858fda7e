"""Inline elements to inline Markdown, for whatever holds them: paragraphs, headings, cells."""

from __future__ import annotations

from collections.abc import Callable

from longleaf.clean_rules import BLOCK_TAGS, PICTURES
from longleaf.language import collapse
from longleaf.serialise.markdown_inline import Inline, Mark
from longleaf.serialise.stand_in import STAND_INS, box, stand_in
from longleaf.serialise.text import is_parted, to_text
from longleaf.types import Nodes

# Elements whose text no reader sees (they are gone already on a cleaned page).
SKIP = frozenset(
    "#comment #fallback script style template meta link base noembed col source track param".split()
)
_MARKS: dict[str, Mark] = {
    "strong": "strong", "b": "strong",
    "em": "em", "i": "em", "cite": "em", "var": "em", "dfn": "em",
    "del": "del", "s": "del", "strike": "del",
    "sup": "sup", "sub": "sub", "kbd": "kbd", "mark": "mark", "ins": "ins",
}  # fmt: skip
_CODE = frozenset(("code", "tt", "samp"))
_QUOTES = {"q": ("“", "”"), "rt": ("(", ")")}

Closing = list[tuple[int, Callable[[], None]]]


class LeafWalker:
    """Puts the inline content of a stretch of nodes into an ``Inline``.

    ``edge`` is called where a line would end: at ``br`` and around block-level elements.
    Iterative, so depth is no limit.
    """

    def __init__(self, nodes: Nodes, inline: Inline, edge: Callable[[], None]) -> None:
        self.nodes = nodes
        self.inline = inline
        self._edge = edge
        self._link_end = -1

    def walk(self, start: int, stop: int) -> None:
        """Visit the nodes ``start .. stop``."""
        closing: Closing = []
        node = start
        while node < stop:
            while closing and closing[-1][0] <= node:
                closing.pop()[1]()
            node = self._visit(node, self.nodes.tag[node], closing)
        while closing:
            closing.pop()[1]()

    def block(self, node: int, closing: Closing) -> int:
        """Visit a block-level element; return the node to go on with."""
        self._edge()
        closing.append((self.nodes.end[node], self._edge))
        return node + 1

    def line_break(self) -> None:
        """Visit a ``br``."""
        self._edge()

    def _visit(self, node: int, tag: str, closing: Closing) -> int:
        if not tag:
            self.inline.text(self.nodes.text[node])
        elif tag in SKIP and not self._is_formula(node):
            return self.nodes.end[node]
        elif tag in BLOCK_TAGS:
            return self.block(node, closing)
        elif tag in _MARKS:
            self.inline.open(_MARKS[tag])
            closing.append((self.nodes.end[node], self.inline.close))
        elif tag in _CODE and not self._holds_blocks(node):
            self._code(node)
            return self.nodes.end[node]
        else:
            return self._special(node, tag, closing)
        return node + 1

    def _is_formula(self, node: int) -> bool:
        return self.nodes.attrs[node].get("type", "").lower().startswith("math/")

    def _special(self, node: int, tag: str, closing: Closing) -> int:
        attrs, end = self.nodes.attrs[node], self.nodes.end[node]
        if tag == "a":
            if node == self._link_end:
                self.inline.space()
            self._link_end = end
            self._link(attrs.get("href", ""), end, closing)
        elif tag == "br":
            self.line_break()
        elif tag in PICTURES:
            self.inline.image(attrs.get("alt", ""), attrs.get("src", ""))
        elif tag == "input":
            self._input(node)
        elif is_parted(tag):
            self.inline.part()
            closing.append((end, self.inline.part))
        elif tag == "math":
            self._math(node)
            return end
        elif tag in _QUOTES and not (tag == "rt" and self._has_parentheses(node)):
            before, after = _QUOTES[tag]
            self.inline.text(before)
            closing.append((end, lambda: self.inline.text(after)))
        return node + 1

    def _link(self, href: str, end: int, closing: Closing) -> None:
        if href and href != "#":
            self.inline.open("link", href)
            closing.append((end, self.inline.close))

    def _input(self, node: int) -> None:
        mark, words = box(self.nodes, node), stand_in(self.nodes, node)
        if mark:
            self.inline.raw(mark)
            self.inline.space()
        elif words:
            # Words of their own on both sides, as in text.
            self.inline.part()
            self.inline.text(words)
            self.inline.part()

    def _math(self, node: int) -> None:
        own_line = self.nodes.attrs[node].get("display") == "block"
        if own_line:
            self._edge()
        self.inline.text(collapse(to_text(self.nodes, node)))
        if own_line:
            self._edge()

    def _code(self, node: int) -> None:
        text = exact_text(self.nodes, node)
        link = self._whole_link(node, text)
        if link:
            self.inline.open("link", link)
        self.inline.code(text)
        if link:
            self.inline.close()

    def _whole_link(self, node: int, text: str) -> str:
        """Return the address of a link that covers all of a code span, which cannot hold it."""
        nodes = self.nodes
        for inner in range(node + 1, nodes.end[node]):
            if nodes.tag[inner] == "a" and collapse(exact_text(nodes, inner)) == collapse(text):
                return nodes.attrs[inner].get("href", "")
        return ""

    def _holds_blocks(self, node: int) -> bool:
        return any(tag in BLOCK_TAGS for tag in self.nodes.tag[node + 1 : self.nodes.end[node]])

    def _has_parentheses(self, node: int) -> bool:
        up = self.nodes.parent[node]
        return up >= 0 and "rp" in self.nodes.tag[up : self.nodes.end[up]]


def exact_text(nodes: Nodes, node: int) -> str:
    """Return the characters inside ``node`` as they stand, for code: ``br`` is a line end."""
    parts: list[str] = []
    for inner in range(node, nodes.end[node]):
        tag = nodes.tag[inner]
        if not tag:
            parts.append(nodes.text[inner])
        elif tag == "br":
            parts.append("\n")
        elif tag in STAND_INS:
            parts.append(stand_in(nodes, inner))
    return "".join(parts)
