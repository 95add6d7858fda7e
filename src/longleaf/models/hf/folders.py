"""Models that transformers loads, from a folder or by a name of the model hub.

``loading`` does so for language models; rankers need more of a model's files than transformers reads,
so here a name becomes a folder first. Only architectures that transformers itself has are run, never
code that comes with a model, and only weights in safetensors are read, which cannot carry code. A
folder is read where it is; a hub name is looked up in the local hub cache, and fetched only where
nobody said offline. torch and transformers (the extra ``lm``) are loaded with the first model.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NoReturn

from longleaf.errors import ModelError
from longleaf.models.hf.loading import find_device, find_dtype, memory_errors, need_packages

Precision = Literal["fp32", "bf16"]
# What to do where memory runs out.
SMALLER = "use a smaller model, bf16, or a device with more memory"
# What a hub name looks like; anything else is a path.
_HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*(?:/[A-Za-z0-9][\w.-]*)?")
# huggingface_hub reads its own variable once, when it is imported; here it counts when a model is opened.
_OFFLINE = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
_WANTED = ["*.json", "*.safetensors", "*.txt", "*.model"]
_UNWANTED = ["onnx/*", "openvino/*", "original/*"]
# These models number positions after the padding token's, so that many fewer can be used.
_SHIFTED = ("roberta", "xlm-roberta", "camembert", "mpnet", "longformer", "xlm-roberta-xl")
# transformers writes "no limit" as 1e30.
_NO_LIMIT = 10**9


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """A model's files on this machine, and the name that the user knows it by."""

    name: str
    path: Path

    def read_json(self, name: str) -> Any:
        """Return a JSON file of the model, or None where it has none; raises ``ModelError``."""
        path = self.path / name
        if not path.is_file():
            return None
        try:
            return json.loads(path.read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise ModelError(
                f"{name} of the model {self.name} cannot be read: {error}", "get the model's files again"
            ) from error

    def config(self) -> dict[str, Any]:
        """Return ``config.json``; raises ``ModelError`` where there is none."""
        config = self.read_json("config.json")
        if not isinstance(config, dict):
            raise ModelError(
                f"{self.path} holds no model: config.json is missing",
                "name a folder that holds config.json, a tokenizer and *.safetensors",
            )
        return config

    def weights(self) -> list[Path]:
        """Return the weights' files; raises ``ModelError`` where none is in safetensors."""
        found = sorted(self.path.glob("*.safetensors"))
        if not found:
            raise ModelError(
                f"{self.name} has no *.safetensors file in {self.path}",
                "convert its weights to safetensors; other formats can carry code and are not read",
            )
        return found


def model_folder(name: str, offline: bool = False) -> ModelFolder:
    """Return the folder of a model given by path or hub name.

    Never a network call for a path, with ``offline``, or where ``HF_HUB_OFFLINE`` is set. Raises
    ``ModelError`` where there is no such model, and ``MissingExtra``.
    """
    need_packages()
    path = Path(name).expanduser()
    if path.is_dir():
        return ModelFolder(name, path)
    if not _HUB_NAME.fullmatch(name):
        raise ModelError(
            f"there is no model folder {name}", "name a folder that holds config.json, or a hub name"
        )
    offline = offline or any(os.environ.get(v, "").upper() in ("1", "ON", "YES", "TRUE") for v in _OFFLINE)
    from huggingface_hub import snapshot_download

    try:
        found = snapshot_download(
            name, local_files_only=offline, allow_patterns=_WANTED, ignore_patterns=_UNWANTED
        )
    # The hub client's failures are all one of these two.
    except (OSError, ValueError) as error:
        raise _not_found(name, offline, error) from error
    return ModelFolder(name, Path(found))


def _not_found(name: str, offline: bool, error: Exception) -> ModelError:
    if offline:
        return ModelError(
            f"{name} is neither a folder nor in the local hub cache, and the network is off",
            "name a folder, or run once without --offline and HF_HUB_OFFLINE to fetch it",
        )
    return ModelError(
        f"{name} is neither a folder nor to be had from the model hub: {_first_line(error)}",
        "check the name and the connection, or name a folder",
    )


def load_tokenizer(folder: ModelFolder) -> Any:
    """Return the model's tokenizer; raises ``ModelError``."""
    import transformers

    with loading(folder):
        tokenizer = transformers.AutoTokenizer.from_pretrained(
            folder.path, local_files_only=True, trust_remote_code=False
        )
    if not tokenizer.is_fast:
        raise ModelError(
            f"the tokenizer of {folder.name} cannot say where its tokens stand in the text",
            "use a model with a tokenizer.json",
        )
    return tokenizer


def load_model(
    folder: ModelFolder,
    kind: str,
    dtype: Precision = "fp32",
    device: str | None = None,
    config: Any = None,
    state: dict[str, Any] | None = None,
    optional: tuple[str, ...] = (),
) -> Any:
    """Return a model of the transformers class ``kind`` (``AutoModel...``), ready to be asked.

    ``config`` and ``state`` stand in for the folder's own. Raises ``ModelError`` where weights are
    missing that the class needs (a causal model has no head that classifies) unless their names start
    with one of ``optional``.
    """
    import torch
    import transformers

    where = find_device(device)
    if state is None:
        folder.weights()
    with loading(folder):
        made = getattr(transformers, kind)
        if state is not None:
            with torch.device("meta"):  # the automatic class wants a folder; this asks it for the real one
                made = type(made.from_config(config))
        model, info = made.from_pretrained(
            folder.path if state is None else None,
            config=config,
            state_dict=state,
            dtype=find_dtype(dtype, where),
            use_safetensors=True,
            local_files_only=True,
            trust_remote_code=False,
            output_loading_info=True,
        )
        missing = sorted(key for key in info["missing_keys"] if not key.startswith(optional))
        if missing or info.get("mismatched_keys"):
            wrong_architecture(folder, kind, missing or sorted(map(str, info["mismatched_keys"])))
        return model.to(where).eval()


def wrong_architecture(folder: ModelFolder, kind: str, lacking: list[str]) -> NoReturn:
    """Raise ``ModelError``: the weights are not of the kind that was asked for."""
    made_for = ", ".join(folder.config().get("architectures") or ["another task"])
    raise ModelError(
        f"{folder.name} was made for {made_for}: as {kind} it lacks {', '.join(lacking[:3])}",
        "name a model that was trained for this task",
    )


@contextmanager
def loading(folder: ModelFolder) -> Iterator[None]:
    """Keep transformers quiet, and turn what it raises about a model's files into ``ModelError``."""
    from safetensors import SafetensorError
    from transformers.utils import logging

    level, bar = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity(logging.CRITICAL)
    logging.disable_progress_bar()
    try:
        with memory_errors(f"loading {folder.name}", SMALLER):
            yield
    # A damaged file, an architecture that transformers lacks, sizes that do not agree with config.json.
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RuntimeError, SafetensorError) as error:
        raise ModelError(
            f"transformers cannot load {folder.name}: {_first_line(error)}",
            "name a model whose architecture transformers has; code of the model's own is never run",
        ) from error
    finally:
        logging.set_verbosity(level)
        if bar:
            logging.enable_progress_bar()


def positions(folder: ModelFolder, tokenizer: Any, config: Any) -> int:
    """Return how many tokens, special ones included, the model can read at once."""
    limits = [int(tokenizer.model_max_length)] if tokenizer.model_max_length < _NO_LIMIT else []
    most = getattr(config, "max_position_embeddings", None)
    if isinstance(most, int) and most > 0:
        limits.append(most - 2 if config.model_type in _SHIFTED else most)
    told = (folder.read_json("sentence_bert_config.json") or {}).get("max_seq_length")
    if isinstance(told, int) and told > 0:
        limits.append(told)
    # A model without any limit has relative positions; what it was trained on is not written down.
    return min(limits, default=512)


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
