"""What stands on the pages of a PDF: runs of characters with place and type, and ruled lines.

The only module that sees PDFium. It draws nothing and runs nothing; this build of it has no
JavaScript engine. It is not made for threads, so one document is read at a time.
"""

from __future__ import annotations

import ctypes
import math
import re
import threading
import time
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from longleaf.errors import TooLarge, Unreadable
from longleaf.sources.rich.converted import missing_extra

# A book of 261 pages takes 5 s. Beyond these a file is made to keep a reader busy.
MAX_PAGES = 10_000
MAX_SECONDS = 300.0
MAX_CHARS = 30_000_000
# Drawings and maps have more lines than any table.
MAX_LINES = 3000
MAX_OBJECTS = 20_000
# Pieces of one line that are further apart than this (in em) are cells or columns.
GAP = 1.0
_LOCK = threading.Lock()
_BOLD = re.compile(r"bold|black|heavy|semibold|demi|cmbx|[-,]b[di]?\b", re.I)
_MONO = re.compile(r"mono|courier|consol|typewriter|cmtt|menlo|code", re.I)
_HYPHEN = "\x02"
# What PDFium has for a hyphen at a line's end, in its several versions.
_HYPHENS = frozenset(("\x02", "\ufffe", "\u00ad"))
_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"})


@dataclass(frozen=True, slots=True)
class Run:
    """Characters of one typeface on one line. Points, y upwards; ``base`` is the baseline.

    ``text`` ends in ``\\x02`` where a word was hyphenated. ``glued`` runs follow the one before
    them on its line, so that nothing but their type parts them.
    """

    text: str
    x0: float
    x1: float
    base: float
    size: float
    bold: bool
    mono: bool
    glued: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A ruled line: upright when ``x0 == x1``, else level."""

    x0: float
    y0: float
    x1: float
    y1: float


@dataclass(frozen=True, slots=True)
class PdfPage:
    """One page: its runs in the order of the file, those at another angle, its ruled lines."""

    number: int
    runs: tuple[Run, ...]
    aside: tuple[Run, ...]
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Pdf:
    """All pages of a file, and its title."""

    title: str
    pages: tuple[PdfPage, ...]


def read_pdf(data: bytes, name: str) -> Pdf:
    """Return what stands on the pages; raises ``Unreadable``, ``TooLarge`` or ``MissingExtra``."""
    try:
        import pypdfium2
    except ImportError as error:
        raise missing_extra(name, "pypdfium2") from error
    with _LOCK:
        try:
            opened = pypdfium2.PdfDocument(data)
        except pypdfium2.PdfiumError as error:
            raise _refused(name, error) from error
        try:
            return _read(opened, name)
        finally:
            opened.close()


def _refused(name: str, error: Exception) -> Unreadable:
    if "password" in str(error).lower() or "security" in str(error).lower():
        return Unreadable(f"{name}: the PDF is protected by a password", "save it without one")
    return Unreadable(f"{name}: the PDF is broken ({error})", "check that it was downloaded whole")


def _read(opened: Any, name: str) -> Pdf:
    import pypdfium2

    count = len(opened)
    if count > MAX_PAGES:
        raise TooLarge(f"{name}: {count} pages, over the limit of {MAX_PAGES}", "split the file")
    pages: list[PdfPage] = []
    began, chars, broken = time.monotonic(), 0, 0
    for i in range(count):
        try:
            page = _page(opened, i)
        except pypdfium2.PdfiumError:
            broken += 1
            continue
        pages.append(page)
        chars += sum(len(run.text) for run in page.runs)
        if chars > MAX_CHARS or time.monotonic() - began > MAX_SECONDS:
            what = f"{MAX_CHARS} characters" if chars > MAX_CHARS else f"{MAX_SECONDS:.0f} seconds"
            raise TooLarge(f"{name}: over the limit of {what} at page {i + 1}", "split the file")
    if not count or broken == count:
        raise Unreadable(f"{name}: the PDF has no readable page", "check that it was downloaded whole")
    title = " ".join(str(opened.get_metadata_value("Title") or "").split())
    return Pdf(title, tuple(pages))


def _page(opened: Any, index: int) -> PdfPage:
    page = opened[index]
    try:
        lines = tuple(_lines(page))
        text = page.get_textpage()
        try:
            runs, aside, turn = _runs(text, _Bars(lines))
        finally:
            text.close()
    finally:
        page.close()
    return PdfPage(index + 1, tuple(runs), tuple(aside), () if turn else lines)


class _Char(NamedTuple):  # made half a million times a book: a dataclass takes four times as long
    """One character with its box and the type of the text object it belongs to."""

    text: str
    x0: float
    x1: float
    base: float
    style: _Style


@dataclass(frozen=True, slots=True)
class _Style:
    size: float
    bold: bool
    mono: bool
    angle: int  # quarter turns
    level: bool  # at one of the four


class _Bars:
    """The upright lines of a page: text does not run across them."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self._bars = sorted((k.x0, k.y0, k.y1) for k in lines if k.x0 == k.x1)

    def between(self, x0: float, x1: float, y: float) -> bool:
        """Return whether one stands between two places at the height ``y``."""
        if not self._bars:
            return False
        first, stop = bisect_right(self._bars, (x0,)), bisect_right(self._bars, (x1,))
        return any(low <= y <= high for _, low, high in self._bars[first:stop])


