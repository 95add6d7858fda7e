"""Blocks ranked by what a token labeller would keep of them.

As in Provence (arXiv 2501.16214), token probabilities are rounded to sentences: a sentence's is the
mean of its tokens'. A block's is that of its best sentence, not the mean over the block: then a block
is over a threshold exactly where Provence would keep something of it, and one sentence that answers
counts the same in a short block as in a long one. Heading trail and header row are read before the
block, as a title is there, but are no sentences of it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Protocol

from longleaf.blocks import BlockTree
from longleaf.language import sentence_spans
from longleaf.prune.lexical import kind_share
from longleaf.types import Block


class Labeller(Protocol):
    """What labels the tokens of texts for a question."""

    @property
    def name(self) -> str:
        """The model, for reports."""

    def label(self, question: str, texts: Sequence[str]) -> list[list[tuple[int, int, float]]]:
        """Return start, end (characters) and probability of keeping for each token of each text."""


class LabelPruner:
    """Ranks every block by its best sentence's probability of being kept, from 0 to 1.

    Links, chrome and bare headings keep their share of it, as in every ranker.
    """

    def __init__(self, labeller: Labeller) -> None:
        self.labeller = labeller
        self.name = f"labeller:{labeller.name}"

    def score(self, trees: Sequence[BlockTree], question: str) -> list[float]:
        """Return one probability a block of all trees, higher is better."""
        blocks = [block for tree in trees for block in tree.blocks]
        texts = list(dict.fromkeys(block.scored_text for block in blocks if block.words))
        labels = dict(zip(texts, self.labeller.label(question, texts), strict=True))
        return [best_sentence(b, labels.get(b.scored_text, [])) * kind_share(b) for b in blocks]


def best_sentence(block: Block, labels: Sequence[tuple[int, int, float]]) -> float:
    """Return the highest of a block's sentences' mean probabilities; 0 where nothing is labelled.

    ``labels`` are of the block's ``scored_text``, which ends with its text. A token belongs to the
    sentence that it ends in.
    """
    offset = len(block.scored_text) - len(block.text)
    ends = [label[1] for label in labels]
    best = 0.0
    for start, end in sentence_spans(block.text):
        first = bisect_left(ends, offset + start + 1)
        last = bisect_left(ends, offset + end + 1)
        if last > first:
            best = max(best, sum(label[2] for label in labels[first:last]) / (last - first))
    return best
