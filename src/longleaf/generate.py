"""The next sentences, extractive: the passage of the evidence that says the most that is new.

IPRG's generator writes a paragraph and keeps its first new sentence (section 2.3). Ours picks
whole passages instead of writing: relevance for the question, discounted by what the answer
says already, plus a preference for going on where the last passage ended, because an answer
on a page usually stands in one place. What is picked is verbatim, so it cannot be invented.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from longleaf.evidence import Candidate, Section
from longleaf.language import collapse, terms
from longleaf.types import StopReason

# The values below were chosen on a third of the FAQ packages and reported on the others
# (benchmarks/faq_answers.py --split).
# A passage must be worth this share of the first one, or the answer is complete.
STOP_SHARE = 0.62
# Worth of standing right after the last passage in its section, and of standing in it at all.
NEXT_BONUS, SECTION_BONUS = 0.22, 0.10
# Headings that hold this much of the question (by idf) make their section the answer.
HEADING_MATCH, HEADING_BONUS = 0.6, 0.45
# A passage with this share of its terms in the answer already only repeats it.
REPEAT_SHARE = 0.85
NOVELTY_LOSS = 0.5
MIN_WORDS = 4


@dataclass(frozen=True, slots=True)
class Choice:
    """The passage to say next, or why there is none."""

    candidate: Candidate | None
    utility: float
    stop: StopReason | None = None


@dataclass(slots=True)
class Extractor:
    """Chooses passages for one question; knows what was said and where the answer stands."""

    idf: dict[str, float]
    said_terms: set[str] = field(default_factory=set)
    said_texts: set[str] = field(default_factory=set)
    used: set[tuple[int, int]] = field(default_factory=set)
    last: Candidate | None = None
    first_utility: float = 0.0

    def choose(self, candidates: Sequence[Candidate]) -> Choice:
        """Return the best passage that adds something, or the reason to stop."""
        fresh = [c for c in candidates if (c.found.row, c.place) not in self.used]
        if not fresh:
            return Choice(None, 0.0, "no_new_evidence")
        new = [c for c in fresh if not self._repeats(c)]
        if not new:
            return Choice(None, 0.0, "repeats")
        order = {id(c): n for n, c in enumerate(self._in_page_order(new))}
        best = max(new, key=lambda c: (self.utility(c), -order[id(c)]))
        if self.last is None:
            best = self._opening(best, new)
        utility = self.utility(best)
        if self.last is not None and utility < STOP_SHARE * self.first_utility:
            return Choice(None, utility, "complete")
        return Choice(best, utility)

    def accept(self, choice: Choice) -> None:
        """Take a choice into the answer."""
        candidate = choice.candidate
        if candidate is None:
            return
        if self.last is None:
            self.first_utility = choice.utility
        self.last = candidate
        self.used.add((candidate.found.row, candidate.place))
        self.said_terms.update(terms(candidate.passage.text))
        self.said_texts.add(collapse(candidate.passage.text))

    def utility(self, candidate: Candidate) -> float:
        """Return how much a passage is worth saying next (about 0..1.5)."""
        worth = candidate.found.score + self._heading_bonus(candidate.section)
        worth *= 1 - NOVELTY_LOSS * self._overlap(candidate)
        return worth + self._continuity(candidate)

    def _continuity(self, candidate: Candidate) -> float:
        last = self.last
        if last is None or candidate.section != last.section:
            return 0.0
        after = (candidate.found.row, candidate.place) > (last.found.row, last.place)
        near = candidate.found.row - last.found.row <= 2
        return SECTION_BONUS + (NEXT_BONUS - SECTION_BONUS if after and near else 0.0)

    def _heading_bonus(self, section: Section) -> float:
        return HEADING_BONUS if self.heading_match(section[1]) >= HEADING_MATCH else 0.0

    def heading_match(self, headings: Sequence[str]) -> float:
        """Return the share of the question, by idf, that the last two headings hold."""
        held = set(terms(" ".join(headings[-2:])))
        total = sum(self.idf.values())
        return sum(w for t, w in self.idf.items() if t in held) / total if total else 0.0

    def _overlap(self, candidate: Candidate) -> float:
        found = terms(candidate.passage.text)
        return sum(t in self.said_terms for t in found) / len(found) if found else 0.0

    def _repeats(self, candidate: Candidate) -> bool:
        text = candidate.passage.text
        if len(text.split()) < MIN_WORDS and candidate.passage.kind in ("prose", "list"):
            return True
        if collapse(text) in self.said_texts:
            return True
        return candidate.passage.kind != "code" and self._overlap(candidate) >= REPEAT_SHARE

    def _opening(self, best: Candidate, candidates: Sequence[Candidate]) -> Candidate:
        """Start where the best passage's section starts, when its heading answers the question."""
        if not self._heading_bonus(best.section):
            return best
        same = [c for c in candidates if c.section == best.section]
        return self._in_page_order(same)[0]

    @staticmethod
    def _in_page_order(candidates: Sequence[Candidate]) -> list[Candidate]:
        return sorted(candidates, key=lambda c: (c.found.row, c.place))
