"""What an answer rests on, ready to be written down: its sources, and its closest passages.

The Markdown and the plain text of an answer are one composition in two styles.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Protocol

from longleaf.clean import clean
from longleaf.errors import EmptyDocument
from longleaf.language import collapse
from longleaf.render.sanitise import sanitise, to_markup
from longleaf.types import Answer, Citation, Document, Excerpt, Nodes

ABSTENTION = "The pages do not say."
SOURCES = "Sources"
CLOSEST = "The closest passages:"


@dataclass(frozen=True, slots=True)
class Source:
    """One marker of an answer: where its block stands, and the link to it."""

    marker: int
    place: str
    link: str

    @property
    def address(self) -> str:
        """The link without its text fragment, which no one wants to read."""
        return self.link.partition(":~:")[0].removesuffix("#")


@dataclass(frozen=True, slots=True)
class Passage:
    """Part of a page that comes close to the question: its place, its page's address, its tree."""

    place: str
    link: str
    nodes: Nodes


class Style(Protocol):
    """How the parts of an answer are written down."""

    def heading(self, text: str) -> str:
        """Return the line above a list of sources or passages."""

    def sources(self, sources: list[Source]) -> str:
        """Return the list of sources."""

    def passage(self, passage: Passage) -> str:
        """Return one quoted passage with its place."""


def compose(answer: Answer, style: Style) -> str:
    """Return the answer's text as it stands, then its sources or its closest passages."""
    parts = [answer.text]
    if answer.abstained:
        parts = [answer.text or ABSTENTION]
        closest = [style.passage(passage) for passage in passages(answer)]
        parts += [style.heading(CLOSEST), *closest] if closest else []
    listed = sources(answer)
    if listed:
        parts += [style.heading(SOURCES), style.sources(listed)]
    return "\n\n".join(part for part in parts if part)


def sources(answer: Answer) -> list[Source]:
    """Return one source a marker, in the order of the markers; the link is its first citation's."""
    excerpts = {excerpt.marker: excerpt for excerpt in answer.excerpts}
    first: dict[int, Citation] = {}
    for citation in answer.citations:
        first.setdefault(citation.marker, citation)
    out: list[Source] = []
    for marker in sorted(first):
        excerpt, citation = excerpts.get(marker), first[marker]
        where = place(excerpt) if excerpt else citation.url
        out.append(Source(marker, where, citation.link if citation.url else ""))
    return out


def passages(answer: Answer) -> list[Passage]:
    """Return the closest passages that show any text."""
    found = ((excerpt, excerpt_nodes(excerpt)) for excerpt in answer.closest)
    return [Passage(place(excerpt), excerpt.url, nodes) for excerpt, nodes in found if nodes is not None]


def trail(excerpt: Excerpt) -> tuple[str, ...]:
    """Return page title and heading trail of an excerpt, each said once.

    A title often is the first heading and the site's name; then the heading goes.
    """
    title = collapse(excerpt.title) or excerpt.url
    headings = [heading for heading in map(collapse, excerpt.headings) if heading]
    if headings and (headings[0] == title or re.match(re.escape(headings[0]) + r"\s*\W\s", title)):
        del headings[0]
    return (title, *headings)


def place(excerpt: Excerpt) -> str:
    """Return where an excerpt stands: ``page title › heading › heading``."""
    return " › ".join(trail(excerpt))


def excerpt_nodes(excerpt: Excerpt) -> Nodes | None:
    """Return the tree of an excerpt without the headings of its trail, or None if it shows nothing."""
    html = to_markup(sanitise(excerpt.html, trail=(excerpt.title, *excerpt.headings)))
    try:
        return clean(Document.from_html(html)).nodes
    except EmptyDocument:
        return None
