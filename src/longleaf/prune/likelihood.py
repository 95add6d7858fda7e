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
from longleaf.prune.rescore import best_of, put_above
from longleaf.types import Block

if TYPE_CHECKING:
    from longleaf.blocks import BlockTree
    from longleaf.prune import Pruner

# The best 30 of the mix held the gold block for 95 % of the questions (pruning probe, section 3).
RESCORED = 30
_RELEVANT = """{text}

Question: {question}

Does the text above answer the question? Answer with one word, Yes or No."""


@dataclass(frozen=True, slots=True)
class LikelihoodPruner:
    """Rescores the best blocks of ``first`` by the mean log-probability of the question's tokens."""

    lm: ScoringLM
    first: Pruner
    most: int = RESCORED

    @property
    def name(self) -> str:
        """What ranked, for reports."""
        return "likelihood"

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user should know of the model behind the scores."""
        return self.lm.notes

    def score(self, trees: Sequence[BlockTree], question: str) -> list[float]:
        """Return one score a block: a log-probability for the best, lower ones for the rest."""
        first = self.first.score(trees, question)
        chosen = best_of(first, self.most)
        blocks = [block for tree in trees for block in tree.blocks]
        asked = self.lm.encode(f" {question}")
        queries = [self._query(blocks[i], asked) for i in chosen]
        results = self.lm.log_probabilities(queries)
        scores = [sum(float(row[0]) for row in rows) / len(asked) for rows in results]
        return put_above(first, chosen, scores)

    def _query(self, block: Block, asked: list[int]) -> TreeQuery:
        prompt = self.lm.encode(f"{block.scored_text}\n\nQuestion:")
        chain = range(-1, len(asked) - 1)
        return TreeQuery(prompt, asked[:-1], chain[:-1], [(n, [asked[n + 1]]) for n in chain])


@dataclass(frozen=True, slots=True)
class YesNoPruner:
    """Rescores the best blocks of ``first`` by how much surer the model is of Yes than of No."""

    lm: ScoringLM
    first: Pruner
    most: int = RESCORED

    @property
    def name(self) -> str:
        """What ranked, for reports."""
        return "yes-no"

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user should know of the model behind the scores."""
        return self.lm.notes

    def score(self, trees: Sequence[BlockTree], question: str) -> list[float]:
        """Return one score a block: log p(Yes) - log p(No) for the best, lower ones for the rest."""
        first = self.first.score(trees, question)
        chosen = best_of(first, self.most)
        blocks = [block for tree in trees for block in tree.blocks]
        words = [self.lm.encode(word) for word in ("Yes", "No")]
        if words[0][0] == words[1][0]:
            raise ModelError(f"{self.lm.name} begins Yes and No with one token", "use another ranker")
        candidates = [word[0] for word in words]
        queries = [TreeQuery(self._prompt(blocks[i], question), (), (), [(-1, candidates)]) for i in chosen]
        results = self.lm.log_probabilities(queries)
        return put_above(first, chosen, [float(row[0] - row[1]) for (row,) in results])

    def _prompt(self, block: Block, question: str) -> list[int]:
        return self.lm.encode(self.lm.chat(_RELEVANT.format(text=block.scored_text, question=question)))
