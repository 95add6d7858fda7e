"""An answer as one HTML file that can be sent to someone: text, sources and how it came about.

Nothing is loaded and nothing runs. Every cited sentence leads to the excerpt that it rests on,
in which its quote is marked; every excerpt leads back, and on to the page itself.
"""

from __future__ import annotations

import re

from longleaf.render.answer_style import ANSWER_CSS
from longleaf.render.cards import Cards
from longleaf.render.from_markdown import markdown_html
from longleaf.render.from_markdown_inline import Notes
from longleaf.render.page import page, text
from longleaf.render.sources import ABSTENTION
from longleaf.render.steps import steps_html
from longleaf.types import Answer

_MARKER = re.compile(r"\s*(\[\d+\])")


def answer_html(answer: Answer) -> str:
    """Return an answer as a self-contained HTML page without scripts.

    The answer's text is rendered from Markdown; excerpts are sanitised and never trusted.
    """
    cards = Cards(answer)
    listed = cards.html()
    if answer.abstained:
        silence = f'<p class="silence">{text(answer.text or ABSTENTION)}</p>'
        columns = f"{silence}\n{listed}\n{steps_html(answer)}"
    else:
        main = f'<main class="answer" lang="">\n{markdown_html(answer.text, _notes(answer, cards))}\n</main>'
        columns = f'<div class="columns">\n<div>\n{main}\n{steps_html(answer)}\n</div>\n{listed}\n</div>'
    body = f'<div class="page">\n{_top(answer)}\n{columns}\n{_bottom(answer)}\n</div>'
    return page(answer.question, ANSWER_CSS, body)


def _top(answer: Answer) -> str:
    pages = len({excerpt.document_id for excerpt in answer.excerpts})
    facts = [f"{len(answer.citations)} cited sentences", f"{pages} pages cited"] if answer.citations else []
    facts.append(f"ended: {answer.stop_reason.replace('_', ' ')}")
    listed = "".join(f"<li>{text(fact)}</li>" for fact in facts)
    notes = "".join(f"<p>{text(warning)}</p>" for warning in answer.warnings)
    note = f'<div class="note">{notes}</div>' if notes else ""
    return (
        f'<header class="top">\n<p class="brand">longleaf</p>\n<h1 dir="auto">{text(answer.question)}</h1>\n'
        f'<ul class="facts">{listed}</ul>{note}\n</header>'
    )


def _bottom(answer: Answer) -> str:
    made = ", ".join(f"{role}: {name}" for role, name in answer.models.items())
    return f'<footer class="bottom">Made by longleaf {text(answer.version)}. {text(made)}</footer>'


def _notes(answer: Answer, cards: Cards) -> Notes:
    """Return whose sentence each character is, and the links that replace the markers."""
    notes = Notes([-1] * (len(answer.text) + 1))
    for number, citation in enumerate(answer.citations):
        for at in range(citation.start, min(citation.end, len(answer.text))):
            notes.owner[at] = number
        notes.attributes.append(f' class="cited {citation.verdict}"')
        notes.first[number] = f' id="sentence-{number}"'
        found = _MARKER.match(answer.text, citation.end)
        if found is not None:
            notes.marks[found.start(1)] = (found.end(1), cards.marker(number))
    return notes
