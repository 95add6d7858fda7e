"""The found pages, pruned to the step's budget, and what of them can be said next.

Hits bring in their pages; all blocks of these pages are ranked in one pool (a block profits
from the best hit of its section, because an answer usually goes on where it began) and cut to
the budget. What was kept is the only material the generator sees.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from longleaf.blocks import BlockTree, is_heading
from longleaf.index.memory import MemoryIndex
from longleaf.language import collapse
from longleaf.passages import Passage, passages
from longleaf.prune.budget import Kept, Pool, cut
from longleaf.retrieve import Found, Retriever
from longleaf.serialise.text import to_text
from longleaf.tokens import TokenCounter
from longleaf.types import Block, Evidence, Span

# Pages opened a turn: one page holds the whole answer in most cases (page hit@1 .96,
# lfqa.md section 4.2), others add what it leaves out.
MAX_PAGES = 4
# What a block gets of the best score in its section; a nudge that keeps neighbours together.
SECTION_SHARE = 0.25
# Blocks of the sections of the best hits that are scored although search did not bring them.
SECTION_BLOCKS = 24
# A lead-in with this share of the best rank keeps what it announces; below, that would only
# push better blocks out of the budget (measured: ROUGE-L F1 .79 against .82 without the bound).
LEAD_IN_SHARE = 0.85
# How many blocks of how many words at least make the lead of a page.
LEAD_BLOCKS, LEAD_WORDS = 2, 8
Section = tuple[int, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage that could come next, with where it stands and how well it answers."""

    found: Found
    passage: Passage
    section: Section
    place: int
    leads: bool = False


