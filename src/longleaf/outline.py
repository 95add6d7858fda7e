"""What a place on a page belongs to: heading trail, nearest anchor, kind of content.

The trail is worth 24 to 32 points of kept answer at 512 tokens (pruning probe, section 2 B): a
block is scored, shown and pruned together with the headings that are open before it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate

from longleaf.clean_rules import PICTURES
from longleaf.language import collapse
from longleaf.serialise.text import to_text
from longleaf.split import Cut
from longleaf.types import Kind, Nodes, Page

_LEVEL = {"title": 0, "h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
_LISTS = frozenset(("ul", "ol", "menu", "dir", "li"))
_TABLE = frozenset(("table", "tr", "td", "th", "thead", "tbody", "tfoot", "caption"))
_MEDIA = PICTURES | {"figure", "svg"}
_FORM = frozenset(("form", "select", "textarea", "fieldset", "button", "option"))
# Above this share of linked words a block points elsewhere instead of saying something; with
# link blocks dropped BM25 hit@1 rose from .503 to .887 on FAQ pages (lfqa.md, section 4.2).
LINK_SHARE = 0.7
MIN_LINKS = 3
# A longer heading is running text in the wrong element; in a trail it would drown every block.
MAX_HEADING_WORDS = 60


def element_id(nodes: Nodes, node: int) -> str:
    """Return what a link can name an element by: its ``id``, or an ``a``'s ``name``."""
    attrs = nodes.attrs[node]
    if not attrs:
        return ""
    return attrs.get("id") or (attrs.get("name", "") if nodes.tag[node] == "a" else "")


class Outline:
    """Heading trail, anchors and link density of one tree, computed once."""

    def __init__(self, page: Page, total: Sequence[int]) -> None:
        self.nodes = nodes = page.nodes
        self.heads = [n for n, tag in enumerate(nodes.tag) if tag in _LEVEL and self._is_heading(n)]
        following = [*self.heads[1:], len(nodes)]
        self.texts = {
            n: self._heading_text(n, total) if after >= nodes.end[n] else ""  # one that holds another is none
            for n, after in zip(self.heads, following, strict=False)
        }
        self._open = self._open_headings()
        self._ids = [n for n, attrs in enumerate(nodes.attrs) if attrs and element_id(nodes, n)]
        self._linked = self._link_words(total)
        self._chrome = _chrome(page)

    def _heading_text(self, node: int, total: Sequence[int]) -> str:
        if total[self.nodes.end[node]] - total[node] > MAX_HEADING_WORDS:
            return ""
        return collapse(to_text(self.nodes, node))

    def _is_heading(self, node: int) -> bool:
        nodes = self.nodes
        return nodes.tag[node] != "title" or nodes.tag[nodes.parent[node]] == "head"

    def _open_headings(self) -> list[tuple[int, ...]]:
        """For each heading in order, the headings that are open once it has started."""
        trails: list[tuple[int, ...]] = []
        open_now: list[int] = []
        for node in self.heads:
            level = _LEVEL[self.nodes.tag[node]]
            open_now = [n for n in open_now if _LEVEL[self.nodes.tag[n]] < level]
            if self.texts[node]:
                open_now.append(node)
            trails.append(tuple(open_now))
        return trails

    def trail(self, cut: Cut) -> list[tuple[int, str]]:
        """Return (node, text) of the headings open before a block, outermost first.

        A block that starts with its own heading closes those of the same or a deeper level.
        The title stands in only where no h1 does.
        """
        at = cut.at[0] if cut.at != (0, 0) else cut.element
        place = bisect_right(self.heads, at - 1)
        found = list(self._open[place - 1]) if place else []
        own = self.heads[place] if place < len(self.heads) else -1
        if own >= 0 and own < self.nodes.end[at] and self._starts_with(at, own):
            level = _LEVEL[self.nodes.tag[own]]
            found = [n for n in found if _LEVEL[self.nodes.tag[n]] < level]
            if level == 1:
                found = []
        if any(self.nodes.tag[n] == "h1" for n in found):
            found = [n for n in found if self.nodes.tag[n] != "title"]
        return [(n, self.texts[n]) for n in found]

    def _starts_with(self, at: int, heading: int) -> bool:
        return not any(self.nodes.says(n) for n in range(at, heading))

    def anchor(self, cut: Cut) -> str:
        """Return the id at the block's start, or the nearest one before it, or an empty string."""
        at = cut.at[0] if cut.at != (0, 0) else cut.element
        place = bisect_right(self._ids, at)
        inner = at + 1
        # A wrapper's first child often carries the id: <li><p id=x>, <section><h2 id=x>.
        while inner < self.nodes.end[at] and self.nodes.tag[inner]:
            if element_id(self.nodes, inner):
                return element_id(self.nodes, inner)
            inner += 1
        return element_id(self.nodes, self._ids[place - 1]) if place else ""

    def _link_words(self, total: Sequence[int]) -> tuple[list[int], list[int], list[int]]:
        """The links in order: where each starts, and the words in all before it; links do not nest."""
        nodes = self.nodes
        starts = [n for n, tag in enumerate(nodes.tag) if tag == "a" and nodes.attrs[n].get("href")]
        ends = [nodes.end[n] for n in starts]
        words = accumulate(total[end] - total[start] for start, end in zip(starts, ends, strict=True))
        return starts, ends, [0, *words]

    def kind(self, cut: Cut, end: int, text: str, words: int) -> Kind:
        """Return what the block from ``cut`` to node ``end`` is; ``words`` counts its text."""
        nodes, node = self.nodes, cut.element
        tag = nodes.tag[node]
        if tag in _LEVEL:
            return "heading"
        if node in self._chrome:
            return self._chrome[node]
        if self._points_elsewhere(cut, end, words):
            return "links"
        if not text.strip() or tag in _MEDIA:
            return "media"
        return self._content_kind(node)

    def _points_elsewhere(self, cut: Cut, end: int, words: int) -> bool:
        starts, ends, linked = self._linked
        # A link that goes on past the block's edge counts for neither side.
        first, last = bisect_left(starts, cut.at[0]), bisect_right(ends, end)
        return last - first >= MIN_LINKS and linked[last] - linked[first] >= LINK_SHARE * max(1, words)

    def _content_kind(self, node: int) -> Kind:
        nodes = self.nodes
        inner = node
        # A wrapper with one element and nothing else is what it wraps.
        while (
            inner + 1 < nodes.end[inner] and nodes.tag[inner + 1] and nodes.end[inner + 1] == nodes.end[inner]
        ):
            if (
                nodes.tag[inner] in _TABLE
                or nodes.tag[inner] in _LISTS
                or nodes.tag[inner] in ("pre", "dl", "dt", "dd")
            ):
                break
            inner += 1
        tag = nodes.tag[inner]
        if tag == "pre":
            return "code"
        if tag in _TABLE:
            return "table"
        if tag in ("dl", "dt", "dd"):
            return "definition"
        if tag in _LISTS:
            return "list"
        return "form" if tag in _FORM else "prose"


def _chrome(page: Page) -> dict[int, Kind]:
    """Return the kind of each node that is page chrome; an outer region decides."""
    found: dict[int, Kind] = {}
    origin = page.nodes.origin
    past = 0
    for region in page.chrome:
        if region.start >= past:
            past = region.end
            nodes = range(bisect_left(origin, region.start), bisect_left(origin, region.end))
            found.update(dict.fromkeys(nodes, region.kind))
    return found
