"""The token tree: block paths as tokens, merged where they begin alike (HtmlRAG, section 3.4.2).

Node ``i`` is a token that follows the tokens of its ancestors; -1 is the place before all of them,
the end of the prompt. Pure: which logits are needed and what they mean for the blocks is decided
here, who computes them is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class TokenTree:
    """A prefix tree of token sequences, its nodes in depth-first order.

    ``ends[p]`` is the node where path ``p`` ends. ``branches`` lists the nodes with more than one
    child, -1 among them where the paths begin differently: only there a model has to be asked,
    because an only child has probability 1. ``fed`` lists the nodes that it must read for that.
    """

    token: tuple[int, ...]
    parent: tuple[int, ...]
    ends: tuple[int, ...]
    children: dict[int, tuple[int, ...]] = field(repr=False)
    branches: tuple[int, ...] = field(repr=False)
    fed: tuple[int, ...] = field(repr=False)

    def __len__(self) -> int:
        return len(self.token)

    @property
    def skipped(self) -> float:
        """Return the share of nodes whose probability is 1 without asking (the paper saw over 45 %)."""
        asked = sum(len(self.children[node]) for node in self.branches)
        return 1 - asked / len(self) if self.token else 0.0

    def depth(self, node: int) -> int:
        """Return how many tokens stand before and at ``node``; 0 for -1."""
        depth = 0
        while node >= 0:
            node, depth = self.parent[node], depth + 1
        return depth


def token_tree(paths: Sequence[Sequence[int]]) -> TokenTree:
    """Merge token sequences into their prefix tree; equal ones end at the same node."""
    token: list[int] = []
    parent: list[int] = []
    below: dict[int, dict[int, int]] = {-1: {}}
    ends: list[int] = []
    for path in paths:
        node = -1
        for number in path:
            following = below[node].get(number)
            if following is None:
                following = below[node][number] = len(token)
                token.append(number)
                parent.append(node)
                below[following] = {}
            node = following
        ends.append(node)
    return _ordered(token, parent, ends, below)


def _ordered(
    token: list[int], parent: list[int], ends: list[int], below: dict[int, dict[int, int]]
) -> TokenTree:
    """Number the nodes anew in depth-first order, and find out which ones matter."""
    order: list[int] = []
    todo = list(reversed(below[-1].values()))
    while todo:
        node = todo.pop()
        order.append(node)
        todo += reversed(below[node].values())
    place = {node: i for i, node in enumerate(order)} | {-1: -1}
    children = {place[node]: tuple(place[c] for c in found.values()) for node, found in below.items()}
    parents = tuple(place[parent[node]] for node in order)
    branches = tuple(node for node in range(-1, len(order)) if len(children[node]) > 1)
    needed: set[int] = set()
    for node in branches:
        while node >= 0 and node not in needed:
            needed.add(node)
            node = parents[node]
    return TokenTree(
        tuple(token[node] for node in order),
        parents,
        tuple(place[node] for node in ends),
        children,
        branches,
        tuple(sorted(needed)),
    )


def sibling_log_probabilities(tree: TokenTree, logits: Sequence[NDArray[np.float32]]) -> NDArray[np.float64]:
    """Return the log-probability of each node among its siblings.

    ``logits[b]`` belongs to the children of ``tree.branches[b]``, in their order; anything that
    differs from logits by one number a branch (log-probabilities over the vocabulary) does as well.
    """
    import numpy as np

    out = np.zeros(len(tree))
    for node, values in zip(tree.branches, logits, strict=True):
        wide = np.asarray(values, np.float64)
        highest = wide.max()
        out[list(tree.children[node])] = wide - highest - np.log(np.exp(wide - highest).sum())
    return out


def path_scores(
    tree: TokenTree, log_probabilities: NDArray[np.float64], normalised: bool = False
) -> list[float]:
    """Return the score of each path: the sum of its tokens' log-probabilities.

    ``normalised`` divides by the number of tokens that were a choice, because a deep block collects
    more factors below 1 than a shallow one (htmlrag.md, section 4.2).
    """
    totals: list[float] = []
    choices: list[int] = []
    for node, up in enumerate(tree.parent):
        before, count = (totals[up], choices[up]) if up >= 0 else (0.0, 0)
        totals.append(before + float(log_probabilities[node]))
        choices.append(count + (len(tree.children[up]) > 1))
    scores = [totals[end] if end >= 0 else 0.0 for end in tree.ends]
    if not normalised:
        return scores
    return [s / max(1, choices[end]) if end >= 0 else s for s, end in zip(scores, tree.ends, strict=True)]