def _runs(page: Any, bars: _Bars) -> tuple[list[Run], list[Run], int]:
    """Return the runs of a page upright, those at another angle, and by how many quarter turns it lies."""
    chars = list(_chars(page))
    turns = [0, 0, 0, 0]
    for char in chars:
        turns[char.style.angle] += char.style.level
    turn = max(range(4), key=lambda k: (turns[k], -k))
    main: list[Run] = []
    aside: list[Run] = []
    held: list[_Char] = []
    for char in chars:
        if held and not _goes_on(held, char, bars):
            _close(held, main if held[0].style.level and held[0].style.angle == turn else aside)
            held = []
        held.append(char)
    if held:
        _close(held, main if held[0].style.level and held[0].style.angle == turn else aside)
    return [r for r in main if r.text.strip()], [r for r in aside if r.text.strip()], turn


def _chars(page: Any) -> Iterator[_Char]:
    import pypdfium2.raw as pdfium

    raw = page.raw
    box, x, y = pdfium.FS_RECTF(), ctypes.c_double(), ctypes.c_double()
    before: Any = object()
    style = _Style(10.0, False, False, 0, True)
    x0 = x1 = base = 0.0
    for k in range(page.count_chars()):
        code = pdfium.FPDFText_GetUnicode(raw, k)
        if pdfium.FPDFText_IsGenerated(raw, k) == 1:
            if code == 32:  # line breaks are found by place
                yield _Char(" ", x1, x1, base, style)
            continue
        text = chr(code)
        if text in _HYPHENS:
            text = _HYPHEN
        handle = pdfium.FPDFText_GetTextObject(raw, k)
        here = ctypes.cast(handle, ctypes.c_void_p).value
        if here != before:
            before, style = here, _style(raw, k)
        if pdfium.FPDFText_GetLooseCharBox(raw, k, box) and pdfium.FPDFText_GetCharOrigin(raw, k, x, y):
            x0, x1, base = _placed(box, x.value, y.value, style.angle)
        yield _Char(text, x0, x1, base, style)


def _placed(box: Any, x: float, y: float, angle: int) -> tuple[float, float, float]:
    """Return the extent of a character along its line, and its baseline, as if it stood upright."""
    if angle == 0:
        return box.left, box.right, y
    if angle == 1:
        return box.bottom, box.top, -x
    if angle == 2:
        return -box.right, -box.left, -y
    return -box.top, -box.bottom, x


def _style(raw: Any, k: int) -> _Style:
    import pypdfium2.raw as pdfium

    matrix = pdfium.FS_MATRIX()
    scale, angle = 1.0, 0.0
    if pdfium.FPDFText_GetMatrix(raw, k, matrix):
        scale = math.hypot(matrix.c, matrix.d) or 1.0
        angle = math.degrees(math.atan2(matrix.b, matrix.a))
    size = abs(pdfium.FPDFText_GetFontSize(raw, k)) * scale
    buffer, flags = ctypes.create_string_buffer(128), ctypes.c_int()
    used = pdfium.FPDFText_GetFontInfo(raw, k, buffer, 128, flags)
    font = buffer.raw[: max(0, min(used, 128) - 1)].decode("utf-8", "replace").split("+", 1)[-1]
    heavy = pdfium.FPDFText_GetFontWeight(raw, k) >= 600
    quarter = round(angle / 90)
    return _Style(
        size=size if 0.5 < size < 2000 else 10.0,
        bold=heavy or _BOLD.search(font) is not None,
        mono=bool(flags.value & 1) or _MONO.search(font) is not None,
        angle=quarter % 4,
        level=abs(angle - 90 * quarter) < 3,
    )


