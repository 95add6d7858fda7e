"""Token labellers: one pass over question and text says for each token whether it is worth keeping.

Provence (arXiv 2501.16214) and its open remake; any token classifier with two labels serves too.
"""

from __future__ import annotations

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

_KIND = "AutoModelForTokenClassification"
_KEEP = ("keep", "kept", "relevant", "yes", "true", "positive")

# A stretch of the text, in characters, and the probability that it is worth keeping.
Label = tuple[int, int, float]


class TokenLabeller:
    """Labels the tokens of texts for a question.

    Raises ``ModelError`` where the model cannot be found, read, or does not label tokens with two
    labels, and ``MissingExtra`` without torch.
    """

    def __init__(
        self, name: str, device: str | None = None, dtype: Precision = "fp32", offline: bool = False
    ) -> None:
        self.folder = model_folder(name, offline)
        self.name = name
        self.device = find_device(device)
        self._tokenizer = load_tokenizer(self.folder)
        provence = load_provence(self.folder, dtype, device)
        if provence is not None:
            self._logits, self._ask = provence.keep_logits, provence.asked
            config, self._keep = provence.ranker.config, 1
        else:
            model = load_model(self.folder, _KIND, dtype, device)
            self._logits, self._ask = (lambda inputs: model(**inputs).logits), str
            config = model.config
            if config.num_labels != 2:
                wrong_architecture(
                    self.folder, _KIND, [f"the two labels drop and keep ({config.num_labels})"]
                )
            self._keep = 0 if str(config.id2label.get(0, "")).casefold() in _KEEP else 1
        self._limit = positions(self.folder, self._tokenizer, config)

    def label(self, question: str, texts: Sequence[str]) -> list[list[Label]]:
        """Return the labels of each text's tokens in order.

        A token that two windows hold has the higher probability of the two. Raises ``UsageError``
        where the question leaves no room for a text.
        """
        found = windows(self._tokenizer, self._ask(question), texts, self._limit, self.name)
        rows = read_windows(self._tokenizer, self._probabilities, found, self.device, self.name)
        out: list[dict[tuple[int, int], float]] = [{} for _ in texts]
        for window, row in zip(found, rows, strict=True):
            best = out[window.text]
            for span, keep in zip(window.spans, row[: window.size].tolist(), strict=True):
                if span[1] > span[0]:
                    best[span] = max(best.get(span, 0.0), keep)
        return [[(*span, keep) for span, keep in sorted(one.items())] for one in out]

    def _probabilities(self, inputs: dict[str, Any]) -> Any:
        return self._logits(inputs).float().softmax(-1)[..., self._keep]
