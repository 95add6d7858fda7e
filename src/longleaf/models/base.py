"""What a model has to offer to be used by the other stages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True, eq=False)
class TreeQuery:
    """What a language model is asked: a prompt, a tree of tokens after it, and where to look.

    Tree node ``i`` is ``token[i]`` after its ancestors; ``parent[i] < i``, and -1 is the end of the
    prompt. ``wanted`` lists ``(node, candidates)``: which tokens' probabilities right after a node.
    """

    prompt: Sequence[int]
    token: Sequence[int]
    parent: Sequence[int]
    wanted: Sequence[tuple[int, Sequence[int]]]


class ScoringLM(Protocol):
    """A causal language model that says how probable continuations are."""

    @property
    def name(self) -> str:
        """The weights, for reports."""

    @property
    def context(self) -> int:
        """Tokens that it can read, prompt and continuation together."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user should know of this model, in plain sentences."""

    def chat(self, message: str) -> str:
        """Return the text of a prompt that ends where the answer to ``message`` begins."""

    def encode(self, text: str) -> list[int]:
        """Return the tokens of ``text``, nothing added."""

    def log_probabilities(self, queries: Sequence[TreeQuery]) -> list[list[NDArray[np.float32]]]:
        """Return, for each query and each entry of its ``wanted``, the candidates' log-probabilities.

        Over the whole vocabulary, so that they also differ from logits by one number an entry only.
        Prompts that begin alike share that work. Raises ``ModelError`` where a query is longer than
        ``context`` or memory runs out.
        """
