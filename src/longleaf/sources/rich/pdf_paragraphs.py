"""Lines of a PDF column to paragraphs: by space, indents, type, and what stands at a line's start."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from longleaf.sources.rich.pdf_lines import Piece

HYPHEN = "\x02"
_BULLET = re.compile(r"^[•◦▪‣·●○■□–—*➢✓-]\s+(?=\S)")
_NUMBER = re.compile(r"^\(?(?:\d{1,3}|[a-zA-Z]|[ivxlIVXL]{1,5})[.)]\s+\S")
_ENDS = re.compile(r"[.!?:;…][\"'”’)\]]*$")
# A type size this much larger starts something new.
SIZE_STEP = 1.08


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Text set together: its lines, its type size, and whether all of it is bold or monospaced.

    ``rows`` holds a table instead. ``item`` says that it started with a bullet, which is left out.
    """

    lines: tuple[str, ...]
    size: float
    bold: bool
    mono: bool
    item: bool = False
    rows: tuple[tuple[str, ...], ...] = ()
    header: bool = False


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    x0: float
    x1: float
    base: float
    size: float
    bold: bool
    mono: bool


def paragraphs(lines: Sequence[list[Piece]]) -> list[Paragraph]:
    """Return the paragraphs and tables of one column, in order."""
    out: list[Paragraph] = []
    held: list[_Line] = []
    for line in lines:
        if line[0].rows:
            out += _split(held)
            held = []
            table = line[0]
            out.append(Paragraph((), table.size, False, False, rows=table.rows, header=table.header))
        else:
            held.append(_line(line))
    return out + _split(held)


def _line(line: Sequence[Piece]) -> _Line:
    runs = [r for p in line for r in p.runs if r.text.strip()]
    biggest = max(line, key=lambda p: (sum(len(r.text) for r in p.runs), -p.x0))
    return _Line(
        " ".join(p.text for p in line),
        line[0].x0,
        line[-1].x1,
        biggest.base,
        biggest.size,
        all(r.bold for r in runs),
        all(r.mono for r in runs),
    )


def _split(lines: Sequence[_Line]) -> list[Paragraph]:
    if not lines:
        return []
    pitch = _pitch(lines)
    left, right = min(line.x0 for line in lines), max(line.x1 for line in lines)
    groups: list[list[_Line]] = [[lines[0]]]
    for i in range(1, len(lines)):
        after = lines[i + 1] if i + 1 < len(lines) else None
        if _starts(groups[-1], lines[i], after, pitch, right - left, right):
            groups.append([lines[i]])
        else:
            groups[-1].append(lines[i])
    return [_paragraph(group) for group in groups]


def _pitch(lines: Sequence[_Line]) -> float:
    """Return the usual distance of two lines, in type sizes: that of the nearest quarter of them."""
    found = sorted((a.base - b.base) / b.size for a, b in pairwise(lines) if a.base > b.base)
    near = [p for p in found if 0.8 <= p <= 2.6]
    return near[len(near) // 4] if near else 1.2


def _starts(
    group: Sequence[_Line], line: _Line, after: _Line | None, pitch: float, width: float, right: float
) -> bool:
    """Return whether a line starts a new paragraph."""
    before = group[-1]
    if max(line.size, before.size) > SIZE_STEP * min(line.size, before.size):
        return True
    if (line.bold, line.mono) != (before.bold, before.mono):
        return True
    gap = before.base - line.base
    if gap > 1.25 * pitch * line.size or gap < -line.size:
        return not (line.mono and 0 < gap < 3.2 * pitch * line.size)  # blank lines in a listing
    if line.mono:
        return False
    if _BULLET.match(line.text):
        return True
    ended = _ENDS.search(before.text) is not None
    short = before.x1 < right - 0.2 * width
    if _NUMBER.match(line.text) and (ended or short or _NUMBER.match(group[0].text)):
        return True
    return _indented(group, line, after, ended) or (ended and short and not line.text[:1].islower())


def _indented(group: Sequence[_Line], line: _Line, after: _Line | None, ended: bool) -> bool:
    before, step = group[-1], 0.8 * line.size
    if line.x0 - before.x0 >= step and ended and not _marked(group[0]):
        return after is None or after.x0 <= line.x0 - 0.5 * step
    # Back out of a hanging indent: the next entry of a list.
    return before.x0 - line.x0 >= step and (len(group) > 1 or _marked(group[0]))


def _marked(line: _Line) -> bool:
    return bool(_BULLET.match(line.text) or _NUMBER.match(line.text))


def _paragraph(group: Sequence[_Line]) -> Paragraph:
    texts = [line.text for line in group]
    mono = all(line.mono for line in group)
    item = not mono and _BULLET.match(texts[0]) is not None
    if item:
        texts[0] = _BULLET.sub("", texts[0])
    if mono:
        texts = _with_indents(group)
    return Paragraph(tuple(texts), group[0].size, all(k.bold for k in group), mono, item)


def _with_indents(group: Sequence[_Line]) -> list[str]:
    """Return the lines of a listing with the white space that their places stand for."""
    left = min(line.x0 for line in group)
    wide = max(group, key=lambda line: len(line.text))
    step = max(1.0, (wide.x1 - wide.x0) / max(1, len(wide.text)))
    usual = min((a.base - b.base for a, b in pairwise(group)), default=0.0)
    out: list[str] = []
    for i, line in enumerate(group):
        if i and group[i - 1].base - line.base > 1.6 * usual:
            out.append("")
        out.append(" " * min(80, round((line.x0 - left) / step)) + line.text)
    return out
