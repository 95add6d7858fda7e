"""A costly ranker over the best of a cheap one: its scores on top, the rest below in their order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from longleaf.blocks import BlockTree
    from longleaf.prune import Pruner
    from longleaf.types import Block


def rescored(
    first: Pruner,
    trees: Sequence[BlockTree],
    question: str,
    most: int,
    rate: Callable[[list[Block]], list[float]],
) -> list[float]:
    """Return one score a block of all trees.

    Those of ``rate`` for the ``most`` best of ``first``, and lower ones for the rest.
    """
    before = first.score(trees, question)
    blocks = [block for tree in trees for block in tree.blocks]
    # Blocks without a word come last whatever they score, so none of them is read.
    chosen = [i for i in best_of(before, most) if blocks[i].words]
    return put_above(before, chosen, rate([blocks[i] for i in chosen]))


def best_of(scores: Sequence[float], most: int) -> list[int]:
    """Return the positions of the ``most`` best scores, in the order of the page."""
    return sorted(sorted(range(len(scores)), key=lambda i: (-scores[i], i))[:most])


def put_above(first: Sequence[float], chosen: Sequence[int], scores: Sequence[float]) -> list[float]:
    """Return ``scores`` at the positions ``chosen``, and below them the rest of ``first`` in its order."""
    rest = [first[i] for i in sorted(set(range(len(first))) - set(chosen))]
    lift = min(scores, default=0.0) - max(rest, default=0.0) - 1.0
    out = [score + lift for score in first]
    for place, score in zip(chosen, scores, strict=True):
        out[place] = score
    return out
