"""Rankers by a model's name: ``embed:MODEL``, ``cross-encoder:MODEL``, ``labeller:MODEL``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from longleaf.errors import UsageError

if TYPE_CHECKING:
    from longleaf.models.base import Encoder
    from longleaf.prune import Pruner

KINDS = ("embed", "cross-encoder", "labeller")


def by_name(name: str, encoder: Encoder | None = None, offline: bool = False) -> Pruner:
    """Return the ranker ``KIND:MODEL``; MODEL is a folder or a name of the model hub.

    ``encoder`` makes the first ranking of a cross-encoder (default: the bundled one where it is
    installed, else BM25 ranks alone). A model runs on the first CUDA device where there is one.
    Raises ``UsageError`` for a name that says neither, ``ModelError`` and ``MissingExtra``.
    """
    kind, _, model = name.partition(":")
    if kind not in KINDS or not model.strip():
        raise UsageError(
            f"there is no pruner called {name!r}",
            "choose auto, lexical, embed, or KIND:MODEL with KIND one of " + ", ".join(KINDS),
        )
    return {"embed": _embed, "cross-encoder": _cross_encoder, "labeller": _labeller}[kind](
        model.strip(), encoder, offline
    )


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
