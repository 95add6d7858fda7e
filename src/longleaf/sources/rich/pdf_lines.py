"""Runs of a PDF page to lines in reading order: pieces of a line, columns, tables among them."""

from __future__ import annotations

import statistics
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from longleaf.sources.rich.pdf_chars import GAP, Run

# A gutter is searched on a raster of points, away from the margins.
STEP = 2.0
EDGE = 0.12
# Widest share of lines that may run across a gutter (headings, pictures with captions).
MAX_CROSSING = 0.4
# What makes two columns of prose and not of a table: so many lines, so many characters each.
MIN_LINES, MIN_CHARS = 4, 18
MAX_DEPTH = 4


@dataclass(frozen=True, slots=True)
class Piece:
    """Runs side by side on one line, or a table that takes the place of several lines."""

    runs: tuple[Run, ...]
    x0: float
    x1: float
    base: float
    size: float
    top: float
    rows: tuple[tuple[str, ...], ...] = ()
    header: bool = False

    @property
    def text(self) -> str:
        """Return the piece's characters with spaces where its runs stand apart."""
        out = ""
        for i, run in enumerate(self.runs):
            before = self.runs[i - 1] if i else None
            # Runs that touch are one word in two typefaces.
            if before is not None and run.x0 - before.x1 > 0.12 * run.size:
                out += " "
            out += run.text
        return " ".join(out.split(" ")).strip(" \t\r\n")


@dataclass(slots=True)
class _Band:
    """Lines between two that run across the gutter."""

    left: list[Piece] = field(default_factory=list)
    right: list[Piece] = field(default_factory=list)


def pieces(runs: Sequence[Run]) -> list[Piece]:
    """Return the runs joined where one goes on from the other."""
    out: list[list[Run]] = []
    for run in runs:
        if run.glued and out:
            out[-1].append(run)
        else:
            out.append([run])
    return [piece(held) for held in out]


def piece(runs: Sequence[Run]) -> Piece:
    """Return runs of one line as a piece; its size is that of most of its characters."""
    by_size: dict[float, int] = {}
    for run in runs:
        by_size[run.size] = by_size.get(run.size, 0) + len(run.text)
    size = max(by_size, key=lambda s: (by_size[s], s))
    base = next(run.base for run in runs if run.size == size)
    x0, x1 = min(r.x0 for r in runs), max(r.x1 for r in runs)
    return Piece(tuple(runs), x0, x1, base, size, base + size)


def in_columns(found: Sequence[Piece], depth: int = 0) -> list[list[Piece]]:
    """Return the pieces as columns in reading order, each from top to bottom."""
    gutter = _gutter(found) if depth < MAX_DEPTH and len(found) >= 2 * MIN_LINES else None
    if gutter is None:
        return [sorted(found, key=lambda p: (-p.top, p.x0))] if found else []
    out: list[list[Piece]] = []
    band = _Band()
    for p in sorted(found, key=lambda p: (-p.top, p.x0)):
        if p.x1 <= gutter + STEP:
            band.left.append(p)
        elif p.x0 >= gutter - STEP:
            band.right.append(p)
        else:
            out += _closed(band, depth)
            band = _Band()
            out.append([p])
    return _merged(out + _closed(band, depth))


def _closed(band: _Band, depth: int) -> list[list[Piece]]:
    return in_columns(band.left, depth + 1) + in_columns(band.right, depth + 1)


def _merged(columns: Iterable[list[Piece]]) -> list[list[Piece]]:
    """Join lines that follow each other across the gutter into one stretch."""
    out: list[list[Piece]] = []
    for column in columns:
        if len(column) == 1 and out and out[-1][-1].base > column[0].base and _over(out[-1][-1], column[0]):
            out[-1].append(column[0])
        else:
            out.append(column)
    return out


def _over(one: Piece, other: Piece) -> bool:
    """Return whether two pieces are lines of one width, one below the other."""
    shared = min(one.x1, other.x1) - max(one.x0, other.x0)
    return shared >= 0.6 * max(one.x1 - one.x0, other.x1 - other.x0)


