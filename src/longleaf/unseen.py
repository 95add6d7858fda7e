"""What of a page cannot be seen, where it takes more than the element itself to tell.

An element may show again what is around it hides, text may have the colour of what is behind it,
and a page may hide its content until a script has run.
"""

from __future__ import annotations

from collections.abc import Mapping

from longleaf.clean_rules import PICTURES, SVG_TEXT
from longleaf.colours import WHITE, look_alike
from longleaf.hidden import Hiding, background, hiding, is_drawn_otherwise, shows_again, text_colour
from longleaf.types import Nodes

# What a script shows once it has loaded, if it is the page itself: half of all text, with one of these.
_FOR_A_SCRIPT = ("hidden: display none", "hidden: visibility", "hidden: opacity 0")
_DRAWN = frozenset(("svg", "g", "text", "tspan", "switch", "textPath"))
_CONTENT = frozenset(("main", "h1"))


class Unseen:
    """Asks one parsed page which of its elements cannot be seen."""

    def __init__(self, raw: Nodes) -> None:
        self.raw = raw
        self._chars = -1
        self._is_styled: bool | None = None

    def reason(self, node: int, tag: str, attrs: Mapping[str, str]) -> Hiding | None:
        """Return why an element with these attributes cannot be seen, or None."""
        how = hiding(tag, attrs) or self._blends_in(node, tag)
        if how is None or self._waits_for_script(node, how) or self._is_formula(node):
            return None
        return how

    def parts(self, node: int, how: Hiding) -> list[int]:
        """Return the subtrees that stay hidden in a hidden element: itself, unless something shows again."""
        raw, stop = self.raw, self.raw.end[node]
        if not how.undone_by:
            return [node]
        shown = {
            n for n in range(node + 1, stop) if raw.attrs[n] and shows_again(raw.tag[n], raw.attrs[n], how)
        }
        around = {node}
        for inner in shown:
            while (inner := raw.parent[inner]) not in around:
                around.add(inner)
        parts: list[int] = []
        at = node if shown else stop
        while at < stop:
            if at in around:
                at += 1
            else:
                if at not in shown:
                    parts.append(at)
                at = raw.end[at]
        return parts if shown else [node]

    def follows_formula(self, node: int) -> bool:
        """Return whether a formula's markup stands right before a picture of it."""
        raw, before = self.raw, self._before(node)
        return before >= 0 and "math" in raw.tag[before : raw.end[before]]

    def is_drawn(self, node: int) -> bool:
        """Return whether an element is a part of a drawing: of SVG, not of HTML inside of it."""
        up = self.raw.parent[node]
        while self.raw.tag[up] == "a":
            up = self.raw.parent[up]
        return self.raw.tag[up] in _DRAWN

    def shows_words(self, node: int) -> bool:
        """Return whether a drawing has text in it that cleaning keeps, a name included."""
        raw, at = self.raw, node + 1
        while at < raw.end[node]:
            if raw.tag[at] and self.is_drawn(at) and raw.tag[at] not in SVG_TEXT:
                at = raw.end[at]
            elif not raw.tag[at] and raw.says(at) and raw.tag[raw.parent[at]] not in ("style", "script"):
                return True
            else:
                at += 1
        return False

    def _blends_in(self, node: int, tag: str) -> Hiding | None:
        """Return how text hides in the colour of what is behind it, as far as no sheet can change that."""
        raw, colour = self.raw, text_colour(tag, self.raw.attrs[node])
        if colour is None or is_drawn_otherwise(raw.attrs[node]):
            return None
        behind = background(raw.attrs[node])
        while behind is None and node >= 0:
            if self._sheets() and not {"class", "id"}.isdisjoint(raw.attrs[node]):
                return None
            node = raw.parent[node]
            behind = background(raw.attrs[node]) if node >= 0 else None
        if behind is None:
            behind = None if self._sheets() else WHITE
        if behind is None or not look_alike(colour, behind):
            return None
        return Hiding("hidden: text in the background's colour", "color", colour)

    def _sheets(self) -> bool:
        if self._is_styled is None:
            links = (n for n, tag in enumerate(self.raw.tag) if tag == "link")
            rels = (self.raw.attrs[n].get("rel", "").lower() for n in links)
            self._is_styled = "style" in self.raw.tag or any("stylesheet" in rel for rel in rels)
        return self._is_styled

    def _waits_for_script(self, node: int, how: Hiding) -> bool:
        raw = self.raw
        if how.reason not in _FOR_A_SCRIPT or _CONTENT.isdisjoint(raw.tag[node : raw.end[node]]):
            return False
        if self._chars < 0:
            self._chars = self._size(0)
        return 2 * self._size(node) > self._chars

    def _size(self, node: int) -> int:
        """Return the characters of text below a node, those of scripts and styles left out."""
        raw, size, at = self.raw, 0, node
        while at < raw.end[node]:
            if raw.tag[at] in ("script", "style"):
                at = raw.end[at]
                continue
            size += len(raw.text[at].strip()) if not raw.tag[at] else 0
            at += 1
        return size

    def _is_formula(self, node: int) -> bool:
        """Return whether this is the markup of a formula that a picture right after it shows."""
        raw = self.raw
        if "math" not in raw.tag[node : raw.end[node]]:
            return False
        after = raw.end[node]
        while after < len(raw) and not raw.tag[after] and not raw.says(after):
            after += 1
        is_beside = after < len(raw) and raw.parent[after] == raw.parent[node]
        return is_beside and raw.tag[after] in PICTURES and "math" in raw.attrs[after].get("class", "")

    def _before(self, node: int) -> int:
        """Return the element right before another one in the same parent, or -1."""
        raw, up = self.raw, self.raw.parent[node]
        before = node - 1
        while before > up and not raw.tag[before] and raw.parent[before] == up and not raw.says(before):
            before -= 1
        while before > up and raw.parent[before] != up:
            before = raw.parent[before]
        return before if before > up and raw.tag[before] else -1
