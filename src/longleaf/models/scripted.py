"""Models that need no weights, for tests and examples."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from longleaf.language import words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from longleaf.models.base import Progress, TreeQuery


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


class ScriptedLM:
    """A language model over bytes that says what a function says: no weights, every number by hand.

    ``score(prompt, written, candidates)`` returns a number for each candidate character (one byte),
    given the prompt's text and what was written after it; probabilities are its softmax over them.
    """

    notes: tuple[str, ...] = ()

    def __init__(self, score: Callable[[str, str, str], Sequence[float]], context: int = 1 << 20) -> None:
        self.score = score
        self.context = context
        self.name = "scripted"
        self.prompts: list[str] = []

    def chat(self, message: str) -> str:
        """Return the message itself."""
        return message

    def encode(self, text: str) -> list[int]:
        """Return the bytes of ``text``."""
        return list(text.encode("utf-8", "replace"))

    def log_probabilities(self, queries: Sequence[TreeQuery]) -> list[list[NDArray[np.float32]]]:
        """Return the log-probabilities of each entry of ``wanted``, over its candidates alone."""
        return [self._answer(query) for query in queries]

    def _answer(self, query: TreeQuery) -> list[NDArray[np.float32]]:
        import numpy as np

        self.prompts.append(bytes(query.prompt).decode("utf-8", "replace"))
        written = [""] * (len(query.token) + 1)  # the last one: nothing, after the prompt
        for node, (token, up) in enumerate(zip(query.token, query.parent, strict=True)):
            written[node] = written[up] + chr(token)
        out: list[NDArray[np.float32]] = []
        for node, candidates in query.wanted:
            found = self.score(self.prompts[-1], written[node], "".join(map(chr, candidates)))
            values = np.array(found, np.float64)
            out.append((values - np.logaddexp.reduce(values)).astype(np.float32))
        return out
