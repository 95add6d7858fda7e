"""Question and text read together, whatever the text's length: windows, and batches of like length.

The question stands whole in every window. A text that is longer than the room beside it is read in
several windows that overlap; what counts of them is for the reader to say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from longleaf.errors import UsageError
from longleaf.models.hf.folders import SMALLER
from longleaf.models.hf.loading import memory_errors
from longleaf.tokens import encodable

# Windows overlap by this many tokens, so that a sentence lies whole in one of them: of 964 sentences
# of FAQ pages half have at most 19 word pieces, and 1 in 100 has more than 67.
OVERLAP = 64
# Beside the question a window must have room for at least this much text.
LEAST_ROOM = 32
# Tokens of a batch, padding included: 16 windows of 512. Where attention's scores are written out,
# 12 heads of such a batch take 200 MB in fp32.
BATCH_TOKENS = 8192


@dataclass(frozen=True, slots=True)
class Window:
    """The tokens of a question and of a stretch of one text.

    ``spans`` says where in the text each token stands, (0, 0) for tokens that are not of the text.
    """

    text: int
    inputs: dict[str, list[int]]
    spans: list[tuple[int, int]]

    @property
    def size(self) -> int:
        """Number of tokens."""
        return len(self.spans)


def windows(tokenizer: Any, question: str, texts: Sequence[str], limit: int, model: str) -> list[Window]:
    """Return the windows of each text in order; raises ``UsageError`` for a question without room."""
    if not texts:
        return []
    asked = encodable(question)
    size = len(tokenizer(asked, add_special_tokens=False, split_special_tokens=True)["input_ids"])
    room = limit - size - tokenizer.num_special_tokens_to_add(pair=True)
    if room < LEAST_ROOM:
        raise UsageError(
            f"the question has {size} tokens, and {model} reads {limit} with the text",
            "ask a shorter question, or use a model with a longer context",
        )
    encoded = tokenizer(
        [asked] * len(texts),
        [encodable(text) for text in texts],
        truncation="only_second",
        max_length=limit,
        stride=min(OVERLAP, room // 2),
        return_overflowing_tokens=True,
        return_offsets_mapping=True,
        # Words that look like special tokens are words: a page must not be able to end its own text.
        split_special_tokens=True,
    )
    of_text = encoded.pop("overflow_to_sample_mapping")
    offsets = encoded.pop("offset_mapping")
    return [
        Window(text, {key: rows[number] for key, rows in encoded.items()}, _spans(encoded, number, offsets))
        for number, text in enumerate(of_text)
    ]


def _spans(encoded: Any, number: int, offsets: Any) -> list[tuple[int, int]]:
    sides = encoded.sequence_ids(number)
    return [tuple(o) if side == 1 else (0, 0) for o, side in zip(offsets[number], sides, strict=True)]


def batches(found: Sequence[Window], most: int = BATCH_TOKENS) -> Iterator[list[int]]:
    """Yield the numbers of the windows in batches of like length: ``most`` tokens at most, with padding."""
    part: list[int] = []
    # Longest first: the first of a batch is what the others are padded to.
    for number in sorted(range(len(found)), key=lambda i: -found[i].size):
        if part and (len(part) + 1) * found[part[0]].size > most:
            yield part
            part = []
        part.append(number)
    if part:
        yield part


def read_windows(
    tokenizer: Any,
    forward: Callable[[dict[str, Any]], Any],
    found: Sequence[Window],
    device: Any,
    name: str,
) -> list[Any]:
    """Return what ``forward`` gives for each window: one row of its result, on the CPU as float32.

    Raises ``ModelError`` where memory runs out.
    """
    import torch

    rows: list[Any] = [None] * len(found)
    for numbers in batches(found):
        padded = tokenizer.pad([found[i].inputs for i in numbers], padding_side="right", return_tensors="pt")
        with torch.inference_mode(), memory_errors(f"running {name}", SMALLER):
            result = forward({key: tensor.to(device) for key, tensor in padded.items()}).float().cpu()
        for number, row in zip(numbers, result, strict=True):
            rows[number] = row
    return rows
