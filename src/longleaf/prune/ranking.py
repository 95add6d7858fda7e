"""From scores to one order of all blocks, and who takes part in the cut."""

from __future__ import annotations

import math
from collections.abc import Sequence
from heapq import heappop, heappush
from typing import Literal

from longleaf.errors import UsageError
from longleaf.types import Block

PoolName = Literal["all", "page"]


def check_pool(name: str) -> None:
    """Raise ``UsageError`` for a way of pooling that is none."""
    if name not in ("all", "page"):
        raise UsageError(f"there is no pool called {name!r}", "choose all or page")


def check_floor(floor: float | None) -> None:
    """Raise ``UsageError`` for a floor that no score can be compared with."""
    if floor is not None and math.isnan(floor):
        raise UsageError("the floor is not a number", "pass a score of the pruner, or leave it out")


def best_first(blocks: Sequence[Block], scores: Sequence[float]) -> tuple[int, ...]:
    """Return the positions of blocks by score, equals in document order."""
    # Blocks without a word (a rule, a check box) come last, whatever a pruner makes of them.
    return tuple(sorted(range(len(blocks)), key=lambda i: (not blocks[i].words, -scores[i], i)))


def in_turns(pages: Sequence[Sequence[Block]], scores: Sequence[float]) -> tuple[int, ...]:
    """Return one order in which pages share a budget: each is ranked by itself, and they take turns.

    The next block is the best left of the page that has had the fewest tokens so far. So every
    page has its best block before any has its second, pages get equal parts of a budget until
    one has no more, and what it leaves goes to the others. The order knows no budget: a larger
    one keeps a superset, as with one pool.
    """
    blocks = [block for page in pages for block in page]
    orders: list[list[int]] = []
    base = 0
    for page in pages:
        order = best_first(page, scores[base : base + len(page)])
        orders.append([base + place for place in order])
        base += len(page)
    # Tokens so far, page, place in the page's order.
    turns = [(0, page, 0) for page, order in enumerate(orders) if order]
    out: list[int] = []
    while turns:
        had, page_number, place = heappop(turns)
        position = orders[page_number][place]
        out.append(position)
        if place + 1 < len(orders[page_number]):
            block = blocks[position]
            heappush(turns, (had + max(1, block.tokens or block.words), page_number, place + 1))
    return tuple(out)


def above(order: Sequence[int], scores: Sequence[float], floor: float | None) -> tuple[int, ...]:
    """Return what of an order takes part in the cut: scores of at least ``floor``, else the best block."""
    if floor is None:
        return tuple(order)
    return tuple(position for position in order if scores[position] >= floor) or tuple(order[:1])
