"""Ranking plus budget gives the kept set: pure, and the only place where a page is cut.

The kept set is the longest prefix of the ranking whose page (with the ancestors, heading
trail, header rows and caption it needs) fits the budget, and then as many whole rows, items or
sentences of the next block as still fit. So the budget is never exceeded and is used, keeping
all is the identity, and a larger budget keeps a superset. Where even the best block's best
sentence does not fit with its headings, it is kept without them; where it does not fit at all,
the block's beginning or the first sentence in the ranking that does is kept, so a page never
becomes empty for nothing (in that regime alone a larger budget may choose another sentence).

Before any text, a budget cuts what leads elsewhere (link targets, ids): a page that fits with them
keeps them, any other has none.

``fill`` then goes on down the ranking and adds what is small enough for the rest. What it keeps
is a superset of the cut without it, but a larger budget may keep other small blocks: only the
cut underneath is monotone. The part of the next block comes first, because it is the best
of what did not fit, and so that turning ``fill`` on never takes anything away.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from longleaf.blocks import BlockTree
from longleaf.errors import BadBudget
from longleaf.language import collapse, sentence_spans
from longleaf.prune.unlinked import unlinked
from longleaf.prune.window import windows
from longleaf.serialise.html import escape_attribute, escape_text, open_tag, to_html
from longleaf.serialise.text import to_text
from longleaf.tokens import TokenCounter
from longleaf.types import Block, Nodes, Span

# Blocks that are tried one by one when not even the best fits.
MAX_TRIED = 64
# What a block costs, roughly: its tags, and its text (about 4 characters a token in English).
TOKENS_A_BLOCK, TOKENS_A_CHARACTER = 15.0, 0.28
# Pages that ``fill`` writes and counts at most: each costs as much as one try of the cut itself,
# and what is left to fill is less than one block.
MAX_FILL_TRIES = 24
# Characters of text that are always written and counted: less than a millisecond's work.
SMALL = 20_000
# Tokens that can come and go where two pieces of HTML meet.
SEAM = 2


@dataclass(frozen=True, slots=True)
class Kept:
    """What a budget leaves: whole blocks, and possibly a part of one more.

    ``whole`` holds positions in the pool of all blocks. ``bare`` says that even the headings
    did not fit, ``links`` that link targets and ids did.
    """

    whole: frozenset[int]
    partial: int = -1
    part: Span | None = None
    bare: bool = False
    links: bool = False


@dataclass(frozen=True, slots=True)
class Pool:
    """The blocks of one or more pages in one numbering, with the cost of keeping some.

    ``labelled`` writes title and address into every document, so that a reader of several
    pages knows which is which; they count like everything else. ``links`` keeps link targets and
    ids in whatever is kept, instead of text. A block that does not fit is cut to what says most about
    ``question``; without one, to its beginning.
    """

    trees: tuple[BlockTree, ...]
    counter: TokenCounter
    labelled: bool = False
    links: bool = False
    question: str = ""
    memo: dict[Kept, int] = field(default_factory=dict, repr=False)
    blocks: list[Block] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        # All blocks, page after page: a position in the pool is a place in this list.
        object.__setattr__(self, "blocks", [block for tree in self.trees for block in tree.blocks])

    def pages(self, kept: Kept) -> list[tuple[BlockTree, Nodes]]:
        """Return every page that has something kept, with its restricted tree."""
        out: list[tuple[BlockTree, Nodes]] = []
        base = 0
        for tree in self.trees:
            size = len(tree.blocks)
            keep = {p - base for p in kept.whole if base <= p < base + size}
            spans = (kept.part,) if kept.part is not None and base <= kept.partial < base + size else ()
            if len(keep) == size:
                out.append((tree, self._shown(tree.page.nodes, kept)))
            elif keep or spans:
                out.append((tree, self._shown(tree.restrict(keep, spans, kept.bare), kept)))
            base += size
        return out

    def _shown(self, nodes: Nodes, kept: Kept) -> Nodes:
        return nodes if self.links or kept.links else unlinked(nodes)

    def everything(self) -> Kept:
        """Return the pages as they are."""
        return Kept(frozenset(range(len(self.blocks))), links=True)

    def at(self, position: int) -> tuple[BlockTree, Block]:
        """Return the tree and the block at a position."""
        for tree in self.trees:
            if position < len(tree.blocks):
                return tree, tree.blocks[position]
            position -= len(tree.blocks)
        raise IndexError(position)

    def nodes(self, kept: Kept) -> list[Nodes]:
        """Return the restricted tree of every page that has something kept."""
        return [nodes for _, nodes in self.pages(kept)]

    def html(self, kept: Kept) -> str:
        """Return the HTML of what is kept, one document a page."""
        # Where not even the headings fit there is no room for an address.
        if not self.labelled or kept.bare:
            return "\n".join(to_html(nodes) for nodes in self.nodes(kept))
        return "\n".join(labelled_html(tree, nodes) for tree, nodes in self.pages(kept))

    def cost(self, kept: Kept) -> int:
        """Return the tokens of the HTML of what is kept."""
        if kept not in self.memo:
            self.memo[kept] = self.counter.count(self.html(kept))
        return self.memo[kept]


def check_budget(budget: int) -> int:
    """Return the budget, or raise ``BadBudget`` when it is not a positive whole number."""
    if budget <= 0:
        raise BadBudget(f"a budget of {budget} tokens leaves no room", "pass a budget of at least 1 token")
    return budget


def labelled_html(tree: BlockTree, nodes: Nodes) -> str:
    """Return a page's HTML with its address in a ``link rel=canonical`` and its title, each once."""
    document = tree.page.document
    head = ""
    if document.url not in ("", "-"):
        head = f'<link rel="canonical" href="{escape_attribute(document.url)}">'
    if document.title and not _says_title(nodes, document.title):
        head += f"<title>{escape_text(document.title)}</title>"
    html = to_html(nodes)
    if not head or nodes.tag[0] != "html":
        return html
    at = len(open_tag(nodes, 0))
    if len(nodes) > 1 and nodes.tag[1] == "head":
        at += len(open_tag(nodes, 1))
        return html[:at] + head + html[at:]
    return f"{html[:at]}<head>{head}</head>{html[at:]}"


