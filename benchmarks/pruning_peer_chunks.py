"""Chunks of a page that another tool made: ranked as Longleaf ranks, and packed into a budget.

Part of ``pruning_peers.py``. The ranking is that of ``longleaf.prune.embed`` for prose: 0.3 BM25 +
0.7 sentence vectors, each stretched to 0..1 over the page, the best 320 by BM25 encoded, texts
without a word last. So peers differ from Longleaf in their chunks alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from longleaf.blocks import DEFAULT_WORDS
from longleaf.language import count_words, has_word, terms
from longleaf.models.base import Encoder
from longleaf.prune.embed import LEXICAL_SHARE, MAX_ENCODED, scaled
from longleaf.prune.lexical import Bm25, query_terms
from longleaf.tokens import TokenCounter

# What stands between two chunks in the output: a blank line, one token.
BETWEEN = "\n\n"
_HEADING = re.compile(r"(#{1,6})\s+(\S.*)")
_FENCE = re.compile(r"\s*(?:```|~~~)")


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a page: what the model is given, and the headings that its tool says it stands under."""

    text: str
    trail: tuple[str, ...] = ()

    @property
    def scored_text(self) -> str:
        """What the ranker reads; the form is that of ``Block.scored_text``."""
        return "\n".join(part for part in (" > ".join(self.trail), self.text) if part)


@dataclass(frozen=True, slots=True)
class Ranker:
    """Longleaf's default ranking over plain texts; without an encoder BM25 alone, as there."""

    encoder: Encoder | None

    def order(self, texts: Sequence[str], question: str) -> list[int]:
        """Return the places of the texts, best first."""
        scores = self.scores(texts, question)
        return sorted(range(len(texts)), key=lambda i: (not has_word(texts[i]), -scores[i], i))

    def scores(self, texts: Sequence[str], question: str) -> list[float]:
        """Return one score a text, higher is better."""
        import numpy as np

        if not texts:
            return []
        lexical = Bm25(Counter(terms(text)) for text in texts).scores(query_terms(question))
        if self.encoder is None:
            return [float(s) for s in lexical]
        chosen = np.sort(np.argsort(-lexical, kind="stable")[:MAX_ENCODED])
        vectors = self.encoder.encode([question, *(texts[i] for i in chosen)])
        found = vectors[1:] @ vectors[0]
        dense = np.full(len(texts), found.min(), np.float32)
        dense[chosen] = found
        return [float(s) for s in LEXICAL_SHARE * scaled(lexical) + (1 - LEXICAL_SHARE) * scaled(dense)]


def pack(texts: Sequence[str], order: Sequence[int], budget: int, counter: TokenCounter) -> str:
    """Return the best texts that fit ``budget`` tokens, in document order, the next one cut to what is left.

    The longest prefix of ``order`` that fits, as Longleaf's own budget takes it: nothing is skipped
    for a smaller text further down.
    """

    def joined(places: Sequence[int]) -> str:
        return BETWEEN.join(texts[i] for i in sorted(places))

    low, high = 0, len(order) + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if counter.count(joined(order[:middle])) <= budget else (low, middle)
    whole = joined(order[:low])
    if low == len(order):
        return whole
    last = order[low]
    left = budget - counter.count(whole)
    while left > 0:
        part = counter.cut(texts[last], left)
        if not part.strip():
            break
        out = BETWEEN.join(part if i == last else texts[i] for i in sorted(order[: low + 1]))
        # Tokens of a joined text are not exactly the sum of its parts'.
        over = counter.count(out) - budget
        if over <= 0:
            return out
        left -= over
    return whole


def paragraphs(text: str, words: int = DEFAULT_WORDS) -> list[Chunk]:
    """Cut plain text or Markdown into chunks of whole lines, of at most ``words`` words where lines allow.

    A Markdown heading begins a chunk and is the trail of what follows.
    """
    chunks: list[Chunk] = []
    trail: dict[int, str] = {}
    lines: list[str] = []
    size = 0
    for line, level, title in _lines(text):
        more = count_words(line)
        if lines and (level or size + more > words):
            chunks.append(Chunk("\n".join(lines), tuple(trail.values())))
            lines, size = [], 0
        if level:
            trail = {depth: name for depth, name in trail.items() if depth < level} | {level: title}
        lines.append(line)
        size += more
    if lines:
        chunks.append(Chunk("\n".join(lines), tuple(trail.values())))
    return [chunk for chunk in chunks if chunk.text.strip()]


def _lines(text: str) -> Iterator[tuple[str, int, str]]:
    """Yield each line that says something, with the level and text of the heading that it is (or 0)."""
    code = False
    for line in text.splitlines():
        if _FENCE.match(line):
            code = not code
        heading = None if code else _HEADING.fullmatch(line.strip())
        if line.strip():
            yield line, len(heading[1]) if heading else 0, heading[2] if heading else ""
