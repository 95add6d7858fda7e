"""What every converter gives back, and what they share: refusals, text of bytes, numbered paragraphs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from longleaf.decode import decode_text
from longleaf.errors import EmptyDocument, MissingExtra, NotHtml
from longleaf.parse import check_bytes, parse
from longleaf.serialise.html import escape_attribute, escape_text, to_html
from longleaf.types import Document, Nodes, subtree_ends

INSTALL = "pip install 'longleaf[rich]'"
# What counts as a paragraph of a converted text; a div only where text stands in it directly.
_PARAGRAPHS = frozenset("p h1 h2 h3 h4 h5 h6 pre table li dt dd figcaption blockquote div".split())
# Of these only what stands in them directly says that they are a paragraph of their own.
_CONTAINERS = frozenset(("li", "dd", "blockquote", "div"))
_NOT_TEXT = frozenset("script style template iframe #comment link meta base title".split())


@dataclass(frozen=True, slots=True)
class Converted:
    """A file as HTML, and what else is worth keeping of it (``pages``, ``original``)."""

    html: str
    meta: Mapping[str, str] = field(default_factory=dict)


def missing_extra(name: str, package: str) -> MissingExtra:
    """Return the error that names the package a format needs."""
    return MissingExtra(f"{name}: reading this file needs the package {package}", INSTALL)


def no_text(name: str, what: str) -> EmptyDocument:
    """Return the error of a file that was read well and says nothing."""
    return EmptyDocument(
        f"{name}: {what} has no text", "if its pages are pictures, run OCR over it first (ocrmypdf)"
    )


def text_of(data: bytes, name: str, charset: str | None = None) -> str:
    """Return the characters of a text file: as declared, else UTF-8, else what it looks like.

    Raises ``NotHtml`` for binary data, ``EmptyDocument`` and ``TooLarge``.
    """
    try:
        check_bytes(Document.from_bytes(data, name, charset))
    except NotHtml as error:
        raise NotHtml(f"{name}: binary data, not a text", "pass a text file") from error
    return decode_text(data, charset)


def page_html(body: str, title: str = "", lang: str = "") -> str:
    """Return a whole page around ``body``."""
    said = f' lang="{escape_attribute(lang)}"' if lang else ""
    head = f"<title>{escape_text(title)}</title>" if title.strip() else ""
    return f"<!DOCTYPE html>\n<html{said}><head>{head}</head><body>\n{body}\n</body></html>\n"


def numbered(html: str, prefix: str, first: int = 1, in_tables: bool = False) -> tuple[str, int]:
    """Return the body of ``html`` with every paragraph named ``prefix`` + its number, and the next number.

    The page's own ids give way, because the nearest id is what a citation names; links to them
    are led to the paragraph that holds them. Tables count as one paragraph unless ``in_tables``
    (mail is laid out in tables).
    """
    if not html.strip():
        return "", first
    nodes = _text_only(parse(Document.from_html(html)).nodes)
    body = next((n for n, tag in enumerate(nodes.tag) if tag == "body"), 0)
    if body + 1 >= nodes.end[body]:
        return "", first
    names = _names(nodes, body, in_tables)
    mark = {node: f"{prefix}{number}" for number, node in enumerate(names, first)}
    attrs = _renamed(nodes, body, mark)
    named = Nodes(nodes.tag, nodes.parent, nodes.end, nodes.text, attrs, nodes.origin)
    return to_html(named, body + 1, nodes.end[body]), first + len(mark)


def _names(nodes: Nodes, body: int, in_tables: bool) -> list[int]:
    """Return the nodes that are paragraphs, in order."""
    says = _says(nodes)
    out: list[int] = []
    table_end = 0
    for node in range(body + 1, nodes.end[body]):
        if node >= table_end and says[node] and _is_paragraph(nodes, node):
            out.append(node)
            if nodes.tag[node] == "table" and not in_tables:
                table_end = nodes.end[node]
    return out


def _renamed(nodes: Nodes, body: int, mark: Mapping[int, str]) -> list[Mapping[str, str]]:
    """Return all attributes with the new ids for the old ones, and links to old ids led to new ones."""
    homes: dict[str, str] = {}
    waiting: list[str] = []  # old ids before the first paragraph
    here = ""
    for node in range(body, nodes.end[body]):
        if node in mark:
            here = mark[node]
            homes.update(dict.fromkeys(waiting, here))
            waiting.clear()
        old = element_name(nodes, node)
        if old and here:
            homes.setdefault(old, here)
        elif old:
            waiting.append(old)
    out: list[Mapping[str, str]] = []
    for node, given in enumerate(nodes.attrs):
        lost = ("id", "name") if nodes.tag[node] == "a" else ("id",)
        own = {k: v for k, v in given.items() if k not in lost}
        if node in mark:
            own["id"] = mark[node]
        href = own.get("href", "")
        if href.startswith("#"):
            own["href"] = "#" + homes.get(href[1:], href[1:])
        out.append(own)
    return out


def element_name(nodes: Nodes, node: int) -> str:
    """Return what a link can name an element by."""
    attrs = nodes.attrs[node]
    return attrs.get("id") or (attrs.get("name", "") if nodes.tag[node] == "a" else "")


def _is_paragraph(nodes: Nodes, node: int) -> bool:
    tag = nodes.tag[node]
    if tag not in _PARAGRAPHS:
        return False
    if tag not in _CONTAINERS:
        return True
    child = node + 1
    while child < nodes.end[node]:
        if nodes.says(child):
            return True
        if nodes.tag[child] in _PARAGRAPHS:
            return False
        # Words in a <b> or <a> stand directly in it as well; those in a list or section do not.
        child = nodes.end[child] if nodes.tag[child] in ("ul", "ol", "dl", "section", "tr") else child + 1
    return False


def _says(nodes: Nodes) -> list[bool]:
    """Return for each node whether there is text in it."""
    said = [nodes.says(n) or bool(nodes.attrs[n].get("alt", "").strip()) for n in range(len(nodes))]
    for node in range(len(nodes) - 1, 0, -1):
        if said[node] and nodes.parent[node] >= 0:
            said[nodes.parent[node]] = True
    return said


def _text_only(nodes: Nodes) -> Nodes:
    """Return the tree without scripts, styles and embedded pages."""
    keep: list[int] = []
    place: dict[int, int] = {-1: -1}
    node = 0
    while node < len(nodes):
        if nodes.tag[node] in _NOT_TEXT:
            node = nodes.end[node]
            continue
        place[node] = len(keep)
        keep.append(node)
        node += 1
    parent = [place[nodes.parent[n]] for n in keep]
    return Nodes(
        [nodes.tag[n] for n in keep],
        parent,
        subtree_ends(parent),
        [nodes.text[n] for n in keep],
        [nodes.attrs[n] for n in keep],
        [nodes.origin[n] for n in keep],
    )
