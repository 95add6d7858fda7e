"""What a model has to offer to be used by the other stages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Called with (texts done, texts in all) from the thread that called ``encode``.
Progress = Callable[[int, int], None]


class Encoder(Protocol):
    """Turns texts into vectors whose dot product says how alike they are.

    The vector of a text depends on that text alone, to the last bit, and not on what else is in
    the call: what comes from a cache is what would be computed.
    """

    @property
    def name(self) -> str:
        """The weights and the arithmetic; vectors of equal names may be compared and cached together."""

    @property
    def dims(self) -> int:
        """Numbers in a vector."""

    def encode(self, texts: Sequence[str], progress: Progress | None = None) -> NDArray[np.float32]:
        """Return one row of length 1 for each text: float32, shape (texts, dims)."""


@runtime_checkable
class QueryEncoder(Protocol):
    """An encoder that was trained to read questions in another way than texts."""

    def encode_query(self, question: str) -> NDArray[np.float32]:
        """Return the question's vector of length 1: float32, shape (dims,)."""


def encode_with_question(
    encoder: Encoder, question: str, texts: Sequence[str]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the question's vector, shape (dims,), and the texts' rows, shape (texts, dims)."""
    if isinstance(encoder, QueryEncoder):
        return encoder.encode_query(question), encoder.encode(texts)
    vectors = encoder.encode([question, *texts])
    return vectors[0], vectors[1:]
