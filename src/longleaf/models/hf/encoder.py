"""Any encoder model that transformers loads, as an ``Encoder``: BGE, E5, MiniLM and others.

Texts go through the model one by one, because the last bits of a vector depend on what else is in its
batch, even where all texts of a batch are of one length: other shapes are multiplied by other kernels
(all-MiniLM-L6-v2 on a CPU: batches of 3 tokens differ from the texts alone, longer ones did not). A
cached vector must be what would be computed. torch's threads are left as they are; they wait for one
another in every layer, so on a machine that is busy one thread (``OMP_NUM_THREADS=1``) is faster.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any

from longleaf.models.hf.folders import (
    SMALLER,
    Precision,
    load_model,
    load_tokenizer,
    model_folder,
    positions,
)
from longleaf.models.hf.loading import find_device, memory_errors
from longleaf.models.hf.recipes import Recipe, recipe_of
from longleaf.tokens import encodable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from longleaf.models.base import Progress


class HfEncoder:
    """An encoder by folder or hub name; reads texts one by one, cut at what the model can read.

    Raises ``ModelError`` where the model cannot be found or read, ``MissingExtra`` without torch.
    Nothing is loaded before the first text, and ``recipe`` says how the model is used.
    """

    def __init__(
        self,
        name: str,
        device: str | None = None,
        dtype: Precision = "fp32",
        offline: bool = False,
        recipe: Recipe | None = None,
    ) -> None:
        self.folder = model_folder(name, offline)
        self.recipe = recipe or recipe_of(self.folder)
        self.device = find_device(device)
        self.dtype: Precision = dtype
        self._lock = Lock()
        self._loaded: tuple[Any, Any, int] | None = None

    @cached_property
    def name(self) -> str:
        """The weights, how they are used, and with what."""
        import torch
        import transformers

        digest = hashlib.sha256(repr(self.recipe).encode())
        tables = sorted(self.folder.path.glob("*.json"))
        for path in [*self.folder.weights(), *tables]:
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
        # Another number of threads may add up in another order.
        where = f"cpu-{torch.get_num_threads()}" if self.device.type == "cpu" else self.device.type
        versions = f"torch-{torch.__version__}-transformers-{transformers.__version__}"
        return f"hf-{digest.hexdigest()[:16]}-{self.dtype}-{where}-{versions}"

    @property
    def dims(self) -> int:
        """Numbers in a vector."""
        return int(self._load()[1].config.hidden_size)

    def encode(self, texts: Sequence[str], progress: Progress | None = None) -> NDArray[np.float32]:
        """Return one row of length 1 for each text: float32, shape (texts, dims)."""
        import numpy as np

        rows = np.empty((len(texts), self.dims), np.float32)
        for number, text in enumerate(texts):
            rows[number] = self._vector(self.recipe.passage + text)
            if progress is not None:
                progress(number + 1, len(texts))
        return rows

    def encode_query(self, question: str) -> NDArray[np.float32]:
        """Return the vector of a question, with what the model wants before one: shape (dims,)."""
        return self._vector(self.recipe.query + question)

    def _vector(self, text: str) -> NDArray[np.float32]:
        import torch

        tokenizer, model, limit = self._load()
        ids = self._ids(tokenizer, text, limit)
        with torch.inference_mode(), memory_errors(f"running {self.folder.name}", SMALLER):
            states = model(input_ids=torch.tensor([ids], device=self.device)).last_hidden_state[0].float()
            vector: NDArray[np.float32] = _pooled(states, self.recipe).cpu().numpy()
        return vector

    def _ids(self, tokenizer: Any, text: str, limit: int) -> list[int]:
        clean = encodable(text.lower() if self.recipe.lower else text)
        # Words that look like special tokens are words: a page must not be able to end its own text.
        ids: list[int] = tokenizer(clean, truncation=True, max_length=limit, split_special_tokens=True)[
            "input_ids"
        ]
        if self.recipe.closed and (not ids or ids[-1] != tokenizer.eos_token_id):
            ids = [*ids[: limit - 1], tokenizer.eos_token_id]
        return ids or [tokenizer.unk_token_id or 0]

    def _load(self) -> tuple[Any, Any, int]:
        with self._lock:
            if self._loaded is None:
                tokenizer = load_tokenizer(self.folder)
                # The pooler is a head of pre-training that no vector goes through.
                model = load_model(
                    self.folder, "AutoModel", self.dtype, str(self.device), optional=("pooler.",)
                )
                self._loaded = tokenizer, model, positions(self.folder, tokenizer, model.config)
            return self._loaded


def _pooled(states: Any, recipe: Recipe) -> Any:
    """Return one vector of length 1 from a text's token states, shape (tokens, dims)."""
    import torch

    if recipe.pooling == "cls":
        vector = states[0]
    elif recipe.pooling == "lasttoken":
        vector = states[-1]
    elif recipe.pooling == "max":
        vector = states.amax(0)
    else:
        vector = states.mean(0)
    return torch.nn.functional.normalize(vector, dim=0)
