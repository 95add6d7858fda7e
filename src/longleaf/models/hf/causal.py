"""Causal language models of transformers as ``ScoringLM``: many continuations in one forward.

A prompt is read once, in chunks, and its keys and values are kept: the next prompt that begins
alike (the same page, another question) goes on from there. A tree of continuations is read in one
forward under a mask by which a token sees the prompt, its ancestors and itself, at the position of
its depth. Where a model takes no such mask the tree is walked depth-first, each token a forward of
its own that reuses the keys of what stands above it (HtmlRAG, Algorithm 3).
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from longleaf.errors import ModelError
from longleaf.models.base import TreeQuery
from longleaf.models.hf.attention import use_grouped_attention
from longleaf.models.hf.keys import empty_cache
from longleaf.models.hf.loading import (
    Dtype,
    find_device,
    find_dtype,
    load,
    memory_errors,
    need_packages,
    quiet,
    to_int8,
)
from longleaf.models.hf.masks import Kin, depth_first_order, kin, never

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Method = Literal["auto", "tree", "depth-first"]
# Prompt tokens a forward: bounds the memory of attention and gains no more speed above (2 cores).
CHUNK = 512
# Keys and values that are kept between calls: some 45,000 tokens of a model of 135M parameters in fp32,
# so that a page that takes several prompts is still there for the next question.
KEPT_BYTES = 2 << 30
# Where positions are scaled by the whole length, half a prompt read before is not what it would be.
_LENGTH_SCALED = ("dynamic", "longrope")
_PLAIN = "this model has no chat template: the plain prompt is used"
_STEPWISE = "this model takes no tree mask: paths are scored token by token, which is slower"
_HINT = "use a smaller model, bf16, or a smaller budget before the language model"


@dataclass(slots=True)
class Usage:
    """Tokens that went through the model so far, and those that an earlier prompt saved."""

    prompt: int = 0
    reused: int = 0
    tree: int = 0
    forwards: int = 0


@dataclass(slots=True)
class _Prefix:
    """Tokens that were read, and their keys and values."""

    tokens: list[int]
    cache: Any


@dataclass(slots=True)
class CausalLM:
    """One model with its tokenizer; keeps what it read of the last prompts. Not thread-safe."""

    model: Any
    tokenizer: Any
    name: str
    method: Method = "auto"
    chunk: int = CHUNK
    batch: int = 1
    remarks: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)
    _kept: list[_Prefix] = field(default_factory=list)
    accepts: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        use_grouped_attention(self.model)
        self.accepts = frozenset(inspect.signature(self.model.forward).parameters)

    @classmethod
    def load(
        cls,
        name: str,
        device: str | None = None,
        dtype: Dtype = "auto",
        offline: bool = False,
        method: Method = "auto",
        batch: int = 1,
        remarks: tuple[str, ...] = (),
    ) -> CausalLM:
        """Load a model from a folder or by name; raises ``MissingExtra`` and ``ModelError``."""
        need_packages()
        import transformers

        quiet()
        where = find_device(device)
        tokenizer = load(transformers.AutoTokenizer, name, offline)
        with memory_errors(f"loading {name}", _HINT):
            model = load(transformers.AutoModelForCausalLM, name, offline, dtype=find_dtype(dtype, where))
            model = model.to(where).eval()
        return cls(
            to_int8(model) if dtype == "int8" else model,
            tokenizer,
            name,
            method,
            batch=batch,
            remarks=remarks,
        )

    @property
    def context(self) -> int:
        """Tokens that it can read, prompt and continuation together."""
        config = self._config
        for key in ("max_position_embeddings", "n_positions", "max_seq_len"):
            if isinstance(getattr(config, key, None), int):
                return int(getattr(config, key))
        return 1 << 20

    @property
    def _config(self) -> Any:
        return self.model.config.get_text_config()

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user should know of this model, in plain sentences."""
        notes = self.remarks if self.tokenizer.chat_template else (*self.remarks, _PLAIN)
        return notes if self.method != "depth-first" else (*notes, _STEPWISE)

    def chat(self, message: str) -> str:
        """Return the text of a prompt that ends where the answer to ``message`` begins."""
        if not self.tokenizer.chat_template:
            return f"{self.tokenizer.bos_token or ''}{message}\n"
        turn = [{"role": "user", "content": message}]
        return str(self.tokenizer.apply_chat_template(turn, add_generation_prompt=True, tokenize=False))

    def encode(self, text: str) -> list[int]:
        """Return the tokens of ``text``, nothing added."""
        return list(self.tokenizer(text, add_special_tokens=False)["input_ids"])

    def log_probabilities(self, queries: Sequence[TreeQuery]) -> list[list[NDArray[np.float32]]]:
        """Return, for each query and each entry of its ``wanted``, the candidates' log-probabilities."""
        import torch

        trees = [kin(query) for query in queries]
        for query, tree in zip(queries, trees, strict=True):
            self._check(len(query.prompt) + max(tree.depth))
        with torch.inference_mode(), memory_errors(f"running {self.name}", _HINT):
            self._choose_method()
            if self._may_batch(queries, trees):
                from longleaf.models.hf.batched import run_batches

                return run_batches(self, queries, trees)
            return [self._run(query, tree) for query, tree in zip(queries, trees, strict=True)]

    def _may_batch(self, queries: Sequence[TreeQuery], trees: Sequence[Kin]) -> bool:
        """Return whether several prompts can be read at once; padded ones know neither of the two below."""
        if self.batch == 1 or len(queries) == 1 or self.method != "tree" or self._length_scaled:
            return False
        lengths = [len(q.prompt) + max(tree.depth) for q, tree in zip(queries, trees, strict=True)]
        return not any(map(self._slides, lengths))

    def _check(self, length: int) -> None:
        if length > self.context:
            raise ModelError(
                f"{self.name} reads {self.context} tokens, and this prompt has {length}",
                "give it less: a smaller budget before the language model",
            )

    def _choose_method(self) -> None:
        if self.method != "auto":
            return
        from longleaf.models.hf.masks import takes_tree_mask

        self.method = "tree"
        if not takes_tree_mask(self):
            self.method = "depth-first"
        self.usage = Usage()
        self._kept.clear()

    # One prompt and its tree.

    def _run(self, query: TreeQuery, tree: Kin) -> list[NDArray[np.float32]]:
        base = len(query.prompt) - 1
        prefix = self._prefill(list(query.prompt[:-1]))
        tokens = [query.prompt[-1], *query.token]
        longest = base + 1 + max(tree.depth)
        stepwise = self.method == "depth-first" or self._slides(longest)
        rows = (self._stepwise if stepwise else self._tree)(query, tree, tokens, prefix.cache, base)
        shorten(prefix.cache, base)
        self.usage.tree += len(tokens)
        return [rows[place] for place in range(len(query.wanted))]

    def _slides(self, length: int) -> bool:
        """Return whether some layer would not see the whole prompt: the mask would show it too much."""
        window = int(getattr(self._config, "sliding_window", None) or 0)
        kinds = getattr(self._config, "layer_types", None) or ()
        return 0 < window < length and any("sliding" in kind for kind in kinds)

    def _prefill(self, tokens: list[int]) -> _Prefix:
        """Read a prompt, from where a kept one ends to be the same; nothing is computed twice."""
        prefix, shared = self._longest_kept(tokens)
        if prefix is None:
            prefix = _Prefix([], empty_cache())
        elif shared < len(prefix.tokens):
            shorten(prefix.cache, shared)
        self.usage.reused += shared
        prefix.tokens = tokens[:shared]
        step = len(tokens) if self._length_scaled else self.chunk
        for start in range(shared, len(tokens), max(1, step)):
            part = tokens[start : start + step]
            self.forward(part, list(range(start, start + len(part))), None, prefix.cache, [])
            prefix.tokens = tokens[: start + len(part)]
            self.usage.prompt += len(part)
        self._keep(prefix)
        return prefix

    @property
    def _length_scaled(self) -> bool:
        rope = getattr(self._config, "rope_parameters", None) or {}
        return isinstance(rope, dict) and rope.get("rope_type") in _LENGTH_SCALED

    def _longest_kept(self, tokens: list[int]) -> tuple[_Prefix | None, int]:
        """Return the kept prompt that shares most with ``tokens``, if that is most of itself."""
        best: _Prefix | None = None
        shared = 0
        for prefix in () if self._length_scaled else self._kept:
            count = _common(prefix.tokens, tokens)
            if count > shared and 2 * count >= len(prefix.tokens):
                best, shared = prefix, count
        return best, shared

    def _keep(self, prefix: _Prefix) -> None:
        self._kept = [prefix, *(other for other in self._kept if other is not prefix)]
        total = 0
        for place, other in enumerate(self._kept):
            total += len(other.tokens) * self._bytes_a_token
            if place and total > KEPT_BYTES:
                del self._kept[place:]
                return

    @property
    def _bytes_a_token(self) -> int:
        config = self._config
        heads = getattr(config, "num_key_value_heads", None) or config.num_attention_heads
        size = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
        return int(2 * config.num_hidden_layers * heads * size * self.model.dtype.itemsize)

    def _tree(
        self, query: TreeQuery, tree: Kin, tokens: list[int], cache: Any, base: int
    ) -> dict[int, NDArray[np.float32]]:
        """Read the whole tree under its mask; one too large for a chunk in several goes."""
        import torch

        rows: dict[int, NDArray[np.float32]] = {}
        for start in range(0, len(tokens), self.chunk):
            stop = min(start + self.chunk, len(tokens))
            mask = torch.zeros((1, 1, stop - start, base + stop), dtype=self.model.dtype)
            hidden = torch.from_numpy(~tree.sees[start:stop, :stop])
            mask[0, 0, :, base:].masked_fill_(hidden, never(self.model.dtype))
            asked = [n for n, (node, _) in enumerate(query.wanted) if start <= node + 1 < stop]
            places = [query.wanted[n][0] + 1 - start for n in asked]
            positions = [base + depth for depth in tree.depth[start:stop]]
            logits = self.forward(tokens[start:stop], positions, mask, cache, places)
            rows |= pick(logits, asked, query)
        return rows

    def _stepwise(
        self, query: TreeQuery, tree: Kin, tokens: list[int], cache: Any, base: int
    ) -> dict[int, NDArray[np.float32]]:
        """Read the tree token by token, depth first, going back to where the next one branches off."""
        rows: dict[int, NDArray[np.float32]] = {}
        for place in depth_first_order(tree):
            position = base + tree.depth[place]
            shorten(cache, position)
            asked = [n for n, (node, _) in enumerate(query.wanted) if node + 1 == place]
            logits = self.forward([tokens[place]], [position], None, cache, [0])
            rows |= pick(logits.expand(len(asked), -1), asked, query)
        return rows

    def forward(
        self, tokens: list[int], positions: list[int], mask: Any, cache: Any, places: list[int]
    ) -> Any:
        """Run the model on tokens that follow what is in ``cache``; logits at ``places``, float32."""
        import torch

        device = self.model.device
        ids = torch.tensor([tokens], device=device)
        options = self.options(ids, torch.tensor([positions], device=device), mask, cache)
        keeps = "logits_to_keep" in self.accepts
        if keeps:
            options["logits_to_keep"] = torch.tensor(places or [len(tokens) - 1], device=device)
        self.usage.forwards += 1
        logits = self.model(**options).logits[0]
        return (logits if keeps or not places else logits[places]).float()

    def options(self, tokens: Any, positions: Any, mask: Any, cache: Any) -> dict[str, Any]:
        """Return the arguments of the model under the names that it knows."""
        options = {"input_ids": tokens, "use_cache": True}
        # Another name in some versions of transformers.
        options["cache" if "cache" in self.accepts else "past_key_values"] = cache
        if mask is not None:
            options["attention_mask"] = mask.to(tokens.device)
        if "position_ids" in self.accepts:
            options["position_ids"] = positions
        return options


def pick(logits: Any, asked: Sequence[int], query: TreeQuery) -> dict[int, NDArray[np.float32]]:
    """Return the log-probabilities of the candidates of some ``wanted`` entries, a row of logits each."""
    if not asked:
        return {}
    import torch

    logs = torch.log_softmax(logits, dim=-1).cpu()
    out: dict[int, NDArray[np.float32]] = {}
    for row, number in zip(logs, asked, strict=True):
        out[number] = row[list(query.wanted[number][1])].numpy()
    return out


def shorten(cache: Any, length: int) -> None:
    """Forget all but the first ``length`` tokens of a cache."""
    surplus = cache.get_seq_length() - length
    if surplus > 0:
        cache.crop(-surplus)


def _common(first: Sequence[int], second: Sequence[int]) -> int:
    for place, (a, b) in enumerate(zip(first, second, strict=False)):
        if a != b:
            return place
    return min(len(first), len(second))
