"""A page without what a reader never sees, with every structure that carries meaning.

Three passes over flat arrays, each linear: decide (keep, unwrap, set aside), drop what is
empty, merge wrappers without meaning. Nothing is renamed, nothing is invented; white space
is collapsed as a browser would, and kept exactly inside ``pre``. Every removal is recorded.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from typing import Literal

from longleaf import clean_rules as rules
from longleaf.clean_paper import clean_as_paper
from longleaf.errors import EmptyDocument
from longleaf.hidden import Hiding
from longleaf.language import collapse, run_together
from longleaf.nesting_rules import HEADINGS
from longleaf.parse import parse
from longleaf.paths import PathLabels
from longleaf.types import Document, Nodes, Page, Region, Removal
from longleaf.unnest import may_nest, unnest
from longleaf.unseen import Unseen
from longleaf.whitespace import WHITE, visible
from longleaf.wrappers import compact, merge_wrappers, solid

Profile = Literal["default", "paper", "raw"]

# Between texts that are worked on together: the one character that no parsed text holds.
_PART = "\x00"
_NO_RUN = -2
_EDGE_WHITE = " " + WHITE
_LEAVES = rules.KEEP_EMPTY | rules.PICTURES | {"input", "meter", "progress"}
# How an element bears on the white space around it.
_EDGE, _BREAK, _SOLID, _TEXT, _GAP = 1, 2, 3, 4, 5
_ROLE = dict.fromkeys(("input", *rules.PICTURES), _SOLID) | dict.fromkeys(rules.EDGES, _EDGE) | {"br": _BREAK}


def clean(document: Document | Page, profile: Profile = "default") -> Page:
    """Return the cleaned page; ``paper`` cleans as HtmlRAG does, ``raw`` only parses.

    Takes a document or an already parsed page. Raises what ``parse`` raises, and
    ``EmptyDocument`` when no visible text is left.
    """
    page = parse(document) if isinstance(document, Document) else document
    if profile == "raw":
        return page
    if profile == "paper":
        nodes, removed = clean_as_paper(page.nodes)
        return _with_text(Page(page.document, nodes, removed))
    cleaner = _Cleaner(page.nodes)
    nodes, removed = cleaner.run()
    return _with_text(Page(page.document, nodes, removed, tuple(cleaner.chrome)))


def _with_text(page: Page) -> Page:
    """Return a page that has visible text; raises ``EmptyDocument`` for one that has none."""
    shows = any(text and not text.isspace() for text in page.nodes.text)
    if not shows and rules.PICTURES.isdisjoint(page.nodes.tag):
        where = page.document.url or "input"
        hidden = sum(r.chars for r in page.removed if r.reason.startswith("hidden"))
        extra = f" ({hidden} characters are hidden)" if hidden else ""
        raise EmptyDocument(f"{where}: the page has no visible text{extra}", "is it filled in by a script?")
    return page


class _Cleaner:
    """One cleaning run: reads the raw arrays, writes new ones."""

    def __init__(self, raw: Nodes) -> None:
        self.raw = raw
        self.tag: list[str] = []
        self.parent: list[int] = []
        self.text: list[str] = []
        self.attrs: list[Mapping[str, str]] = []
        self.origin: list[int] = []
        self.end: list[int] = []
        self.exact: dict[int, list[str]] = {}  # text nodes whose white space counts
        self.removed: list[Removal] = []
        self.chrome: list[Region] = []
        self._noscript: list[int] = []
        self._regrouped = False
        self._judged: dict[int | str, rules.Verdict] = {}
        self._flow: list[str] = []  # texts, each part after a mark
        self._edge = bytearray(len(raw) + 1)  # where something begins or has ended that is set apart
        self._exact_until = 0
        self._gaps: list[int] = []  # raw places with something between the words that is no word
        self._unseen = Unseen(raw)
        self._labels = PathLabels(raw)
        # Changed where only a part of an element is hidden.
        self._texts, self._attributes = list(raw.text), list(raw.attrs)
        self._gone: dict[str, Mapping[str, str]] = {}

    def run(self) -> tuple[Nodes, tuple[Removal, ...]]:
        self._decide()
        self._collapse()
        self._drop_repeated_noscript()
        self._trim_spaces()
        nodes = Nodes(self.tag, self.parent, self.end, self.text, self.attrs, self.origin)
        keep = solid(nodes)
        merge_wrappers(nodes, keep)
        if self._regrouped or may_nest(self.tag, self.parent, self.end):
            unnest(self.tag, self.parent, keep)
        return compact(nodes, keep), tuple(sorted(self.removed, key=lambda r: r.node))

    # Pass 1: keep, unwrap or set aside each node.

    def _decide(self) -> None:  # noqa: C901 - the hot loop: calls would cost a third more
        """Judge every node; elements with the same tag and attributes are judged once.

        Text that stands beside other text in the same element becomes one node with it.
        """
        raw, judged, flow, edge = self.raw, self._judged, self._flow, self._edge
        tags, parents, ends = raw.tag, raw.parent, raw.end
        texts, attributes = self._texts, self._attributes
        out_tag, out_parent, out_attrs, origin = self.tag, self.parent, self.attrs, self.origin
        size = len(tags)
        place = [-1] * (size + 1)  # the new node that a raw node's children go below; last: no parent
        at = [0] * (size + 1)  # how many new nodes stand before a raw node
        run = _NO_RUN  # the element whose text was added last
        exact_until = svg_until = node = 0
        while node < size:
            tag, up = tags[node], place[parents[node]]
            at[node] = here = len(out_tag)
            if tag:
                attrs = attributes[node]
                key = id(attrs) if attrs else tag
                if tag == "svg":
                    svg_until = max(svg_until, ends[node])
                in_svg = node < svg_until and self._unseen.is_drawn(node)
                verdict = judged.get(key) if not in_svg else None
                if verdict is None:
                    verdict = rules.judge(tag, attrs, in_svg)
                    if not in_svg:
                        judged[key] = verdict
                special, keeps, parts, kept, _, _, _, _ = verdict
                if special:
                    if self._goes(node, tag, verdict):
                        node = ends[node]
                        if edge[node] == _GAP:
                            run = _NO_RUN
                        continue
                    exact_until = self._exact_until
                if edge[node] == _GAP:
                    run = _NO_RUN
                if keeps:
                    place[node] = here
                    run = _NO_RUN
                    if parts:
                        edge[node + 1] = edge[ends[node]] = _EDGE
                    out_tag.append(tag)
                    out_parent.append(up)
                    out_attrs.append(kept)
                    origin.append(node)
                else:
                    place[node] = up
            else:
                text = texts[node]
                if edge[node] == _GAP:
                    run = _NO_RUN
                if node < exact_until:
                    self.exact.setdefault(here if run != up else here - 1, []).append(text)
                    text = ""
                elif edge[node] == _EDGE and not text.strip(_EDGE_WHITE):
                    node += 1
                    continue
                if run != up:
                    run = up
                    flow.append(_PART)
                    out_tag.append("")
                    out_parent.append(up)
                    out_attrs.append(rules.NO_ATTRS)
                    origin.append(node)
                flow.append(text)
            node += 1
        at[size] = len(out_tag)
        self.end = [at[ends[node]] for node in origin]

    def _goes(self, node: int, tag: str, verdict: rules.Verdict) -> bool:
        """Do what only few elements need; returns whether this one is set aside."""
        reason = self._look(node, tag) if verdict.look else verdict.reason
        end = self.raw.end[node]
        if reason:
            self._set_aside(node, reason)
            if reason in rules.LEAVES_A_GAP:
                self._part_at(end)
            return True
        if verdict.chrome:
            self._note_chrome(node, tag, verdict.chrome)
        if tag in rules.PRE_TAGS:
            self._exact_until = max(self._exact_until, end)
        if verdict.apart:
            self._part_at(node)
            self._part_at(end)
        elif tag == "noscript":
            self._noscript.append(node)
            self._edge[node] = self._edge[end] = _GAP
        self._regrouped = self._regrouped or tag in rules.REGROUPS
        return False

    def _part_at(self, place: int) -> None:
        """Note that words before and after a place in the raw page are not one word."""
        self._edge[place] = _GAP
        self._gaps.append(place)

    def _note_chrome(self, node: int, tag: str, kind: rules.Chrome) -> None:
        """Label page chrome; a header that names the page, or the header of an article, is none."""
        raw = self.raw
        if kind == "page":
            up = raw.parent[node]
            while up >= 0 and raw.tag[up] not in rules.CONTENT:
                up = raw.parent[up]
            inside = raw.tag[node : raw.end[node]]
            if up >= 0 or (tag == "header" and not HEADINGS.isdisjoint(inside)):
                return
        self.chrome.append(Region(node, raw.end[node], "links" if kind == "links" else "chrome"))

    def _look(self, node: int, tag: str) -> str:
        """Return why an element goes, where its text or what stands before it decides."""
        if tag == "script":
            return self._formula_reason(node)
        if tag == "svg" and not self._unseen.shows_words(node):
            return "drawing"
        attrs = self._attributes[node]
        if how := self._unseen.reason(node, tag, attrs):
            return self._hide(node, how)
        if tag in rules.PICTURES:
            return "second notation of a formula" if self._unseen.follows_formula(node) else ""
        if not rules.has_mark(attrs):
            return ""
        classes, text = attrs.get("class", ""), self._text_of(node).strip()
        is_mark = text.lower() in rules.PERMALINK_TEXT or "mw-editsection" in classes
        if is_mark and rules.PERMALINK_CLASS.search(classes):
            return "permalink mark"
        if attrs.get("aria-hidden") == "true" and not any(c.isalnum() for c in text):
            return "icon"
        return ""

    def _hide(self, node: int, how: Hiding) -> str:
        """Return why a hidden element goes; where something in it shows again, only the rest of it does."""
        raw, chars = self.raw, 0
        parts = self._unseen.parts(node, how)
        if parts == [node]:
            return how.reason
        for part in parts:
            if raw.tag[part]:
                attrs = self._gone.setdefault(how.reason, {"hidden": ""})
                self._judged[id(attrs)] = rules.Verdict(True, False, reason=how.reason)
                self._attributes[part] = attrs
            else:
                chars += len(raw.text[part].strip())
                self._texts[part] = ""
        if chars:
            self.removed.append(Removal(node, self._labels.path(node), how.reason, chars))
        return ""

    def _formula_reason(self, node: int) -> str:
        """A TeX script is the formula itself, unless a rendered copy stands right before it."""
        raw, up = self.raw, self.raw.parent[node]
        before = node - 1
        while before > up and raw.parent[before] != up:
            before = raw.parent[before]
        if before > up and "MathJax" in raw.attrs[before].get("class", "") and self._text_of(before).strip():
            return "second notation of a formula"
        return ""

    def _text_of(self, node: int) -> str:
        raw = self.raw
        return "".join(raw.text[i] for i in range(node, raw.end[node]) if not raw.tag[i])

    def _set_aside(self, node: int, reason: str) -> None:
        text = self.raw.text[node] or self._text_of(node)
        self.removed.append(Removal(node, self._labels.path(node), reason, len(text.strip())))

    def _collapse(self) -> None:
        """Collapse white space as a browser does. All texts at once: most are a few characters."""
        texts = iter(visible("".join(self._flow), exact=False).split(_PART))
        next(texts)  # nothing stands before the first mark
        self.text = ["" if tag else next(texts) for tag in self.tag]
        for node, parts in self.exact.items():
            self.text[node] = visible("".join(parts), exact=True)
        if self._gaps:
            self._part_words()

    def _part_words(self) -> None:
        """Put a space where a gap stands between two words and nothing else: they are not one word."""
        gaps = iter(sorted(self._gaps))
        gap, parted, before = next(gaps, -1), False, ""
        for node, text in enumerate(self.text):
            while 0 <= gap <= self.origin[node]:
                gap, parted = next(gaps, -1), True
            if not text:
                continue
            if parted and run_together(before[-2:], text[:2]):
                self.text[node] = " " + text
            parted, before = False, text

    def _drop_repeated_noscript(self) -> None:
        """A ``noscript`` stays when its words stand nowhere else (lazy images repeat theirs)."""
        if not self._noscript:
            return
        spans = [
            (node, bisect_left(self.origin, node), bisect_left(self.origin, self.raw.end[node]))
            for node in self._noscript
        ]
        inside = {i for _, start, stop in spans for i in range(start, stop)}
        rest = collapse(" ".join(self._words(i) for i in range(len(self.tag)) if i not in inside))
        for node, start, stop in spans:
            words = collapse(" ".join(self._words(i) for i in range(start, stop)))
            if start < stop and (not words or words in rest):
                self._set_aside(node, "noscript that repeats the page")
                for i in range(start, stop):
                    self.tag[i], self.text[i] = "#gone", ""

    def _words(self, node: int) -> str:
        return self.text[node] or self.attrs[node].get("alt", "")

    # Pass 2: white space that a browser does not show, and what is empty.

    def _trim_spaces(self) -> None:  # noqa: C901 - the hot loop
        """Drop white space at block edges and after a space."""
        closed = bytearray(len(self.tag) + 1)
        for tag, end in zip(self.tag, self.end, strict=True):
            if _ROLE.get(tag) == _EDGE:
                closed[end] = 1
        texts, exact = self.text, self.exact
        roles = [_ROLE.get(tag, 0) if tag else _TEXT for tag in self.tag]
        trailing = -1  # text node whose trailing space hangs on what follows
        edge = True  # at a block edge, or right after a space
        for node, role in enumerate(roles):
            if closed[node] or role == _EDGE or role == _BREAK:  # noqa: SIM109 - the hot loop
                if trailing >= 0:
                    texts[trailing] = texts[trailing].rstrip(" ")
                trailing, edge = -1, True
            if role == _SOLID or (role == _TEXT and node in exact):
                trailing, edge = -1, False
            elif role == _TEXT:
                text = texts[node]
                if edge and text[:1] == " ":
                    text = texts[node] = text.lstrip(" ")
                if text:
                    edge = text[-1] == " "
                    trailing = node if edge else -1
        if trailing >= 0:
            texts[trailing] = texts[trailing].rstrip(" ")
