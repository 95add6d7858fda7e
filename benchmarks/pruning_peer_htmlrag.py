"""The pruner of the package htmlrag 0.1.1 as it was released, with a token counter for a tokenizer.

Part of ``pruning_peers.py``. Its modules are loaded without the models that they import for parts
not measured here. Nothing is put right: its ``prune_HTML`` keeps blocks behind the ranking's end
and removes ranked ones (issue 11 of its repository).
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from engine_peers import Stub
from pruning_peer_chunks import Ranker

from longleaf.tokens import TokenCounter

# Always left out: models, and a base class for calling a server.
_MODELS = ("torch", "transformers", "langchain_community.embeddings")
# Left out where they are not installed: none is needed to clean, cut and prune.
_OPTIONAL = (
    "anytree",
    "anytree.exporter",
    "langchain_core",
    "langchain_core.documents",
    "langchain_text_splitters",
)
_NAME = "htmlrag_as_released"


@dataclass(frozen=True, slots=True)
class Tokens:
    """The first ``size`` tokens of a text, not yet cut."""

    text: str
    size: int

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, part: slice) -> Tokens:
        return Tokens(self.text, min(self.size, part.stop))


@dataclass(frozen=True, slots=True)
class CountingTokenizer:
    """What htmlrag asks of a tokenizer, answered by a token counter."""

    counter: TokenCounter

    def encode(self, text: str, add_special_tokens: bool = False) -> range:
        """Return something as long as the text's tokens."""
        return range(self.counter.count(text))

    def tokenize(self, text: str) -> Tokens:
        """Return the tokens of a text, to be sliced."""
        return Tokens(text, self.counter.count(text))

    def convert_tokens_to_string(self, tokens: Tokens) -> str:
        """Return the text that the tokens stand for."""
        return self.counter.cut(tokens.text, tokens.size)


@dataclass(frozen=True, slots=True)
class Cut:
    """A page after htmlrag's cleaning and cutting: its HTML, its blocks, and (later) their ranking."""

    html: str
    blocks: Sequence[tuple[Any, list[str], bool]]
    ranking: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class HtmlRag:
    """Cleaning, blocks of ``words`` words, a ranking and htmlrag's pruning, as three steps.

    With a ranker the blocks are ranked by Longleaf, by their text with spaces between elements;
    without one by htmlrag's own BM25.
    """

    folder: Path
    words: int
    counter: TokenCounter
    ranker: Ranker | None

    def prepare(self, html: str) -> Cut:
        """Clean a page and cut it into blocks."""
        utils = load(self.folder).utils
        blocks, cleaned = utils.build_block_tree(utils.clean_html(html), self.words)
        return Cut(cleaned, blocks)

    def rank(self, page: Cut, question: str) -> Cut:
        """Rank the blocks for a question."""
        if self.ranker is not None:
            texts = [block[0].get_text(" ", strip=True) for block in page.blocks]
            return Cut(page.html, page.blocks, self.ranker.order(texts, question))
        bm25 = load(self.folder).pruner.BM25HTMLPruner()
        ranking = bm25.calculate_block_rankings(question, page.html, page.blocks)
        return Cut(page.html, page.blocks, ranking)

    def cut(self, page: Cut, budget: int) -> str:
        """Prune to a budget."""
        pruner = load(self.folder).pruner.Pruner()
        tokenizer = CountingTokenizer(self.counter)
        return str(pruner.prune_HTML(page.html, page.blocks, page.ranking, tokenizer, budget))


@dataclass(frozen=True, slots=True)
class Modules:
    """htmlrag's two modules."""

    utils: Any
    pruner: Any


@cache
def load(folder: Path) -> Modules:
    """Load htmlrag's modules from its package folder."""
    package = ModuleType(_NAME)
    package.__path__ = [str(folder)]
    sys.modules[_NAME] = package
    missing = [name for name in _OPTIONAL if find_spec(name.partition(".")[0]) is None]
    with _stubbed([*_MODELS, *missing]):
        return Modules(
            importlib.import_module(f"{_NAME}.html_utils"), importlib.import_module(f"{_NAME}.pruner")
        )


@contextmanager
def _stubbed(names: Sequence[str]) -> Iterator[None]:
    """Put empty modules in the place of some, and take them away again."""
    before = {name: sys.modules.get(name) for name in names}
    sys.modules.update({name: Stub(name) for name in names})
    try:
        yield
    finally:
        for name, module in before.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module
