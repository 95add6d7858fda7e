"""Plain text to HTML: paragraphs at blank lines, underlined headings, ``<pre>`` where columns matter."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from longleaf.serialise.html import escape_text
from longleaf.sources.rich.converted import Converted, page_html, text_of

TAB = 8
# Three spaces inside a line line things up; after a full stop typists put two.
_COLUMNS = re.compile(r"\S {3,}\S|[\u2500-\u257f]|^\s*[+|].*[+|]\s*$|\t")
_UNDERLINE = re.compile(r"^([=\-~^])\1{2,}$")
_LEVEL = {"=": 1, "-": 2, "~": 3, "^": 4}
# Indented this much more than the rest of the text is meant to be seen as it stands.
_CODE_INDENT = 4
_FORM_FEED = re.compile(r"[\f\v\x1c-\x1e]")


def to_html(data: bytes, name: str) -> Converted:
    """Return a plain text as a page; every paragraph is ``id="paragraph-N"``."""
    body, _ = body_html(text_of(data, name))
    return Converted(page_html(body))


def body_html(text: str, first: int = 1) -> tuple[str, int]:
    """Return the HTML of a text whose first paragraph gets the number ``first``, and the next number."""
    stretches = list(_stretches(text))
    usual = _usual_indent(stretches)
    out: list[str] = []
    number = first
    for lines in stretches:
        for tag, said in _elements(lines, usual):
            out.append(f'<{tag} id="paragraph-{number}">{said}</{tag}>')
            number += 1
    return "\n".join(out), number


def _stretches(text: str) -> Iterator[list[str]]:
    """Yield runs of lines that are not blank."""
    lines: list[str] = []
    for line in _FORM_FEED.sub("\n\n", text.replace("\x00", "")).splitlines():
        if line.strip():
            lines.append(line.rstrip())
        elif lines:
            yield lines
            lines = []
    if lines:
        yield lines


def _usual_indent(stretches: Sequence[Sequence[str]]) -> int:
    """Return how far running text is indented: memos are set in by three spaces from end to end."""
    indents = Counter(_indent(line) for lines in stretches for line in lines)
    return min((n for n, _ in indents.most_common(1)), default=0)


def _indent(line: str) -> int:
    wide = line.expandtabs(TAB)
    return len(wide) - len(wide.lstrip())


def _elements(lines: Sequence[str], usual: int) -> Iterator[tuple[str, str]]:
    """Yield (tag, content) of one stretch: a heading, running text, or lines as they stand."""
    if len(lines) > 1 and (mark := _UNDERLINE.match(lines[1].strip())) and _is_title(lines[0], lines[1]):
        yield f"h{_LEVEL[mark.group(1)]}", escape_text(lines[0].strip())
        lines = lines[2:]
    if not lines:
        return
    if _as_it_stands(lines, usual):
        # A parser drops one line break after <pre>, so this one is not the text's own.
        yield "pre", "\n" + escape_text("\n".join(lines))
    else:
        yield "p", escape_text("\n".join(line.strip() for line in lines))


def _is_title(line: str, under: str) -> bool:
    said = line.strip()
    return any(c.isalnum() for c in said) and len(under.strip()) >= 0.6 * len(said)


def _as_it_stands(lines: Sequence[str], usual: int) -> bool:
    if any(_COLUMNS.search(line.strip("\t ") if i == 0 else line.lstrip()) for i, line in enumerate(lines)):
        return True
    indents = [_indent(line) for line in lines]
    # The first line may be set in (a paragraph) or out (a listed item); the others stand in line.
    rest = indents[1:] or indents
    return min(indents) >= usual + _CODE_INDENT or max(rest) - min(rest) >= 2
