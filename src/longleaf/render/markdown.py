"""An answer as Markdown: its own text, untouched, and the list of what it rests on."""

from __future__ import annotations

from longleaf.render.sources import Passage, Source, compose
from longleaf.serialise.markdown import to_markdown
from longleaf.serialise.markdown_escape import destination, escape, pairing_marks
from longleaf.types import Answer


def answer_markdown(answer: Answer) -> str:
    """Return an answer as Markdown, without a line end at the end.

    It begins with ``answer.text`` (offsets of citations stay true), then one line a marker:
    ``[n] page title › heading — link``. An abstention is one sentence, then the closest
    passages as quotations.
    """
    return compose(answer, _Markdown())


class _Markdown:
    """The style of a Markdown document."""

    def heading(self, text: str) -> str:
        return f"**{text}**"

    def sources(self, sources: list[Source]) -> str:
        return "\n".join(
            f"- [{source.marker}] {_text(source.place)}{_linked(source.address, source.link)}"
            for source in sources
        )

    def passage(self, passage: Passage) -> str:
        lines = to_markdown(passage.nodes).split("\n")
        quoted = "\n".join(f"> {line}".rstrip() for line in lines)
        return f"{quoted}\n>\n> {_text(passage.place)}{_linked(passage.link, passage.link)}"


def _text(text: str, link: bool = False) -> str:
    return escape(text, " ", " ", pairing_marks(text, ()), link)


def _linked(address: str, link: str) -> str:
    return f" — [{_text(address, link=True)}]({destination(link)})" if link else ""
