"""A page without what a reader never sees, with every structure that carries meaning.

Three passes over flat arrays, each linear: decide (keep, unwrap, set aside), drop what is
empty, merge wrappers without meaning. Nothing is renamed, nothing is invented; white space
is collapsed as a browser would, and kept exactly inside ``pre``. Every removal is recorded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from longleaf import clean_rules as rules
from longleaf.errors import EmptyDocument
from longleaf.language import collapse
from longleaf.parse import parse
from longleaf.paths import PathLabels
from longleaf.serialise.text import BLOCK_TAGS
from longleaf.types import Document, Nodes, Page, Removal, subtree_ends

Profile = Literal["default", "raw"]

_SPACE = re.compile(r"[ \t\n\r\f\xa0\u2000-\u200a\u202f\u205f\u3000]+")
# Soft hyphens, zero-width spaces and byte order marks: invisible, and they tear words apart.
_INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff]")
# C0 and C1 controls (a terminal obeys them); tab and line breaks are white space.
_CONTROL = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f]")
_PRE_TAGS = frozenset(("pre", "textarea", "listing", "xmp", "plaintext"))
_NO_ATTRS: Mapping[str, str] = {}


def clean(document: Document | Page, profile: Profile = "default") -> Page:
    """Return the cleaned page; ``raw`` only parses.

    Takes a document or an already parsed page. Raises what ``parse`` raises, and
    ``EmptyDocument`` when no visible text is left.
    """
    page = parse(document) if isinstance(document, Document) else document
    if profile == "raw":
        return page
    nodes, removed = _Cleaner(page.nodes).run()
    if not any(text and not text.isspace() for text in nodes.text) and "img" not in nodes.tag:
        where = page.document.url or "input"
        hidden = sum(r.chars for r in removed if r.reason.startswith("hidden"))
        extra = f" ({hidden} characters are hidden)" if hidden else ""
        raise EmptyDocument(f"{where}: the page has no visible text{extra}", "is it filled in by a script?")
    return Page(page.document, nodes, removed)


class _Cleaner:
    """One cleaning run: reads the raw arrays, writes new ones."""

    def __init__(self, raw: Nodes) -> None:
        self.raw = raw
        self.tag: list[str] = []
        self.parent: list[int] = []
        self.text: list[str] = []
        self.attrs: list[Mapping[str, str]] = []
        self.origin: list[int] = []
        self.removed: list[Removal] = []
        self._noscript: list[tuple[int, int, int]] = []
        self._labels = PathLabels(raw)

    def run(self) -> tuple[Nodes, tuple[Removal, ...]]:
        self._decide()
        self._drop_repeated_noscript()
        keep = self._mark_empty()
        self._merge_wrappers(keep)
        self._open_paragraphs(keep)
        return self._compact(keep), tuple(sorted(self.removed, key=lambda r: r.node))

    # Pass 1: keep, unwrap or set aside each node.

    def _decide(self) -> None:
        raw, tags, ends = self.raw, self.raw.tag, self.raw.end
        new = [-1] * (len(raw) + 1)  # raw node -> the new node its children go below
        pre = [False] * (len(raw) + 1)
        node, size = 0, len(raw)
        while node < size:
            tag, up = tags[node], raw.parent[node]
            above = new[up] if up >= 0 else -1
            if not tag:
                self._add_text(node, above, up >= 0 and pre[up])
                node += 1
                continue
            reason = self._drop_reason(node, tag)
            if reason is not None:
                self._set_aside(node, reason)
                node = ends[node]
                continue
            pre[node] = tag in _PRE_TAGS or (up >= 0 and pre[up])
            start = len(self.tag)
            if self._unwraps(node, tag):
                new[node] = above
                if tag == "noscript":
                    self._noscript.append((node, start, -1))
            else:
                new[node] = self._add(tag, above, node, self._attributes(node, tag))
            node += 1
        self._close_noscript(new)

    def _close_noscript(self, new: list[int]) -> None:
        spans = []
        for node, start, _ in self._noscript:
            stop = start
            while stop < len(self.origin) and self.origin[stop] < self.raw.end[node]:
                stop += 1
            spans.append((node, start, stop))
        self._noscript = spans

    def _drop_reason(self, node: int, tag: str) -> str | None:
        raw = self.raw
        attrs = dict(raw.attrs[node])
        if attrs:
            hidden = rules.hidden_reason(tag, attrs)
            if hidden is not None:
                return hidden
        reason = rules.DROP.get(tag)
        if reason is not None:
            if tag == "script" and attrs.get("type", "").lower().startswith("math/"):
                return self._formula_reason(node)
            return None if tag == "template" and "shadowrootmode" in attrs else reason
        if tag == "title" and raw.tag[raw.parent[node]] == "head":
            return None
        if not attrs:
            return "drawing" if self._in_svg(node) and tag not in rules.SVG_TEXT else None
        return self._attribute_reason(node, tag, attrs)

    def _attribute_reason(self, node: int, tag: str, attrs: dict[str, str]) -> str | None:
        if self._in_svg(node) and tag not in rules.SVG_TEXT:
            return "drawing"
        classes = attrs.get("class", "")
        if classes and rules.PERMALINK_CLASS.search(classes):
            text = self._text_of(node).strip()
            if text.lower() in rules.PERMALINK_TEXT or "mw-editsection" in classes:
                return "permalink mark"
        if attrs.get("aria-hidden") == "true":
            if "katex-html" in classes:
                return "second notation of a formula"
            text = self._text_of(node).strip()
            if not any(c.isalnum() for c in text) or rules.ICON_CLASS.search(classes):
                return "icon"
        if tag == "img" and not attrs.get("alt", "").strip():
            return "picture without words"
        return None

    def _formula_reason(self, node: int) -> str | None:
        """A TeX script is the formula itself, unless a rendered copy stands right before it."""
        raw, up = self.raw, self.raw.parent[node]
        before = node - 1
        while before > up and raw.parent[before] != up:
            before = raw.parent[before]
        if before > up and "MathJax" in raw.attrs[before].get("class", "") and self._text_of(before).strip():
            return "second notation of a formula"
        return None

    def _in_svg(self, node: int) -> bool:
        up = self.raw.parent[node]
        tag = self.raw.tag[up] if up >= 0 else ""
        return tag in ("svg", "g", "text", "tspan", "switch", "textPath") and self.raw.tag[node] != ""

    def _unwraps(self, node: int, tag: str) -> bool:
        if tag == "a":
            attrs = self.raw.attrs[node]
            return not (attrs.get("href") or attrs.get("id") or attrs.get("name"))
        if tag in ("span", "font"):
            attrs = self.raw.attrs[node]
            return not (attrs.get("id") or attrs.get("dir") or attrs.get("lang"))
        return tag in rules.UNWRAP or tag in ("g", "switch")

    def _attributes(self, node: int, tag: str) -> Mapping[str, str]:
        attrs = self.raw.attrs[node]
        if not attrs:
            return _NO_ATTRS
        allowed = rules.TAG_ATTRS.get(tag, frozenset())
        kept: dict[str, str] = {}
        for name, value in attrs.items():
            if name == "title" and tag not in rules.TITLE_TAGS:
                continue
            if name in rules.KEEP_ATTRS or name in allowed:
                if value or name in ("checked", "selected", "open", "reversed", "value"):
                    kept[name] = _attribute_value(name, value)
            elif name == "class" and tag in rules.CODE_TAGS:
                language = [c for c in value.split() if rules.CODE_CLASS.match(c)]
                if language and language != ["highlight-default"]:
                    kept["class"] = " ".join(language)
            elif name == "role" and value in rules.KEEP_ROLES:
                kept["role"] = value
        if kept.get("src", "").startswith("data:"):
            del kept["src"]
        return kept

    # Building.

    def _add(self, tag: str, parent: int, origin: int, attrs: Mapping[str, str]) -> int:
        self.tag.append(tag)
        self.parent.append(parent)
        self.text.append("")
        self.attrs.append(attrs)
        self.origin.append(origin)
        return len(self.tag) - 1

    def _add_text(self, node: int, parent: int, exact: bool) -> None:
        text = self.raw.text[node]
        if not text:
            return
        if not text.isascii():
            text = _INVISIBLE.sub("", text)
        if exact:
            text = _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
        else:
            text = _CONTROL.sub("", _SPACE.sub(" ", text))
        if text:
            self._add("", parent, node, _NO_ATTRS)
            self.text[-1] = text

    def _text_of(self, node: int) -> str:
        raw = self.raw
        return "".join(raw.text[i] for i in range(node, raw.end[node]) if not raw.tag[i])

    def _set_aside(self, node: int, reason: str) -> None:
        text = self.raw.text[node] if self.raw.tag[node] == "#comment" else self._text_of(node)
        self.removed.append(Removal(node, self._labels.path(node), reason, len(text.strip())))

    def _drop_repeated_noscript(self) -> None:
        """A ``noscript`` stays when its words stand nowhere else (lazy images repeat theirs)."""
        if not self._noscript:
            return
        inside: set[int] = set()
        for _, start, stop in self._noscript:
            inside.update(range(start, stop))
        rest = collapse(" ".join(self._words(i) for i in range(len(self.tag)) if i not in inside))
        for node, start, stop in self._noscript:
            words = collapse(" ".join(self._words(i) for i in range(start, stop)))
            if start < stop and (not words or words in rest):
                self._set_aside(node, "noscript that repeats the page")
                for i in range(start, stop):
                    self.tag[i], self.text[i] = "#gone", ""

    def _words(self, node: int) -> str:
        return self.text[node] or self.attrs[node].get("alt", "")

    # Pass 2: what is empty.

    def _mark_empty(self) -> list[bool]:
        size = len(self.tag)
        keep = [False] * size
        solid = [False] * size  # holds text or a meaningful leaf
        self._trim_spaces()
        for node in range(size - 1, -1, -1):
            tag = self.tag[node]
            if not tag:
                keep[node] = bool(self.text[node])
                solid[node] = keep[node]
            elif tag == "#gone":
                continue
            else:
                leaf = tag in rules.KEEP_EMPTY or tag in ("img", "input", "meter", "progress")
                keep[node] = solid[node] or leaf or "id" in self.attrs[node] or "name" in self.attrs[node]
                solid[node] = solid[node] or leaf
            if keep[node] and self.parent[node] >= 0:
                # An anchor target keeps its ancestors as well, or its place would be lost.
                solid[self.parent[node]] = True
        return keep

    def _trim_spaces(self) -> None:
        """Drop the white space that a browser does not show: at block edges and after a space."""
        trailing = -1  # text node whose trailing space hangs on what follows
        edge = True  # at a block edge, or right after a space
        ends = subtree_ends(self.parent)
        closing: list[int] = []
        for node, tag in enumerate(self.tag):
            closed = self._closes(closing, ends, node)
            if closed or tag in BLOCK_TAGS or tag in ("br", "td", "th", "option"):
                self._strip_end(trailing)
                trailing, edge = -1, True
            if tag in BLOCK_TAGS or tag in ("td", "th", "option"):
                closing.append(node)
            elif not tag and not self._exact(node):
                text = self.text[node].lstrip(" ") if edge else self.text[node]
                self.text[node] = text
                if text:
                    edge = text.endswith(" ")
                    trailing = node if edge else -1
            elif not tag or tag in ("img", "input", "svg", "math"):
                trailing, edge = -1, False
        self._strip_end(trailing)

    @staticmethod
    def _closes(closing: list[int], ends: list[int], node: int) -> bool:
        """Pop the block-level elements that end before ``node``; returns whether there were any."""
        before = len(closing)
        while closing and ends[closing[-1]] <= node:
            closing.pop()
        return len(closing) < before

    def _strip_end(self, node: int) -> None:
        if node >= 0:
            self.text[node] = self.text[node].rstrip(" ")

    def _exact(self, node: int) -> bool:
        up = self.parent[node]
        while up >= 0:
            if self.tag[up] in _PRE_TAGS:
                return True
            if self.tag[up] in BLOCK_TAGS:
                return False
            up = self.parent[up]
        return False

    # Pass 3: wrappers without meaning, then compact arrays.

    def _merge_wrappers(self, keep: list[bool]) -> None:
        children = [0] * len(self.tag)
        has_text = [False] * len(self.tag)
        only = [-1] * len(self.tag)
        for node in range(len(self.tag)):
            up = self.parent[node]
            if keep[node] and up >= 0:
                children[up] += 1
                only[up] = node
                has_text[up] = has_text[up] or not self.tag[node]
        core = list(range(len(self.tag)))  # what is left of a chain of wrappers
        for node in range(len(self.tag) - 1, -1, -1):
            plain = keep[node] and self.tag[node] in rules.PLAIN_WRAPPERS and not self.attrs[node]
            if plain and children[node] == 1 and not has_text[node] and self.tag[only[node]] in BLOCK_TAGS:
                core[node] = core[only[node]]
        above = [""] * len(self.tag)  # the tag that an element will stand in
        for node, up in enumerate(self.parent):
            if up >= 0:
                above[node] = self.tag[up] if keep[up] else above[up]
            if core[node] != node and not self._parts(above[node], node, self.tag[only[node]], core[node]):
                keep[node] = False

    def _parts(self, above: str, node: int, inner: str, core: int) -> bool:
        """Return whether a wrapper keeps two items or two headings apart that cannot nest directly."""
        if self.tag[core] in rules.ITEMS:
            return self.tag[node] != "div" and above not in rules.LISTS
        return above in rules.HEADINGS and inner in rules.HEADINGS

    def _open_paragraphs(self, keep: list[bool]) -> None:
        """Unwrap a paragraph in which block-level content came to stand: a parser would end it there."""
        inside = [-1] * len(self.tag)
        for node, tag in enumerate(self.tag):
            up = self.parent[node]
            paragraph = inside[up] if up >= 0 else -1
            if paragraph >= 0 and keep[node] and tag in rules.ENDS_P:
                keep[paragraph] = False
            inside[node] = node if tag == "p" else -1 if tag in rules.SCOPES else paragraph

    def _compact(self, keep: list[bool]) -> Nodes:
        place = [-1] * len(self.tag)
        out: list[int] = []
        parents: list[int] = []
        for node in range(len(self.tag)):
            up = self.parent[node]
            above = place[up] if up >= 0 else -1
            if keep[node]:
                place[node] = len(out)
                out.append(node)
                parents.append(above)
            else:
                place[node] = above
        return Nodes(
            [self.tag[i] for i in out],
            parents,
            subtree_ends(parents),
            [self.text[i] for i in out],
            [self.attrs[i] for i in out],
            [self.origin[i] for i in out],
        )


def _attribute_value(name: str, value: str) -> str:
    if name in ("colspan", "rowspan") and value.strip().isdigit():
        limit = rules.MAX_COLSPAN if name == "colspan" else rules.MAX_ROWSPAN
        return str(min(int(value[:9]), limit))
    if name == "href" and value.strip().lower().startswith(("javascript:", "data:", "vbscript:")):
        return "#"
    return value
