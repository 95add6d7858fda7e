"""The sources of an answer as cards: each excerpt with the cited quotes marked in it."""

from __future__ import annotations

from longleaf.render.highlight import Quote, mark_quotes
from longleaf.render.page import attribute, text
from longleaf.render.sanitise import safe_url, sanitise, to_markup
from longleaf.render.sources import CLOSEST, SOURCES, trail
from longleaf.types import Answer, Citation, Excerpt, Verdict

_SIGNS: dict[Verdict, str] = {"supported": "✓", "partial": "◐", "unsupported": "✗", "unchecked": "○"}
# The verdict of a source with several citations is that of its weakest.
_WEAKEST: tuple[Verdict, ...] = ("unsupported", "partial", "unchecked", "supported")


class Cards:
    """The cards of one answer, and where the marker of each citation leads."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.numbers: dict[int, list[int]] = {}
        for number, citation in enumerate(answer.citations):
            self.numbers.setdefault(citation.marker, []).append(number)
        self.targets = {n: f"source-{c.marker}" for n, c in enumerate(answer.citations)}

    def html(self) -> str:
        """Return the section of all cards: the sources, or the closest passages of an abstention."""
        shown = self.answer.closest if self.answer.abstained else self.answer.excerpts
        if not shown:
            return ""
        title = CLOSEST if self.answer.abstained else SOURCES
        cards = "\n".join(self._card(excerpt) for excerpt in shown)
        return f'<section class="sources">\n<h2>{text(title)}</h2>\n{cards}\n</section>'

    def marker(self, number: int) -> str:
        """Return the link that stands for the marker of a citation."""
        citation = self.answer.citations[number]
        sign = "" if citation.verdict == "supported" else f" <small>{_SIGNS[citation.verdict]}</small>"
        label = attribute(f"source {citation.marker}, {citation.verdict}")
        return (
            f'<a class="marker {citation.verdict}" id="marker-{number}" href="#{self.targets[number]}"'
            f' aria-label="{label}">[{citation.marker}]{sign}</a>'
        )

    def _card(self, excerpt: Excerpt) -> str:
        numbers = self.numbers.get(excerpt.marker, []) if not self.answer.abstained else []
        citations = [self.answer.citations[n] for n in numbers]
        parts = sanitise(excerpt.html, excerpt.url, (excerpt.title, *excerpt.headings))
        quotes = [
            Quote(c.quote, c.prefix, c.suffix, f"quote-{n}") for n, c in zip(numbers, citations, strict=True)
        ]
        marked, found = mark_quotes(parts, quotes)
        for number in numbers:
            if f"quote-{number}" in found:
                self.targets[number] = f"quote-{number}"
        return (
            f'<article class="source" id="source-{excerpt.marker}">\n{_head(excerpt, citations)}\n'
            f'<div class="excerpt" dir="auto">{to_markup(marked)}</div>\n'
            f"{_foot(excerpt, citations, numbers)}\n</article>"
        )


def _head(excerpt: Excerpt, citations: list[Citation]) -> str:
    title, *headings = trail(excerpt)
    under = f"<span>{text(' › '.join(headings))}</span>" if headings else ""
    verdict = ""
    if citations:
        worst = min((c.verdict for c in citations), key=_WEAKEST.index)
        verdict = f'<span class="verdict {worst}">{_SIGNS[worst]} {worst}</span>'
    return (
        f'<header><span class="number">{excerpt.marker}</span>'
        f'<span class="where"><strong>{text(title)}</strong>{under}</span>{verdict}</header>'
    )


def _foot(excerpt: Excerpt, citations: list[Citation], numbers: list[int]) -> str:
    url = safe_url(citations[0].link if citations else excerpt.url, local=True)
    opened = f'<a href="{attribute(url)}" rel="noreferrer">open the page here</a>' if url else ""
    back = "".join(f'<a href="#marker-{n}" aria-label="back to sentence {n + 1}">↩</a>' for n in numbers)
    shown = f'<span class="back">{back}</span>' if back else ""
    return f'<footer>{opened}{shown}<span class="address">{text(excerpt.url)}</span></footer>'