def _says_title(nodes: Nodes, title: str) -> bool:
    """Return whether a page has a ``title`` still, or a first-level heading of the same words."""
    return any(
        (tag == "title" and nodes.tag[nodes.parent[node]] == "head")
        or (tag == "h1" and collapse(to_text(nodes, node)) == title)
        for node, tag in enumerate(nodes.tag)
    )


def cut(pool: Pool, order: Sequence[int], budget: int, fill: bool = False) -> Kept:
    """Return what the ranking ``order`` (positions in the pool, best first) keeps in ``budget``.

    Positions that are not in ``order`` are cut. ``fill`` uses what is left for smaller blocks
    further down. Raises ``BadBudget``.
    """
    check_budget(budget)
    # Where links stay in any case, the search below tries everything as well.
    if not pool.links and _may_fit(pool, order, budget):
        kept = Kept(frozenset(order), links=True)
        if pool.cost(kept) <= budget:
            return kept
    count = _longest_prefix(pool, order, budget)
    kept = Kept(frozenset(order[:count]))
    if count == len(order):
        return kept
    more = _partial(pool, kept, order[count], budget, pool.question)
    if more is None and not count:
        return _smallest(pool, order, budget)
    kept = more or kept
    return _filled(pool, kept, order[count + 1 :], budget) if fill else kept


def _may_fit(pool: Pool, order: Sequence[int], budget: int) -> bool:
    """Return whether all of it could fit: a page that is far too large need not be written out."""
    blocks = [pool.blocks[position] for position in order]
    small = sum(len(block.text) for block in blocks) <= SMALL
    return small or sum(map(_about, blocks)) <= 2 * budget


