"""Pruning by generation: a language model says how probable the path of each block is (HtmlRAG, 3.4.2).

The page is shown with its tags numbered, then the question; the paths of all blocks are one token
tree after that prompt, and a block's score is the sum of its tokens' log-probabilities among their
siblings. What does not fit the model's context is cut between subtrees into several prompts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from longleaf.blocks import BlockTree
from longleaf.errors import ModelError
from longleaf.models.base import ScoringLM, TreeQuery
from longleaf.prune.prompt import labelled, message, path_text
from longleaf.prune.tokentree import TokenTree, path_scores, sibling_log_probabilities, token_tree

# A question that any page answers: what a path scores without a real one is a prior on its place and
# tags, and the rank correlation with it was .99 untrained (pruning probe, section 3).
NULL_QUESTION = "What is this page about?"


@dataclass(frozen=True, slots=True)
class Place:
    """A block of one of several trees."""

    tree: int
    block: int


@dataclass(frozen=True, slots=True, eq=False)
class PathQuery:
    """One prompt: which blocks it shows, the token tree of their paths, and what the model is asked."""

    places: tuple[Place, ...]
    tree: TokenTree
    query: TreeQuery


@dataclass(frozen=True, slots=True)
class GenerativePruner:
    """Ranks blocks by the probability of their paths.

    ``normalised`` divides by the choices along a path; ``corrected`` subtracts the score that a
    question about nothing gives. The prompt and the paths are tokenised apart, in training as here.
    """

    name = "generative"
    lm: ScoringLM
    normalised: bool = False
    corrected: bool = False

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user should know of the model behind the scores."""
        return self.lm.notes

    def score(self, trees: Sequence[BlockTree], question: str) -> list[float]:
        """Return one score a block of all trees: a log-probability, so at most 0 unless ``corrected``.

        Raises ``ModelError`` where not even one block fits the model's context.
        """
        places = [Place(t, b) for t, tree in enumerate(trees) for b in range(len(tree.blocks))]
        return self.score_places(trees, places, question)

    def score_places(self, trees: Sequence[BlockTree], places: Sequence[Place], question: str) -> list[float]:
        """Return the scores of some blocks, given in document order; only these are shown to the model."""
        scores = self._scores(trees, places, question)
        if self.corrected:
            prior = self._scores(trees, places, NULL_QUESTION)
            return [score - before for score, before in zip(scores, prior, strict=True)]
        return scores

    def _scores(self, trees: Sequence[BlockTree], places: Sequence[Place], question: str) -> list[float]:
        queries = self.queries(trees, places, question)
        results = self.lm.log_probabilities([query.query for query in queries])
        out: list[float] = []
        for query, logits in zip(queries, results, strict=True):
            logs = sibling_log_probabilities(query.tree, logits)
            # A path's probability is one among those of its own prompt: a share of a larger whole
            # counts for more, so each prompt weighs as many blocks as it shows.
            share = math.log(len(query.places) / len(places))
            out += [score + share for score in path_scores(query.tree, logs, self.normalised)]
        return out

    def queries(self, trees: Sequence[BlockTree], places: Sequence[Place], question: str) -> list[PathQuery]:
        """Return the prompts that show the blocks ``places``: one, or as many as the context needs."""
        if not places:
            return []
        made = self._query(trees, places, question)
        length = len(made.query.prompt) + max(made.tree.depth(node) for node in made.tree.ends)
        if length <= self.lm.context:
            return [made]
        if len(places) == 1:
            raise ModelError(
                f"{self.lm.name} reads {self.lm.context} tokens; one block and the question have {length}",
                "use a model with a larger context, or a shorter question",
            )
        middle = _between_subtrees(trees, places)
        return [
            *self.queries(trees, places[:middle], question),
            *self.queries(trees, places[middle:], question),
        ]

    def _query(self, trees: Sequence[BlockTree], places: Sequence[Place], question: str) -> PathQuery:
        page, paths = _shown(trees, places)
        prompt = self.lm.encode(self.lm.chat(message(page, question)))
        tree = token_tree([self.lm.encode(path) for path in paths])
        return PathQuery(tuple(places), tree, tree_query(prompt, tree))


def _shown(trees: Sequence[BlockTree], places: Sequence[Place]) -> tuple[str, list[str]]:
    """Return the pages as the model sees them, and the path of each block."""
    chosen: dict[int, list[int]] = {}
    for place in places:
        chosen.setdefault(place.tree, []).append(place.block)
    several = len(trees) > 1
    pages = [labelled(trees[t], blocks, t + 1 if several else 0) for t, blocks in chosen.items()]
    paths = [path_text(trees[p.tree].blocks[p.block], p.tree + 1 if several else 0) for p in places]
    return "\n".join(pages), paths


def tree_query(prompt: Sequence[int], tree: TokenTree) -> TreeQuery:
    """Return what a model is asked for a token tree: it reads the nodes that lead to a choice."""
    place = {node: i for i, node in enumerate(tree.fed)} | {-1: -1}
    return TreeQuery(
        prompt,
        [tree.token[node] for node in tree.fed],
        [place[tree.parent[node]] for node in tree.fed],
        [(place[node], [tree.token[child] for child in tree.children[node]]) for node in tree.branches],
    )


def _between_subtrees(trees: Sequence[BlockTree], places: Sequence[Place]) -> int:
    """Return where to part blocks in two: near the middle, where as much as possible ends.

    Looked for in the middle half, by text; of equally shallow places the one nearest the middle.
    """
    sizes = [len(trees[p.tree].blocks[p.block].text) + 1 for p in places]
    half, seen = sum(sizes) / 2, 0
    best = (math.inf, math.inf, 1)
    for i in range(1, len(places)):
        seen += sizes[i - 1]
        off = abs(seen - half)
        outside = off > half / 2
        depth = _shared_depth(trees, places[i - 1], places[i])
        best = min(best, (depth + 1000.0 * outside + (off if outside else 0), off, i))
    return best[2]


def _shared_depth(trees: Sequence[BlockTree], one: Place, other: Place) -> int:
    """Return how many elements two blocks both stand in; 0 for blocks of two pages."""
    if one.tree != other.tree:
        return 0
    labels = [trees[p.tree].blocks[p.block].path.split(">") for p in (one, other)]
    depth = 0
    while depth < min(map(len, labels)) and labels[0][depth] == labels[1][depth]:
        depth += 1
    return depth
