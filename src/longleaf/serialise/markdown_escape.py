"""Literal text to Markdown text: a backslash only where a character would otherwise mean something.

What means something depends on what stands around it, so the rules look at the neighbours.
They follow the CommonMark and GitHub-flavoured Markdown specifications.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from itertools import count

# A backslash before punctuation, a tag, an entity, the end of a link text, "!" before a link.
_ALWAYS = r"\\(?=[!-/:-@\[-`{-~]|$)|`|<(?=[A-Za-z/!?])|&(?=#?\w{1,40};)|\](?=[(\[:])|!(?=\[$)"
_IN_TEXT = re.compile(_ALWAYS)
_IN_LINK = re.compile(_ALWAYS + r"|[\[\]]")
_MARK_RUN = re.compile(r"\*+|_+|~+")
_LINE_START = (
    re.compile(r"()(?=#{1,6}(?:\s|$))"),  # heading
    re.compile(r"()(?=[-+*](?:\s|$))"),  # list item
    re.compile(r"(\d{1,9})(?=[.)](?:\s|$))"),  # numbered item
    re.compile(r"()(?=>)"),  # quotation
    re.compile(r"()(?=~~~)"),  # fence
    re.compile(r"()(?=([-*_])(?:\s*\2){2,}\s*$)"),  # rule
)
# A line below another one: the underline of a heading, or the row of dashes of a table.
_SECOND_LINE = re.compile(r"(?:=+|-+|[|:\-\s]*-[|:\-\s]*)$")
_CLOSING_HASHES = re.compile(r"(^|\s)(?=#+$)")


def is_punctuation(char: str) -> bool:
    """Return whether CommonMark counts ``char`` as punctuation beside a run of ``*`` or ``_``."""
    return unicodedata.category(char)[0] in "PS"


def flanks(outside: str, inside: str) -> bool:
    """Return whether a run of marks between two characters can open (mirrored: close) emphasis."""
    if inside.isspace():
        return False
    return not is_punctuation(inside) or outside.isspace() or is_punctuation(outside)


def escape(text: str, before: str, after: str, marks: Iterable[str], link: bool = False) -> str:
    """Return ``text`` as Markdown that shows these very characters.

    ``before`` and ``after`` are the characters next to it in the output (a space at an edge);
    ``marks`` are those of ``*``, ``_``, ``~`` that could pair up in this paragraph (see
    ``pairing_marks``); ``link`` is for the text of a link, where brackets are syntax too.
    """
    ahead = after if after == "[" else ""
    safe = (_IN_LINK if link else _IN_TEXT).sub(lambda found: "\\" + found.group(), text + ahead)
    safe = safe.removesuffix("\\" + ahead if link and ahead else ahead)
    return _MARK_RUN.sub(lambda run: _escape_run(run, before, after, marks), safe)


def _escape_run(run: re.Match[str], before: str, after: str, marks: Iterable[str]) -> str:
    opens, closes = _sides(run, before, after)
    if run.group()[0] in marks and (opens or closes):
        return "".join("\\" + char for char in run.group())
    return run.group()


def _sides(run: re.Match[str], before: str, after: str) -> tuple[bool, bool]:
    """Return whether a run of mark characters might open, and whether it might close, emphasis."""
    left = run.string[run.start() - 1] if run.start() else before
    right = run.string[run.end()] if run.end() < len(run.string) else after
    inside_word = not any(c.isspace() or is_punctuation(c) for c in (left, right))
    if run.group()[0] == "_" and inside_word:
        return False, False
    return not right.isspace(), not left.isspace()


def pairing_marks(text: str, used: Iterable[str]) -> frozenset[str]:
    """Return which of ``*``, ``_``, ``~`` must be escaped in a paragraph of this text.

    A mark alone has nothing to pair with, unless the paragraph ``used`` the character itself.
    """
    runs: dict[str, list[tuple[bool, bool]]] = {}
    for run in _MARK_RUN.finditer(text):
        sides = _sides(run, " ", " ")
        if any(sides):
            runs.setdefault(run.group()[0], []).append(sides)
    pairs = {m for m, s in runs.items() if len(s) > 1 and any(o for o, _ in s) and any(c for _, c in s)}
    return frozenset(pairs.union(used))


def escape_line_start(text: str, first_line: bool) -> str:
    """Return ``text``, which begins a line, without the look of a heading, list, quotation or rule."""
    for rule in _LINE_START:
        match = rule.match(text)
        if match:
            return f"{match.group(1)}\\{text[match.end(1) :]}"
    return "\\" + text if not first_line and _SECOND_LINE.match(text) else text


def escape_heading_end(text: str) -> str:
    """Return a heading whose last ``#`` characters are text, not its closing sequence."""
    return _CLOSING_HASHES.sub(r"\1\\", text)


def code_span(text: str) -> str:
    """Return ``text`` between enough backticks that none inside ends it."""
    runs = {len(run) for run in re.findall("`+", text)}
    fence = "`" * next(n for n in count(1) if n not in runs)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def fence(text: str) -> str:
    """Return a code fence longer than any run of backticks in ``text``."""
    return "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))


def destination(url: str) -> str:
    """Return ``url`` as a link destination: in angle brackets when it holds spaces or parentheses."""
    url = re.sub(r"[\t\n\r\f]+", "", url.strip())
    url = url.replace("\\", "%5C").replace("<", "%3C").replace(">", "%3E")
    url = re.sub(r"&(?=#?\w{1,40};)", "&amp;", url)
    return f"<{url}>" if not url or re.search(r"[\s()\x00-\x1f]", url) else url
