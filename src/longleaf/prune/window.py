"""How a block is cut short: ever larger parts of it, from what says most about the question.

A part is one stretch, so that what is kept reads on: it begins at the unit (sentence, item, row, term)
that BM25 finds best, grows to the block's end, and then backward to its start. Each part holds the
one before, so a larger budget keeps a superset.
"""

from __future__ import annotations

from collections import Counter

from longleaf.blocks import span_text
from longleaf.language import terms
from longleaf.prune.lexical import Bm25, query_terms
from longleaf.types import Block, Nodes, Span
from longleaf.units import Unit, cut_points, units


def windows(nodes: Nodes, block: Block, question: str) -> list[Span]:
    """Return the parts that a block may be cut to, smallest first, the whole block left out."""
    start, end = block.span.start, block.span.end
    ends = cut_points(nodes, block)
    found = units(nodes, block)
    best = _best(nodes, found, question) if question and len(found) > 1 else start
    if best <= start:
        return [Span(start, at) for at in ends]
    before = [unit.span.start for unit in found if start < unit.span.start < best and not unit.tied]
    after = [at for at in ends if best < at]
    return [Span(best, at) for at in (*after, end)] + [Span(at, end) for at in reversed(before)]


def _best(nodes: Nodes, found: list[Unit], question: str) -> tuple[int, int]:
    """Return where the unit begins that says most about the question; the first where none does.

    Units share in what the heading and the term above them say.
    """
    bags = [Counter(terms(span_text(nodes, unit.span))) for unit in found]
    own = [float(score) for score in Bm25(bags).scores(query_terms(question))]
    heading, term, start, best = 0.0, 0.0, found[0].span.start, 0.0
    for number, unit in enumerate(found):
        score = own[number]
        if unit.kind == "heading":
            heading, term = score, 0.0
        elif unit.kind == "term":
            term = score
            score += heading
        else:
            score += heading + term
        if score > best and not (number and unit.tied):
            start, best = unit.span.start, score
    return start
