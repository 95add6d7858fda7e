"""EPUB books to HTML: the chapters in reading order, each a section with its own number."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from urllib.parse import unquote
from xml.etree import ElementTree

from longleaf.decode import decode
from longleaf.errors import EmptyDocument, Unreadable
from longleaf.sources.rich.converted import Converted, no_text, numbered, page_html
from longleaf.sources.rich.packed import Packed

CONTAINER = "META-INF/container.xml"
ENCRYPTION = "META-INF/encryption.xml"
_CHAPTER_TYPES = ("application/xhtml+xml", "text/html", "text/x-oeb1-document")
_HREF = re.compile(r'(<a\b[^>]*?\bhref=")([^"#:]+)(?:#[^"]*)?(?=")')


def to_html(data: bytes, name: str) -> Converted:
    """Return a book as a page: ``id="chapter=2"``, and in it ``id="chapter=2&paragraph=5"``.

    Raises ``Unreadable`` (broken, or protected by DRM), ``TooLarge``, ``EmptyDocument``.
    """
    packed = Packed(data, name)
    book = _book_part(packed)
    root = _tree(packed, book)
    chapters = list(_spine(root, posixpath.dirname(book)))
    _refuse_protected(packed, chapters)
    number = {part: n for n, part in enumerate(chapters, 1)}
    written = [_chapter(packed, part, n, number) for part, n in number.items() if part in packed]
    if not any(written):
        raise no_text(name, "the book")
    title, lang = _said(root, "title"), _said(root, "language")
    return Converted(page_html("\n".join(filter(None, written)), title, lang), {"chapters": str(len(number))})


def _tree(packed: Packed, part: str) -> ElementTree.Element:
    try:
        return ElementTree.fromstring(packed.xml(part))
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise Unreadable(
            f"{packed.name}: {part} is not XML ({error})", "check that the file is whole"
        ) from error


def _book_part(packed: Packed) -> str:
    for element in _tree(packed, CONTAINER).iter():
        if _local(element) == "rootfile" and element.get("full-path"):
            return posixpath.normpath(unquote(element.get("full-path", "")))
    raise Unreadable(f"{packed.name}: {CONTAINER} names no book", "check that the file is whole")


def _local(element: ElementTree.Element) -> str:
    return str(element.tag).rsplit("}", 1)[-1]


def _said(root: ElementTree.Element, what: str) -> str:
    return next((" ".join((e.text or "").split()) for e in root.iter() if _local(e) == what and e.text), "")


def _spine(root: ElementTree.Element, folder: str) -> Iterator[str]:
    """Yield the paths of the chapters in the order in which they are read."""
    items = {e.get("id"): e for e in root.iter() if _local(e) == "item"}
    for reference in root.iter():
        item = items.get(reference.get("idref")) if _local(reference) == "itemref" else None
        if item is not None and item.get("media-type", _CHAPTER_TYPES[0]) in _CHAPTER_TYPES:
            yield posixpath.normpath(posixpath.join(folder, unquote(item.get("href", ""))))


def _refuse_protected(packed: Packed, chapters: list[str]) -> None:
    """Raise for a book whose chapters are encrypted; scrambled fonts are nobody's loss."""
    if ENCRYPTION not in packed:
        return
    for element in _tree(packed, ENCRYPTION).iter():
        if _local(element) == "CipherReference" and unquote(element.get("URI", "")) in chapters:
            raise Unreadable(
                f"{packed.name}: the book is protected by DRM", "ask its publisher for a copy without"
            )


def _chapter(packed: Packed, part: str, n: int, number: dict[str, int]) -> str:
    """Return a chapter as a section, or an empty string for one without text (a cover)."""
    try:
        body, after = numbered(decode(packed.read(part)), f"chapter={n}&paragraph=")
    except EmptyDocument:
        return ""
    if after == 1:
        return ""
    folder = posixpath.dirname(part)

    def lead(found: re.Match[str]) -> str:
        target = number.get(posixpath.normpath(posixpath.join(folder, unquote(found.group(2)))))
        return f"{found.group(1)}#chapter={target}" if target else found.group()

    return f'<section id="chapter={n}">\n{_HREF.sub(lead, body)}\n</section>'
