"""Bytes to a tree: decode, parse with lexbor, copy once into flat arrays.

The only module that sees the parser. What comes out is ``Page`` with every node of the page,
numbered in document order; nothing is cleaned yet. Choices follow measurements of parsers and
encodings on real pages: no detector beats a declaration, strict UTF-8 comes before cp1252,
and lexbor needs a guard against deep nesting, in which it is quadratic.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from longleaf.decode import decode, is_wide
from longleaf.errors import EmptyDocument, NotHtml, TooLarge
from longleaf.flat import (
    FALLBACKS,
    MAX_FRAMES,
    NO_ATTRS,
    WRAPPERS,
    Flat,
    Irregular,
    add_fallback,
    is_foreign,
    read_serialised,
)
from longleaf.nesting import MAX_DEPTH, limit_depth
from longleaf.serialise.html import escape_text
from longleaf.slots import fill_slots
from longleaf.types import Document, Nodes, Page, subtree_ends

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

# A 50 MB page parses in under 3 s and 0.8 GB (measured); beyond this a page is not a page.
MAX_PAGE_BYTES = 64 * 1024 * 1024
_BINARY_MAGIC = (
    b"%PDF-",
    b"PK\x03\x04",
    b"\x89PNG",
    b"GIF8",
    b"\xff\xd8\xff",
    b"\x7fELF",
    b"\x1f\x8b",
    b"RIFF",
)

# Bytes of no text: C0 controls without tab, line breaks, form feed and escape (ISO-2022 uses it).
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f\x1b"))
MAX_CONTROLS, MAX_CONTROL_SHARE = 8, 0.03

# Marks where a piece of a page ends when its depth is measured.
_HERE = "longleaf: here"

# Real pages have a dozen on an element; 20,000 took the parser a second, and twice as many four.
MAX_ATTRIBUTES = 1000
_LONG_TAG = re.compile(r"<([a-zA-Z][^\s/>]*)(?=[\s/][^<]{4096})")
_ATTRIBUTE = re.compile(r"[\s/]+[^\s/>=][^\s/>=]*(?:\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s\"'>][^\s>]*)?)?")
_PROCESSING = re.compile(r"<\?(?:php\b|=|xml\b).*?\?>", re.S | re.I)
# What HTML takes for a comment: an XHTML page's text, or its scripts (which go in any case).
_CDATA = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.S)
_XHTML = re.compile(r"<\?xml|<!doctype[^>]*xhtml|xmlns\s*=\s*[\"']http://www\.w3\.org/1999/xhtml", re.I)
# What an HTML parser leaves open although it closes itself.
_NOT_VOID = re.compile(
    r"(?:script|style|title|textarea|iframe|noscript|a|div|span|p|td|th|li|i|b|em|strong)\b(?![\w:-])", re.I
)


def check_bytes(document: Document) -> None:
    """Raise the typed error that says why these bytes are no page, if they are none."""
    data, where = document.data, document.url or "input"
    if len(data) > MAX_PAGE_BYTES:
        raise TooLarge(
            f"{where}: {len(data)} bytes, over the limit of {MAX_PAGE_BYTES} bytes a page",
            "split the page, or leave it out",
        )
    if not data.strip():
        raise EmptyDocument(f"{where}: the page is empty", "check that the file was downloaded whole")
    if data.startswith(_BINARY_MAGIC):
        raise NotHtml(f"{where}: binary data, not an HTML page", "pass HTML")
    if is_wide(data) or (document.charset or "").lower().startswith("utf-16"):
        return
    sample = data[:4096]
    # A few stray NULs and control characters occur on real pages; browsers drop them. Many mean
    # that this is no text in any encoding of the web.
    controls = len(sample) - len(sample.translate(None, _CONTROLS))
    if controls > max(MAX_CONTROLS, len(sample) * MAX_CONTROL_SHARE):
        raise NotHtml(f"{where}: binary data, not an HTML page", "pass HTML")


def parse(document: Document) -> Page:
    """Parse a document into the tree of all its nodes, numbered in document order.

    Raises ``TooLarge``, ``NotHtml`` or ``EmptyDocument``. Comments become nodes tagged
    ``#comment``. The document comes back with its title and language filled in.
    """
    check_bytes(document)
    flat = Flat()
    _add_page(_prepare(decode(document.data, document.charset)), flat, -1, 0)
    flat = fill_slots(flat)
    nodes = Nodes(flat.tag, flat.parent, flat.end, flat.text, flat.attrs, range(len(flat.tag)))
    title, lang = _title_and_lang(nodes)
    return Page(replace(document, title=title, lang=lang), nodes)


def _prepare(html: str) -> str:
    xhtml = _XHTML.search(html, 0, 2048) is not None
    if "<?" in html:
        html = _PROCESSING.sub("", html)
    if xhtml:
        html = _close_apart(_CDATA.sub(lambda found: escape_text(found[1]), html))
    return limit_depth(_end_open_frame(_cut_attributes(html)), _is_deep)


def _cut_attributes(html: str) -> str:
    """Cut off attributes that no page has so many of: the parser compares each with all before it."""
    out: list[str] = []
    done = 0
    for tag in _LONG_TAG.finditer(html):
        if tag.start() < done:
            continue
        cut = end = tag.end(1)
        count = 0
        while found := _ATTRIBUTE.match(html, end):
            end, count = found.end(), count + 1
            cut = end if count == MAX_ATTRIBUTES else cut
        if count > MAX_ATTRIBUTES:
            out.append(html[done:cut])
            done = end
    return "".join([*out, html[done:]])


def _end_open_frame(html: str) -> str:
    """Mark the end of a page whose last frame is not closed: what follows it is the page."""
    lower = html.lower()
    is_open = any(lower.rfind(f"<{name}") > lower.rfind(f"</{name}") for name in ("iframe", "noembed"))
    return f"{html}</body>" if is_open else html


def _close_apart(html: str) -> str:
    """Give elements that close themselves an end tag: HTML reads ``<script/>`` as open, and goes on."""
    pieces = html.split("/>")
    for number, piece in enumerate(pieces[:-1]):
        start = piece.rfind("<") + 1
        found = _NOT_VOID.match(piece, start)
        # With an odd quote the mark stands inside an attribute.
        is_tag = found and piece.count('"', start) % 2 == 0 and piece.count("'", start) % 2 == 0
        pieces[number] += f"></{found.group()}>" if found and is_tag else "/>"
    return "".join(pieces)


def _is_deep(pieces: Sequence[str]) -> bool:
    """Return whether a page given in pieces nests too deep; each is parsed inside what is open before it."""
    from selectolax.lexbor import LexborHTMLParser

    before = ""
    for piece in pieces:
        root = LexborHTMLParser(f"{before}{piece}<!--{_HERE}-->").root
        depth: dict[int, int] = {}
        names: list[str] = []
        for node in root.traverse(include_text=False) if root is not None else ():
            above = node.parent
            depth[node.mem_id] = 1 + (depth.get(above.mem_id, 0) if above is not None else 0)
            if node.is_comment_node and node.comment_content == _HERE:
                names = _open_elements(node)
        if max(depth.values(), default=0) >= MAX_DEPTH:
            return True
        before = "".join(f"<{name}>" for name in reversed(names))
    return False


def _open_elements(node: LexborNode) -> list[str]:
    """Return the elements that are open where a comment stands, innermost first."""
    names: list[str] = []
    above = node.parent
    while above is not None and above.tag not in ("html", "head", "body", "-document"):
        names.append(above.tag or "div")
        above = above.parent
    return names


def _title_and_lang(nodes: Nodes) -> tuple[str, str]:
    title = lang = ""
    for node, tag in enumerate(nodes.tag):
        if tag == "html":
            lang = nodes.attrs[node].get("lang") or nodes.attrs[node].get("xml:lang") or ""
        elif tag == "title":
            title = " ".join("".join(nodes.text[node + 1 : nodes.end[node]]).split())
            break
        elif tag == "body":
            break
    return title, lang


_TEMPLATE_TAGS = re.compile(r"\A<template\b(?:\"[^\"]*\"|[^>\"])*>|</template>\Z")


def _add_page(html: str, into: Flat, parent: int, level: int) -> None:
    """Parse ``html`` and append its nodes below ``parent`` (-1 for the page itself)."""
    from selectolax.lexbor import LexborHTMLParser

    html = limit_depth(html, _is_deep) if level else html
    root, size = LexborHTMLParser(html).root, len(into.tag)
    if root is None:
        return
    try:
        read_serialised((root.html or "").replace("\x00", ""), into, parent, level, _add_page)
    except Irregular:
        into.cut(size)
        _walk(root, into, parent, level)


def _walk(root: LexborNode, into: Flat, parent: int, level: int) -> None:
    """Ask the parser node by node."""
    seen: dict[int, int] = {}
    size = len(into.tag)
    for node in root.traverse(include_text=True):
        tag = node.tag or ""
        above = node.parent
        up = parent if above is None else seen.get(above.mem_id, parent)
        if tag == "-text" and up >= 0 and into.tag[up] in FALLBACKS and not is_foreign(into, into.parent[up]):
            add_fallback(into.tag[up], node.text_content or "", into, up, level, _add_page)
            continue
        if level and tag in WRAPPERS:
            seen[node.mem_id] = up
            continue
        here = seen[node.mem_id] = _add_node(tag, node, into, up)
        attrs = into.attrs[here]
        if tag not in ("iframe", "template") or level >= MAX_FRAMES or is_foreign(into, up):
            continue
        if attrs.get("srcdoc"):
            _add_page(attrs["srcdoc"], into, here, level + 1)
        elif tag == "template":
            # lexbor keeps a template's content apart from the tree: only its HTML shows it.
            _add_page(_TEMPLATE_TAGS.sub("", node.html or ""), into, here, level + 1)
    below = subtree_ends([max(-1, up - size) for up in into.parent[size:]])
    into.end[size:] = [end + size for end in below]


def _add_node(tag: str, node: LexborNode, into: Flat, parent: int) -> int:
    if tag == "-text":
        return into.add("", parent, (node.text_content or "").replace("\x00", ""))
    if tag == "-comment":
        return into.add("#comment", parent, node.comment_content or "")
    attributes = node.attributes
    return into.add(tag, parent, "", {k: v or "" for k, v in attributes.items()} if attributes else NO_ATTRS)
