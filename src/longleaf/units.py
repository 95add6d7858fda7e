"""The parts of a block that can stand alone: sentences, list items, table rows, code.

Pruning fills the rest of a budget with them, and the extractive answer is made of them. The
units of a block cover it in order, so the first ``n`` of them are again a stretch of the page.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from longleaf.clean_rules import BLOCK_TAGS
from longleaf.language import has_word, sentence_spans, word_starts
from longleaf.rows import tied_rows
from longleaf.serialise.stand_in import STAND_INS
from longleaf.serialise.text import to_text
from longleaf.stretches import clip_of, joined_text, line_spans, place_in
from longleaf.types import Block, Nodes, Span

UnitKind = Literal["sentence", "item", "row", "code", "term", "heading", "media"]
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6", "title"))


@dataclass(frozen=True, slots=True)
class Unit:
    """One sentence, item, row, or piece of code: its span, and the paragraph it belongs to.

    ``group`` is the node that keeps units together: sentences of one paragraph, items of one
    list, rows of one table. ``tied`` units must not be parted from the one before (rowspan).
    """

    kind: UnitKind
    span: Span
    group: int
    tied: bool = False


@dataclass(frozen=True, slots=True)
class _Run:
    """A stretch of inline content inside one block-level element."""

    first: int
    stop: int
    container: int


def _runs(nodes: Nodes, span: Span) -> Iterator[_Run]:
    """Yield the runs of a span: what stands between two block boundaries."""
    start, last = span.start[0], span.end[0] + (1 if span.end[1] else 0)
    container = _container(nodes, start)
    first, solid = start, False
    for node in range(start, last):
        if node >= nodes.end[container] or nodes.tag[node] in BLOCK_TAGS:
            if solid:
                yield _Run(first, node, container)
            container = node if nodes.tag[node] in BLOCK_TAGS else _container(nodes, node)
            first, solid = node, False
        solid = solid or nodes.says(node) or nodes.tag[node] in STAND_INS
    if solid:
        yield _Run(first, last, container)


def _container(nodes: Nodes, node: int) -> int:
    while node > 0 and nodes.tag[node] not in BLOCK_TAGS:
        node = nodes.parent[node]
    return node


def _owner(nodes: Nodes, run: _Run, span: Span) -> tuple[UnitKind, int, int]:
    """Return the kind of a run, the node that delimits the unit, and its group."""
    inside = span.start[0], span.end[0] + (1 if span.end[1] else 0)
    row = -1
    found: tuple[UnitKind, int, int] | None = None
    node = run.container
    while node >= 0:
        tag = nodes.tag[node]
        if tag == "tr" and inside[0] <= node and nodes.end[node] <= inside[1]:
            row = node
        elif found is None and tag in ("pre", "textarea", "listing", "xmp"):
            found = "code", node, node
        elif found is None and tag == "li":
            found = "item", node, nodes.parent[node]
        elif found is None and tag in _HEADINGS:
            found = "heading", node, node
        elif found is None and tag == "dt":
            found = "term", node, nodes.parent[node]
        node = nodes.parent[node]
    if row >= 0:
        return "row", row, _table(nodes, row)
    return found or ("sentence", -1, run.container)


def _table(nodes: Nodes, row: int) -> int:
    while row >= 0 and nodes.tag[row] != "table":
        row = nodes.parent[row]
    return row


def units(nodes: Nodes, block: Block) -> list[Unit]:
    """Return the units of a block in order; together they cover its span."""
    starts: list[tuple[tuple[int, int], UnitKind, int, bool]] = []
    last_owner = -1
    tied: frozenset[int] | None = None
    for run in _runs(nodes, block.span):
        kind, owner, group = _owner(nodes, run, block.span)
        # An item that goes on after a listing inside it continues as sentences.
        if owner >= 0 and (owner == last_owner or not starts or starts[-1][0] < (owner, 0)):
            if owner != last_owner:
                if kind == "row" and tied is None:
                    tied = tied_rows(nodes, block.span.start[0], block.span.end[0])
                is_tied = kind == "row" and tied is not None and owner in tied
                starts.append(((max(owner, block.span.start[0]), 0), kind, group, is_tied))
            last_owner = owner
            continue
        last_owner = -1
        starts += [(at, "sentence", run.container, False) for at in _sentence_starts(nodes, run, block.span)]
    return _close(starts, block.span)


def _close(starts: list[tuple[tuple[int, int], UnitKind, int, bool]], span: Span) -> list[Unit]:
    out: list[Unit] = []
    for i, (at, kind, group, tied) in enumerate(starts):
        begin = span.start if i == 0 else max(at, span.start)
        end = starts[i + 1][0] if i + 1 < len(starts) else span.end
        out.append(Unit(kind, Span(begin, max(begin, end)), group, tied))
    return out


def _sentence_starts(nodes: Nodes, run: _Run, span: Span) -> list[tuple[int, int]]:
    clip = clip_of(nodes, span)
    text, places = joined_text(nodes, run.first, run.stop, clip)
    starts = [place_in(nodes, places, begin, clip) for begin, _ in sentence_spans(text)]
    if not starts:
        return [(run.first, 0)]
    starts[0] = max((run.first, 0), span.start)
    return starts


def cut_points(nodes: Nodes, block: Block) -> list[tuple[int, int]]:
    """Return where a block may be cut short: before each unit but the first, code between lines.

    Never before its first word: a lone "[ ]" or dash would spend a budget on nothing.
    """
    points: list[tuple[int, int]] = []
    said = False
    for unit in units(nodes, block):
        if said and not unit.tied:
            points.append(unit.span.start)
        if unit.kind == "code":
            points += _line_starts(nodes, unit.span, said)
        said = said or _has_word(nodes, unit.span)
    return points


def _has_word(nodes: Nodes, span: Span) -> bool:
    stop = span.end[0] + (1 if span.end[1] else 0)
    return has_word(to_text(nodes, span.start[0], stop, clip_of(nodes, span)))


def _line_starts(nodes: Nodes, span: Span, said: bool) -> list[tuple[int, int]]:
    clip = clip_of(nodes, span)
    stop = span.end[0] + (1 if span.end[1] else 0)
    text, places = joined_text(nodes, span.start[0], stop, clip)
    first = 0 if said else (word_starts(text) or [len(text)])[0]
    lines = [begin for begin, _ in line_spans(text)[1:] if begin > first and text[begin:].strip()]
    return [place_in(nodes, places, begin, clip) for begin in lines]
