"""A parser's tree as flat arrays, read from what it writes out: twice as fast as asking for each node.

Serialised markup is regular: every element that is not void has its end tag, attribute values
stand in double quotes, and ``<`` and ``>`` are escaped outside raw text. So one split at ``<`` finds
every tag, and what a start tag says is read once for all its repetitions. Where a page breaks
one of these rules (a ``<`` in a name, markup inside a foreign ``script``) ``Irregular`` is raised, and
the parser has to be asked node by node.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, pairwise

# What a serialiser writes without an end tag, and what it does not escape (HTML standard, 13.3).
VOID = frozenset(
    """area base basefont bgsound br col embed frame hr img input keygen link meta param source track
    wbr""".split()
)
RAW = frozenset(("script", "style", "xmp", "iframe", "noembed", "noframes"))
_SPECIAL = VOID | RAW
# Of these, what is markup for browsers without frames or plug-ins: a parser gives it as one text.
FALLBACKS = frozenset(("iframe", "noembed", "noframes"))
# An element that was not closed took the rest of the page with it.
_REST_OF_PAGE = re.compile(r"</(?:body|html)\s*>", re.I)
# Inside these the two rules above do not hold, unless one of the others stands between.
_FOREIGN = frozenset(("svg", "math"))
_BACK_TO_HTML = frozenset("foreignObject desc title annotation-xml mi mo mn ms mtext".split())
WRAPPERS = frozenset(("html", "head", "body"))
# A frame in a frame in a frame: deeper ones are left unread.
MAX_FRAMES = 4

_SEGMENT = 1 << 18
_NAME = re.compile(r"[^\s/>]+")
_ATTRIBUTE = re.compile(r' (=?[^\s/>=]*)="([^"]*)"')
NO_ATTRS: Mapping[str, str] = {}
_Start = tuple[str, Mapping[str, str], bool]
_END: _Start = ("/", NO_ATTRS, False)
_NOTHING: _Start = ("", NO_ATTRS, False)


class Irregular(Exception):
    """The markup cannot be read by splitting it."""


@dataclass(slots=True)
class Flat:
    """Growing arrays of nodes in document order, as in ``types.Nodes``."""

    tag: list[str] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)
    end: list[int] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    attrs: list[Mapping[str, str]] = field(default_factory=list)

    def add(self, tag: str, parent: int, text: str = "", attrs: Mapping[str, str] = NO_ATTRS) -> int:
        """Append one node and return its number."""
        self.tag.append(tag)
        self.parent.append(parent)
        self.text.append(text)
        self.attrs.append(attrs)
        self.end.append(len(self.tag))
        return len(self.tag) - 1

    def cut(self, size: int) -> None:
        """Take back every node from ``size`` on."""
        for column in (self.tag, self.parent, self.end, self.text, self.attrs):
            del column[size:]


# Called with the page in an ``iframe srcdoc`` or ``noframes``, the arrays, the frame's node and the level.
Frame = Callable[[str, Flat, int, int], None]


def read_serialised(html: str, into: Flat, parent: int, level: int, frame: Frame) -> None:  # noqa: C901
    """Append the nodes of a serialised page below ``parent`` (-1 for the page itself).

    ``frame`` adds the page inside an ``iframe srcdoc``. From level 1 on ``html``, ``head`` and
    ``body`` are passed over. Raises ``Irregular``.
    """
    # The hot loop of the library: names are local, nodes are added in place.
    tags, parents, texts, attributes, ends = into.tag, into.parent, into.text, into.attrs, into.end
    known: dict[str, _Start] = {}
    has_foreign = "<svg" in html or "<math" in html
    stack, nested = [parent], level > 0
    chunks = _chunks(html)
    next(chunks)
    for chunk in chunks:
        head, closed, text = chunk.partition(">")
        start = known.get(head)
        if start is None:
            if head[:1] == "!":
                text = _declaration(chunk, chunks, into, stack[-1])
                start = _NOTHING
            else:
                start = known[head] = _END if head[:1] == "/" else _start_tag(head, closed)
        elif not closed:
            raise Irregular  # a name with a ``<`` in it
        if start is _END:
            ends[stack.pop()] = len(tags)
        elif start is not _NOTHING:
            name, attrs, special = start
            up = here = stack[-1]
            if not (nested and name in WRAPPERS):
                here = len(tags)
                tags.append(name)
                parents.append(up)
                texts.append("")
                attributes.append(attrs)
                ends.append(here + 1)
            if not special:
                stack.append(here)
            else:
                outside = has_foreign and is_foreign(into, up)
                if name in RAW:
                    if name == "iframe" and attrs.get("srcdoc") and level < MAX_FRAMES and not outside:
                        frame(attrs["srcdoc"], into, here, level + 1)
                    text, after = _raw_text(name, text, chunks, outside)
                    if text and name in FALLBACKS and not outside:
                        add_fallback(name, text, into, here, level, frame)
                    elif text:
                        into.add("", here, text)
                    ends[here] = len(tags)
                    text = after
                elif outside:
                    raise Irregular
        if text:
            tags.append("")
            parents.append(stack[-1])
            texts.append(unescape(text) if "&" in text else text)
            attributes.append(NO_ATTRS)
            ends.append(len(tags))
    if len(stack) != 1:
        raise Irregular


def add_fallback(name: str, text: str, into: Flat, parent: int, level: int, frame: Frame) -> None:
    """Add the fallback of a frame: as markup where it is all there is to read, else as ``#fallback``."""
    if level < MAX_FRAMES and (name == "noframes" or _REST_OF_PAGE.search(text)):
        frame(text, into, parent, level + 1)
    else:
        into.add("#fallback", parent, text)


