"""Two steps: the mix ranks all blocks, a cross-encoder reads the best of them again.

A cross-encoder reads question and block together, which vectors made apart cannot; but every block
costs it a pass for every question, where the mix has the blocks' vectors from a cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from longleaf.blocks import BlockTree
from longleaf.prune.lexical import kind_share
from longleaf.prune.rescore import rescored
from longleaf.types import Block

if TYPE_CHECKING:
    from longleaf.prune import Pruner


class PairScorer(Protocol):
    """What says how well a text answers a question, as a probability."""

    @property
    def name(self) -> str:
        """The model, for reports."""

    def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return one probability for each text."""


# Blocks that are read again. A ranking matters as far as the budget reaches: the blocks of 20 FAQ
# pages have 84 tokens on average, so 64 of them are more than the default budget of 4096 holds.
MOST_RESCORED = 64


class RerankPruner:
    """Ranks by ``first``, then by ``scorer`` among the best ``most``.

    What is read again scores from 0 to 1 (links, chrome and bare headings their share of it, as in
    every ranker); what is not scores below all of these, in the order of ``first``.
    """

    def __init__(self, scorer: PairScorer, first: Pruner, most: int = MOST_RESCORED) -> None:
        self.scorer = scorer
        self.first = first
        self.most = most
        self.name = f"cross-encoder:{scorer.name}"

    def score(self, trees: Sequence[BlockTree], question: str) -> list[float]:
        """Return one score a block of all trees, higher is better."""

        def rate(blocks: list[Block]) -> list[float]:
            texts = list(dict.fromkeys(block.scored_text for block in blocks))
            found = dict(zip(texts, self.scorer.score(question, texts), strict=True))
            return [found[block.scored_text] * kind_share(block) for block in blocks]

        return rescored(self.first, trees, question, self.most, rate)
