"""BM25 over heading trail and text: the ranker that needs no model.

With the trail in the scored text it keeps 86 % of the answer's words at 512 tokens on FAQ
pages, 53 % without (pruning probe, section 2 B), and it is the better half of the mix on tables.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from longleaf.blocks import BlockTree
from longleaf.language import terms
from longleaf.prune.context import in_context
from longleaf.types import Block

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Robertson's usual constants; the probe used the same.
K1, B = 1.2, 0.75
# What a kind of block keeps of its score. A block of links points elsewhere: dropping such blocks
# raised hit@1 from .503 to .887 (lfqa.md, section 4.2), but now and then one is the answer. A
# heading comes along with whatever stands under it; alone it says nothing.
LINKS_SHARE = 0.35
KIND_SHARE: dict[str, float] = {"links": LINKS_SHARE, "chrome": LINKS_SHARE, "heading": 0.1, "media": 0.1}


class Bm25:
    """An inverted index in memory over bags of terms."""

    def __init__(self, bags: Iterable[Mapping[str, int]]) -> None:
        vocabulary: dict[str, int] = {}
        term_ids: list[int] = []
        counts: list[int] = []
        sizes: list[int] = []
        for bag in bags:
            for term, count in bag.items():
                term_ids.append(vocabulary.setdefault(term, len(vocabulary)))
                counts.append(count)
            sizes.append(len(bag))
        import numpy as np

        rows = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
        self._load(
            vocabulary, np.asarray(term_ids, np.int32), rows, np.asarray(counts, np.float32), len(sizes)
        )

    @classmethod
    def from_arrays(
        cls,
        vocabulary: dict[str, int],
        term_ids: NDArray[np.int32],
        rows: NDArray[np.int32],
        counts: NDArray[np.float32],
        size: int,
    ) -> Bm25:
        """Make the index from (term, row, count) triples of ``size`` rows."""
        made = cls.__new__(cls)
        made._load(vocabulary, term_ids, rows, counts, size)
        return made

    def _load(
        self,
        vocabulary: dict[str, int],
        term_ids: NDArray[np.int32],
        rows: NDArray[np.int32],
        counts: NDArray[np.float32],
        size: int,
    ) -> None:
        import numpy as np

        self.vocabulary = vocabulary
        self.size = size
        order = np.argsort(term_ids, kind="stable")
        self._rows = rows[order]
        bounds = np.searchsorted(term_ids[order], np.arange(len(vocabulary) + 1))
        self._bounds = bounds
        lengths = np.bincount(rows, counts, minlength=size) if size else np.zeros(0)
        mean = float(lengths.mean()) if size and lengths.any() else 1.0
        frequency = np.diff(bounds)
        self.idf = np.log1p((size - frequency + 0.5) / (frequency + 0.5)).astype(np.float32)
        weight = counts[order] * (K1 + 1) / (counts[order] + K1 * (1 - B + B * lengths[self._rows] / mean))
        self._weights = weight.astype(np.float32)

    def scores(self, query: Mapping[str, float]) -> NDArray[np.float32]:
        """Return the BM25 score of every row for weighted query terms."""
        import numpy as np

        out = np.zeros(self.size, np.float32)
        for term, weight in query.items():
            place = self.vocabulary.get(term)
            if place is None or not weight:
                continue
            first, last = self._bounds[place], self._bounds[place + 1]
            out[self._rows[first:last]] += weight * self.idf[place] * self._weights[first:last]
        return out

    def weight(self, term: str) -> float:
        """Return the idf of a term; an unseen term weighs as much as the rarest one."""
        place = self.vocabulary.get(term)
        if place is not None:
            return float(self.idf[place])
        import math

        return math.log1p((self.size + 0.5) / 0.5)


def bag(block: Block) -> Counter[str]:
    """Return the search terms of a block: heading trail, header row and text."""
    return Counter(terms(block.scored_text))


def query_terms(question: str) -> dict[str, float]:
    """Return the question's terms, each once."""
    return dict.fromkeys(terms(question), 1.0)


def kind_share(block: Block) -> float:
    """Return what a block keeps of its score for its kind.

    Rows under a header row are data even where every cell is a link: so are the answers of 18 in
    300 questions on Wikipedia tables.
    """
    if block.kind == "links" and block.header and ">table" in block.path:
        return 1.0
    return KIND_SHARE.get(block.kind, 1.0)


def bm25(blocks: Sequence[Block], question: str) -> NDArray[np.float32]:
    """Return the BM25 score of each block, higher is better."""
    return Bm25(bag(b) for b in blocks).scores(query_terms(question))


class LexicalPruner:
    """Ranks blocks by BM25, each in the light of its section and neighbours."""

    name = "lexical"

    def score(self, trees: Sequence[BlockTree], question: str) -> list[float]:
        """Return one score a block of all trees, higher is better."""
        import numpy as np

        blocks = [block for tree in trees for block in tree.blocks]
        shares = np.array([kind_share(block) for block in blocks], np.float32)
        return [float(score) for score in in_context(trees, bm25(blocks, question) * shares)]
