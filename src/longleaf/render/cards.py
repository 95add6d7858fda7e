"""The sources of an answer as cards: each excerpt with the cited quotes marked in it."""

from __future__ import annotations

from longleaf.render.highlight import Quote, mark_quotes
from longleaf.render.page import attribute, text
from longleaf.render.sanitise import safe_url, sanitise, to_markup
from longleaf.render.sources import CLOSEST, SOURCES, trail
from longleaf.types import Answer, Citation, Excerpt, Verdict

# Weakest first: the verdict of a source with several citations is that of its weakest.
VERDICTS: tuple[Verdict, ...] = ("unsupported", "partial", "unchecked", "supported")
_SIGNS: dict[Verdict, str] = {"supported": "✓", "partial": "◐", "unsupported": "✗", "unchecked": "○"}
# Said at the sentence itself, so that no reader takes it for proven.
_WARNED: tuple[Verdict, ...] = ("unsupported", "partial")


class Cards:
    """The cards of one answer, and where the marker of each citation leads.

    ``html`` comes before ``marker``: only the drawn cards know whether a quote was found.
    """

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.numbers: dict[int, list[int]] = {}
        for number, citation in enumerate(answer.citations):
            self.numbers.setdefault(citation.marker, []).append(number)
        self._targets = {n: f"source-{c.marker}" for n, c in enumerate(answer.citations)}
        self._places: dict[int, str] = {}

    def html(self) -> str:
        """Return the section of all cards: the sources, or the closest passages of an abstention."""
        shown = self.answer.closest if self.answer.abstained else self._cited()
        if not shown:
            return ""
        title = CLOSEST if self.answer.abstained else SOURCES
        cards = "\n".join(self._card(excerpt) for excerpt in shown)
        return f'<section class="sources">\n<h2>{text(title.removesuffix(":"))}</h2>\n{cards}\n</section>'

    def _cited(self) -> list[Excerpt]:
        """Return one excerpt a marker, in order; where the answer holds none, the quotes stand in."""
        given = {excerpt.marker: excerpt for excerpt in self.answer.excerpts}
        for marker, numbers in self.numbers.items():
            if marker not in given:
                citations = [self.answer.citations[n] for n in numbers]
                quotes = text("\n".join(c.quote for c in citations))
                first = citations[0]
                html = f"<pre>{quotes}</pre>" if "\t" in quotes else f"<p>{quotes}</p>"
                given[marker] = Excerpt(marker, first.document_id, first.block_id, first.url, "", (), html)
        return [given[marker] for marker in sorted(given)]

    def marker(self, number: int) -> str:
        """Return the link that stands for the marker of a citation."""
        citation = self.answer.citations[number]
        word = f" <small>{citation.verdict}</small>" if citation.verdict in _WARNED else ""
        where = self._places.get(citation.marker, "")
        label = f"source {citation.marker}, {citation.verdict}"
        return (
            f'<a class="marker {citation.verdict}" id="marker-{number}" href="#{self._targets[number]}"'
            f' aria-label="{attribute(label)}" title="{attribute(where)}">[{citation.marker}]{word}</a>'
        )

    def _card(self, excerpt: Excerpt) -> str:
        numbers = [] if self.answer.abstained else self.numbers.get(excerpt.marker, [])
        citations = [self.answer.citations[n] for n in numbers]
        parts = sanitise(excerpt.html, excerpt.url, (excerpt.title, *excerpt.headings))
        quotes = [
            Quote(c.quote, c.prefix, c.suffix, f"quote-{n}") for n, c in zip(numbers, citations, strict=True)
        ]
        marked, found = mark_quotes(parts, quotes)
        self._targets.update((n, f"quote-{n}") for n in numbers if f"quote-{n}" in found)
        self._places[excerpt.marker] = " › ".join(trail(excerpt))
        return (
            f'<article class="source" id="source-{excerpt.marker}">\n{_head(excerpt, citations)}\n'
            f'<div class="excerpt" dir="auto" lang="" tabindex="0">{to_markup(marked)}</div>\n'
            f"{_foot(excerpt, citations, numbers)}\n</article>"
        )


def _head(excerpt: Excerpt, citations: list[Citation]) -> str:
    # What tells the sources of one page apart is the nearest heading, so that one is bold.
    *above, nearest = trail(excerpt)
    under = f"<span>{text(' › '.join(above))}</span>" if above else ""
    verdict = ""
    if citations:
        worst = min((c.verdict for c in citations), key=VERDICTS.index)
        verdict = f'<span class="verdict {worst}">{_SIGNS[worst]} {worst}</span>'
    return (
        f'<header><span class="number">{excerpt.marker}</span>'
        f'<span class="where" lang=""><strong>{text(nearest)}</strong>{under}</span>{verdict}</header>'
    )


def _foot(excerpt: Excerpt, citations: list[Citation], numbers: list[int]) -> str:
    url = safe_url(citations[0].link if citations and excerpt.url else excerpt.url, local=True)
    address = f'<span class="address">{text(excerpt.url)}</span>' if excerpt.url else ""
    if url:
        opens = "opens at this place" if citations else "opens the page"
        address = (
            f'<a class="address" href="{attribute(url)}" rel="noreferrer">{text(excerpt.url)}'
            f"<span> ↗ {opens}</span></a>"
        )
    back = ", ".join(f'<a href="#marker-{n}">{n + 1}</a>' for n in numbers)
    named = "sentence" if len(numbers) == 1 else "sentences"
    shown = f'<span class="back">↩ back to {named} {back}</span>' if back else ""
    return f"<footer>{shown}{address}</footer>"
