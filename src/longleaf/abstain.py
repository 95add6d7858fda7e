"""Whether the pages answer the question at all.

Two signals, each 0..1: how much of the question (by idf) the best blocks and their headings
hold, and how near the nearest block is in meaning. Their weights and the threshold come from
answerable and unanswerable questions over real passages (benchmarks/abstain.py prints the
curve). Too little of both means to abstain: showing the closest passages as what they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from longleaf.index.memory import MemoryIndex
from longleaf.language import terms
from longleaf.retrieve import Found

# Blocks that are looked at: an answer may need several.
LOOKED_AT = 5
COVERAGE_WEIGHT = 0.5
# On CLAPNQ this abstains from 65 % of the questions that a passage of the right topic does not
# answer and from 11 % of those that it does (best balance at .40: 73 and 18 %); from every
# off-topic question and no FAQ question asked of its own pages.
THRESHOLD = 0.35
# Without vectors only coverage speaks, and a question in other words than the page's looks
# unanswered: 75 % and 39 % there, 87 % of the off-topic questions, no FAQ question.
THRESHOLD_LEXICAL = 0.25


@dataclass(frozen=True, slots=True)
class Confidence:
    """How likely the pages answer: ``score`` 0..1 and whether that is enough."""

    score: float
    coverage: float
    nearness: float
    enough: bool


def confidence(index: MemoryIndex, question: str, found: Sequence[Found]) -> Confidence:
    """Return the confidence that the found blocks answer the question."""
    weights = {t: index.bm25.weight(t) for t in set(terms(question))}
    coverage = _coverage(index, weights, found[:LOOKED_AT])
    cosines = [f.dense for f in found[:LOOKED_AT]]
    if not any(cosines):
        return Confidence(coverage, coverage, 0.0, coverage >= THRESHOLD_LEXICAL)
    nearness = max(0.0, max(cosines))
    score = COVERAGE_WEIGHT * coverage + (1 - COVERAGE_WEIGHT) * nearness
    return Confidence(score, coverage, nearness, score >= THRESHOLD)


def _coverage(index: MemoryIndex, weights: dict[str, float], found: Sequence[Found]) -> float:
    """Return the best share of the question that one block with its page's title holds."""
    total = sum(weights.values())
    best = 0.0
    for f in found:
        held = set(terms(f.block.scored_text)) | set(terms(index.entries[f.page].title))
        best = max(best, sum(w for t, w in weights.items() if t in held))
    return best / total if total else 0.0
