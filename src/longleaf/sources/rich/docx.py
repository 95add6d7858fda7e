"""Word documents to HTML: headings, lists, tables, footnotes; no macros, nothing from outside."""

from __future__ import annotations

import io
import re
import zipfile
from typing import TYPE_CHECKING, Any
from xml.parsers.expat import ExpatError

from longleaf.errors import Unreadable
from longleaf.sources.rich.converted import Converted, missing_extra, no_text, numbered, page_html
from longleaf.sources.rich.packed import Packed

if TYPE_CHECKING:
    from collections.abc import Iterable

_XML = (".xml", ".rels")
# mammoth takes 3 s a megabyte: twice this long is not waited for (a book of 1,000 pages has 20 MB).
MAX_XML_BYTES = 32 * 1024 * 1024
_FORMULA = re.compile(rb"<m:oMath[\s>]")
_FORMULA_END = b"</m:oMath>"
_FORMULA_TEXT = re.compile(rb"<m:t(?:\s[^>]*)?>([^<]*)</m:t>")

# Text that Word does not show is plain text to mammoth: marks of no script stand around it meanwhile.
_VANISH = re.compile(rb"<w:vanish\s*(?:w:val=\"(?:1|true|on)\"\s*)?/>")
_RUN_TEXT = re.compile(rb"(<w:t(?:\s[^>]*)?>)([^<]*)(?=</w:t>)")
_HIDE = ("\ue0f0", "\ue0f1")

# In Word every cell holds a paragraph; one alone says nothing.
_CELL = re.compile(r"(<t[dh][^>]*>)<p>((?:(?!</?p>).)*)</p>(?=</t[dh]>)", re.S)


def to_html(data: bytes, name: str) -> Converted:
    """Return a Word document as a page; every paragraph, item and table is ``id="paragraph-N"``.

    Raises ``Unreadable`` (broken, protected), ``TooLarge``, ``EmptyDocument``, ``MissingExtra``.
    """
    try:
        import mammoth
    except ImportError as error:
        raise missing_extra(name, "mammoth") from error
    checked = _checked(Packed(data, name, MAX_XML_BYTES))
    try:
        made = mammoth.convert_to_html(
            checked,
            convert_image=mammoth.images.img_element(_no_picture),
            include_embedded_style_map=False,
            external_file_access=False,
        )
    # What mammoth raises on a document that is none is the error of whatever it stumbled over.
    except (KeyError, IndexError, AttributeError, TypeError, ValueError, LookupError, OSError) as error:
        raise _broken(name, error) from error
    except (ExpatError, RecursionError, zipfile.BadZipFile) as error:
        raise _broken(name, error) from error
    html = made.value.replace(_HIDE[0], "<span hidden>").replace(_HIDE[1], "</span>")
    body, after = numbered(_CELL.sub(r"\1\2", html), "paragraph-")
    if after == 1:
        raise no_text(name, "the document")
    return Converted(page_html(body))


def _broken(name: str, error: Exception) -> Unreadable:
    return Unreadable(
        f"{name}: not a readable Word document ({type(error).__name__}: {error})",
        "open it in a word processor and save it again as .docx",
    )


def _no_picture(_picture: Any) -> dict[str, str]:
    """Return what stands for a picture beside its alternative text, which mammoth writes itself."""
    return {"src": ""}


def _checked(packed: Packed) -> io.BytesIO:
    """Return the XML parts alone, each checked for size and entities, as a container again."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as written:
        for part in _wanted(packed.parts):
            data = packed.xml(part)
            if part.startswith("word/"):
                data = _with_formulas(_with_hidden(data))
            written.writestr(zipfile.ZipInfo(part), data)
    out.seek(0)
    return out


def _wanted(parts: Iterable[str]) -> list[str]:
    return [part for part in parts if part.endswith(_XML)]


def _with_formulas(data: bytes) -> bytes:
    """Return a part with each formula as the run of its characters: mammoth passes over formulas."""
    out: list[bytes] = []
    at = 0
    while found := _FORMULA.search(data, at):
        end = data.find(_FORMULA_END, found.end())
        if end < 0:
            break
        said = b"".join(_FORMULA_TEXT.findall(data, found.end(), end))
        out += (data[at : found.start()], b'<w:r><w:t xml:space="preserve">', said, b"</w:t></w:r>")
        at = end + len(_FORMULA_END)
    return b"".join([*out, data[at:]])


def _with_hidden(data: bytes) -> bytes:
    """Return a part with marks around the text of runs that are not shown."""
    before, after = (mark.encode() for mark in _HIDE)
    if b"<w:vanish" not in data:
        return data
    data = data.replace(before, b"").replace(after, b"")
    out: list[bytes] = []
    at = 0
    for found in _VANISH.finditer(data):
        start = max(data.rfind(tag, at, found.start()) for tag in (b"<w:r>", b"<w:r "))
        end = data.find(b"</w:r>", found.end())
        if start < 0 or end < 0 or b"</w:r>" in data[start : found.start()]:
            continue
        run = _RUN_TEXT.sub(rb"\1" + before + rb"\2" + after, data[start:end])
        out += (data[at:start], run)
        at = end
    return b"".join([*out, data[at:]])
