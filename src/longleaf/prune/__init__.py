"""Pruning: rank a page's blocks for a question, keep what fits a token budget.

A pruner only ranks; the cut is ``budget``'s alone (HtmlRAG sections 3.4.1 and Algorithm 2, with
the invariants that the published package lacks).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from longleaf.blocks import DEFAULT_WORDS, BlockTree, block_tree
from longleaf.clean import clean
from longleaf.errors import DocumentError, EmptyQuestion, LongleafError, MissingExtra, ModelError, UsageError
from longleaf.language import has_word
from longleaf.models.base import Encoder
from longleaf.prune.budget import Pool, check_budget
from longleaf.prune.presets import PRESETS, preset_called
from longleaf.prune.pruned import Pruned, cut_above
from longleaf.prune.ranking import PoolName, best_first, check_floor, check_pool, in_turns
from longleaf.tokens import TokenCounter, default_counter, encodable
from longleaf.types import Document, Page

__all__ = ["Pruned", "Pruner", "make_pruner", "prune", "prune_trees"]


class Pruner(Protocol):
    """A ranker of blocks. Pages found together are ranked in one pool, or their scores would not compare."""

    @property
    def name(self) -> str:
        """What ranked, for reports."""

    # A pruner may also have ``notes``: plain sentences about its last ``score`` that a user should
    # read. It is not part of the protocol, because most have nothing to say.

    def score(self, trees: Sequence[BlockTree], question: str) -> list[float]:
        """Return one score for each block of the first tree, then of the next; higher is better."""


def make_pruner(name: str = "auto", encoder: Encoder | None = None, offline: bool = False) -> Pruner:
    """Return the pruner called ``name``; ``auto`` is the mix where an encoder is installed.

    Other names are those of ``prune.names``; ``offline`` forbids to fetch a model. Raises
    ``UsageError`` for an unknown name, ``MissingExtra`` where packages lack, ``ModelError``.
    """
    from longleaf.prune.lexical import LexicalPruner

    if name == "lexical":
        return LexicalPruner()
    if name not in ("auto", "embed"):
        from longleaf.prune.names import by_name

        return by_name(name, encoder, offline)
    if encoder is None:
        from longleaf.models import bundled

        encoder = bundled.bundled_encoder() if name == "embed" else bundled.default_encoder()
    if encoder is None:
        return LexicalPruner()
    from longleaf.prune.embed import EmbedPruner

    return EmbedPruner(encoder)


def check_question(question: str) -> str:
    """Return the question trimmed, or raise ``EmptyQuestion``."""
    if not has_word(question):
        raise EmptyQuestion("the question is empty", "ask something")
    return encodable(question.strip())


def prune_trees(
    trees: Sequence[BlockTree],
    question: str,
    budget: int,
    pruner: Pruner,
    counter: TokenCounter | None = None,
    *,
    fill: bool = False,
    floor: float | None = None,
    pool: PoolName = "all",
    links: bool = False,
    told: Sequence[str] = (),
) -> Pruned:
    """Rank the blocks of one or more trees and cut to ``budget`` tokens of HTML.

    The options are ``prune``'s; ``told`` is what reading the pages had to say, for ``Pruned.notes``.
    """
    check_budget(budget)
    check_pool(pool)
    check_floor(floor)
    labelled = len(trees) > 1
    blocks = Pool(tuple(trees), counter or default_counter(), labelled, links, question)
    notes = [*told]
    scores: list[float] = []
    for group in [[tree] for tree in trees] if pool == "page" else [trees]:
        scores += pruner.score(group, question)
        notes += getattr(pruner, "notes", ())
    if pool == "page":
        order = in_turns([tree.blocks for tree in trees], scores)
    else:
        order = best_first(blocks.blocks, scores)
    kept = cut_above(blocks, order, scores, budget, fill, floor)
    before = blocks.cost(blocks.everything())
    after = blocks.cost(kept)
    notes = list(dict.fromkeys(notes))
    return Pruned(
        blocks,
        question,
        tuple(scores),
        order,
        kept,
        budget,
        before,
        after,
        pruner.name,
        fill,
        floor,
        (*notes,),
    )


def prune(
    page: Document | Page | BlockTree | str | Sequence[Document | Page | BlockTree],
    question: str,
    budget: int | None = None,
    pruner: str | Pruner | None = None,
    counter: TokenCounter | None = None,
    *,
    preset: str | None = None,
    fill: bool = False,
    floor: float | None = None,
    pool: PoolName = "all",
    links: bool = False,
) -> Pruned:
    """Return the page (HTML text, document, page, tree, or several) cut to ``budget`` tokens.

    ``budget`` counts everything in the output with ``counter`` (default: o200k tokens) and is
    4096 where neither it nor a ``preset`` (``paper``, ``balanced``, ``fast``) says otherwise.
    ``fill`` uses what is left of it for smaller blocks further down the ranking; then a larger
    budget need not keep a superset. Blocks that score below ``floor`` are cut even where there
    is room; it is on the pruner's own scale (a probability, a share of the pool's best, a sum of
    log probabilities), and the best block stays. Several pages share the budget in ``pool``
    ``all`` by score, in ``page`` evenly, each ranked by itself. Of several, a page that cannot
    be used is left out and told in ``notes``. Link targets and ids go before any text does, unless
    ``links`` keeps them.

    Raises ``EmptyQuestion``, ``BadBudget``, ``UsageError``, and whatever reading raises when no
    page can be used.
    """
    question = check_question(question)
    setting = preset_called(preset)
    budget = check_budget(setting.budget if budget is None else budget)
    counter = counter or default_counter()
    many = [page] if isinstance(page, (str, Document, Page, BlockTree)) else list(page)
    trees, told = trees_of(many, counter, setting.words)
    chosen = pruner_of(preset, pruner)
    return prune_trees(
        trees, question, budget, chosen, counter, fill=fill, floor=floor, pool=pool, links=links, told=told
    )


def pruner_of(
    preset: str | None, pruner: str | Pruner | None, encoder: Encoder | None = None, offline: bool = False
) -> Pruner:
    """Return the pruner that was asked for, or else the preset's; raises what ``make_pruner`` does."""
    if pruner is not None:
        return make_pruner(pruner, encoder, offline) if isinstance(pruner, str) else pruner
    try:
        return make_pruner(preset_called(preset).pruner, encoder, offline)
    except (MissingExtra, ModelError, UsageError) as error:
        if preset not in PRESETS:
            raise
        raise type(error)(f"the preset {preset} cannot be used: {error.message}", error.hint) from error


def trees_of(
    pages: Sequence[Document | Page | BlockTree | str], counter: TokenCounter, words: int = DEFAULT_WORDS
) -> tuple[list[BlockTree], list[str]]:
    """Return the block trees of pages, and a note for each that cannot be used.

    Raises the first page's error when none can be used.
    """
    trees: list[BlockTree] = []
    failed: list[DocumentError] = []
    for page in pages:
        try:
            trees.append(_tree(page, counter, words))
        except DocumentError as error:
            failed.append(error)
    if failed and not trees:
        raise failed[0]
    return trees, [left_out(error) for error in failed]


def left_out(error: LongleafError) -> str:
    """Return the note for a page that could not be used."""
    return f"a page was left out: {error.message}" + (f" ({error.hint})" if error.hint else "")


def _tree(page: Document | Page | BlockTree | str, counter: TokenCounter, words: int) -> BlockTree:
    if isinstance(page, BlockTree):
        return page
    if isinstance(page, str):
        page = Document.from_html(page)
    if isinstance(page, Document):
        page = clean(page)
    return block_tree(page, words, counter)
