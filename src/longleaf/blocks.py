"""The block tree: a page cut into the smallest parts that pruning keeps or drops (Algorithm 1).

HtmlRAG, section 3.3: an element within the word limit is one block; a larger one is opened,
its own text is a block, its children are looked at in turn. Where the paper leaves a large leaf
whole we cut it at sentences, lines, items or rows. Blocks are stretches between cuts of one
document order, so every word lies in exactly one of them, and since items are grouped by
halving, a finer granularity only ever refines a coarser one.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from longleaf.language import collapse, count_words
from longleaf.opening import opening_context
from longleaf.outline import Outline
from longleaf.paths import PathLabels
from longleaf.restrict import restrict
from longleaf.serialise.html import to_html
from longleaf.serialise.text import to_text
from longleaf.split import Cut, Splitter
from longleaf.stretches import clip_of
from longleaf.types import Block, Nodes, Page, Span

if TYPE_CHECKING:
    from longleaf.tokens import TokenCounter

# HtmlRAG section 4.4: 256 words for the embedding stage, 128 for the finer one.
DEFAULT_WORDS = 128


@dataclass(frozen=True, slots=True, eq=False)
class BlockTree:
    """A page's blocks in document order, over the tree that they cover.

    ``parent[i]`` is the node of the element that block ``i`` belongs to.
    """

    page: Page
    blocks: tuple[Block, ...]
    parent: tuple[int, ...] = field(repr=False)
    granularity: int

    def restrict(self, keep: set[int], spans: tuple[Span, ...] = (), bare: bool = False) -> Nodes:
        """Return the smaller tree that holds the kept blocks, parts of others, and what they need.

        ``bare`` leaves out the heading trail (header rows and captions stay).
        """
        kept = [self.blocks[i].span for i in sorted(keep)]
        nodes = self.page.nodes
        context: set[int] = set()
        needed = [c for i in keep for c in self.blocks[i].context]
        for span in spans:
            block = self.block_at(span.start)
            needed += (*block.context, *opening_context(nodes, block.span, span.start))
        context.update(c for c in needed if not bare or not is_heading(nodes, c))
        return restrict(nodes, [*kept, *spans], context)

    def block_at(self, place: tuple[int, int]) -> Block:
        """Return the block that a place (node, offset) on the page lies in."""
        return self.blocks[bisect_right(self.blocks, place, key=lambda block: block.span.start) - 1]

    def html(self, keep: set[int] | None = None) -> str:
        """Return the page's HTML, restricted to the kept blocks (default: all of it)."""
        if keep is None or len(keep) == len(self.blocks):
            return to_html(self.page.nodes)
        return to_html(self.restrict(keep))

    def block_html(self, block: Block, context: bool = False) -> str:
        """Return the HTML of one block inside its ancestors; ``context`` adds what it needs."""
        if context:
            return to_html(self.restrict({block.id}))
        return to_html(restrict(self.page.nodes, [block.span], set()))

    def show(self) -> str:
        """Return the tree drawn as text."""
        from longleaf.render.tree import tree_text

        return tree_text(self)

    def _repr_html_(self) -> str:
        from longleaf.render.tree import tree_html

        return tree_html(self)


def is_heading(nodes: Nodes, node: int) -> bool:
    """Return whether a context node is a heading (or the title), not a table's own context."""
    tag = nodes.tag[node]
    return tag == "title" or (len(tag) == 2 and tag[0] == "h" and tag[1].isdigit())


def block_tree(page: Page, words: int = DEFAULT_WORDS, counter: TokenCounter | None = None) -> BlockTree:
    """Cut a cleaned page into blocks of at most about ``words`` words.

    With a ``counter`` each block's own HTML is counted in tokens. Deterministic: the same page
    gives the same blocks, ids and anchors.
    """
    nodes = page.nodes
    splitter = Splitter(page, words)
    cuts = splitter.cuts()
    outline = Outline(page, splitter.words)
    labels = PathLabels(nodes)
    ends = [cut.at for cut in cuts[1:]] + [(len(nodes), 0)]
    blocks = [
        _block(i, cut, end, splitter, outline, labels)
        for i, (cut, end) in enumerate(zip(cuts, ends, strict=True))
    ]
    tree = BlockTree(page, tuple(blocks), tuple(cut.element for cut in cuts), words)
    return tree if counter is None else _counted(tree, counter)


def _block(
    i: int, cut: Cut, end: tuple[int, int], splitter: Splitter, outline: Outline, labels: PathLabels
) -> Block:
    span, nodes = Span(cut.at, end), splitter.nodes
    text = span_text(nodes, span)
    words = cut.words if cut.words >= 0 else count_words(text)
    trail = outline.trail(cut)
    header = "\n".join(to_text(nodes, node) for node in cut.context)
    return Block(
        id=i,
        path=labels.path(cut.element) + cut.suffix,
        span=span,
        text=text,
        words=words,
        tokens=None,
        headings=tuple(heading for _, heading in trail),
        kind=outline.kind(cut, end[0], text, words),
        anchor=outline.anchor(cut),
        context=tuple(node for node, _ in trail) + cut.context,
        header=collapse(header) if header else "",
    )


def _counted(tree: BlockTree, counter: TokenCounter) -> BlockTree:
    counts = counter.count_many([span_html(tree.page.nodes, block.span) for block in tree.blocks])
    blocks = tuple(replace(block, tokens=n) for block, n in zip(tree.blocks, counts, strict=True))
    return replace(tree, blocks=blocks)


def span_text(nodes: Nodes, span: Span) -> str:
    """Return the visible text of a span."""
    (first, _), (last, stop) = span.start, span.end
    return to_text(nodes, first, last + 1 if stop else last, clip_of(nodes, span))


def span_html(nodes: Nodes, span: Span) -> str:
    """Return the HTML of a span without its ancestors (a fragment, for counting)."""
    (first, offset), (last, stop) = span.start, span.end
    if offset or stop:
        return to_html(restrict(nodes, [span], set()))
    return to_html(nodes, first, last)