@dataclass(slots=True)
class Gatherer:
    """Turns hits into evidence for one question."""

    index: MemoryIndex
    retriever: Retriever
    counter: TokenCounter
    _before: dict[int, int] = field(default_factory=dict)
    _sections: dict[int, list[tuple[str, ...]]] = field(default_factory=dict)
    _leads: dict[int, frozenset[int]] = field(default_factory=dict)
    _parts: dict[tuple[int, Span], list[Passage]] = field(default_factory=dict)

    def gather(self, found: Sequence[Found], budget: int) -> tuple[tuple[Evidence, ...], list[Candidate]]:
        """Return the pages of ``found`` pruned to ``budget`` tokens, and their passages."""
        pages = list(dict.fromkeys(f.page for f in found))[:MAX_PAGES]
        if not pages:
            return (), []
        pool = Pool(tuple(self.index.tree(page) for page in pages), self.counter, links=True)
        scored = self._scores(found, pages)
        blocks = [(page, block) for page in pages for block in self.index.blocks(page)]
        best: dict[Section, float] = {}
        for page, block in blocks:
            key = self._section(page, block)
            best[key] = max(best.get(key, 0.0), self._score(scored, page, block))
        rank = [
            self._score(scored, page, block) + SECTION_SHARE * best[self._section(page, block)]
            for page, block in blocks
        ]
        strong = LEAD_IN_SHARE * max(rank, default=0.0)
        for i in range(len(blocks) - 1):
            announces = blocks[i][1].text.rstrip().endswith(":") and blocks[i][0] == blocks[i + 1][0]
            if announces and rank[i] >= strong:
                # What a lead-in announces (a listing, a list) must not be pruned away from it.
                rank[i + 1] = max(rank[i + 1], rank[i] - 1e-6)
        order = sorted(range(len(blocks)), key=lambda i: (-rank[i], i))
        kept = cut(pool, order, budget)
        return self._evidence(pool, pages, kept.whole, kept.partial, kept.part), self._candidates(
            scored, blocks, sorted(kept.whole), kept.partial, kept.part
        )

    def _section(self, page: int, block: Block) -> Section:
        """Return what names a block's section: its page, its headings, and its own if it starts with one."""
        if page not in self._sections:
            self._sections[page] = [
                _own_trail(self.index.tree(page), b) for b in self.index.tree(page).blocks
            ]
        return page, self._sections[page][block.id]

    def _lead(self, page: int) -> frozenset[int]:
        """Return the first blocks of running text under the page's first heading."""
        if page not in self._leads:
            prose = [b for b in self.index.blocks(page) if b.kind == "prose" and b.words >= LEAD_WORDS]
            first = [b.id for b in prose if b.headings[:1] == prose[0].headings[:1] and len(b.headings) <= 1]
            self._leads[page] = frozenset(first[:LEAD_BLOCKS])
        return self._leads[page]

    def _row(self, page: int, block: Block) -> int:
        return int(self.index.starts[page]) + block.id

    def _score(self, scored: dict[int, Found], page: int, block: Block) -> float:
        found = scored.get(self._row(page, block))
        return 0.0 if found is None else found.score

    def _scores(self, found: Sequence[Found], pages: Sequence[int]) -> dict[int, Found]:
        """Score the hits and the rest of the best hits' sections."""
        scored = {f.row: f for f in found if f.page in pages}
        wanted: list[int] = []
        for top in found[:3]:
            if top.page not in pages:
                continue
            key = self._section(top.page, top.block)
            for block in self.index.blocks(top.page)[max(0, top.block.id - 12) : top.block.id + 20]:
                row = self._row(top.page, block)
                if row not in scored and block.words and self._section(top.page, block) == key:
                    wanted.append(row)
        for extra in self.retriever.score(list(dict.fromkeys(wanted))[:SECTION_BLOCKS]):
            scored[extra.row] = extra
        return scored

    def _evidence(
        self, pool: Pool, pages: Sequence[int], whole: frozenset[int], partial: int, part: Span | None
    ) -> tuple[Evidence, ...]:
        out: list[Evidence] = []
        base = 0
        for page, tree in zip(pages, pool.trees, strict=True):
            inside = frozenset(p for p in whole if base <= p < base + len(tree.blocks))
            here = partial if base <= partial < base + len(tree.blocks) else -1
            kept = Kept(inside, here, part if here >= 0 else None)
            ids = sorted({p - base for p in inside} | ({here - base} if here >= 0 else set()))
            if ids:
                html = pool.html(kept)
                before = self._tokens_before(page)
                after = self.counter.count(html)
                out.append(Evidence(tree.page.document.id, before, after, tuple(ids), html))
            base += len(tree.blocks)
        return tuple(out)

    def _tokens_before(self, page: int) -> int:
        if page not in self._before:
            self._before[page] = self.counter.count(self.index.tree(page).html())
        return self._before[page]

    def _candidates(
        self,
        scored: dict[int, Found],
        blocks: Sequence[tuple[int, Block]],
        whole: Sequence[int],
        partial: int,
        part: Span | None,
    ) -> list[Candidate]:
        out: list[Candidate] = []
        for position in [*whole, *([partial] if partial >= 0 else [])]:
            page, block = blocks[position]
            row = self._row(page, block)
            found = scored.get(row)
            if found is None:
                found = Found(row, page, block, 0.0, 0.0, 0.0)
            limit = part if position == partial else None
            for place, passage in enumerate(self._passages(row, page, block, limit)):
                leads = block.id in self._lead(page)
                out.append(Candidate(found, passage, self._section(page, block), place, leads))
        return out

    def _passages(self, row: int, page: int, block: Block, limit: Span | None) -> list[Passage]:
        key = row, limit or block.span
        if key not in self._parts:
            self._parts[key] = passages(self.index.tree(page), block, limit)
        return self._parts[key]


def _own_trail(tree: BlockTree, block: Block) -> tuple[str, ...]:
    if block.kind == "heading":
        return (*block.headings, block.text)
    nodes = tree.page.nodes
    start = block.span.start[0]
    # Only a block that opens with a heading element can start a section of its own.
    heading = next((n for n in range(start, min(start + 6, len(nodes))) if is_heading(nodes, n)), -1)
    if (
        heading >= 0
        and (heading, 0) < block.span.end
        and not any(nodes.says(n) for n in range(start, heading))
    ):
        return (*block.headings, collapse(to_text(nodes, heading)))
    return block.headings