def _goes_on(held: Sequence[_Char], char: _Char, bars: _Bars) -> bool:
    """Return whether a character continues the run of those before it."""
    before = held[-1]
    one, two = before.style, char.style
    if one is not two and (one.bold, one.mono, one.angle) != (two.bold, two.mono, two.angle):
        return False
    if not two.level:  # text on a slope: only its own object says what belongs together
        return one is two
    size = max(one.size, two.size)
    if before.text == _HYPHEN and char.x0 < before.x0:
        return False
    apart = before.text == " " or char.x0 - before.x1 > 0.15 * size
    if apart and bars.between(before.x0, char.x1, char.base):
        return False
    # Text that is too long for its cell runs into the next one, which starts with its own object.
    if one is not two and bars.between(held[0].x0, char.x0, char.base):
        return False
    near = -0.5 * size <= char.x0 - before.x1 <= GAP * size
    return near and abs(before.base - char.base) <= 0.4 * size and abs(one.size - two.size) <= 0.1 * size


def _close(held: list[_Char], into: list[Run]) -> None:
    into.append(_run(held, into[-1] if into else None))


def _run(held: list[_Char], before: Run | None) -> Run:
    text = "".join(char.text for char in held).translate(_LIGATURES)
    first, style = held[0], held[0].style
    glued = (
        before is not None
        and abs(before.base - first.base) <= 0.4 * max(style.size, before.size)
        and -0.5 * style.size <= first.x0 - before.x1 <= GAP * style.size
    )
    return Run(text, first.x0, held[-1].x1, first.base, style.size, style.bold, style.mono, glued)


def _lines(page: Any) -> Iterator[Line]:
    """Yield the level and upright lines that are drawn on a page, and the sides of its boxes."""
    import pypdfium2.raw as pdfium

    found = 0
    things = page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_PATH], max_depth=4)
    for seen, thing in enumerate(things):
        if found > MAX_LINES or seen > MAX_OBJECTS:
            return
        for line in _of_path(thing):
            found += 1
            yield line


def _of_path(thing: Any) -> Iterator[Line]:
    import pypdfium2.raw as pdfium

    x0, y0, x1, y1 = thing.get_bounds()
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    pdfium.FPDFPath_GetDrawMode(thing.raw, fill, stroke)
    if x1 - x0 < 3 or y1 - y0 < 3:  # a line, or a box as thin as one
        yield from _straight(x0, y0, x1, y1)
    elif stroke.value:
        yield from _segments(thing)


def _segments(thing: Any) -> Iterator[Line]:
    import pypdfium2.raw as pdfium

    matrix = thing.get_matrix()
    x, y = ctypes.c_float(), ctypes.c_float()
    at: tuple[float, float] | None = None
    start: tuple[float, float] | None = None
    for k in range(min(pdfium.FPDFPath_CountSegments(thing.raw), MAX_LINES)):
        segment = pdfium.FPDFPath_GetPathSegment(thing.raw, k)
        if not pdfium.FPDFPathSegment_GetPoint(segment, x, y):
            continue
        here = matrix.on_point(x.value, y.value)
        kind = pdfium.FPDFPathSegment_GetType(segment)
        if kind == pdfium.FPDF_SEGMENT_MOVETO:
            start = here
        elif kind == pdfium.FPDF_SEGMENT_LINETO and at is not None:
            yield from _straight(at[0], at[1], here[0], here[1])
        if pdfium.FPDFPathSegment_GetClose(segment) and start is not None:
            yield from _straight(here[0], here[1], start[0], start[1])
        at = here


def _straight(x0: float, y0: float, x1: float, y1: float) -> Iterator[Line]:
    x0, x1, y0, y1 = min(x0, x1), max(x0, x1), min(y0, y1), max(y0, y1)
    if y1 - y0 < 3 and x1 - x0 >= 6:
        yield Line(x0, (y0 + y1) / 2, x1, (y0 + y1) / 2)
    elif x1 - x0 < 3 and y1 - y0 >= 6:
        yield Line((x0 + x1) / 2, y0, (x0 + x1) / 2, y1)
