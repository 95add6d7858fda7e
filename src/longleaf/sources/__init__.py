"""Where pages come from: files, folders, standard input, one URL.

A source is listed first and read later: a page that did not change costs a look at its size
and time, not a read.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from longleaf.errors import NotHtml, SourceMissing, UsageError
from longleaf.types import Document

__all__ = ["Origin", "documents", "listing", "one_document"]


@dataclass(frozen=True, slots=True)
class Origin:
    """A page that can be read: its address and, for a file, what says whether it changed."""

    url: str
    path: Path | None = None
    size: int = 0
    mtime_ns: int = 0
    ctime_ns: int = 0
    document: Document | None = field(default=None, repr=False)

    def load(self) -> Document:
        """Return the document; raises a ``DocumentError`` when it cannot be read, or ``MissingExtra``."""
        if self.document is not None:
            return self.document
        from longleaf.sources.files import read_file

        assert self.path is not None  # an origin has either a document or a path
        return read_file(self.path)


def listing(sources: Sequence[str | Path], offline: bool = False) -> list[Origin]:
    """Return every page of the given files, folders and URLs; ``-`` is standard input.

    Raises ``SourceMissing``, ``NoPages`` (a folder without pages), ``NotHtml`` (a file that is
    none) or ``NetworkRefused``. Folders are searched at any depth, in sorted order.
    """
    from longleaf.sources.files import list_path

    found: list[Origin] = []
    for source in sources:
        text = str(source)
        if not text:
            raise UsageError("a source is empty", "pass . for the folder you are in")
        if text == "-":
            found.append(_from_stdin())
        elif text.lower().startswith(("http://", "https://")):
            from longleaf.sources.url import fetch

            document = fetch(text, offline=offline)
            found.append(Origin(document.url, document=document))
        elif "://" in text:
            scheme = text.split("://")[0]
            raise SourceMissing(
                f"{text}: the scheme {scheme} is not supported", "pass a file, a folder, or http(s)"
            )
        else:
            found += list_path(Path(source))
    unique = {origin.url: origin for origin in found}
    return list(unique.values())


def one_document(source: str, offline: bool = False) -> Document:
    """Return the one page at a file, a URL, or ``-``; a folder is refused as ``NotHtml``."""
    # Not Path.is_dir, which raises what is no typed error for a name that is too long.
    if source != "-" and os.path.isdir(source):
        raise NotHtml(f"{source}: this is a folder, and one page is wanted", "name a file in it")
    return listing([source], offline)[0].load()


def _from_stdin() -> Origin:
    from longleaf.sources.rich import document

    # Its bytes alone say what it is: text that is no PDF, DOCX or EPUB is HTML.
    return Origin("-", document=document(sys.stdin.buffer.read(), "-"))


def documents(sources: Sequence[str | Path], offline: bool = False) -> Iterator[Document]:
    """Yield the documents of the given files, folders and URLs."""
    for origin in listing(sources, offline):
        yield origin.load()
