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
STOP_SHARE = 0.75
# Worth of standing right after the last passage in its section, and of standing in it at all.
NEXT_BONUS, SECTION_BONUS = 0.3, 0.1
# Headings that hold this much of the question (by idf) make their section the answer.
HEADING_MATCH, HEADING_BONUS = 0.75, 1.2
# What is left of that one level further up, and how many words must be said before a section
# that answers by its heading is enough.
UPPER_SHARE, ENOUGH_WORDS = 0.5, 25
# A passage with this share of its terms in the answer already only repeats it.
REPEAT_SHARE = 0.85
NOVELTY_LOSS = 0.3
MIN_WORDS = 4
# A passage this long counts in full; shorter ones count less, because under a good heading any
# remark scores well, and BM25 favours the short.
FULL_WORDS, SHORT_SHARE = 30, 0.5
# Worth of naming the question's words in the passage itself, not only above it.
OWN_BONUS = 0.4
# Worth of standing at the head of a page, where authors say what it is about.
LEAD_BONUS = 0.1
# What is left of a lead-in ("as follows:") whose listing was pruned away.
DANGLING_SHARE = 0.6
# A section is read from its start when its best passage stands among its first passages.
OPENING_REACH = 1


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
    at_hand: set[tuple[int, int]] = field(default_factory=set)
    last: Candidate | None = None
    first_utility: float = 0.0
    first_bonus: float = 0.0
    words: int = 0

    def choose(self, candidates: Sequence[Candidate]) -> Choice:
        """Return the best passage that adds something, or the reason to stop."""
        fresh = [c for c in candidates if (c.found.row, c.place) not in self.used]
        if not fresh:
            return Choice(None, 0.0, "no_new_evidence")
        new = [c for c in fresh if not self._repeats(c)]
        if not new:
            return Choice(None, 0.0, "repeats")
        self.at_hand = {(c.found.row, c.place) for c in new}
        order = {id(c): n for n, c in enumerate(self._in_page_order(new))}
        best = max(new, key=lambda c: (self.utility(c), -order[id(c)]))
        if self.last is None:
            best = self._opening(best, new)
        utility = self.utility(best)
        if self.last is not None and utility < STOP_SHARE * self._expected():
            return Choice(None, utility, "complete")
        return Choice(best, utility)

    def _expected(self) -> float:
        """Return what the first passage was worth; its heading's bonus counts once enough is said."""
        return self.first_utility - (self.first_bonus if self.words < ENOUGH_WORDS else 0.0)

    def accept(self, choice: Choice) -> None:
        """Take a choice into the answer."""
        candidate = choice.candidate
        if candidate is None:
            return
        if self.last is None:
            self.first_utility = choice.utility
            self.first_bonus = self._heading_bonus(candidate.section)
        self.last = candidate
        self.used.add((candidate.found.row, candidate.place))
        self.said_terms.update(terms(candidate.passage.text))
        self.words += candidate.passage.words
        self.said_texts.add(collapse(candidate.passage.text))

    def utility(self, candidate: Candidate) -> float:
        """Return how much a passage is worth saying next (about 0..1.5)."""
        passage = candidate.passage
        length = min(1.0, SHORT_SHARE + (1 - SHORT_SHARE) * passage.words / FULL_WORDS)
        worth = candidate.found.score * length + self._heading_bonus(candidate.section)
        worth += OWN_BONUS * self._held(passage.text)
        worth += LEAD_BONUS if candidate.leads else 0.0
        if self._dangles(candidate):
            worth *= DANGLING_SHARE
        worth *= 1 - NOVELTY_LOSS * self._overlap(candidate)
        return worth + self._continuity(candidate)

    def _continuity(self, candidate: Candidate) -> float:
        last = self.last
        if last is None or candidate.section != last.section:
            return 0.0
        after = (candidate.found.row, candidate.place) > (last.found.row, last.place)
        near = candidate.found.row - last.found.row <= 2
        return SECTION_BONUS + (NEXT_BONUS - SECTION_BONUS if after and near else 0.0)

    def _dangles(self, candidate: Candidate) -> bool:
        """Return whether a lead-in announces something that is not at hand."""
        row, place = candidate.found.row, candidate.place
        announces = candidate.passage.text.rstrip().endswith(":")
        return announces and (row, place + 1) not in self.at_hand and (row + 1, 0) not in self.at_hand

    def _heading_bonus(self, section: Section) -> float:
        headings = section[1]
        if headings and self._held(headings[-1]) >= HEADING_MATCH:
            return HEADING_BONUS
        if len(headings) > 1 and self._held(" ".join(headings[-2:])) >= HEADING_MATCH:
            return HEADING_BONUS * UPPER_SHARE
        return 0.0

    def _held(self, text: str) -> float:
        """Return the share of the question, by idf, that a text holds."""
        held = set(terms(text))
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
        """Start where the best passage's section starts, if that is near or its heading answers."""
        same = self._in_page_order([c for c in candidates if c.section == best.section])
        near = same.index(best) < OPENING_REACH
        return same[0] if near or self._heading_bonus(best.section) else best

    def follows(self, candidates: Sequence[Candidate]) -> Candidate | None:
        """Return the passage that a lead-in ("as follows:") announces, if it is at hand."""
        last = self.last
        if last is None or not last.passage.text.rstrip().endswith(":"):
            return None
        here = last.found.row, last.place
        behind = [c for c in self._in_page_order(candidates) if (c.found.row, c.place) > here]
        if not behind or behind[0].found.page != last.found.page or behind[0].found.row - last.found.row > 1:
            return None
        return behind[0] if (behind[0].found.row, behind[0].place) not in self.used else None

    @staticmethod
    def _in_page_order(candidates: Sequence[Candidate]) -> list[Candidate]:
        return sorted(candidates, key=lambda c: (c.found.row, c.place))
