"""A cross-encoder: question and text in one pass, one number out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from longleaf.models.hf.folders import (
    Precision,
    load_model,
    load_tokenizer,
    model_folder,
    positions,
    wrong_architecture,
)
from longleaf.models.hf.loading import find_device
from longleaf.models.hf.pairs import read_windows, windows
from longleaf.models.hf.provence import load_provence

_KIND = "AutoModelForSequenceClassification"
# What the label that means yes is called, where there are two labels and they have names.
_YES = ("yes", "relevant", "true", "positive", "entailment")


class CrossEncoder:
    """Scores texts for a question with a model that classifies pairs: one label, or no and yes.

    Raises ``ModelError`` where the model cannot be found, read, or does not classify pairs, and
    ``MissingExtra`` without torch. Provence's checkpoints serve too: they have such a head.
    """

    def __init__(
        self, name: str, device: str | None = None, dtype: Precision = "fp32", offline: bool = False
    ) -> None:
        self.folder = model_folder(name, offline)
        self.name = name
        self.device = find_device(device)
        self._tokenizer = load_tokenizer(self.folder)
        provence = load_provence(self.folder, dtype, device)
        self._ask = provence.asked if provence is not None else str
        self._model = provence.ranker if provence else load_model(self.folder, _KIND, dtype, device)
        config = self._model.config
        if provence is None and config.num_labels > 2:
            wrong_architecture(self.folder, _KIND, [f"a single label (it has {config.num_labels})"])
        # Provence's rerank score is its head's first output, however many there are.
        self._yes = None if provence is not None or config.num_labels == 1 else _yes(config.id2label)
        self._limit = positions(self.folder, self._tokenizer, config)

    def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return one probability for each text, of its best window where it is read in several.

        With one label the probability is the logistic function of the model's number, with two the
        softmax's share of yes. Raises ``UsageError`` where the question leaves no room for a text.
        """
        found = windows(self._tokenizer, self._ask(question), texts, self._limit, self.name)
        rows = read_windows(
            self._tokenizer, lambda inputs: self._model(**inputs).logits, found, self.device, self.name
        )
        scores = [-math.inf] * len(texts)
        for window, row in zip(found, rows, strict=True):
            scores[window.text] = max(scores[window.text], self._logit(row))
        return [_logistic(score) for score in scores]

    def _logit(self, row: Any) -> float:
        if self._yes is None:
            return float(row[0])
        # The softmax over two is the logistic function of their difference.
        return float(row[self._yes]) - float(row[1 - self._yes])


def _yes(names: dict[int, str]) -> int:
    """Return which of two labels means yes: the one that is called so, else the second."""
    return 0 if str(names.get(0, "")).casefold() in _YES else 1


def _logistic(x: float) -> float:
    # In double precision and from the side that does not overflow: scores far out stay apart.
    if x >= 0:
        return 1.0 / (1.0 + math.exp(-x))
    grown = math.exp(x)
    return grown / (1.0 + grown)
