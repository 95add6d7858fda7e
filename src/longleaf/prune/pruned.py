"""What pruning returns: the page within its budget, the ranking behind it, and how to cut it again."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from longleaf.blocks import BlockTree
from longleaf.prune.budget import Kept, Pool, cut
from longleaf.serialise.markdown import to_markdown
from longleaf.serialise.text import to_text
from longleaf.types import SCHEMA, Block, Nodes


@dataclass(frozen=True, slots=True, eq=False)
class Pruned:
    """A page (or several) cut to a budget; remembers the ranking, so that it can be cut again."""

    pool: Pool = field(repr=False)
    question: str
    scores: tuple[float, ...] = field(repr=False)
    order: tuple[int, ...] = field(repr=False)
    kept: Kept
    budget: int
    tokens_before: int
    tokens_after: int
    stage: str

    def at(self, budget: int) -> Pruned:
        """Return the same ranking cut to another budget; no model is called."""
        kept = cut(self.pool, self.order, budget)
        return replace(self, kept=kept, budget=budget, tokens_after=self.pool.cost(kept))

    @property
    def trees(self) -> tuple[BlockTree, ...]:
        """Return the block trees that were pruned."""
        return self.pool.trees

    @property
    def nodes(self) -> list[Nodes]:
        """Return what is kept, as one tree a page."""
        return self.pool.nodes(self.kept)

    @property
    def html(self) -> str:
        """Return the pruned HTML: well-formed, within the budget."""
        return self.pool.html(self.kept)

    @property
    def markdown(self) -> str:
        """Return the kept parts as Markdown."""
        return "\n\n".join(to_markdown(nodes) for nodes in self.nodes)

    @property
    def text(self) -> str:
        """Return the kept parts as plain text."""
        return "\n\n".join(to_text(nodes) for nodes in self.nodes)

    def why(self, position: int) -> str:
        """Return why a block (position in the pool) was kept or cut, in a few words."""
        rank = self.order.index(position) + 1
        if position in self.kept.whole:
            return f"rank {rank}: fits the budget"
        if position == self.kept.partial:
            return f"rank {rank}: only its beginning fits"
        return f"rank {rank}: over the budget"

    def to_dict(self) -> dict[str, object]:
        """Return the ``prune --json`` object."""
        ranks = {position: rank for rank, position in enumerate(self.order, 1)}
        rows: list[dict[str, object]] = []
        position = 0
        for tree in self.trees:
            for block in tree.blocks:
                row = {"id": block.id, "document_id": tree.page.document.id} | block_fields(block)
                row |= {"score": self.scores[position], "rank": ranks[position]}
                row |= {"kept": position in self.kept.whole or position == self.kept.partial}
                row |= {"reason": self.why(position)}
                rows.append(row)
                position += 1
        return {
            "schema": SCHEMA,
            "question": self.question,
            "budget": self.budget,
            "tokens_before": self.tokens_before,
            "tokens_after": self.tokens_after,
            "pruner": self.stage,
            "html": self.html,
            "blocks": rows,
        }

    def _repr_html_(self) -> str:
        from longleaf.render.tree import tree_html

        tree = self.trees[0]
        inside = range(len(tree.blocks))
        kept = {i for i in inside if i in self.kept.whole or i == self.kept.partial}
        return tree_html(tree, scores=[self.scores[i] for i in inside], kept=kept)


def block_fields(block: Block) -> dict[str, object]:
    """Return what every surface says of a block."""
    return {
        "path": block.path,
        "anchor": block.anchor,
        "kind": block.kind,
        "headings": list(block.headings),
        "words": block.words,
        "tokens": block.tokens,
    }
