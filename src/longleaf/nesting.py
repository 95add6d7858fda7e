"""A guard against pages that nest deeper than a parser can bear.

lexbor is quadratic in open block elements (100,000 nested ``div`` never end), and browsers cap
nesting too. So a page with very many start tags is read once as a tokenizer reads it. Where it
seems too deep, the parser measures it piece by piece, and if it is, the start tags that stand too
deep are taken out with their end tags. Their text stays where it is.

What is hidden stays hidden: an element that hides its content is not taken out, only what is
inside it. Script, style and comments are passed over as a whole, and end tags that may be left
out are put where the standard puts them, because a long flat page is not deep.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from longleaf.clean_rules import DROP
from longleaf.hidden import hiding
from longleaf.nesting_rules import ENDS_P, HEADINGS, ITEMS, SPECIAL, WALLS

# Browsers cap nesting at 512; 1,000 leaves every real page alone and costs lexbor 10 ms.
MAX_DEPTH = 1000
# How much deeper an element that hides its content may stand inside another that seems to.
SPARE = 250
# With fewer start tags than this no page is deep enough to matter (4,000 nested: under two seconds).
SCANNED_FROM = 4 * MAX_DEPTH

_VOID = frozenset("area base br col embed hr img input link meta param source track wbr frame".split())
# Never deep: the parts of a table end with it, and the others end each other.
_UNCOUNTED = frozenset(
    "html head body tr td th thead tbody tfoot colgroup caption option optgroup rb rt rtc rp".split()
)
# How an end tag works (``nesting_rules``): of special elements it closes what is open in them, ...
# ... of these it closes the element alone when one of the above stands in it, ...
_FORMATTING = frozenset("a b big code em font i nobr s small strike strong tt u".split())
# ... and nothing across one of these. Any other end tag does not reach across a special element.
_BARRIERS = frozenset("applet marquee object table template svg math".split())
_RAW = frozenset("script style textarea title xmp iframe noembed noframes".split())
# A new one ends the one that is open (HTML standard, tree construction).
_NEVER_IN_ITSELF = frozenset(("a", "nobr", "button", "select", "form"))
_PARTS_OF_TABLE = frozenset("tr td th thead tbody tfoot caption colgroup".split())

_NEXT = re.compile(r"<(?:!--|(/?)([a-zA-Z][^\s/>]*))")
# An element with nothing but text in it, and attributes that no tokenizer could read another way.
_LEAF = re.compile(r"<([a-zA-Z][a-zA-Z0-9]*)(?: [a-zA-Z-]+=\"[^\"<>]*\")*>[^<]*</\1>")
_FOREIGN = re.compile(r"<(?:svg|math)\b", re.I)
# Comments, raw text, and tags with their attributes as a tokenizer takes them apart.
_TAG = re.compile(
    r"<!--(?:-?>|.*?--!?>)"
    r"|<(script|style|textarea|title|xmp|iframe|noembed|noframes)(?=[\s/>])[^>]*>.*?</\1(?=[\s/>])"
    r"|<(/?)([a-zA-Z][^\s/>]*)(?:[\s/]+|[^\s/>][^\s/>=]*(?:\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s>]*))?)*+>",
    re.S | re.I,
)
# These end where the next one or what is around them begins or ends.
_ENDS_ITSELF = frozenset("p li dt dd tr td th thead tbody tfoot option".split())
_REACH = 8
_COMMENT_END = re.compile(r"--!?>|(?<=<!--)-?>")
# The rest of nearly every tag: attributes that need no tokenizer, and none that could hide anything.
_PLAIN_TAG = re.compile(r"(?: [a-zA-Z:-]+=\"[^\"<>]*\")*+ ?/?>")
_TELLING = re.compile("hidden|style|type|shadow", re.I)
_ATTRIBUTE = re.compile(r"[\s/]*(?:([^\s/>][^\s/>=]*)(?:\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s>]*)))?)?")


def limit_depth(html: str, is_deep: Callable[[Sequence[str]], bool]) -> str:
    """Return ``html`` without the start tags that stand deeper than ``MAX_DEPTH``. Linear in its length.

    Nothing is taken out unless ``is_deep`` confirms it: it is given the page in pieces that each
    hold few tags, so that a parser can measure what this module only estimates.
    """
    if _is_shallow(html):
        return html
    scan = _Scan(html)
    limited = scan.run()
    return limited if scan.out and is_deep(scan.pieces()) else html


def _is_shallow(html: str) -> bool:
    """Return whether a page is sure not to be deep. Much faster than the scan; in doubt it says no."""
    if html.count("<") - html.count("</") < SCANNED_FROM:
        return True
    # Start tags that are closed at once nest nothing.
    html = _LEAF.sub("", _LEAF.sub("", html))
    if html.count("<") - html.count("</") < SCANNED_FROM:
        return True
    return _FOREIGN.search(html) is None and not _may_be_deep(html)


def _may_be_deep(html: str) -> bool:
    """Return whether ``MAX_DEPTH`` elements may be open: an end tag counts only if it is sure to close."""
    stack: list[str] = []
    for tag in _TAG.finditer(html):
        _, slash, written = tag.groups()
        name = written.lower() if written else ""
        if not slash:
            if not name or name in _VOID or (name in _ENDS_ITSELF and stack[-1:] == [name]):
                continue  # nothing is opened, or one for the other
            stack.append(name)
            if len(stack) >= MAX_DEPTH:
                return True
        elif stack and stack[-1] == name:
            stack.pop()
        elif name in stack[-_REACH:]:
            place = len(stack) - 1 - stack[::-1].index(name)
            if all(inner in _ENDS_ITSELF for inner in stack[place + 1 :]):
                del stack[place:]
    return False


@dataclass(slots=True)
class _Open:
    """An element that is open: whether it stands in the output and hides its content.

    ``specials``, ``barriers`` and ``walls`` count such elements up to it, itself included, so that
    one comparison tells whether any stands above. ``times`` counts elements of one name, none of
    them kept, that stand directly in each other: a page may nest a million.
    """

    name: str
    kept: bool
    hides: bool
    specials: int = 0
    barriers: int = 0
    walls: int = 0
    alive: bool = True
    times: int = 1


@dataclass(slots=True)
class _Scan:
    """One pass over the tags of a page."""

    html: str
    stack: list[_Open] = field(default_factory=list)
    open: dict[str, list[_Open]] = field(default_factory=dict)
    depth: int = 0
    hidden: int = 0
    specials: int = 0
    barriers: int = 0
    walls: int = 0
    out: list[str] = field(default_factory=list)
    copied: int = 0
    tags: int = 0
    marks: list[int] = field(default_factory=list)

    def run(self) -> str:
        at = 0
        while (found := _NEXT.search(self.html, at)) is not None:
            name = found.group(2)
            if name is None:
                end = _COMMENT_END.search(self.html, found.end())
                at = len(self.html) if end is None else end.end()
            elif found.group(1):
                at = self._end_tag(name.lower(), found.start(), found.end())
            else:
                at = self._start_tag(name.lower(), found.start(), found.end())
        return self.html if not self.out else "".join((*self.out, self.html[self.copied :]))

    def pieces(self) -> list[str]:
        """Return the page cut before every so many start tags."""
        return [self.html[a:b] for a, b in pairwise([0, *self.marks, len(self.html)])]

    def _attributes(self, at: int) -> tuple[dict[str, str], int, bool]:
        """Return the attributes from ``at``, where the tag ends, and whether it closes itself."""
        plain = _PLAIN_TAG.match(self.html, at)
        if plain is not None and _TELLING.search(self.html, at, plain.end()) is None:
            return {}, plain.end(), self.html[plain.end() - 2] == "/"
        attrs: dict[str, str] = {}
        while True:
            found = _ATTRIBUTE.match(self.html, at)
            if found is None or found.group(1) is None:
                at = at if found is None else found.end()
                stop = self.html.find(">", at)
                return attrs, len(self.html) if stop < 0 else stop + 1, self.html[at - 1 : at] == "/"
            value = found.group(2) or found.group(3) or found.group(4) or ""
            attrs.setdefault(found.group(1).lower(), value)
            at = found.end()

    def _start_tag(self, name: str, start: int, at: int) -> int:
        self.tags += 1
        if self.tags % MAX_DEPTH == 0:
            self.marks.append(start)
        attrs, end, closed = self._attributes(at)
        if name in _RAW:
            return self._raw_end(name, end)
        if name == "plaintext":
            return len(self.html)
        if name in _PARTS_OF_TABLE:
            self._pop_above("table")
        if not self._foreign():
            self._close_implied(name)
        if name in _VOID or name in _UNCOUNTED or (closed and self._foreign()):
            return end
        hides = self._hides(name, attrs)
        spare = 0 if not hides else SPARE if self.hidden else MAX_DEPTH
        kept = self.depth < MAX_DEPTH + spare
        self._push(_Open(name, kept, hides))
        if not kept:
            self._cut(start, end)
        return end

    def _hides(self, name: str, attrs: dict[str, str]) -> bool:
        if name == "template":
            return "shadowrootmode" not in attrs
        return name in DROP or hiding(name, attrs) is not None

    def _foreign(self) -> bool:
        return bool(self.open.get("svg") or self.open.get("math"))

    def _raw_end(self, name: str, at: int) -> int:
        if self._foreign() and name in ("title", "style", "script"):
            return at
        end = re.compile(rf"</{name}(?=[\s/>])", re.I).search(self.html, at)
        return len(self.html) if end is None else self.html.find(">", end.end() - 1) + 1 or len(self.html)

    def _close_implied(self, name: str) -> None:
        """Close what a start tag ends without an end tag."""
        for other in ITEMS.get(name, ()):
            item = self._last(other)
            if item is not None and item.walls == self.walls:
                self._close(item)
        paragraph = self._last("p")
        if name in ENDS_P and paragraph is not None and paragraph.barriers == self.barriers:
            self._close(paragraph)
        same = self._last(name) if name in _NEVER_IN_ITSELF else None
        if same is not None:
            self._close(same)
        elif name in HEADINGS and self.stack and self.stack[-1].name in HEADINGS:
            self._close(self.stack[-1])

    def _last(self, name: str) -> _Open | None:
        found = self.open.get(name)
        return found[-1] if found else None

    def _end_tag(self, name: str, start: int, at: int) -> int:
        end = self._attributes(at)[1]
        element = self._last(name)
        if element is None:
            return end
        kind = name in SPECIAL or name in _FORMATTING
        blocked = self.barriers > element.barriers
        if blocked or (not kind and self.specials > element.specials):
            # A parser passes over it. It must not close an outer element because what stood
            # between was taken out.
            self._cut(start, end)
            return end
        self._close(element)
        if not element.kept:
            self._cut(start, end)
        return end

    def _push(self, element: _Open) -> None:
        top = self.stack[-1] if self.stack else None
        alike = top is not None and top.name == element.name and top.alive and not (top.kept or top.hides)
        if top is not None and alike and not (element.kept or element.hides):
            element = top
            element.times += 1
        else:
            self.stack.append(element)
            self.open.setdefault(element.name, []).append(element)
        self._count(element, 1)
        element.specials, element.barriers, element.walls = self.specials, self.barriers, self.walls

    def _count(self, element: _Open, step: int) -> None:
        self.depth += step * element.kept
        self.hidden += step * (element.hides and element.kept)
        self.specials += step * (element.name in SPECIAL)
        self.barriers += step * (element.name in _BARRIERS)
        self.walls += step * (element.name in WALLS)

    def _close(self, element: _Open) -> None:
        """Close the innermost element of a name, with what stands in it or, for formatting, alone."""
        if element.name in _FORMATTING and self.specials > element.specials:
            self._close_one(element)
        else:
            while self.stack[-1] is not element:
                self._pop()
            self._close_one(element)
        while self.stack and not self.stack[-1].alive:
            self.stack.pop()

    def _close_one(self, element: _Open) -> None:
        self._count(element, -1)
        element.times -= 1
        if element.times:
            element.specials -= element.name in SPECIAL
            element.barriers -= element.name in _BARRIERS
            element.walls -= element.name in WALLS
        else:
            self.open[element.name].pop()
            element.alive = False

    def _pop(self) -> None:
        element = self.stack.pop()
        if element.alive:
            self.open[element.name].pop()
            self._count(element, -element.times)

    def _pop_above(self, name: str) -> None:
        if self.open.get(name):
            while self.stack[-1] is not self.open[name][-1]:
                self._pop()

    def _cut(self, start: int, end: int) -> None:
        # A space, so that no words are glued where a tag stood between them.
        self.out += (self.html[self.copied : start], " ")
        self.copied = end
