"""Pruning: rank a page's blocks for a question, keep what fits a token budget.

A pruner only ranks; the cut is ``budget``'s alone (HtmlRAG sections 3.4.1 and Algorithm 2, with
the invariants that the published package lacks).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

from longleaf.blocks import BlockTree, block_tree
from longleaf.clean import clean
from longleaf.errors import EmptyQuestion, UsageError
from longleaf.language import has_word
from longleaf.models.base import Encoder
from longleaf.prune.budget import Pool, check_budget, cut
from longleaf.prune.pruned import Pruned
from longleaf.tokens import TokenCounter, default_counter, encodable
from longleaf.types import Document, Page

__all__ = ["Pruned", "Pruner", "PrunerName", "make_pruner", "prune", "prune_trees"]

PrunerName = Literal["auto", "lexical", "embed"]


class Pruner(Protocol):
    """A ranker of blocks. Pages found together are ranked in one pool, or their scores would not compare."""

    @property
    def name(self) -> str:
        """What ranked, for reports."""

    def score(self, trees: Sequence[BlockTree], question: str) -> list[float]:
        """Return one score for each block of the first tree, then of the next; higher is better."""


def make_pruner(name: str = "auto", encoder: Encoder | None = None, offline: bool = False) -> Pruner:
    """Return the pruner called ``name``; ``auto`` is the mix where an encoder is installed.

    ``KIND:MODEL`` ranks by a model of the user's (see ``prune.names``), which ``offline`` forbids to
    fetch. Raises ``UsageError`` for an unknown name, ``MissingExtra`` when ``embed`` has no encoder.
    """
    from longleaf.prune.lexical import LexicalPruner

    if ":" in name:
        from longleaf.prune.names import by_name

        return by_name(name, encoder, offline)
    if name == "lexical":
        return LexicalPruner()
    if name not in ("auto", "embed"):
        raise UsageError(f"there is no pruner called {name!r}", "choose auto, lexical or embed")
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
) -> Pruned:
    """Rank the blocks of one or more trees in one pool and cut to ``budget`` tokens of HTML."""
    check_budget(budget)
    pool = Pool(tuple(trees), counter or default_counter())
    blocks = pool.blocks
    scores = pruner.score(trees, question)
    # Blocks without a word (a rule, a check box) come last, whatever a pruner makes of them.
    order = tuple(sorted(range(len(blocks)), key=lambda i: (not blocks[i].words, -scores[i], i)))
    kept = cut(pool, order, budget)
    before = sum(pool.counter.count_many([tree.html() for tree in trees]))
    return Pruned(pool, question, tuple(scores), order, kept, budget, before, pool.cost(kept), pruner.name)


def prune(
    page: Document | Page | BlockTree | str | Sequence[Document | Page | BlockTree],
    question: str,
    budget: int = 4096,
    pruner: str | Pruner = "auto",
    counter: TokenCounter | None = None,
) -> Pruned:
    """Return the page (HTML text, document, page, tree, or several) cut to ``budget`` tokens.

    Raises ``EmptyQuestion``, ``BadBudget`` and whatever reading the page raises.
    """
    question = check_question(question)
    check_budget(budget)
    counter = counter or default_counter()
    many = [page] if isinstance(page, (str, Document, Page, BlockTree)) else list(page)
    trees = [_tree(one, counter) for one in many]
    chosen = make_pruner(pruner) if isinstance(pruner, str) else pruner
    return prune_trees(trees, question, budget, chosen, counter)


def _tree(page: Document | Page | BlockTree | str, counter: TokenCounter) -> BlockTree:
    if isinstance(page, BlockTree):
        return page
    if isinstance(page, str):
        page = Document.from_html(page)
    if isinstance(page, Document):
        page = clean(page)
    return block_tree(page, counter=counter)
