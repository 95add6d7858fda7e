"""A block in the light of what stands around it: an answer mostly goes on where it began.

A block gets a share of the best score in its section and of the better of its two neighbours. On
150 questions of FAQ pages whose headings do not repeat the question, the section's share is worth
2.5 to 3.2 of the answer's words in a hundred, the neighbours' 0.4 to 2.0; on Wikipedia tables the
neighbours' share is worth 2 answers in a hundred and the section's none (``benchmarks/pruning_ablation.py``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from longleaf.blocks import BlockTree, is_heading
from longleaf.types import Block, Nodes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Larger shares keep more of one answer and miss others whole: with 0.5 and 0.3 (and 0.15 of the trail)
# 1 more word in a hundred was kept at 1,024 tokens, and 2 questions in 100 fewer had any block kept at 512.
SECTION_SHARE = 0.3
NEIGHBOUR_SHARE = 0.2
# A heading is found at most so many nodes into a block that opens with it, behind its wrappers.
_REACH = 6


def in_context(trees: Sequence[BlockTree], scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the scores (one a block, of all trees) with their sections' and neighbours' shares.

    Means, so that the scale stays: what was 0 to 1 is so still. Scores must not be negative.
    """
    import numpy as np

    out: list[NDArray[np.float32]] = []
    base = 0
    for tree in trees:
        own = np.asarray(scores[base : base + len(tree.blocks)], np.float32)
        base += len(tree.blocks)
        number = np.asarray(sections(tree), np.intp)
        best = np.zeros(len(own), np.float32)
        np.maximum.at(best, number, own)
        lifted = (own + SECTION_SHARE * best[number]) / (1 + SECTION_SHARE)
        beside = np.zeros_like(lifted)
        beside[1:] = lifted[:-1]
        beside[:-1] = np.maximum(beside[:-1], lifted[1:])
        out.append(((lifted + NEIGHBOUR_SHARE * beside) / (1 + NEIGHBOUR_SHARE)).astype(np.float32))
    return np.concatenate(out) if out else np.zeros(0, np.float32)


def sections(tree: BlockTree) -> list[int]:
    """Return the number of each block's section: blocks under one heading element, or under none."""
    numbers: dict[int, int] = {}
    nodes = tree.page.nodes
    return [numbers.setdefault(_heading(nodes, block), len(numbers)) for block in tree.blocks]


def _heading(nodes: Nodes, block: Block) -> int:
    """Return the heading that a block opens with or else stands under; -1 where there is none."""
    (start, offset), (end, _) = block.span.start, block.span.end
    for node in range(start, min(start + _REACH, end)) if not offset else ():
        if is_heading(nodes, node):
            return node
        if nodes.says(node):
            break
    return next((node for node in reversed(block.context) if is_heading(nodes, node)), -1)
