"""An answer as one HTML file that can be sent to someone: text, sources and how it came about.

Nothing is loaded and nothing runs. Every cited sentence leads to the excerpt that it rests on,
in which its quote is marked; every excerpt leads back, and on to the page itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from longleaf.render.answer_style import ANSWER_CSS
from longleaf.render.from_markdown import markdown_html
from longleaf.render.from_markdown_inline import Notes
from longleaf.render.highlight import Quote, mark_quotes
from longleaf.render.page import attribute, page, text
from longleaf.render.sanitise import safe_url, sanitise, to_markup
from longleaf.render.sources import ABSTENTION, CLOSEST, SOURCES, Source, place, sources, trail
from longleaf.render.steps import steps_html
from longleaf.types import Answer, Citation, Excerpt, Verdict

_SIGNS: dict[Verdict, str] = {"supported": "✓", "partial": "◐", "unsupported": "✗", "unchecked": "○"}
# The verdict of a source with several citations is that of its weakest.
_WEAKEST: tuple[Verdict, ...] = ("unsupported", "partial", "unchecked", "supported")
_MARKERS = re.compile(r"(?:\s*\[\d+\])+")
_MARKER = re.compile(r"\[(\d+)\]")


def answer_html(answer: Answer) -> str:
    """Return an answer as a self-contained HTML page without scripts.

    The answer's text is rendered from Markdown; excerpts are sanitised and never trusted.
    """
    excerpts = _Excerpts(answer)
    listed = excerpts.cards()
    main = f'<main class="answer" lang="">\n{_body(answer, excerpts.targets)}\n</main>'
    if answer.abstained:
        main = f'<p class="silence">{text(answer.text or ABSTENTION)}</p>'
    columns = f'<div class="columns">\n<div>\n{main}\n{steps_html(answer)}\n</div>\n{listed}\n</div>'
    if answer.abstained:
        columns = f"{main}\n{listed}\n{steps_html(answer)}"
    body = f'<div class="page">\n{_top(answer)}\n{columns}\n{_bottom(answer)}\n</div>'
    return page(answer.question, ANSWER_CSS, body)
