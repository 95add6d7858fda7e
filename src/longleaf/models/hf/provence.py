"""The checkpoints of Provence and OpenProvence, read without the code that comes with them.

Both are a sequence classifier (its head gives the rerank score) and one linear layer over the last
hidden states, with two outputs a token: drop and keep. The layouts, from public sources:

- OpenProvence (its repository's ``modeling_open_provence_standalone``): ``model_type`` is
  ``open_provence``, the classifier's configuration stands in ``base_model_config``, its weights under
  ``ranking_model.`` (older files: without it), the layer's under ``pruning_head.classifier.``.
- Provence (arXiv 2501.16214; the names as in the public ports of its DeBERTa-v3 model): a DeBERTa
  classifier with the layer as ``token_classifier.``, trained on questions in small letters without
  punctuation.
"""

from __future__ import annotations

import string
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from longleaf.errors import ModelError
from longleaf.models.hf.folders import ModelFolder, Precision, load_model, loading
from longleaf.models.hf.loading import find_dtype

_RANKER, _OPEN_HEAD, _HEAD = "ranking_model.", "pruning_head.classifier.", "token_classifier."
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


@dataclass(frozen=True, slots=True)
class Provence:
    """A sequence classifier, the layer over its last hidden states, and how a question is written."""

    ranker: Any
    head: Any
    asked: Callable[[str], str]

    def keep_logits(self, inputs: dict[str, Any]) -> Any:
        """Return the logits of drop and keep: shape (texts, tokens, 2)."""
        return self.head(self.ranker(**inputs, output_hidden_states=True).hidden_states[-1])


def load_provence(folder: ModelFolder, dtype: Precision, device: str | None) -> Provence | None:
    """Return the model, or None where the folder is not of one of the two layouts.

    Raises ``ModelError`` where the layout is known and the files do not keep to it.
    """
    config = folder.config()
    kind = str(config.get("model_type", "")).casefold()
    if kind == "open_provence":
        base = config.get("base_model_config")
        if not isinstance(base, dict) or "model_type" not in base:
            raise ModelError(
                f"config.json of {folder.name} does not say what its ranking model is (base_model_config)",
                "use a checkpoint that was saved by a later version of OpenProvence",
            )
        return _load(folder, base, _OPEN_HEAD, str, dtype, device)
    if kind == "provence" or "Provence" in (config.get("architectures") or []):
        return _load(folder, config | {"model_type": "deberta-v2"}, _HEAD, _small_letters, dtype, device)
    return None


def _small_letters(question: str) -> str:
    return " ".join(question.casefold().translate(_NO_PUNCTUATION).split())


def _load(
    folder: ModelFolder,
    base: dict[str, Any],
    head: str,
    asked: Callable[[str], str],
    dtype: Precision,
    device: str | None,
) -> Provence:
    import torch
    import transformers

    weights = _tensors(folder)
    inner = {key.removeprefix(_RANKER): value for key, value in weights.items() if not key.startswith(head)}
    try:
        kernel, bias = weights[head + "weight"], weights[head + "bias"]
        # How many numbers the rerank head gives is not always written down; only the first counts.
        labels = next(value for key, value in inner.items() if _is_output(key)).shape[0]
    except (KeyError, StopIteration) as error:
        raise ModelError(
            f"the weights of {folder.name} are not laid out as its configuration says: {head}weight",
            "get the model's files again, or use another checkpoint",
        ) from error
    drop = ("auto_map", "id2label", "label2id", "num_labels", "architectures", "model_type")
    with loading(folder):
        config = transformers.AutoConfig.for_model(
            base["model_type"], **{k: v for k, v in base.items() if k not in drop}, num_labels=labels
        )
        layer = torch.nn.Linear(kernel.shape[1], kernel.shape[0])
        layer.load_state_dict({"weight": kernel, "bias": bias})
    kind = "AutoModelForSequenceClassification"
    ranker = load_model(folder, kind, dtype, device, config=config, state=inner)
    return Provence(ranker, layer.to(ranker.device, find_dtype(dtype, ranker.device)).eval(), asked)


def _is_output(key: str) -> bool:
    return key in ("classifier.weight", "classifier.out_proj.weight", "score.weight")


def _tensors(folder: ModelFolder) -> dict[str, Any]:
    from safetensors.torch import load_file

    out: dict[str, Any] = {}
    with loading(folder):
        for path in folder.weights():
            out.update(load_file(path))
    return out
