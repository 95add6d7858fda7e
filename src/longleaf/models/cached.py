"""An encoder that remembers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from longleaf.models.base import QueryEncoder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from longleaf.cache import VectorCache
    from longleaf.models.base import Encoder, Progress

# Texts encoded between two writes: some two seconds of work is the most an interruption can lose.
_SLICE = 256


class CachedEncoder:
    """Looks vectors up first and encodes each distinct text that is missing, once.

    ``hits`` and ``encoded`` count texts since the start: those served without the encoder
    (repeats within a call included), and those the encoder had to read.
    """

    def __init__(self, encoder: Encoder, cache: VectorCache) -> None:
        self.encoder = encoder
        self.cache = cache
        self.hits = 0
        self.encoded = 0

    @property
    def name(self) -> str:
        """The name of the encoder behind the cache."""
        return self.encoder.name

    @property
    def dims(self) -> int:
        """Numbers in a vector."""
        return self.encoder.dims

    def encode(self, texts: Sequence[str], progress: Progress | None = None) -> NDArray[np.float32]:
        """Return one row of length 1 for each text, the same bytes whether cached or not."""
        import numpy as np

        distinct = list(dict.fromkeys(texts))
        found = self.cache.get_many(self.name, distinct, self.dims)
        known = {text: row for text, row in zip(distinct, found, strict=True) if row is not None}
        missing = [text for text in distinct if text not in known]
        present = len(texts) - len(missing)
        if progress is not None and present:
            progress(present, len(texts))
        for start in range(0, len(missing), _SLICE):
            part = missing[start : start + _SLICE]
            rows = self.encoder.encode(part, _shifted(progress, present + start, len(texts)))
            self.cache.put_many(self.name, part, rows)
            known.update(zip(part, rows, strict=True))
        self.hits += present
        self.encoded += len(missing)
        if not texts:
            return np.empty((0, self.dims), dtype=np.float32)
        return np.stack([known[text] for text in texts])

    def encode_query(self, question: str) -> NDArray[np.float32]:
        """Return the question's vector, shape (dims,), as the encoder behind the cache reads questions."""
        if not isinstance(self.encoder, QueryEncoder):
            row: NDArray[np.float32] = self.encode([question])[0]
            return row
        name = self.name + "-query"
        found = self.cache.get_many(name, [question], self.dims)[0]
        if found is not None:
            self.hits += 1
            return found
        row = self.encoder.encode_query(question)
        self.cache.put_many(name, [question], row[None])
        self.encoded += 1
        return row


def _shifted(progress: Progress | None, before: int, total: int) -> Progress | None:
    if progress is None:
        return None

    def report(done: int, _: int) -> None:
        progress(before + done, total)

    return report