def _chunks(html: str) -> Iterator[str]:
    """Split at each ``<``, a megabyte at a time, so that not all chunks are in memory at once."""
    edges = [0]
    while edges[-1] < len(html):
        edge = html.find("<", edges[-1] + _SEGMENT)
        edges.append(len(html) if edge < 0 else edge)
    # A segment begins with the ``<`` that it was found by, so all but the first give an empty chunk.
    segments = (html[a:b].split("<")[bool(a) :] for a, b in pairwise(edges))
    return chain.from_iterable(segments)


def unescape(text: str) -> str:
    """Undo what a serialiser escapes."""
    text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&nbsp;", "\xa0").replace("&quot;", '"')
    return text.replace("&amp;", "&")


def _start_tag(head: str, closed: str) -> _Start:
    found = _NAME.match(head)
    if not closed or found is None or head[0] == "?":
        raise Irregular
    name = found.group()
    attrs: Mapping[str, str] = NO_ATTRS
    if len(name) < len(head):
        pairs = _ATTRIBUTE.findall(head, len(name))
        if len(name) + sum(len(key) + len(value) + 4 for key, value in pairs) != len(head):
            raise Irregular
        attrs = {key: unescape(value) if "&" in value else value for key, value in pairs}
    if name == "plaintext":
        raise Irregular
    return name, attrs, name in _SPECIAL


def _declaration(chunk: str, chunks: Iterator[str], into: Flat, parent: int) -> str:
    """Read a comment or doctype; returns the text after it."""
    if not chunk.startswith("!--"):
        return chunk.partition(">")[2]
    while "-->" not in chunk[3:]:
        chunk += "<" + _next(chunks)
    stop = chunk.index("-->", 3)
    into.add("#comment", parent, chunk[3:stop])
    return chunk[stop + 3 :]


def _raw_text(name: str, text: str, chunks: Iterator[str], is_foreign: bool) -> tuple[str, str]:
    """Return what stands in an element that is not escaped, and the text after its end tag."""
    stop = f"/{name}>"
    parts = [text]
    while not (chunk := _next(chunks)).startswith(stop):
        parts.append(chunk)
    raw = "<".join(parts)
    if len(parts) > 1 and (is_foreign or ("<!--" in raw and "<script" in raw)):
        raise Irregular  # the end tag that was found may be part of the text
    return raw, chunk[len(stop) :]


def _next(chunks: Iterator[str]) -> str:
    for chunk in chunks:
        return chunk
    raise Irregular


def is_foreign(into: Flat, node: int) -> bool:
    """Return whether what stands in ``node`` is SVG or MathML, where HTML's rules do not hold."""
    while node >= 0:
        if into.tag[node] in _FOREIGN:
            return True
        if into.tag[node] in _BACK_TO_HTML:
            return False
        node = into.parent[node]
    return False
