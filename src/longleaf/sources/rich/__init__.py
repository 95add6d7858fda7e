"""Files that are no HTML, converted to it so that all later stages work on them.

The bytes say what a file is where they can (PDF, DOCX and EPUB whatever the name), else its
name or the server's content type. Each format has its own file, imported when it is needed.
Same bytes, same HTML; no converter opens a connection or runs what a file brings along.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from longleaf.errors import Unreadable
from longleaf.types import Document

if TYPE_CHECKING:
    from longleaf.sources.rich.converted import Converted

Format = Literal["pdf", "docx", "epub", "markdown", "plain", "mail", "mhtml"]
Hint = Format | Literal["html"]

SUFFIXES: Mapping[str, Format] = {
    ".pdf": "pdf",
    ".docx": "docx",
    ".epub": "epub",
    ".md": "markdown",
    ".markdown": "markdown",
    ".txt": "plain",
    ".text": "plain",
    ".eml": "mail",
    ".mhtml": "mhtml",
    ".mht": "mhtml",
}
# Read in folders too; not .txt, because documentation keeps the source of every page beside it.
FOLDER_SUFFIXES = frozenset(SUFFIXES) - {".txt", ".text"}
CONTENT_TYPES: Mapping[str, Format] = {
    "application/pdf": "pdf",
    "application/x-pdf": "pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/epub+zip": "epub",
    "text/markdown": "markdown",
    "text/x-markdown": "markdown",
    "message/rfc822": "mail",
    "multipart/related": "mhtml",
    "application/x-mimearchive": "mhtml",
}
_PDF, _ZIP, _OLE = b"%PDF-", b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
# A PDF may have something before its header (ISO 32000-1, annex H, note 13).
PDF_HEADER_BYTES = 1024
_SAVED_PAGE = re.compile(rb"^(?:Snapshot-Content-Location:|Content-Type:\s*multipart/related)", re.I | re.M)
_MARKUP = re.compile(rb"^(?:\xef\xbb\xbf)?\s*<(?:!doctype|!--|\?xml|[a-z][a-z0-9]*[\s>])", re.I)
_BINARY = frozenset(("pdf", "docx", "epub"))


@dataclass(frozen=True, slots=True)
class _Bytes:
    """What a file says of itself by its first bytes."""

    data: bytes

    def format(self, name: str) -> Format | None:
        """Return the format that these bytes prove, whatever the file is called."""
        if self.data.startswith(_PDF) or (
            name.lower().endswith(".pdf") and _PDF in self.data[:PDF_HEADER_BYTES]
        ):
            return "pdf"
        return self._in_zip(name) if self.data.startswith(_ZIP) else None

    def _in_zip(self, name: str) -> Format | None:
        from longleaf.sources.rich.packed import Packed

        packed = Packed(self.data, name)
        if "META-INF/container.xml" in packed:
            return "epub"
        return "docx" if "[Content_Types].xml" in packed and "word/document.xml" in packed else None


def format_of(data: bytes, name: str, hint: Hint | None = None) -> Format | None:
    """Return what a file is, or None for what is left to the HTML parser (and to its refusals).

    ``name`` is a path or address, ``hint`` what its server said. Raises ``Unreadable`` for a
    container that is broken, and for a name that promises what the bytes are not.
    """
    proved = _Bytes(data).format(name)
    said = hint or SUFFIXES.get(os.path.splitext(name)[1].lower())
    if proved or said is None or said == "html":
        return proved
    if said in _BINARY and not data.strip():
        return None  # an empty file is refused as such
    if said == "docx" and data.startswith(_OLE):
        raise Unreadable(
            f"{name}: a Word document that is protected by a password, or from before 2007",
            "save it as .docx without a password",
        )
    if said in _BINARY:
        raise Unreadable(f"{name}: no {said.upper()} file, whatever its name", "check that the file is whole")
    if said == "mail" and _SAVED_PAGE.search(data[:4096]) and b"Snapshot-Content-Location" in data[:4096]:
        return "mhtml"
    if said == "plain" and _MARKUP.match(data):
        return None  # a page that somebody saved as text
    return said


def document(data: bytes, url: str, hint: Hint | None = None, charset: str | None = None) -> Document:
    """Return bytes as a document that is HTML, converted if need be.

    A converted one is UTF-8 with ``meta["format"]``; its address stays. Raises
    ``DocumentError`` for a file that cannot be used and ``MissingExtra``.
    """
    kind = format_of(data, url, hint)
    if kind is None:
        return Document.from_bytes(data, url, charset)
    if charset and kind in ("markdown", "plain"):
        from longleaf.sources.rich.converted import text_of

        data = text_of(data, url, charset).encode("utf-8", "replace")
    from longleaf.sources.rich.kept import kept

    converted = kept(kind, data, lambda: _convert(kind, data, url or "input"))
    made = Document.from_html(converted.html, url)
    return replace(made, meta={"format": kind, **converted.meta})


def _convert(kind: Format, data: bytes, name: str) -> Converted:
    # Each import is written out, so that the layer check sees it.
    match kind:
        case "pdf":
            from longleaf.sources.rich.pdf import to_html
        case "docx":
            from longleaf.sources.rich.docx import to_html
        case "epub":
            from longleaf.sources.rich.epub import to_html
        case "markdown":
            from longleaf.sources.rich.markdown import to_html
        case "plain":
            from longleaf.sources.rich.plain import to_html
        case "mail":
            from longleaf.sources.rich.mail import to_html
        case "mhtml":
            from longleaf.sources.rich.mail import saved_page as to_html
    return to_html(data, name)


__all__ = ["CONTENT_TYPES", "FOLDER_SUFFIXES", "SUFFIXES", "Format", "Hint", "document", "format_of"]