def _gutter(found: Sequence[Piece]) -> float | None:
    """Return the middle of the white stripe that parts two columns of prose, if there is one."""
    x0, x1 = min(p.x0 for p in found), max(p.x1 for p in found)
    cells = int((x1 - x0) / STEP)
    if not 20 <= cells <= 5000:
        return None
    cover = _cover(found, x0, cells)
    inside = range(int(EDGE * cells), int((1 - EDGE) * cells))
    least = min(cover[k] for k in inside)
    if least > MAX_CROSSING * len(found) / 2:
        return None
    stripes = _stripes(cover, inside, least)
    size = statistics.median(p.size for p in found)
    # Widest first; of equal ones the one nearest the middle.
    for a, b in sorted(stripes, key=lambda s: (s[0] - s[1], abs(s[0] + s[1] - cells)))[:3]:
        middle = x0 + STEP * (a + b) / 2
        if (b - a) * STEP >= 0.6 * size and _two_columns(found, middle):
            return middle
    return None


def _cover(found: Sequence[Piece], x0: float, cells: int) -> list[int]:
    change = [0] * (cells + 2)
    for p in found:
        change[min(cells, max(0, int((p.x0 - x0) / STEP)))] += 1
        change[min(cells, max(0, int((p.x1 - x0) / STEP))) + 1] -= 1
    cover, now = [], 0
    for step in change[: cells + 1]:
        now += step
        cover.append(now)
    return cover


def _stripes(cover: Sequence[int], inside: range, least: int) -> list[tuple[int, int]]:
    out: list[tuple[int, int]] = []
    start = -1
    for k in [*inside, -1]:
        if k >= 0 and cover[k] == least:
            start = k if start < 0 else start
        elif start >= 0:
            out.append((start, k if k >= 0 else inside[-1] + 1))
            start = -1
    return out


def _two_columns(found: Sequence[Piece], middle: float) -> bool:
    left = [p for p in found if p.x1 <= middle + STEP]
    right = [p for p in found if p.x0 >= middle - STEP]
    if min(len(left), len(right)) < MIN_LINES or len(left) + len(right) < (1 - MAX_CROSSING) * len(found):
        return False
    if _overlap(left, right) < 0.5:
        return False
    typical = min(statistics.median(_chars(p) for p in side) for side in (left, right))
    return typical >= MIN_CHARS or not _on_the_same_lines(left, right)


def _chars(p: Piece) -> int:
    return 10 * MIN_CHARS if p.rows else sum(len(run.text) for run in p.runs)


def _overlap(left: Sequence[Piece], right: Sequence[Piece]) -> float:
    low, high = (
        max(min(p.base for p in s) for s in (left, right)),
        min(max(p.top for p in s) for s in (left, right)),
    )
    shortest = min(max(p.top for p in s) - min(p.base for p in s) for s in (left, right))
    return max(0.0, high - low) / max(1.0, shortest)


def _on_the_same_lines(left: Sequence[Piece], right: Sequence[Piece]) -> bool:
    bases = sorted(p.base for p in left)
    near = 0
    for p in right:
        low, high = p.base - 0.3 * p.size, p.base + 0.3 * p.size
        near += bisect_left(bases, low) < bisect_right(bases, high)
    return near >= 0.7 * min(len(left), len(right))


def lines_of(column: Sequence[Piece]) -> list[list[Piece]]:
    """Return the pieces of a column as lines: those on one baseline together, from left to right."""
    out: list[list[Piece]] = []
    for p in sorted(column, key=lambda p: (-p.base if not p.rows else -p.top, p.x0)):
        last = out[-1][0] if out else None
        same = last is not None and not last.rows and not p.rows
        if same and last is not None and abs(last.base - p.base) <= 0.35 * max(last.size, p.size):
            out[-1].append(p)
        else:
            out.append([p])
    return [_side_by_side(line) for line in out]


def _side_by_side(line: list[Piece]) -> list[Piece]:
    """Join the pieces of a line that are near each other (a word drawn on its own)."""
    line = sorted(line, key=lambda p: p.x0)
    out = [line[0]]
    for p in line[1:]:
        if p.x0 - out[-1].x1 <= GAP * max(p.size, out[-1].size):
            out[-1] = piece([*out[-1].runs, *p.runs])
        else:
            out.append(p)
    return out
