"""Which token of a tree sees which, and whether a model heeds it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from longleaf.models.base import TreeQuery

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from longleaf.models.hf.causal import CausalLM

# A model that takes the mask differs from a walk by rounding alone: 6e-5 of a logit in fp32 (models.md).
_EXACT, _ROUNDED = 1e-3, 0.25


@dataclass(frozen=True, slots=True, eq=False)
class Kin:
    """A tree with the last token of the prompt as node 0: parents, depths, and who is whose ancestor.

    ``sees[i, j]``: token ``i`` sees token ``j``, which is itself or an ancestor.
    """

    parent: tuple[int, ...]
    depth: tuple[int, ...]
    sees: NDArray[np.bool_]


def never(dtype: Any) -> float:
    """Return what a mask adds to forbid attention."""
    import torch

    return float(torch.finfo(dtype).min)


def kin(query: TreeQuery) -> Kin:
    """Return who sees whom in a query's tree, the prompt's last token put before all."""
    import numpy as np

    parent = (-1, *(up + 1 for up in query.parent))
    depth = [0] * len(parent)
    sees = np.zeros((len(parent), len(parent)), bool)
    for node, up in enumerate(parent):
        if up >= 0:
            depth[node] = depth[up] + 1
            sees[node] = sees[up]
        sees[node, node] = True
    return Kin(parent, tuple(depth), sees)


def depth_first_order(tree: Kin) -> list[int]:
    """Return the nodes so that each comes right after its parent or after a sibling's subtree."""
    below: list[list[int]] = [[] for _ in tree.parent]
    for node, up in enumerate(tree.parent[1:], 1):
        below[up].append(node)
    order: list[int] = []
    todo = [0]
    while todo:
        node = todo.pop()
        order.append(node)
        todo += reversed(below[node])
    return order


def takes_tree_mask(lm: CausalLM) -> bool:
    """Return whether a model gives a small tree the same scores under the mask as in a walk.

    Not all do: some number positions themselves, some have layers that know no mask.
    """
    import numpy as np

    size = lm.model.get_input_embeddings().num_embeddings
    token = [number % size for number in range(11, 18)]
    query = TreeQuery(token[:3], token[3:], (-1, 0, -1, 2), [(node, range(size)) for node in (1, 3)])
    tree, tokens = kin(query), token[2:]

    def scores(walk: Callable[..., Any]) -> Any:
        prefix = lm._prefill(list(query.prompt[:-1]))
        try:
            rows = walk(query, tree, tokens, prefix.cache, 2)
        finally:
            lm._kept.clear()
        return np.stack([rows[0], rows[1]])

    expected = scores(lm._stepwise)
    try:
        found = scores(lm._tree)
    # However a model's own code fails on a mask that it was not written for; the walk is there.
    except (RuntimeError, ValueError, TypeError, AttributeError, NotImplementedError):
        return False
    worst = float(np.abs(found - expected).max())
    return worst <= (_EXACT if lm.model.dtype.itemsize == 4 else _ROUNDED)
