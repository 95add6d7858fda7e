"""Where a page is cut: the recursion of Algorithm 1, and the cuts inside large leaves.

One thing is different from the paper: an element with two headings in it is opened however
small it is, because a block belongs to one section (its heading trail and anchor say which); so is
one with page chrome in it, because chrome counts less.
Otherwise word counts decide; each cut is a place in document order with the element that it
belongs to. Rows joined by a rowspan are never parted, a term stays with its definition while
the pair fits, code is cut between lines and prose between sentences only.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import accumulate

from longleaf.clean_rules import BLOCK_TAGS, EDGES, PICTURES
from longleaf.language import glued, sentence_spans
from longleaf.rows import is_header_row, rowspan, table_rows
from longleaf.sizes import cut_words, halve, node_weights, node_words, weight_of
from longleaf.stretches import joined_text, line_spans, place_in
from longleaf.types import Page

# Cutting table blocks from 128 to 40 words kept 30 more answer rows in 100 at 512 tokens
# (pruning probe, section 2 C); the limit scales with the granularity so that trees nest.
TABLE_SHARE = 40 / 128
_LISTS = frozenset(("ul", "ol", "menu", "dir"))
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6", "title"))
_LEAVES = PICTURES | {"input", "hr", "br"}
# What a browser sets apart: words on both sides of its edges are two.
_APART = EDGES | _LEAVES


@dataclass(frozen=True, slots=True)
class Cut:
    """The start of a block: where, inside which element, and what it cannot do without.

    ``context`` lists header rows, caption or term; ``suffix`` completes the path label of parts;
    ``words`` are those of the block, where they were counted already.
    """

    at: tuple[int, int]
    element: int
    suffix: str = ""
    context: tuple[int, ...] = ()
    words: int = -1


@dataclass(frozen=True, slots=True)
class _Item:
    """Something that is grouped with its neighbours: a list item, a pair, a row, a sentence."""

    node: int
    at: tuple[int, int]
    words: int


def _sums(values: Iterable[int]) -> array[int]:
    """Return the sums of all values before each place, packed: a page has a value for each node."""
    return array("q", (0,)) + array("q", accumulate(values))


# Elements that are still to be cut, each with the nodes that its blocks cannot do without.
_Visits = Iterator[tuple[int, tuple[int, ...]]]


class Splitter:
    """Finds the cuts of one page for one granularity."""

    def __init__(self, page: Page, words: int) -> None:
        nodes = page.nodes
        counts = node_words(nodes)
        self.nodes = nodes
        self.limit = words
        self.table_limit = max(1, round(words * TABLE_SHARE))
        self.words = _sums(counts)
        self.total = _sums(node_weights(nodes, counts))
        self.blocky = self._find_blocky()
        pairs = zip(counts, nodes.tag, strict=True)
        self.solid = _sums([n > 0 or tag in _LEAVES for n, tag in pairs])
        self.heads = _sums([tag in _HEADINGS for tag in nodes.tag])
        starts = {region.start for region in page.chrome}
        self.chrome = _sums([origin in starts for origin in nodes.origin]) if starts else None
        self.runs: dict[int, int] = {}
        self.out: list[Cut] = []

    def cuts(self) -> list[Cut]:
        """Return the cuts in document order; the first is at the start of the page."""
        if not len(self.nodes):
            return []
        # An explicit stack of what is still to be visited, since pages nest a thousand deep.
        todo: list[_Visits] = [iter(((0, ()),))]
        while todo:
            following = next(todo[-1], None)
            if following is None:
                todo.pop()
                continue
            below = self._visit(*following)
            if below is not None:
                todo.append(below)
        if not self.out:
            return [Cut((0, 0), 0)]
        first = replace(self.out[0], at=(0, 0))
        return [first, *(cut for cut in self.out[1:] if not self._inside_word(cut.at))]

    def _inside_word(self, at: tuple[int, int]) -> bool:
        """Return whether a cut before a node parts a word: an inline element may hold a block."""
        texts, tags, ends = self.nodes.text, self.nodes.tag, self.nodes.end
        after, before = at[0], at[0] - 1
        if at[1] or self.solid[after] == self.solid[-1]:
            return False
        while not texts[after] and tags[after] not in _APART:
            after += 1
        while before >= 0 and not texts[before] and tags[before] not in _APART:
            before -= 1
        if before < 0 or not glued(texts[before][-2:], texts[after][:2]):
            return False
        up = before
        while ends[up] <= after:
            if tags[up] in _APART:
                return False
            up = self.nodes.parent[up]
        return True

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

    def _mixes(self, node: int) -> bool:
        """Return whether an element holds two sections, or page chrome beside something else."""
        end = self.nodes.end[node]
        if self.heads[end] - self.heads[node] > 1:
            return True
        return self.chrome is not None and self.chrome[end] > self.chrome[node + 1]

    # The recursion.

    def _visit(self, node: int, context: tuple[int, ...]) -> _Visits | None:
        """Cut one element: Algorithm 1 for containers, one rule each for large leaves."""
        if not self._holds(node):
            return None
        tag, size = self.nodes.tag[node], self._words(node)
        if not tag:  # bare text among the items of a list
            self._pieces(self.nodes.parent[node], node, node + 1, context, sentence_spans, ">text")
            return None
        if tag == "table":
            return self._table(node, context)
        if size <= self.limit and not self._mixes(node) and tag not in ("html", "head"):
            self.out.append(Cut((node, 0), node, "", context))
            return None
        if tag in _LISTS:
            return self._list(node, context)
        if tag == "dl":
            return self._definitions(node, context)
        if tag == "pre":
            self._pieces(node, node + 1, self.nodes.end[node], context, line_spans)
            return None
        return self._open(node, context)

    def _open(self, node: int, context: tuple[int, ...]) -> _Visits:
        """Cut a container: runs of inline content are blocks, block children are visited."""
        if not self.blocky[node]:
            self._pieces(node, node + 1, self.nodes.end[node], context, sentence_spans)
            return
        child, run, stop = node + 1, -1, self.nodes.end[node]
        while child < stop:
            if self.nodes.tag[child] in BLOCK_TAGS or self.blocky[child]:
                if run >= 0:
                    self._pieces(node, run, child, context, sentence_spans, ">text")
                    run = -1
                yield child, context
            elif run < 0:
                run = child
            child = self.nodes.end[child]
        if run >= 0:
            self._pieces(node, run, stop, context, sentence_spans, ">text")

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
        label = ""
        if suffix:  # runs of one element are numbered as they come, whatever the granularity
            self.runs[element] = self.runs.get(element, 0) + 1
            label = f"{suffix}{self.runs[element]}"
        if self.total[stop] - self.total[first] <= self.limit:
            self.out.append(Cut((first if suffix else element, 0), element, label, context))
            return
        starts = self._piece_starts(first, stop, find)
        starts[0] = (first if suffix else element, 0), starts[0][1]
        self.out += [
            Cut(at, element, f"{label}>part{n}", context, words) for n, (at, words) in enumerate(starts, 1)
        ]

    def _piece_starts(
        self, first: int, stop: int, find: Callable[[str], list[tuple[int, int]]]
    ) -> list[tuple[tuple[int, int], int]]:
        """Return where each piece starts, and its words (-1 where they were not counted)."""
        text, places = joined_text(self.nodes, first, stop)
        spans = find(text)
        if not spans:  # words of pictures only
            return [((first, 0), -1)]
        starts: list[tuple[tuple[int, int], int]] = []
        weights = [weight_of(text[a:b]) for a, b in spans]
        for begin, end in halve(weights, self.limit):
            a, b = spans[begin]
            marks = [(0, -1)]
            if end - begin == 1 and weights[begin] > self.limit:
                marks = cut_words(text[a:b], self.limit)
                if stop - first > 1:  # pictures among the text add words
                    marks = [(mark, -1) for mark, _ in marks]
            starts += [(place_in(self.nodes, places, a + mark), words) for mark, words in marks]
        return starts

    # Lists, definition lists and tables.

    def _groups(
        self,
        element: int,
        items: list[_Item],
        limit: int,
        context: tuple[int, ...],
        lead: int = -1,
        headed: bool = False,
    ) -> _Visits:
        """Group items within ``limit``; an item that is too large alone is opened.

        ``headed``: the first item is a header row, which alone would be a block that says nothing.
        """
        ranges = halve([item.words for item in items], limit)
        if headed and len(ranges) > 1 and ranges[0][1] == 1 and items[1].words <= self.limit:
            # Joined after the halving, whose places must not hang on the limit: trees nest.
            ranges[:2] = [(0, ranges[1][1])]
        for begin, end in ranges:
            item = items[begin]
            at = (lead, 0) if begin == 0 and lead >= 0 else item.at
            if end - begin == 1 and item.words > self.limit and item.node >= 0:
                if at != item.at and self.solid[item.node] > self.solid[lead]:
                    self.out.append(Cut((lead, 0), lead, "", context))
                yield item.node, context
            else:
                self.out.append(Cut(at, item.node if item.node >= 0 else element, "", context))

    def _list(self, node: int, context: tuple[int, ...]) -> _Visits:
        items = [_Item(c, (c, 0), self._words(c)) for c in self.nodes.children(node) if self._holds(c)]
        return self._groups(node, items, self.limit, context)

    def _definitions(self, node: int, context: tuple[int, ...]) -> _Visits:
        """Keep a term with its definitions; open a pair that is too large, its term as context."""
        pairs: list[list[int]] = []
        for child in self.nodes.children(node):
            is_term = self.nodes.tag[child] == "dt"
            if not pairs or (is_term and any(self.nodes.tag[c] != "dt" for c in pairs[-1])):
                pairs.append([])
            pairs[-1].append(child)
        pairs = [pair for pair in pairs if any(self._holds(c) for c in pair)]
        sizes = [sum(self._words(c) for c in pair) for pair in pairs]
        for begin, end in halve(sizes, self.limit):
            pair = pairs[begin]
            if end - begin == 1 and sizes[begin] > self.limit:
                terms = tuple(
                    c for c in pair if self.nodes.tag[c] == "dt" and self._words(c) <= self.limit // 2
                )
                for child in pair:
                    yield child, context if child in terms else context + terms
            else:
                self.out.append(Cut((pair[0], 0), pair[0], "", context))

    def _table(self, node: int, context: tuple[int, ...]) -> _Visits | None:
        # Rows are joined before empty ones go, because a rowspan reaches over these as well.
        groups = [
            group for group in self._joined_rows(table_rows(self.nodes, node)) if any(map(self._holds, group))
        ]
        if self._words(node) <= self.table_limit or not groups:
            self.out.append(Cut((node, 0), node, "", context))
            return None
        needs = self._table_context(node, groups)
        items = [self._row_item(group) for group in groups]
        return self._groups(node, items, self.table_limit, context + needs, node, items[0].node in needs)

    def _table_context(self, table: int, groups: list[list[int]]) -> tuple[int, ...]:
        nodes, rows = self.nodes, [row for group in groups for row in group]
        captions = [
            c for c in nodes.children(table) if nodes.tag[c] == "caption" and self._words(c) <= self.limit
        ]
        heads = [row for row in rows if nodes.tag[nodes.parent[row]] == "thead"]
        if not heads and len(rows) > 1 and is_header_row(nodes, rows[0]):
            heads = groups[0]
        alone = sum(map(self._holds, heads)) == sum(map(self._holds, rows))
        if alone or sum(map(self._words, heads)) > self.limit // 2:
            heads = []
        return (*captions, *heads)

    def _joined_rows(self, rows: list[int]) -> list[list[int]]:
        """Join rows that a rowspan ties together, because parting them would shift columns."""
        groups: list[list[int]] = []
        open_rows = 0
        for row in rows:
            if open_rows <= 0 or self.nodes.parent[row] != self.nodes.parent[groups[-1][-1]]:
                groups.append([])
                open_rows = 0
            groups[-1].append(row)
            open_rows = max(open_rows, rowspan(self.nodes, row)) - 1
        return groups

    def _row_item(self, group: list[int]) -> _Item:
        words = sum(self._words(row) for row in group)
        return _Item(group[0] if len(group) == 1 else -1, (group[0], 0), words)
