"""The two stages of HtmlRAG: by embedding to a coarse budget, then by generation within it.

Both work on one page: the coarse blocks (256 words) decide which fine ones (128) the language model
is shown. Its scores come first, in their order; what the coarse stage left out follows by coarse
score. So one ranking serves every budget, and a larger one keeps a superset.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from longleaf.blocks import BlockTree, block_tree
from longleaf.prune.budget import Kept, Pool, cut
from longleaf.prune.generative import GenerativePruner, Place
from longleaf.prune.ranking import best_first
from longleaf.prune.rescore import put_above
from longleaf.tokens import TokenCounter, default_counter

if TYPE_CHECKING:
    from longleaf.prune import Pruner

# HtmlRAG section 4.4: blocks of 256 words are cut by embedding to 8K tokens.
COARSE_WORDS = 256
COARSE_BUDGET = 8192


@dataclass(frozen=True, slots=True)
class TwoStagePruner:
    """Ranks with a coarse pruner, and what that keeps with a generative one."""

    name = "two-stage"
    coarse: Pruner
    fine: GenerativePruner
    budget: int = COARSE_BUDGET
    words: int = COARSE_WORDS
    counter: TokenCounter | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user should know of the model behind the scores."""
        return self.fine.notes

    def score(self, trees: Sequence[BlockTree], question: str) -> list[float]:
        """Return one score a block of all trees, higher is better.

        Raises what the generative pruner raises.
        """
        coarse = [
            tree if tree.granularity >= self.words else block_tree(tree.page, self.words) for tree in trees
        ]
        scores = self.coarse.score(coarse, question)
        pool = Pool(tuple(coarse), self.counter or default_counter())
        kept = cut(pool, best_first(pool.blocks, scores), self.budget)
        inherited: list[float] = []
        chosen: list[Place] = []
        for place, position in _within(trees, coarse):
            inherited.append(scores[position])
            if _is_kept(trees[place.tree], place.block, position, kept):
                chosen.append(place)
        starts = _starts(trees)
        positions = [starts[place.tree] + place.block for place in chosen]
        return put_above(inherited, positions, self.fine.score_places(trees, chosen, question))


def _starts(trees: Sequence[BlockTree]) -> list[int]:
    """Return where each tree's blocks begin in the pool of all."""
    starts = [0]
    for tree in trees:
        starts.append(starts[-1] + len(tree.blocks))
    return starts


def _within(trees: Sequence[BlockTree], coarse: Sequence[BlockTree]) -> list[tuple[Place, int]]:
    """Return each fine block with the coarse one (its position in the pool) that holds its beginning."""
    out: list[tuple[Place, int]] = []
    for t, (tree, base) in enumerate(zip(trees, _starts(coarse), strict=False)):
        begins = [block.span.start for block in coarse[t].blocks]
        for block in tree.blocks:
            out.append((Place(t, block.id), base + bisect_right(begins, block.span.start) - 1))
    return out


def _is_kept(tree: BlockTree, number: int, position: int, kept: Kept) -> bool:
    if position in kept.whole:
        return True
    # Of a coarse block of which a part was kept, those fine ones that lie in the part.
    part = kept.part if position == kept.partial else None
    return part is not None and tree.blocks[number].span.end <= part.end
