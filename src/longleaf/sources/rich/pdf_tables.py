"""Tables of a PDF page: by their ruled lines, or by cells that stand in columns line after line."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from longleaf.sources.rich.pdf_chars import Line, Run
from longleaf.sources.rich.pdf_lines import Piece, lines_of, piece, pieces

# How far apart the ends of two ruled lines may be that meet.
TOUCH = 3.0
MIN_ROWS = 3
MAX_COLUMNS, MAX_ROWS = 60, 400


@dataclass(frozen=True, slots=True)
class _Grid:
    """A ruled table: where its columns and rows are parted, from left and from the top."""

    xs: tuple[float, ...]
    ys: tuple[float, ...]

    def cell(self, run: Run) -> tuple[int, int] | None:
        """Return the row and column that a run stands in, by its middle."""
        x, y = (run.x0 + run.x1) / 2, run.base + 0.3 * run.size
        if not (self.xs[0] - TOUCH <= x <= self.xs[-1] + TOUCH and self.ys[-1] <= y <= self.ys[0]):
            return None
        row = bisect_right([-line for line in self.ys], -y) - 1
        column = bisect_right(self.xs, x) - 1
        return min(row, len(self.ys) - 2), max(0, min(column, len(self.xs) - 2))


def ruled(runs: Sequence[Run], lines: Sequence[Line]) -> tuple[list[Run], list[Piece]]:
    """Return the runs outside ruled tables, and the tables."""
    left, tables = list(runs), []
    for grid in _grids(lines):
        cells: dict[tuple[int, int], list[Run]] = {}
        outside: list[Run] = []
        for run in left:
            place = grid.cell(run)
            if place is None:
                outside.append(run)
            else:
                cells.setdefault(place, []).append(run)
        if len({r for r, _ in cells}) >= 2 and len({c for _, c in cells}) >= 2:
            tables.append(_table(grid, cells))
            left = outside
    return left, tables


def _table(grid: _Grid, cells: dict[tuple[int, int], list[Run]]) -> Piece:
    used = sorted({c for _, c in cells})
    rows = [
        tuple(_said(cells.get((r, c), ())) for c in used)
        for r in range(len(grid.ys) - 1)
        if any((r, c) in cells for c in used)
    ]
    runs = tuple(run for _, held in sorted(cells.items()) for run in held)
    first = min(r for r, _ in cells)
    header = _stands_out([r for (row, _), held in cells.items() if row == first for r in held], runs)
    return Piece(runs, grid.xs[0], grid.xs[-1], grid.ys[-1], runs[0].size, grid.ys[0], tuple(rows), header)


def _said(runs: Sequence[Run]) -> str:
    """Return the text of a cell, its lines from the top."""
    lines = lines_of(pieces(runs)) if runs else []
    return "\n".join(" ".join(p.text for p in line) for line in lines)


def _stands_out(first: Sequence[Run], runs: Sequence[Run]) -> bool:
    return all(r.bold for r in first) and not all(r.bold for r in runs)


def _grids(lines: Sequence[Line]) -> list[_Grid]:
    """Return the grids that lines make where they meet."""
    upright, level = [k for k in lines if k.x0 == k.x1], [k for k in lines if k.x0 != k.x1]
    group = list(range(len(upright) + len(level)))

    def top(k: int) -> int:
        while group[k] != k:
            group[k] = group[group[k]]
            k = group[k]
        return k

    by_height = sorted(range(len(level)), key=lambda i: level[i].y0)
    heights = [level[i].y0 for i in by_height]
    for v, line in enumerate(upright):
        low, high = bisect_right(heights, line.y0 - TOUCH), bisect_right(heights, line.y1 + TOUCH)
        for i in by_height[low:high]:
            if level[i].x0 - TOUCH <= line.x0 <= level[i].x1 + TOUCH:
                group[top(len(upright) + i)] = top(v)
    parts: dict[int, tuple[list[float], list[float]]] = {}
    for k in range(len(group)):
        xs, ys = parts.setdefault(top(k), ([], []))
        line = upright[k] if k < len(upright) else level[k - len(upright)]
        # Both ends as well: many tables are drawn without the lines around them.
        xs += (line.x0, line.x1)
        ys += (line.y0, line.y1)
    grids = [_Grid(_apart(xs), _apart(ys)[::-1]) for xs, ys in parts.values()]
    return [g for g in grids if 3 <= len(g.xs) <= MAX_COLUMNS and 3 <= len(g.ys) <= MAX_ROWS]


def _apart(places: Iterable[float]) -> tuple[float, ...]:
    """Return places in order, those that are nearly the same once."""
    out: list[float] = []
    for place in sorted(places):
        if not out or place - out[-1] > TOUCH:
            out.append(place)
    return tuple(out)


def aligned(lines: Sequence[list[Piece]]) -> list[list[Piece]]:
    """Return the lines of a column with each run of lines whose cells stand in columns made a table."""
    out: list[list[Piece]] = []
    held: list[list[Piece]] = []
    for line in [*lines, []]:
        fits = len(line) >= 2 and not any(r.mono for p in line for r in p.runs)
        if fits and (not held or held[-1][0].base - line[0].base <= 2.5 * line[0].size):
            held.append(line)
            continue
        out += _as_table(held)
        held = [line] if fits else []
        if not fits and line:
            out.append(line)
    return out + _as_table(held)


def _as_table(lines: list[list[Piece]]) -> list[list[Piece]]:
    if len(lines) < MIN_ROWS:
        return lines
    stripes = _stripes([p for line in lines for p in line])
    if not 2 <= len(stripes) <= MAX_COLUMNS or max(map(len, lines)) != len(stripes):
        return lines
    starts = [a for a, _ in stripes]
    rows: list[tuple[str, ...]] = []
    for line in lines:
        cells = [""] * len(stripes)
        for p in line:
            k = bisect_right(starts, p.x0) - 1
            cells[k] = f"{cells[k]} {p.text}".strip()
        rows.append(tuple(cells))
    runs = [r for line in lines for p in line for r in p.runs]
    whole = piece(runs)
    header = _stands_out([r for p in lines[0] for r in p.runs], runs)
    last = lines[-1][0].base
    table = Piece(whole.runs, whole.x0, whole.x1, last, whole.size, lines[0][0].top, tuple(rows), header)
    return [[table]]


def _stripes(found: Sequence[Piece]) -> list[tuple[float, float]]:
    """Return the stretches of the line that pieces take up, those that overlap as one."""
    out: list[tuple[float, float]] = []
    for p in sorted(found, key=lambda p: p.x0):
        if out and p.x0 < out[-1][1]:
            out[-1] = out[-1][0], max(out[-1][1], p.x1)
        else:
            out.append((p.x0, p.x1))
    return out
