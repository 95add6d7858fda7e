"""Language models as judges of one block at a time: how well it predicts the question, or a yes.

Query likelihood is log p(question | block) a token. Untrained it ranks well above chance and not
above the mix, at a few seconds a question (pruning probe, section 3), so it only rescores the best
blocks of another ranking.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from longleaf.errors import ModelError
from longleaf.models.base import ScoringLM, TreeQuery
from longleaf.prune.rescore import rescored
from longleaf.types import Block

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from longleaf.blocks import BlockTree
    from longleaf.prune import Pruner

# The best 30 of the mix held the gold block for 95 % of the questions (pruning probe, section 3).
RESCORED = 30
_RELEVANT = """{text}

Question: {question}

Does the text above answer the question? Answer with one word, Yes or No."""


@dataclass(frozen=True, slots=True)
class _Judge:
    """Rescores the best ``most`` blocks of ``first`` by what ``lm`` makes of each."""

    lm: ScoringLM
    first: Pruner
    most: int = RESCORED

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user should know of the model behind the scores."""
        return self.lm.notes

    def score(self, trees: Sequence[BlockTree], question: str) -> list[float]:
        """Return one score a block: the model's for the best, lower ones for the rest."""

        def rate(blocks: list[Block]) -> list[float]:
            results = self.lm.log_probabilities(self._queries(blocks, question))
            return [self._verdict(rows) for rows in results]

        return rescored(self.first, trees, question, self.most, rate)

    def _queries(self, blocks: list[Block], question: str) -> list[TreeQuery]:
        raise NotImplementedError

    def _verdict(self, rows: list[NDArray[np.float32]]) -> float:
        raise NotImplementedError


class LikelihoodPruner(_Judge):
    """Rescores by the mean log-probability of the question's tokens after the block."""

    __slots__ = ()
    name = "likelihood"

    def _queries(self, blocks: list[Block], question: str) -> list[TreeQuery]:
        asked = self.lm.encode(f" {question}")
        chain = range(-1, len(asked) - 1)
        wanted = [(n, [asked[n + 1]]) for n in chain]
        prompts = [self.lm.encode(f"{block.scored_text}\n\nQuestion:") for block in blocks]
        return [TreeQuery(prompt, asked[:-1], chain[:-1], wanted) for prompt in prompts]

    def _verdict(self, rows: list[NDArray[np.float32]]) -> float:
        return sum(float(row[0]) for row in rows) / len(rows)


class YesNoPruner(_Judge):
    """Rescores by how much surer the model is of Yes than of No: log p(Yes) - log p(No)."""

    __slots__ = ()
    name = "yes-no"

    def _queries(self, blocks: list[Block], question: str) -> list[TreeQuery]:
        candidates = [self.lm.encode(word)[0] for word in ("Yes", "No")]
        if candidates[0] == candidates[1]:
            raise ModelError(f"{self.lm.name} begins Yes and No with one token", "use another ranker")
        asked = [_RELEVANT.format(text=block.scored_text, question=question) for block in blocks]
        prompts = [self.lm.encode(self.lm.chat(message)) for message in asked]
        return [TreeQuery(prompt, (), (), [(-1, candidates)]) for prompt in prompts]

    def _verdict(self, rows: list[NDArray[np.float32]]) -> float:
        return float(rows[0][0] - rows[0][1])
