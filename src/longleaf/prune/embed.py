"""The default ranker: BM25 and sentence vectors, mixed.

Both halves read heading trail + header row + text and are scaled to 0..1 within the pool. The
mix beats BM25 by 7 to 11 points of kept answer on pages whose headings do not repeat the
question; on table rows the vectors hurt, so the weights turn round there (pruning probe,
sections 2 A and 2 C; cross-checked on halves of the data).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from longleaf.blocks import BlockTree
from longleaf.models.base import Encoder, encode_with_question
from longleaf.prune.lexical import KIND_SHARE, LexicalPruner
from longleaf.types import Block, Kind

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LEXICAL_SHARE = 0.3
LEXICAL_SHARE_TABLE = 0.7
# Only this many of the best blocks by BM25 are encoded: a page has 156 blocks in the median,
# and the encoder does some 50 to 80 a second.
MAX_ENCODED = 320


def lexical_share(kind: Kind) -> float:
    """Return the weight of BM25 in the mix for a kind of block."""
    return LEXICAL_SHARE_TABLE if kind == "table" else LEXICAL_SHARE


def scaled(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return scores stretched to 0..1; all equal gives zeros."""
    import numpy as np

    if not len(scores):
        return scores
    low, high = float(scores.min()), float(scores.max())
    if high <= low:
        return np.zeros_like(scores)
    return (scores - low) / (high - low)


def mix(
    blocks: Sequence[Block], lexical: NDArray[np.float32], dense: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return the convex mix of two score vectors, weighted by each block's kind."""
    import numpy as np

    share = np.array([lexical_share(b.kind) for b in blocks], np.float32)
    return share * scaled(lexical) + (1 - share) * scaled(dense)


class EmbedPruner:
    """Ranks blocks by the mix; encodes only the most promising ones of a large pool."""

    name = "embed"

    def __init__(self, encoder: Encoder, most: int = MAX_ENCODED) -> None:
        self.encoder = encoder
        self.most = most

    def score(self, trees: Sequence[BlockTree], question: str) -> list[float]:
        """Return one score a block of all trees, higher is better."""
        import numpy as np

        blocks = [block for tree in trees for block in tree.blocks]
        if not blocks:
            return []
        lexical = np.array(LexicalPruner().score_blocks(blocks, question), np.float32)
        chosen = np.sort(np.argsort(-lexical, kind="stable")[: self.most])
        texts = [blocks[i].scored_text for i in chosen]
        asked, vectors = encode_with_question(self.encoder, question, texts)
        found = vectors @ asked
        dense = np.full(len(blocks), found.min(), np.float32)
        dense[chosen] = found
        scores = mix(blocks, lexical, dense)
        return [float(s) * KIND_SHARE.get(b.kind, 1.0) for s, b in zip(scores, blocks, strict=True)]
