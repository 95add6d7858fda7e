"""Getting a model and its tokenizer from a folder or by name, with failures a user can act on."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from longleaf.errors import MissingExtra, ModelError

Dtype = Literal["auto", "fp32", "bf16", "int8"]
_INSTALL = "pip install 'longleaf[lm]'"
PACKAGES = ("torch", "transformers")


def need_packages(*names: str) -> None:
    """Raise ``MissingExtra`` where a package of the extra ``lm`` is not installed."""
    absent = [name for name in names or PACKAGES if find_spec(name) is None]
    if absent:
        raise MissingExtra(f"language models need {', '.join(absent)}", f"Run: {_INSTALL}")


def quiet() -> None:
    """Keep transformers from printing: bars and advice belong to whoever runs it by hand."""
    from transformers.utils import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()


def find_device(device: str | None) -> Any:
    """Return the torch device called ``device``; by default a CUDA device where there is one."""
    import torch

    if device is None:
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        found = torch.device(device)
    except RuntimeError as error:
        raise ModelError(f"there is no device called {device!r}", "use cpu, cuda or cuda:N") from error
    if found.type == "cuda" and not torch.cuda.is_available():
        raise ModelError(f"{device} was asked for, and torch finds no CUDA device", "use cpu")
    return found


def find_dtype(dtype: Dtype, device: Any) -> Any:
    """Return the torch type of the weights: fp32 on a CPU, bf16 elsewhere, unless it is named."""
    import torch

    if dtype == "auto":
        return torch.float32 if device.type == "cpu" else torch.bfloat16
    return torch.bfloat16 if dtype == "bf16" else torch.float32


def load(auto_class: Any, name: str, offline: bool, **options: Any) -> Any:
    """Load ``name`` (a folder, or a model of the hub) with a class of transformers; no remote code.

    A folder is only read. A name is looked for in the hub's cache, and fetched unless ``offline`` or
    ``HF_HUB_OFFLINE`` forbid it. Raises ``ModelError``.
    """
    local = Path(name).is_dir()
    if not local and (os.sep in name[:1] or name[:1] == "." or Path(name).exists()):
        raise ModelError(f"{name} is no folder with a model", "name a folder with config.json and weights")
    options["local_files_only"] = local or offline
    try:
        return auto_class.from_pretrained(name, trust_remote_code=False, **options)
    except (OSError, ValueError, KeyError, ImportError) as error:
        first = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise ModelError(f"the model {name} cannot be loaded: {first}", _advice(local, offline)) from error


def _advice(local: bool, offline: bool) -> str:
    if local:
        return "check that the folder holds config.json, weights and a tokenizer that transformers knows"
    if offline or os.environ.get("HF_HUB_OFFLINE"):
        return "offline, only folders and models in the hub's cache can be loaded"
    return "check the name and the network, or name a folder"


def to_int8(model: Any) -> Any:
    """Return the model with 8-bit products in its linear layers (CPU); raises ``ModelError``."""
    import warnings

    import torch

    quantise = getattr(getattr(torch.ao, "quantization", None), "quantize_dynamic", None)
    if quantise is None or model.device.type != "cpu":
        raise ModelError("int8 needs a CPU and a torch with quantize_dynamic", "use fp32 or bf16")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch advises another package for the same thing
        return quantise(model, {torch.nn.Linear}, dtype=torch.qint8)


@contextmanager
def memory_errors(what: str, hint: str) -> Iterator[None]:
    """Turn running out of memory, on any device, into ``ModelError``."""
    import torch

    try:
        yield
    except (MemoryError, torch.OutOfMemoryError) as error:
        raise ModelError(f"out of memory while {what}", hint) from error
    except RuntimeError as error:
        # The allocator for CPUs has no exception of its own.
        if "can't allocate memory" not in str(error) and "not enough memory" not in str(error):
            raise
        raise ModelError(f"out of memory while {what}", hint) from error
