"""What the next sentence should speak of: IPRG's planner as a rule.

The paper's planner writes keywords of the next sentence from the question and the answer so
far (section 2.1). Without a trained model the keywords are what is still unsaid: words of the
question that the answer has not used, then words of the headings under which the evidence
stands. Words already covered are never planned again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from longleaf.language import terms, words
from longleaf.retrieve import Found
from longleaf.types import Plan

# The paper's worked example has five keywords a sentence (section 2.1).
KEYWORDS = 5
# Question words lead the search in every turn; planned words steer it.
QUESTION_WEIGHT, PLAN_WEIGHT = 1.0, 0.5


@dataclass(frozen=True, slots=True)
class Planner:
    """Plans by rule; ``weight`` tells how rare a term is in the index."""

    question: str
    weight: Callable[[str], float]

    def first(self) -> Plan:
        """Return the plan of the first turn: the question's own words, rarest first."""
        return self._plan(self._unsaid(self.question, frozenset()))

    def next(self, covered: frozenset[str], evidence: Sequence[Found], repeats: int = 0) -> Plan:
        """Return the plan of a later turn, or one with ``stop`` set when nothing is left unsaid.

        ``covered`` holds the terms of the answer so far and of plans that led nowhere.
        """
        keywords = self._unsaid(self.question, covered)
        for found in evidence:
            for heading in reversed(found.block.headings[-2:]):
                keywords += [w for w in self._unsaid(heading, covered) if w not in keywords]
            if len(keywords) >= KEYWORDS:
                break
        if not keywords:
            return Plan((), self.question, "complete")
        return self._plan(keywords)

    def _plan(self, keywords: list[str]) -> Plan:
        chosen = tuple(keywords[:KEYWORDS])
        return Plan(chosen, " ".join((self.question, *chosen)) if chosen else self.question)

    def _unsaid(self, text: str, covered: frozenset[str]) -> list[str]:
        found: dict[str, float] = {}
        for word in words(text):
            parts = terms(word)
            if parts and not covered.issuperset(parts):
                found.setdefault(word.lower(), max(self.weight(t) for t in parts))
        return sorted(found, key=lambda w: -found[w])

    def query(self, plan: Plan) -> dict[str, float]:
        """Return the weighted search terms of a plan: the question plus the planned words."""
        weighted = dict.fromkeys(terms(self.question), QUESTION_WEIGHT)
        for word in plan.keywords:
            for term in terms(word):
                weighted.setdefault(term, PLAN_WEIGHT)
        return weighted
