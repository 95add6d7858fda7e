"""Rankers by name: ``lexical``, ``two-stage``, ``cross-encoder:MODEL`` and so on.

MODEL is a folder, or a name of the model hub. The language model of ``generative``, ``two-stage``,
``likelihood`` and ``yes-no`` may be left out: then it is SmolLM2-135M, from an installed package.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from longleaf.errors import UsageError

if TYPE_CHECKING:
    from longleaf.models.base import Encoder, ScoringLM
    from longleaf.prune import Pruner

# By a model that has to be named.
MODELS = ("embed", "cross-encoder", "labeller")
# By a language model, which may be named.
LANGUAGE_MODELS = ("generative", "two-stage", "likelihood", "yes-no")


def by_name(name: str, encoder: Encoder | None = None, offline: bool = False) -> Pruner:
    """Return the ranker ``KIND`` or ``KIND:MODEL``.

    ``encoder`` makes the first ranking of those that have two (default: the bundled one where it is
    installed, else BM25 ranks alone). A model runs on the first CUDA device where there is one.
    Raises ``UsageError`` for a name that says neither, ``ModelError`` and ``MissingExtra``.
    """
    kind, _, model = name.partition(":")
    model = model.strip()
    if kind in LANGUAGE_MODELS:
        return _by_language_model(kind, model, encoder, offline)
    if kind not in MODELS or not model:
        raise UsageError(
            f"there is no pruner called {name!r}",
            f"choose auto, lexical, embed, {', '.join(LANGUAGE_MODELS)} (these also with :MODEL), "
            f"or KIND:MODEL with KIND one of {', '.join(MODELS)}",
        )
    return {"embed": _embed, "cross-encoder": _cross_encoder, "labeller": _labeller}[kind](
        model, encoder, offline
    )


def _by_language_model(kind: str, model: str, encoder: Encoder | None, offline: bool) -> Pruner:
    from longleaf.prune import make_pruner
    from longleaf.prune.generative import GenerativePruner
    from longleaf.prune.likelihood import LikelihoodPruner, YesNoPruner
    from longleaf.prune.two_stage import TwoStagePruner

    lm = language_model(model, offline)
    made: dict[str, Callable[[], Pruner]] = {
        "generative": lambda: GenerativePruner(lm),
        "two-stage": lambda: TwoStagePruner(make_pruner("auto", encoder), GenerativePruner(lm)),
        "likelihood": lambda: LikelihoodPruner(lm, make_pruner("auto", encoder)),
        "yes-no": lambda: YesNoPruner(lm, make_pruner("auto", encoder)),
    }
    return made[kind]()


def language_model(model: str = "", offline: bool = False) -> ScoringLM:
    """Return the causal model of a folder or name, or SmolLM2-135M where none is named."""
    from longleaf.models.hf.causal import CausalLM

    if model:
        return CausalLM.load(model, offline=offline)
    from longleaf.models.hf.smollm2 import UNTRAINED, smollm2_folder

    return CausalLM.load(smollm2_folder(), offline=True, remarks=(UNTRAINED,))


def _embed(model: str, encoder: Encoder | None, offline: bool) -> Pruner:
    from longleaf.models.hf.encoder import HfEncoder
    from longleaf.prune.embed import EmbedPruner

    return EmbedPruner(HfEncoder(model, offline=offline))


def _cross_encoder(model: str, encoder: Encoder | None, offline: bool) -> Pruner:
    from longleaf.models.hf.cross_encoder import CrossEncoder
    from longleaf.prune import make_pruner
    from longleaf.prune.rerank import RerankPruner

    return RerankPruner(CrossEncoder(model, offline=offline), make_pruner("auto", encoder))


def _labeller(model: str, encoder: Encoder | None, offline: bool) -> Pruner:
    from longleaf.models.hf.labeller import TokenLabeller
    from longleaf.prune.labeller import LabelPruner

    return LabelPruner(TokenLabeller(model, offline=offline))
