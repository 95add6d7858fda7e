"""The default ranker: BM25 and sentence vectors, mixed, each block in the light of its surroundings.

BM25 reads heading trail, header row and text together; text and trail have a vector each, because
a trail in the text's vector drowns a short block. Both halves are scaled to 0..1 within the pool.
What each step gives is printed by ``benchmarks/pruning_ablation.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from longleaf.blocks import BlockTree
from longleaf.models.base import Encoder, encode_with_question
from longleaf.prune.context import in_context
from longleaf.prune.lexical import bm25, kind_share
from longleaf.types import Block

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# The weight of BM25 in the mix, and of the heading trail in a block's cosine: a compromise between
# FAQ pages and tables, better than what was there on both halves of the packages and pages, but not
# chosen blind. With the neighbours' share table rows want what prose wants, not 0.7 of BM25.
LEXICAL_SHARE = 0.4
TRAIL_SHARE = 0.1
# Only this many of the best blocks by BM25 are encoded: a page has 150 blocks in the median,
# and the encoder does some 150 a second on two cores.
MAX_ENCODED = 320


def scaled(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return scores stretched to 0..1; all equal gives zeros."""
    import numpy as np

    if not len(scores):
        return scores
    low, high = float(scores.min()), float(scores.max())
    if high <= low:
        return np.zeros_like(scores)
    return (scores - low) / (high - low)


def mix(lexical: NDArray[np.float32], dense: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the convex mix of two score vectors, each scaled to 0..1."""
    return LEXICAL_SHARE * scaled(lexical) + (1 - LEXICAL_SHARE) * scaled(dense)


class EmbedPruner:
    """Ranks blocks by the mix; encodes only the most promising ones of a large pool."""

    name = "embed"

    def __init__(self, encoder: Encoder, most: int = MAX_ENCODED) -> None:
        self.encoder = encoder
        self.most = most

    def score(self, trees: Sequence[BlockTree], question: str) -> list[float]:
        """Return one score a block of all trees, 0 to 1, higher is better."""
        import numpy as np

        blocks = [block for tree in trees for block in tree.blocks]
        if not blocks:
            return []
        shares = np.array([kind_share(block) for block in blocks], np.float32)
        lexical = bm25(blocks, question)
        chosen = np.sort(np.argsort(-lexical * shares, kind="stable")[: self.most])
        found = self._cosines([blocks[i] for i in chosen], question)
        dense = np.full(len(blocks), found.min(), np.float32)
        dense[chosen] = found
        return [float(score) for score in in_context(trees, mix(lexical, dense) * shares)]

    def _cosines(self, blocks: Sequence[Block], question: str) -> NDArray[np.float32]:
        """Return how alike the question is to each block: its text, and its heading trail."""
        import numpy as np

        texts = ["\n".join(part for part in (block.header, block.text) if part) for block in blocks]
        trails = [" > ".join(block.headings) for block in blocks]
        # Many blocks share a trail, and it is short: its vectors cost little beside the texts'.
        distinct = [trail for trail in dict.fromkeys(trails) if trail]
        asked, vectors = encode_with_question(self.encoder, question, [*texts, *distinct])
        cosines = vectors @ asked
        own, above = cosines[: len(texts)], dict(zip(distinct, cosines[len(texts) :], strict=True))
        # A block under no heading is neither better nor worse for it.
        usual = float(np.mean([above[trail] for trail in trails if trail])) if distinct else 0.0
        under = np.array([above.get(trail, usual) for trail in trails], np.float32)
        cosine: NDArray[np.float32] = (1 - TRAIL_SHARE) * own + TRAIL_SHARE * under
        return cosine
