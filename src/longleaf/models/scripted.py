"""Models that need no weights, for tests and examples."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from longleaf.language import words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from longleaf.models.base import Progress


class HashEncoder:
    """A bag of hashed words: texts that share words are alike, whatever the words mean.

    Each word, case-folded, has a direction of its own made from its digest; a text is the sum of its
    words' directions, scaled to length 1. A text without words points along the first axis.
    """

    def __init__(self, dims: int = 64) -> None:
        self.dims = dims
        self.name = f"hash-{dims}"

    def encode(self, texts: Sequence[str], progress: Progress | None = None) -> NDArray[np.float32]:
        """Return one row of length 1 for each text: float32, shape (texts, dims)."""
        import numpy as np

        rows = np.zeros((len(texts), self.dims), dtype=np.float32)
        for number, text in enumerate(texts):
            total = np.zeros(self.dims)
            for word in words(text.casefold()):
                total += self._direction(word)
            if not total.any():
                total[0] = 1.0
            rows[number] = total / np.linalg.norm(total)
            if progress is not None:
                progress(number + 1, len(texts))
        return rows

    def _direction(self, word: str) -> NDArray[np.float64]:
        import numpy as np

        digest = hashlib.shake_128(word.encode("utf-8", "surrogatepass")).digest(self.dims)
        return np.frombuffer(digest, dtype=np.uint8).astype(np.float64) - 127.5
