"""Sentences bound to the elements they rest on, checked before anyone sees them.

A citation is made by code from a block that was in evidence; its quote must stand verbatim in
that block. What cannot be found there is not cited and, in the extractive answer, not said.
"""

from __future__ import annotations

import re

from longleaf.language import terms
from longleaf.types import Block, Citation, Document, Verdict

# Context on each side of a quote, as the W3C TextQuoteSelector examples have it.
CONTEXT_CHARS = 32


def locate(quote: str, text: str) -> tuple[int, int] | None:
    """Return where ``quote`` stands in ``text``, white space apart, or None."""
    at = text.find(quote)
    if at >= 0:
        return at, at + len(quote)
    parts = quote.split()
    if not parts:
        return None
    match = re.search(r"\s+".join(map(re.escape, parts)), text)
    return match.span() if match else None


def support(sentence: str, text: str) -> float:
    """Return the share of a sentence's terms that stand in ``text`` (0..1)."""
    found = terms(sentence)
    held = set(terms(text))
    return sum(t in held for t in found) / len(found) if found else 0.0


def bind(
    marker: int, start: int, end: int, quote: str, block: Block, document: Document, anchor: str = ""
) -> Citation | None:
    """Return the citation of the answer's span ``start .. end``, or None when the block does not hold it.

    The quote of the result is the block's own wording, character for character. ``anchor`` is
    a nearer one than the block's, if there is any.
    """
    place = locate(quote, block.text)
    if place is None:
        return None
    first, last = place
    verdict: Verdict = "supported"
    return Citation(
        marker=marker,
        start=start,
        end=end,
        document_id=document.id,
        block_id=block.id,
        quote=block.text[first:last],
        prefix=block.text[max(0, first - CONTEXT_CHARS) : first],
        suffix=block.text[last : last + CONTEXT_CHARS],
        url=document.url,
        anchor=anchor or block.anchor,
        verdict=verdict,
        score=1.0,
    )
