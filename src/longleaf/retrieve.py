"""From a query to hits: BM25 over every block, sentence vectors over the best of them.

Only what lexical search brings is encoded, and each vector is cached by content, so the first
answer never waits for a corpus. Blocks that only point elsewhere count less; headings and
pictures are no hits, because they say nothing that could be quoted; the same text on several
pages counts once.

Scores are for the question in every turn; a plan only brings further blocks in. So a score
means the same from the first turn to the last, and the loop can tell when nothing good is left.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from longleaf.index.memory import MemoryIndex
from longleaf.language import collapse
from longleaf.prune.embed import LEXICAL_SHARE
from longleaf.prune.lexical import LINKS_SHARE, query_terms
from longleaf.types import Block, Hit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from longleaf.models.base import Encoder

# Blocks that lexical search hands to the encoder in the first turn. The encoder does some 150
# blocks a second on two cores, so this is about one second for a question that shares nothing.
CANDIDATES = 160
# And in each later turn, on top of what is encoded already.
MORE_CANDIDATES = 10
_NO_HITS = frozenset(("heading", "media"))
_CHROME = frozenset(("links", "chrome"))


@dataclass(frozen=True, slots=True)
class Found:
    """A block with its place in the index and its scores for the question.

    ``score`` is 0..1 against the best of the first turn; ``lexical`` is BM25, ``dense`` a cosine.
    """

    row: int
    page: int
    block: Block
    score: float
    lexical: float
    dense: float


@dataclass(slots=True)
class Retriever:
    """Searches one index for one question; remembers scales and vectors between turns."""

    index: MemoryIndex
    question: str
    encoder: Encoder | None = None
    encoded: int = 0
    _cosine: dict[int, float] = field(default_factory=dict)
    _vector: NDArray[np.float32] | None = None
    _lexical: NDArray[np.float32] | None = None
    _kinds: NDArray[np.float32] | None = None
    _scale: tuple[float, float, float] | None = None

    def search(self, query: Mapping[str, float]) -> list[Found]:
        """Return the candidates for weighted terms, best for the question first, each text once."""
        most = CANDIDATES if self._scale is None else MORE_CANDIDATES
        found = self.score(self._candidates(query, most))
        found.sort(key=lambda f: (-f.score, f.row))
        return list(_first_of_each_text(found))

    def _candidates(self, query: Mapping[str, float], most: int) -> list[int]:
        import numpy as np

        if self._kinds is None:
            self._kinds = self.index.kind_weights(
                dict.fromkeys(_CHROME, LINKS_SHARE) | dict.fromkeys(_NO_HITS, 0.0)
            )
        if self.encoder is not None and len(self.index) <= CANDIDATES:
            # A source this small is encoded whole: the question may share no word with it.
            return [int(r) for r in np.flatnonzero(self._kinds > 0)]
        scores = self.index.search(query) * self._kinds
        rows = np.flatnonzero(scores > 0)
        order = np.argsort(-scores[rows], kind="stable")[:most]
        return [int(r) for r in rows[order]]

    def score(self, rows: Sequence[int]) -> list[Found]:
        """Return rows with their scores for the question, in the given order."""
        import numpy as np

        if self._lexical is None:
            self._lexical = self.index.search(query_terms(self.question))
        blocks = [self.index.block(row) for row in rows]
        lexical = self._lexical[list(rows)] if rows else np.zeros(0, np.float32)
        dense = self._dense(rows, blocks)
        if self._scale is None:
            self._scale = _scale(lexical, dense)
        top, low, high = self._scale
        out: list[Found] = []
        for row, block, lex, cosine in zip(rows, blocks, lexical, dense, strict=True):
            share = LEXICAL_SHARE if self.encoder is not None else 1.0
            score = share * min(1.0, float(lex) / top) + (1 - share) * _between(float(cosine), low, high)
            score *= LINKS_SHARE if block.kind in _CHROME else 1.0
            out.append(Found(row, self.index.page_of(row), block, score, float(lex), float(cosine)))
        return out

    def _dense(self, rows: Sequence[int], blocks: Sequence[Block]) -> NDArray[np.float32]:
        import numpy as np

        if self.encoder is None:
            return np.zeros(len(rows), np.float32)
        missing = [(row, block) for row, block in zip(rows, blocks, strict=True) if row not in self._cosine]
        texts = [block.scored_text for _, block in missing]
        if self._vector is None:
            vectors = self.encoder.encode([self.question, *texts])
            self._vector, vectors = vectors[0], vectors[1:]
        elif texts:
            vectors = self.encoder.encode(texts)
        if texts:
            self.encoded += len(texts)
            for (row, _), cosine in zip(missing, vectors @ self._vector, strict=True):
                self._cosine[row] = float(cosine)
        return np.array([self._cosine[row] for row in rows], np.float32)


def _scale(lexical: NDArray[np.float32], dense: NDArray[np.float32]) -> tuple[float, float, float]:
    if not len(lexical):
        return 1.0, 0.0, 1.0
    return float(lexical.max()) or 1.0, float(dense.min()), float(dense.max())


def _between(value: float, low: float, high: float) -> float:
    return 0.0 if high <= low else min(1.0, max(0.0, (value - low) / (high - low)))


def _first_of_each_text(found: Iterable[Found]) -> Iterable[Found]:
    seen: set[str] = set()
    for f in found:
        text = collapse(f.block.text)
        if text not in seen:
            seen.add(text)
            yield f


def hits_of(index: MemoryIndex, found: Sequence[Found]) -> tuple[Hit, ...]:
    """Return found blocks as hits, with the score of each channel apart."""
    return tuple(
        Hit(index.entries[f.page].id, f.block.id, f.score, rank, {"lexical": f.lexical, "dense": f.dense})
        for rank, f in enumerate(found, 1)
    )
