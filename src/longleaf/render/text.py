"""An answer as plain text, for a terminal or a pipe."""

from __future__ import annotations

from longleaf.render.sources import Passage, Source, compose
from longleaf.serialise.text import to_text
from longleaf.types import Answer


def answer_text(answer: Answer) -> str:
    """Return an answer as plain text, without a line end at the end.

    It begins with ``answer.text``; every address stands on a line of its own, so that a
    terminal can make a link of it and a script can find it.
    """
    return compose(answer, _Plain())


class _Plain:
    """The style of a terminal."""

    def heading(self, text: str) -> str:
        return text

    def sources(self, sources: list[Source]) -> str:
        width = len(str(max(source.marker for source in sources))) + 2
        return "\n".join(
            _entry(f"[{source.marker}]".ljust(width), source.place, source.link) for source in sources
        )

    def passage(self, passage: Passage) -> str:
        quoted = "\n".join(f"  │ {line}".rstrip() for line in to_text(passage.nodes).split("\n"))
        return f"{quoted}\n{_entry(' ', passage.place, passage.link)}"


def _entry(label: str, place: str, link: str) -> str:
    lines = [f"{label} {place}"]
    if link:
        lines.append(f"{' ' * len(label)} {link}")
    return "\n".join(lines)
