"""Several prompts with their trees in one forward: padded on the left, each under a mask of its own.

Worth it on a GPU, where one page does not fill the device; two cores are full with one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from longleaf.models.base import TreeQuery
from longleaf.models.hf.keys import empty_cache
from longleaf.models.hf.masks import Kin, never

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from longleaf.models.hf.causal import CausalLM


def run_batches(
    lm: CausalLM, queries: Sequence[TreeQuery], trees: Sequence[Kin]
) -> list[list[NDArray[np.float32]]]:
    """Return what ``log_probabilities`` does; prompts of like length go together."""
    order = sorted(range(len(queries)), key=lambda n: len(queries[n].prompt))
    out: list[list[NDArray[np.float32]]] = [[] for _ in queries]
    for start in range(0, len(order), lm.batch):
        some = order[start : start + lm.batch]
        results = _Batch(lm, [queries[n] for n in some], [trees[n] for n in some]).run()
        for number, rows in zip(some, results, strict=True):
            out[number] = rows
    return out


class _Batch:
    """Some queries, padded to one shape: prompts on the left, trees on the right."""

    def __init__(self, lm: CausalLM, queries: Sequence[TreeQuery], trees: Sequence[Kin]) -> None:
        self.lm, self.queries, self.trees = lm, queries, trees
        self.bases = [len(query.prompt) - 1 for query in queries]
        self.base = max(self.bases)
        self.size = max(len(tree.parent) for tree in trees)
        self.cache = empty_cache()

    def run(self) -> list[list[NDArray[np.float32]]]:
        """Read all prompts in chunks, then all trees at once."""
        for start in range(0, self.base, self.lm.chunk):
            self._prompts(start, min(start + self.lm.chunk, self.base))
        logits = self._trees()
        out: list[list[NDArray[np.float32]]] = []
        for query, row in zip(self.queries, logits, strict=True):
            out.append([row[node + 1][list(tokens)].cpu().numpy() for node, tokens in query.wanted])
        return out

    def _prompts(self, start: int, stop: int) -> None:
        import torch

        tokens = torch.zeros((len(self.queries), stop - start), dtype=torch.long)
        positions = torch.zeros_like(tokens)
        mask = self._mask(stop - start, stop)
        places = torch.arange(start, stop)
        for n, (query, base) in enumerate(zip(self.queries, self.bases, strict=True)):
            pad = self.base - base
            padded = [0] * pad + list(query.prompt[:-1])
            tokens[n] = torch.tensor(padded[start:stop])
            positions[n] = (places - pad).clamp(min=0)
            seen = torch.arange(stop)
            allowed = (seen[None, :] <= places[:, None]) & (seen[None, :] >= pad)
            allowed |= seen[None, :] == places[:, None]  # padding sees itself: a row needs something
            mask[n, 0].masked_fill_(~allowed, never(mask.dtype))
        self._forward(tokens, positions, mask, 1)

    def _trees(self) -> Any:
        import torch

        tokens = torch.zeros((len(self.queries), self.size), dtype=torch.long)
        positions = torch.zeros_like(tokens)
        mask = self._mask(self.size, self.base + self.size)
        for n, (query, tree) in enumerate(zip(self.queries, self.trees, strict=True)):
            count, base = len(tree.parent), self.bases[n]
            tokens[n, :count] = torch.tensor([query.prompt[-1], *query.token])
            positions[n, :count] = base + torch.tensor(tree.depth)
            allowed = torch.eye(self.size, dtype=torch.bool)
            allowed[:count, :count] = torch.from_numpy(tree.sees)
            mask[n, 0, :, self.base :].masked_fill_(~allowed, never(mask.dtype))
            mask[n, 0, :, : self.base - base] = never(mask.dtype)
            self.lm.usage.tree += count
        return torch.log_softmax(self._forward(tokens, positions, mask, 0).float(), dim=-1)

    def _mask(self, rows: int, columns: int) -> Any:
        import torch

        return torch.zeros((len(self.queries), 1, rows, columns), dtype=self.lm.model.dtype)

    def _forward(self, tokens: Any, positions: Any, mask: Any, keep: int) -> Any:
        lm = self.lm
        device = lm.model.device
        self.lm.usage.forwards += 1
        self.lm.usage.prompt += tokens.numel() if keep else 0
        return lm.model(
            **lm.options(tokens.to(device), positions.to(device), mask.to(device), self.cache),
            **({"logits_to_keep": keep} if "logits_to_keep" in lm.accepts else {}),
        ).logits
