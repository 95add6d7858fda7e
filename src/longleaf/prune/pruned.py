"""What pruning returns: the page within its budget, the ranking behind it, and how to cut it again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from longleaf.blocks import BlockTree
from longleaf.prune.budget import Kept, Pool, cut
from longleaf.prune.ranking import above
from longleaf.serialise.markdown import to_markdown
from longleaf.serialise.text import to_text
from longleaf.types import SCHEMA, Block, Nodes
from longleaf.units import units

StoppedBy = Literal["budget", "floor", "end"]
# What a block was cut after, by the kind of its last kept unit.
_UNIT_NAMES = {
    "sentence": "a sentence",
    "item": "an item",
    "row": "a row",
    "code": "a line of code",
    "term": "a term",
    "heading": "a heading",
    "media": "a picture",
}


@dataclass(frozen=True, slots=True, eq=False)
class Pruned:
    """A page (or several) cut to a budget; remembers the ranking, so that it can be cut again.

    ``floor`` is the score that a block must reach, on the pruner's own scale; ``told`` is what
    reading and ranking had to say.
    """

    pool: Pool = field(repr=False)
    question: str
    scores: tuple[float, ...] = field(repr=False)
    order: tuple[int, ...] = field(repr=False)
    kept: Kept
    budget: int
    tokens_before: int
    tokens_after: int
    stage: str
    fill: bool = False
    floor: float | None = None
    told: tuple[str, ...] = ()

    def at(self, budget: int) -> Pruned:
        """Return the same ranking cut to another budget, with the same options; no model is called."""
        kept = cut_above(self.pool, self.order, self.scores, budget, self.fill, self.floor)
        return replace(self, kept=kept, budget=budget, tokens_after=self.pool.cost(kept))

    @property
    def trees(self) -> tuple[BlockTree, ...]:
        """Return the block trees that were pruned."""
        return self.pool.trees

    @property
    def nodes(self) -> list[Nodes]:
        """Return what is kept, as one tree a page; a page with nothing kept is not there."""
        return self.pool.nodes(self.kept)

    @property
    def html(self) -> str:
        """Return the pruned HTML: well-formed, within the budget, one document a page.

        Where several pages were given, each has its title and its address (``link rel=canonical``).
        """
        return self.pool.html(self.kept)

    @property
    def markdown(self) -> str:
        """Return the kept parts as Markdown; several pages each under their title and address."""
        pages = self.pool.pages(self.kept)
        return "\n\n".join(_titled(tree, to_markdown(nodes), "# ", self._labelled) for tree, nodes in pages)

    @property
    def text(self) -> str:
        """Return the kept parts as plain text; several pages each under their title and address."""
        pages = self.pool.pages(self.kept)
        return "\n\n".join(_titled(tree, to_text(nodes), "", self._labelled) for tree, nodes in pages)

    @property
    def _labelled(self) -> bool:
        return self.pool.labelled and not self.kept.bare

    @property
    def stopped_by(self) -> StoppedBy:
        """Return what ended the cut: the ``budget``, the ``floor``, or the ``end`` of the pages."""
        if len(self.kept.whole) == len(self.order):
            return "end"
        reached = above(self.order, self.scores, self.floor)
        return "floor" if self.kept.whole.issuperset(reached) else "budget"

    @property
    def notes(self) -> tuple[str, ...]:
        """Return what a reader should know, in plain sentences: of reading, of ranking, of the cut."""
        return (*self.told, *_cut_notes(self))

    def state(self, position: int) -> Literal["kept", "part", "cut"]:
        """Return whether a block (position in the pool) is kept, kept in part, or cut."""
        if position in self.kept.whole:
            return "kept"
        return "part" if position == self.kept.partial else "cut"

    def why(self, position: int) -> str:
        """Return why a block (position in the pool) was kept or cut, in a few words."""
        return self.reasons()[position]

    def reasons(self) -> list[str]:
        """Return why each block of the pool was kept or cut, in a few words."""
        out = [""] * len(self.order)
        past = False  # whether a better block did not fit
        for rank, position in enumerate(self.order, 1):
            out[position] = f"rank {rank}: {self._reason(position, past)}"
            past = past or position not in self.kept.whole
        return out

    def _reason(self, position: int, past: bool) -> str:
        low = self.floor is not None and self.scores[position] < self.floor
        if position in self.kept.whole:
            best = ", the best although below the floor" if low else ""
            return f"fits what was left{best}" if past else f"fits the budget{best}"
        if position == self.kept.partial:
            return _part_reason(self)
        return f"below the floor of {self.floor:g}" if low else "over the budget"

    def to_dict(self) -> dict[str, object]:
        """Return the ``prune --json`` object."""
        return {
            "schema": SCHEMA,
            "question": self.question,
            "budget": self.budget,
            "tokens_before": self.tokens_before,
            "tokens_after": self.tokens_after,
            "tokenizer": self.pool.counter.name,
            "pruner": self.stage,
            "fill": self.fill,
            "floor": self.floor,
            "stopped_by": self.stopped_by,
            "notes": list(self.notes),
            "html": self.html,
            "documents": [tree.page.document.to_dict() for tree in self.trees],
            "blocks": self._rows(),
        }

    def _rows(self) -> list[dict[str, object]]:
        ranks = {position: rank for rank, position in enumerate(self.order, 1)}
        reasons = self.reasons()
        rows: list[dict[str, object]] = []
        for tree in self.trees:
            for block in tree.blocks:
                position = len(rows)
                row = {"id": block.id, "document_id": tree.page.document.id} | block_fields(block)
                row |= {"score": self.scores[position], "rank": ranks[position]}
                row |= {"kept": self.state(position) != "cut", "reason": reasons[position]}
                rows.append(row)
        return rows

    def _repr_html_(self) -> str:
        from longleaf.render.pruned import pruned_html

        return pruned_html(self)


def cut_above(
    pool: Pool,
    order: Sequence[int],
    scores: Sequence[float],
    budget: int,
    fill: bool = False,
    floor: float | None = None,
) -> Kept:
    """Return what ``order`` keeps in ``budget``, of blocks that score at least ``floor``."""
    chosen = above(order, scores, floor)
    kept = cut(pool, chosen, budget, fill)
    if len(chosen) < len(order) and not kept.whole and kept.part is None:
        # Nothing good is small enough: a page is never empty while it has a sentence that fits.
        return cut(pool, order, budget)
    return kept


def _cut_notes(pruned: Pruned) -> list[str]:
    kept, tokens = pruned.kept, f"a budget of {pruned.budget} token{'s' if pruned.budget != 1 else ''}"
    if kept.whole or not pruned.order:
        return []
    if kept.part is None:
        return [f"nothing fits {tokens}"]
    end = _end_of_part(pruned)
    if kept.bare:
        shown = f"one was cut after {end}" if end else "the end of one is kept"
        if kept.part == pruned.pool.at(kept.partial)[1].span:
            shown = "one is kept"
        return [f"no block fits {tokens} with its headings: {shown}, without them"]
    where = f"was cut after {end}" if end else "was cut to its end"
    return [f"no whole block fits {tokens}: the best one {where}"]


def _part_reason(pruned: Pruned) -> str:
    block, part = pruned.pool.at(pruned.kept.partial)[1], pruned.kept.part
    fits = f"only {'its beginning' if part and part.start == block.span.start else 'a part of it'} fits"
    if not pruned.kept.bare:
        return fits
    return f"{fits}, without its headings (cut after {_end_of_part(pruned) or 'all of it'})"


def _end_of_part(pruned: Pruned) -> str:
    """Return the kind of unit that the block kept in part was cut after; nothing where it has its end."""
    tree, block = pruned.pool.at(pruned.kept.partial)
    part = pruned.kept.part
    assert part is not None  # asked only where there is one
    if part.end == block.span.end:
        return ""
    inside = [unit for unit in units(tree.page.nodes, block) if unit.span.start < part.end]
    return _UNIT_NAMES[inside[-1].kind]


def _titled(tree: BlockTree, said: str, mark: str, labelled: bool) -> str:
    """Return a page's text under its title, if it does not begin with it, and its address."""
    document = tree.page.document
    if not labelled:
        return said
    title, _, rest = said.partition("\n")
    if document.title and title != mark + document.title:
        title, rest = mark + document.title, said
    elif not document.title:
        title, rest = "", said
    address = "" if document.url in ("", "-") else (f"<{document.url}>" if mark else document.url)
    gap = "\n\n" if mark else "\n"
    return gap.join(part for part in (title, address, rest.lstrip("\n")) if part)


def block_fields(block: Block) -> dict[str, object]:
    """Return what every surface says of a block."""
    return {
        "path": block.path,
        "anchor": block.anchor,
        "kind": block.kind,
        "headings": list(block.headings),
        "words": block.words,
        "tokens": block.tokens,
    }
