"""An answer as one HTML file that can be sent to someone: text, sources and how it came about.

Nothing is loaded and nothing runs. Every cited sentence leads to the excerpt that it rests on,
in which its quote is marked; every excerpt leads back, and on to the page itself.
"""

from __future__ import annotations

import re

from longleaf.render.answer_style import ANSWER_CSS
from longleaf.render.cards import VERDICTS, Cards
from longleaf.render.from_markdown import markdown_html
from longleaf.render.from_markdown_inline import Notes
from longleaf.render.page import counted, page, text
from longleaf.render.sources import ABSTENTION
from longleaf.render.steps import steps_html
from longleaf.types import Answer, Citation

# The markers behind a sentence: "[1]", "[1] [2]", or on a line of their own behind a listing.
_MARKERS = re.compile(r"(?:\s*\[\d+\])+")
_MARKER = re.compile(r"\[(\d+)\]")


def answer_html(answer: Answer) -> str:
    """Return an answer as a self-contained HTML page without scripts.

    The answer's text is rendered from Markdown; excerpts are sanitised and never trusted.
    """
    cards = Cards(answer)
    listed = cards.html()
    if answer.abstained:
        silence = f'<main class="silence"><p>{text(answer.text or ABSTENTION)}</p></main>'
        columns = f"{silence}\n{listed}\n{steps_html(answer)}"
    else:
        main = f'<main class="answer" lang="">\n{markdown_html(answer.text, _notes(answer, cards))}\n</main>'
        columns = f'<div class="columns">\n{main}\n{listed}\n{steps_html(answer)}\n</div>'
    body = f'<div class="page">\n{_top(answer)}\n{columns}\n{_bottom(answer)}\n</div>'
    return page(answer.question, ANSWER_CSS, body)


def _top(answer: Answer) -> str:
    listed = "".join(f"<li>{text(fact)}</li>" for fact in _facts(answer))
    facts = f'<ul class="facts">{listed}</ul>' if listed else ""
    notes = "".join(f"<p>{text(warning)}</p>" for warning in answer.warnings)
    note = f'<div class="note">{notes}</div>' if notes else ""
    return (
        '<header class="top">\n<p class="brand">longleaf</p>\n'
        f'<h1 dir="auto" lang="">{text(answer.question)}</h1>\n{facts}{note}\n</header>'
    )


def _facts(answer: Answer) -> list[str]:
    searched = int(answer.usage.get("pages", 0))
    facts = [f"{counted(searched, 'page')} searched"] if searched else []
    citations = answer.citations
    if not citations:
        return facts
    pages = len({citation.document_id for citation in citations})
    verdicts = [(sum(c.verdict == verdict for c in citations), verdict) for verdict in reversed(VERDICTS)]
    return [
        counted(len(citations), "cited sentence"),
        f"{counted(len({c.marker for c in citations}), 'place')} on {counted(pages, 'page')}",
        ", ".join(f"{count} {verdict}" for count, verdict in verdicts if count),
        *facts,
    ]


def _bottom(answer: Answer) -> str:
    version = f" {answer.version}" if answer.version else ""
    return f'<footer class="bottom">Made with longleaf{text(version)}.</footer>'


def _notes(answer: Answer, cards: Cards) -> Notes:
    """Return whose stretch each character is, and the links that replace the markers.

    Citations of one stretch share it. Where stretches overlap, the one that began first has
    the characters. A citation without a marker in the text still is a place to come back to.
    """
    notes = Notes([-1] * (len(answer.text) + 1))
    stretches: dict[tuple[int, int], int] = {}
    order = sorted(range(len(answer.citations)), key=lambda n: answer.citations[n].start)
    for number in order:
        citation = answer.citations[number]
        span = max(0, citation.start), min(citation.end, len(answer.text))
        if span not in stretches:
            stretches[span] = len(stretches)
            notes.attributes.append(f' class="cited {citation.verdict}"')
            for at in range(*span):
                if notes.owner[at] < 0:
                    notes.owner[at] = stretches[span]
        place = _marker_place(answer.text, citation, notes.marks)
        if place is not None:
            notes.marks[place[0]] = (place[1], cards.marker(number))
        else:
            notes.first[stretches[span]] = f' id="marker-{number}"'
    return notes


def _marker_place(text: str, citation: Citation, taken: dict[int, tuple[int, str]]) -> tuple[int, int] | None:
    """Return where the marker of a citation stands: behind its sentence, or last inside of it."""
    behind = _MARKERS.match(text, citation.end)
    stretches = [(behind.start(), behind.end())] if behind else []
    inside = list(_MARKERS.finditer(text, citation.start, citation.end))
    if inside and inside[-1].end() == len(text[: citation.end].rstrip()):
        stretches.append(inside[-1].span())
    for start, end in stretches:
        for found in _MARKER.finditer(text, start, end):
            if int(found.group(1)) == citation.marker and found.start() not in taken:
                return found.span()
    return None
