"""Where a page is cut: the recursion of Algorithm 1, and the cuts inside large leaves.

One thing is different from the paper: an element with two headings in it is opened however
small it is, because a block belongs to one section (its heading trail and anchor say which).
Otherwise word counts decide; each cut is a place in document order with the element that it
belongs to. Rows joined by a rowspan are never parted, a term stays with its definition while
the pair fits, code is cut between lines and prose between sentences only.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from longleaf.clean_rules import MAX_ROWSPAN
from longleaf.language import count_words, sentence_spans, word_starts
from longleaf.serialise.text import BLOCK_TAGS
from longleaf.types import Nodes, Span

# Cutting table blocks from 128 to 40 words kept 30 more answer rows in 100 at 512 tokens
# (pruning probe, section 2 C); the limit scales with the granularity so that trees nest.
TABLE_SHARE = 40 / 128
_LISTS = frozenset(("ul", "ol", "menu", "dir"))
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6", "title"))
_LEAVES = frozenset(("img", "input", "hr", "br"))
_ROW_GROUPS = frozenset(("thead", "tbody", "tfoot"))


@dataclass(frozen=True, slots=True)
class Cut:
    """The start of a block: where, inside which element, and what it cannot do without.

    ``context`` lists header rows, caption or term; ``suffix`` completes the path label of parts.
    """

    at: tuple[int, int]
    element: int
    suffix: str = ""
    context: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class _Item:
    """Something that is grouped with its neighbours: a list item, a pair, a row, a sentence."""

    node: int
    at: tuple[int, int]
    words: int


def halve(weights: Sequence[int], limit: int) -> list[tuple[int, int]]:
    """Group neighbours into ranges of at most ``limit``, by cutting the middle again and again.

    Independent of the limit in where it cuts, so that a smaller limit refines a larger one.
    A single item over the limit stays alone.
    """
    total = [0, *accumulate(weights)]
    groups: list[tuple[int, int]] = []
    stack = [(0, len(weights))]
    while stack:
        first, last = stack.pop()
        if last - first <= 1 or total[last] - total[first] <= limit:
            groups.append((first, last))
            continue
        goal = (total[first] + total[last]) / 2
        middle = min(range(first + 1, last), key=lambda i: abs(total[i] - goal))
        stack += [(middle, last), (first, middle)]
    return groups


def node_words(nodes: Nodes) -> list[int]:
    """Return the words of each text node and of each picture."""
    counts = [count_words(text) if text else 0 for text in nodes.text]
    for node, tag in enumerate(nodes.tag):
        if tag == "img":
            counts[node] = count_words(nodes.attrs[node].get("alt", ""))
    return counts


class Splitter:
    """Finds the cuts of one page for one granularity."""

    def __init__(self, nodes: Nodes, words: int, counts: Sequence[int] | None = None) -> None:
        counts = node_words(nodes) if counts is None else counts
        self.nodes = nodes
        self.limit = words
        self.table_limit = max(1, round(words * TABLE_SHARE))
        self.total = [0, *accumulate(counts)]
        self.blocky = self._find_blocky()
        pairs = zip(counts, nodes.tag, strict=True)
        self.solid = [0, *accumulate([n > 0 or tag in _LEAVES for n, tag in pairs])]
        self.heads = [0, *accumulate([tag in _HEADINGS for tag in nodes.tag])]
        self.out: list[Cut] = []
        self._todo: list[Callable[[], None]] = []

    def cuts(self) -> list[Cut]:
        """Return the cuts in document order; the first is at the start of the page."""
        if not len(self.nodes):
            return []
        self._todo.append(lambda: self._visit(0, ()))
        while self._todo:
            self._todo.pop()()
        if not self.out:
            return [Cut((0, 0), 0)]
        first = self.out[0]
        self.out[0] = Cut((0, 0), first.element, first.suffix, first.context)
        return self.out

    def _find_blocky(self) -> list[bool]:
        nodes = self.nodes
        blocky = [False] * len(nodes)
        for node in range(len(nodes) - 1, 0, -1):
            if nodes.tag[node] in BLOCK_TAGS or blocky[node]:
                blocky[nodes.parent[node]] = True
        return blocky

    def _words(self, node: int) -> int:
        return self.total[self.nodes.end[node]] - self.total[node]

    def _holds(self, node: int) -> bool:
        return self.solid[self.nodes.end[node]] > self.solid[node]

    def _headings(self, node: int) -> int:
        return self.heads[self.nodes.end[node]] - self.heads[node]

    def _children(self, node: int) -> list[int]:
        child, stop, out = node + 1, self.nodes.end[node], []
        while child < stop:
            out.append(child)
            child = self.nodes.end[child]
        return out

    # The recursion (an explicit stack of tasks, since pages nest thousands deep).

    def _later(self, tasks: list[Callable[[], None]]) -> None:
        self._todo.extend(reversed(tasks))

    def _visit(self, node: int, context: tuple[int, ...]) -> None:
        """Cut one element: Algorithm 1 for containers, one rule each for large leaves."""
        if not self._holds(node):
            return
        tag, size = self.nodes.tag[node], self._words(node)
        if tag in ("html", "head"):
            self._open(node, context)
        elif tag == "table":
            self._table(node, context)
        elif size <= self.limit and self._headings(node) < 2:
            self.out.append(Cut((node, 0), node, "", context))
        elif tag in _LISTS:
            self._list(node, context)
        elif tag == "dl":
            self._definitions(node, context)
        elif tag == "pre":
            self._pieces(node, node + 1, self.nodes.end[node], context, line_spans)
        else:
            self._open(node, context)

    def _open(self, node: int, context: tuple[int, ...]) -> None:
        """Cut a container: runs of inline content are blocks, block children are visited."""
        if not self.blocky[node]:
            self._pieces(node, node + 1, self.nodes.end[node], context, sentence_spans)
            return
        tasks: list[Callable[[], None]] = []
        run: list[int] = []
        for child in [*self._children(node), -1]:
            if child >= 0 and not (self.nodes.tag[child] in BLOCK_TAGS or self.blocky[child]):
                run.append(child)
                continue
            if run:
                tasks.append(self._run_task(node, run[0], self.nodes.end[run[-1]], context))
                run = []
            if child >= 0:
                tasks.append(lambda child=child: self._visit(child, context))  # type: ignore[misc]
        self._later(tasks)

    def _run_task(self, node: int, first: int, stop: int, context: tuple[int, ...]) -> Callable[[], None]:
        return lambda: self._pieces(node, first, stop, context, sentence_spans, ">text")

    def _pieces(
        self,
        element: int,
        first: int,
        stop: int,
        context: tuple[int, ...],
        find: Callable[[str], list[tuple[int, int]]],
        suffix: str = "",
    ) -> None:
        """Cut inline content or code into pieces within the limit."""
        if self.solid[stop] == self.solid[first]:
            return
        if self.total[stop] - self.total[first] <= self.limit:
            self.out.append(
                Cut((first if suffix else element, 0), element, suffix and f"{suffix}{first}", context)
            )
            return
        label = suffix and f"{suffix}{first}"
        starts = self._piece_starts(first, stop, find)
        starts[0] = (first if suffix else element), 0
        self.out += [Cut(at, element, f"{label}>part{n}", context) for n, at in enumerate(starts, 1)]

    def _piece_starts(
        self, first: int, stop: int, find: Callable[[str], list[tuple[int, int]]]
    ) -> list[tuple[int, int]]:
        text, places = joined_text(self.nodes, first, stop)
        spans = find(text)
        if not spans:  # words of pictures only
            return [(first, 0)]
        starts: list[tuple[int, int]] = []
        for begin, end in halve([count_words(text[a:b]) for a, b in spans], self.limit):
            marks = [spans[begin][0]]
            if end - begin == 1:
                # One sentence or line over the limit is cut between words, by halving as well.
                a, b = spans[begin]
                words = [a + offset for offset in word_starts(text[a:b])]
                marks += [words[i] for i, _ in halve([1] * len(words), self.limit)[1:]]
            starts += [place_in(self.nodes, places, mark) for mark in marks]
        return starts

    # Lists, definition lists and tables.

    def _groups(
        self, element: int, items: list[_Item], limit: int, context: tuple[int, ...], lead: int = -1
    ) -> None:
        """Group items within ``limit``; an item that is too large alone is opened."""
        tasks: list[Callable[[], None]] = []
        for begin, end in halve([item.words for item in items], limit):
            item = items[begin]
            at = (lead, 0) if begin == 0 and lead >= 0 else item.at
            if end - begin == 1 and item.words > self.limit and item.node >= 0:
                if at != item.at and self.solid[item.node] > self.solid[lead]:
                    tasks.append(lambda: self.out.append(Cut((lead, 0), lead, "", context)))
                tasks.append(lambda item=item: self._visit(item.node, context))  # type: ignore[misc]
            else:
                cut = Cut(at, item.node if item.node >= 0 else element, "", context)
                tasks.append(lambda cut=cut: self.out.append(cut))  # type: ignore[misc]
        self._later(tasks)

    def _list(self, node: int, context: tuple[int, ...]) -> None:
        items = [_Item(c, (c, 0), self._words(c)) for c in self._children(node) if self._holds(c)]
        self._groups(node, items, self.limit, context)

    def _definitions(self, node: int, context: tuple[int, ...]) -> None:
        """Keep a term with its definitions; open a pair that is too large, its term as context."""
        pairs: list[list[int]] = []
        for child in self._children(node):
            is_term = self.nodes.tag[child] == "dt"
            if not pairs or (is_term and any(self.nodes.tag[c] != "dt" for c in pairs[-1])):
                pairs.append([])
            pairs[-1].append(child)
        pairs = [pair for pair in pairs if any(self._holds(c) for c in pair)]
        sizes = [sum(self._words(c) for c in pair) for pair in pairs]
        tasks: list[Callable[[], None]] = []
        for begin, end in halve(sizes, self.limit):
            pair = pairs[begin]
            if end - begin == 1 and sizes[begin] > self.limit:
                tasks.append(lambda pair=pair: self._pair(pair, context))  # type: ignore[misc]
            else:
                cut = Cut((pair[0], 0), pair[0], "", context)
                tasks.append(lambda cut=cut: self.out.append(cut))  # type: ignore[misc]
        self._later(tasks)

    def _pair(self, pair: list[int], context: tuple[int, ...]) -> None:
        terms = tuple(c for c in pair if self.nodes.tag[c] == "dt" and self._words(c) <= self.limit // 2)
        tasks: list[Callable[[], None]] = []
        for child in pair:
            needs = context if child in terms else context + terms
            tasks.append(lambda child=child, needs=needs: self._visit(child, needs))  # type: ignore[misc]
        self._later(tasks)

    def _table(self, node: int, context: tuple[int, ...]) -> None:
        # Rows are joined before empty ones go, because a rowspan reaches over these as well.
        groups = [group for group in self._joined_rows(self._rows(node)) if any(map(self._holds, group))]
        if self._words(node) <= self.table_limit or not groups:
            self.out.append(Cut((node, 0), node, "", context))
            return
        needs = self._table_context(node, groups)
        items = [self._row_item(group) for group in groups]
        if needs and len(items) > 1 and items[0].node in needs:
            # The header row travels as context; alone it would be a block that says nothing.
            second = items.pop(1)
            items[0] = _Item(-1, items[0].at, items[0].words + second.words)
        self._groups(node, items, self.table_limit, context + needs, node)

    def _rows(self, table: int) -> list[int]:
        rows: list[int] = []
        for child in self._children(table):
            if self.nodes.tag[child] == "tr":
                rows.append(child)
            elif self.nodes.tag[child] in _ROW_GROUPS:
                rows += [c for c in self._children(child) if self.nodes.tag[c] == "tr"]
        return rows

    def _table_context(self, table: int, groups: list[list[int]]) -> tuple[int, ...]:
        nodes, rows = self.nodes, [row for group in groups for row in group]
        captions = [
            c for c in self._children(table) if nodes.tag[c] == "caption" and self._words(c) <= self.limit
        ]
        heads = [row for row in rows if nodes.tag[nodes.parent[row]] == "thead"]
        if not heads and len(rows) > 1 and self._is_header_row(rows[0]):
            heads = groups[0]
        alone = sum(map(self._holds, heads)) == sum(map(self._holds, rows))
        if alone or sum(map(self._words, heads)) > self.limit // 2:
            heads = []
        return (*captions, *heads)

    def _is_header_row(self, row: int) -> bool:
        cells = [self.nodes.tag[c] for c in self._children(row)]
        return len(cells) > 1 and all(tag == "th" for tag in cells)

    def _joined_rows(self, rows: list[int]) -> list[list[int]]:
        """Join rows that a rowspan ties together, because parting them would shift columns."""
        groups: list[list[int]] = []
        open_rows = 0
        for row in rows:
            if open_rows <= 0 or self.nodes.parent[row] != self.nodes.parent[groups[-1][-1]]:
                groups.append([])
                open_rows = 0
            groups[-1].append(row)
            open_rows = max(open_rows, _rowspan(self.nodes, row)) - 1
        return groups

    def _row_item(self, group: list[int]) -> _Item:
        words = sum(self._words(row) for row in group)
        return _Item(group[0] if len(group) == 1 else -1, (group[0], 0), words)


def line_spans(text: str) -> list[tuple[int, int]]:
    """Return ``(start, end)`` of each line, its line break included."""
    ends = list(accumulate(len(line) for line in text.splitlines(keepends=True)))
    return list(zip([0, *ends], ends, strict=False))


Clip = dict[int, tuple[int, int]]


def clip_of(nodes: Nodes, span: Span) -> Clip:
    """Return the stretches of the text nodes that a span covers in part: node to (from, to)."""
    (first, offset), (last, stop) = span.start, span.end
    clip: Clip = {}
    if offset:
        clip[first] = (offset, len(nodes.text[first]))
    if stop:
        clip[last] = (offset if first == last else 0, stop)
    return clip


def joined_text(
    nodes: Nodes, first: int, stop: int, clip: Clip | None = None
) -> tuple[str, list[tuple[int, int]]]:
    """Return the characters of the nodes ``first .. stop`` and (offset, node) of each text node.

    ``br`` counts as a line break; ``clip`` limits nodes at the edges.
    """
    parts: list[str] = []
    places: list[tuple[int, int]] = []
    offset = 0
    for node in range(first, stop):
        text = "\n" if nodes.tag[node] == "br" else nodes.text[node]
        if clip and node in clip:
            text = text[slice(*clip[node])]
        if not text:
            continue
        if not nodes.tag[node]:
            places.append((offset, node))
        parts.append(text)
        offset += len(text)
    return "".join(parts), places


def place_in(
    nodes: Nodes, places: list[tuple[int, int]], offset: int, clip: Clip | None = None
) -> tuple[int, int]:
    """Return the cut (node, character) at an offset of ``joined_text``."""
    begin, node = places[max(0, bisect_right(places, (offset, len(nodes))) - 1)]
    skipped = clip[node][0] if clip and node in clip else 0
    return node, skipped + min(max(0, offset - begin), max(0, len(nodes.text[node]) - 1))


def _rowspan(nodes: Nodes, row: int) -> int:
    cell, reach = row + 1, 1
    while cell < nodes.end[row]:
        span = nodes.attrs[cell].get("rowspan", "1")
        if span.isdigit():
            reach = max(reach, int(span) or MAX_ROWSPAN)  # 0: to the end of the row group
        cell = nodes.end[cell]
    return reach


def tied_rows(nodes: Nodes, first: int, stop: int) -> frozenset[int]:
    """Return the rows among the nodes ``first .. stop`` that a rowspan from above reaches into.

    Blocks never part such rows, so the rows of one block tell.
    """
    tied: set[int] = set()
    open_rows: dict[int, int] = {}
    for row in range(first, stop):
        if nodes.tag[row] == "tr":
            up = nodes.parent[row]
            if open_rows.get(up, 0) > 0:
                tied.add(row)
            open_rows[up] = max(open_rows.get(up, 0), _rowspan(nodes, row)) - 1
    return frozenset(tied)