def _filled(pool: Pool, kept: Kept, rest: Sequence[int], budget: int) -> Kept:
    """Return ``kept`` plus each block of ``rest``, in order, that still fits whole."""
    tries = 0
    for position in rest:
        block = pool.blocks[position]
        # A block without a word (a rule, a picture) is not worth what is left.
        if not block.words or _about(block) > budget - pool.cost(kept) + SEAM:
            continue
        if tries == MAX_FILL_TRIES:
            break
        tries += 1
        larger = replace(kept, whole=kept.whole | {position})
        if pool.cost(larger) <= budget:
            kept = larger
    return kept


def _about(block: Block) -> float:
    """Return about how many tokens a block's own HTML has; those of its links may go."""
    guess = _guessed(block)
    return guess if block.tokens is None else min(block.tokens, guess)


def _guessed(block: Block) -> float:
    return TOKENS_A_BLOCK + len(block.text) * TOKENS_A_CHARACTER


def _longest_prefix(pool: Pool, order: Sequence[int], budget: int) -> int:
    """Return how many of the best blocks fit, by trying prefixes around a guess."""

    def fits(n: int) -> bool:
        return pool.cost(Kept(frozenset(order[:n]))) <= budget

    # Every try writes and counts what it keeps, so a good guess is worth having; and a small
    # budget on a large page never writes the page.
    guess = _guess(pool, order, budget)
    low, high = (guess, len(order) + 1) if fits(guess) else (0, guess)
    step = max(1, guess // 8)
    while high - low > 1:
        if low >= guess and high > len(order):
            middle = min(low + step, len(order))
            step *= 2
        elif high <= guess and low == 0 and high > step:
            middle = high - step
            step *= 2
        else:
            middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def _guess(pool: Pool, order: Sequence[int], budget: int) -> int:
    """Return about how many of the best blocks fit, at least one."""
    spent = 0.0
    for n, position in enumerate(order):
        spent += _guessed(pool.blocks[position])
        if spent > budget:
            return max(1, n)
    return max(1, len(order))


def _partial(
    pool: Pool, kept: Kept, position: int, budget: int, question: str, bare: bool = False
) -> Kept | None:
    """Return ``kept`` plus as much of one more block as fits, or None."""
    block = pool.blocks[position]
    nodes = pool.at(position)[0].page.nodes
    parts = windows(nodes, block, question)
    if bare:
        parts = [*parts, block.span]
    low, high = 0, len(parts)
    while low < high:
        middle = (low + high + 1) // 2
        tried = replace(kept, partial=position, part=parts[middle - 1], bare=bare)
        low, high = (middle, high) if pool.cost(tried) <= budget else (low, middle - 1)
    return replace(kept, partial=position, part=parts[low - 1], bare=bare) if low else None


def _smallest(pool: Pool, order: Sequence[int], budget: int) -> Kept:
    empty = Kept(frozenset())
    said = [position for position in order if pool.blocks[position].words]
    said = said or [position for position in order if pool.blocks[position].text.strip()]
    # Where none of the best fits, the shortest might: a budget this small is about size alone.
    shortest = sorted(said, key=lambda position: _least(pool.blocks[position]))[:MAX_TRIED]
    tries = [(position, pool.question, True) for position in [*said[:MAX_TRIED], *shortest]]
    # What says most may be long: the best block's beginning, with its headings, is the next best thing.
    tries[1:1] = [(position, "", False) for position in said[:1]]
    for position, question, bare in tries:
        found = _partial(pool, empty, position, budget, question, bare)
        if found is not None:
            return found
    return empty


def _least(block: Block) -> int:
    """Return about how many characters a block's first sentence takes; each tag is written twice."""
    start, end = sentence_spans(block.text)[0]
    return end - start + 2 * len(block.path)
