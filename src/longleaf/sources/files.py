"""Files and folders of HTML, and of what is converted to it."""

from __future__ import annotations

import os
from pathlib import Path

from longleaf.errors import NoPages, NotHtml, SourceMissing, TooLarge, Unreadable
from longleaf.parse import MAX_PAGE_BYTES
from longleaf.sources import Origin
from longleaf.sources.rich import FOLDER_SUFFIXES, document
from longleaf.types import Document

HTML_SUFFIXES = frozenset((".html", ".htm", ".xhtml", ".xht", ".shtml"))
PAGE_SUFFIXES = HTML_SUFFIXES | FOLDER_SUFFIXES
# Formats that nothing here reads; named so that the refusal can say what they are.
_OTHER_FORMATS = {
    ".zim": "a ZIM archive",
    ".warc": "a web archive",
    ".gz": "a compressed file",
    ".zip": "an archive",
}


def list_path(path: Path) -> list[Origin]:
    """Return the pages of a file or of a folder at any depth, hidden names left out."""
    try:
        if path.is_dir():
            return _list_folder(path)
        if not path.exists():
            raise SourceMissing(f"{path}: no such file or folder", "check the path")
        if path.suffix.lower() in _OTHER_FORMATS:
            kind = _OTHER_FORMATS[path.suffix.lower()]
            raise NotHtml(f"{path}: this is {kind}, not an HTML page", "convert it to HTML first")
        return [_origin(path)]
    except OSError as error:
        raise Unreadable(f"{path}: {error.strerror or error}", "check the file's permissions") from error


def _list_folder(folder: Path) -> list[Origin]:
    with os.scandir(folder):  # os.walk passes over a folder that it may not read
        pass
    found: list[Origin] = []
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if not name.startswith(".") and os.path.splitext(name)[1].lower() in PAGE_SUFFIXES:
                path = Path(here) / name
                if path.is_file():
                    found.append(_origin(path))
    if not found:
        suffixes = " ".join(sorted(PAGE_SUFFIXES))
        raise NoPages(f"{folder}: no HTML page in this folder", f"looked for files ending in {suffixes}")
    return found


def _origin(path: Path) -> Origin:
    stat = path.stat()
    # The time of change as well: tools set a file's own time to what they like.
    return Origin(str(path), path, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)


def read_file(path: Path) -> Document:
    """Return one file as a document; raises ``Unreadable`` or ``TooLarge`` before reading it all.

    What is no HTML is converted; raises what ``longleaf.sources.rich.document`` raises.
    """
    try:
        if path.stat().st_size > MAX_PAGE_BYTES:
            size = path.stat().st_size
            raise TooLarge(
                f"{path}: {size} bytes, over the limit of {MAX_PAGE_BYTES} bytes a page", "split the page"
            )
        data = path.read_bytes()
    except OSError as error:
        raise Unreadable(f"{path}: {error.strerror or error}", "check the file's permissions") from error
    return document(data, str(path))
