"""The inside of one paragraph, heading or cell: collected piece by piece, written once it is whole.

Whether ``**`` or ``_`` works depends on the characters around it, and white space must not
stand just inside it. So pieces are first put in order, then each pair of marks is written in
the shortest form that still parses: Markdown where it does, an HTML element where it does not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from longleaf.language import run_together
from longleaf.serialise.markdown_escape import (
    code_span,
    destination,
    escape,
    escape_line_start,
    flanks,
    is_punctuation,
    pairing_marks,
)

Mark = Literal["strong", "em", "del", "sup", "sub", "kbd", "mark", "ins", "link"]
Place = Literal["paragraph", "heading", "cell"]
_SPACES = re.compile(r"[ \t\n\r\f]+")
_LINE_BREAK: dict[Place, str] = {"paragraph": "\\\n", "heading": " ", "cell": "<br>"}
# First and last character of a line break as its neighbours see them ("." for punctuation).
_BREAK_ENDS: dict[Place, str] = {"paragraph": ".\n", "heading": " ", "cell": "."}
_DELIMITERS = {"strong": ("**",), "em": ("_", "*"), "del": ("~~",)}


@dataclass(frozen=True, slots=True)
class Piece:
    """Text, a space, a line break, code, an image, finished Markdown, or one end of a mark.

    ``text`` is what is shown (for ``open`` and ``close``: the mark), ``url`` belongs to links
    and images.
    """

    kind: Literal["text", "space", "break", "code", "image", "raw", "open", "close"]
    text: str = ""
    url: str = ""


_SPACE = Piece("space", " ")
_BREAK = Piece("break", "\n")


class Inline:
    """Collects the pieces of a paragraph; marks that are still open go on in the next one."""

    def __init__(self) -> None:
        self._pieces: list[Piece] = []
        self._open: list[Piece | None] = []
        self._parted = False

    def part(self) -> None:
        """Keep the words before and after this place from being one word."""
        self._parted = True

    def text(self, text: str) -> None:
        """Add characters; white space is what a browser makes of it."""
        # One piece for a whole run: word by word, joining them again would be quadratic.
        shown = _SPACES.sub(" ", text)
        body = shown.strip(" ")
        if shown.startswith(" ") or (body and self._parted and self._glues(body)):
            self._pieces.append(_SPACE)
        if body:
            self._parted = False
            self._pieces.append(Piece("text", body))
            if shown.endswith(" "):
                self._pieces.append(_SPACE)

    def _glues(self, body: str) -> bool:
        before = next((p for p in reversed(self._pieces) if p.kind not in ("open", "close")), _SPACE)
        return run_together(before.text[-2:], body[:2])

    def code(self, text: str) -> None:
        """Add a code span."""
        shown = _SPACES.sub(" ", text).strip(" ")
        if shown:
            self._pieces.append(Piece("code", shown))

    def image(self, alt: str, url: str) -> None:
        """Add an image, or its words where there is no address."""
        alt = " ".join(alt.split())
        if not url or url.startswith("data:"):
            self.part()
            self.text(alt)
            self.part()
        else:
            self._pieces.append(Piece("image", alt, url))

    def raw(self, markdown: str) -> None:
        """Add finished Markdown."""
        self._pieces.append(Piece("raw", markdown))

    def space(self) -> None:
        """Add a space."""
        self._pieces.append(_SPACE)

    def line_break(self) -> None:
        """Add a line break."""
        self._pieces.append(_BREAK)

    def at_break(self) -> bool:
        """Return whether the last thing that shows is a line break."""
        shown = (p.kind for p in reversed(self._pieces) if p.kind not in ("space", "open", "close"))
        return next(shown, "") == "break"

    def open(self, mark: Mark, url: str = "") -> None:
        """Begin a mark; one inside another of its kind changes nothing."""
        twin = any(p is not None and p.text == mark for p in self._open)
        piece = None if twin else Piece("open", mark, url)
        self._open.append(piece)
        if piece is not None:
            self._pieces.append(piece)

    def close(self) -> None:
        """End the mark that was opened last."""
        piece = self._open.pop()
        if piece is not None:
            self._pieces.append(Piece("close", piece.text, piece.url))

    def flush(self, place: Place = "paragraph") -> str:
        """Return what was collected as Markdown (empty: nothing shows) and begin anew."""
        live = [p for p in self._open if p is not None]
        pieces = self._pieces + [Piece("close", p.text, p.url) for p in reversed(live)]
        self._pieces = list(live)
        return _Writer(tidy(pieces), place).write()


def tidy(pieces: Sequence[Piece]) -> list[Piece]:
    """Return the pieces with white space outside of marks, and without marks around nothing.

    A space becomes part of the text beside it.
    """
    out: list[Piece] = []
    for piece in _hoist(_hoist(_without_empty(pieces), "open", 1), "close", -1):
        last = out[-1] if out else _BREAK
        if piece.kind in ("space", "break"):
            _add_space(out, last, piece)
        elif piece.kind == last.kind and piece.kind in ("text", "code"):
            # Two code spans side by side would share their backticks.
            out[-1] = Piece(piece.kind, last.text + piece.text)
        elif last.kind == "close" and piece.kind == "open" and last.text == piece.text != "link":
            out.pop()  # a mark that ends and goes on at once
        else:
            out.append(piece)
    while out and out[-1].kind in ("text", "break") and out[-1].text.isspace():
        out.pop()
    if out and out[-1].kind == "text":
        out[-1] = Piece("text", out[-1].text.rstrip(" "))
    return out


def _add_space(out: list[Piece], last: Piece, piece: Piece) -> None:
    """Append a space or a break, unless one that is as strong stands there already."""
    if last.kind == "break" or (piece.kind == "space" and last.kind == "text" and last.text.endswith(" ")):
        return
    if piece.kind == "space":
        if last.kind == "text":
            out[-1] = Piece("text", last.text + " ")
        else:
            out.append(Piece("text", " "))
        return
    if last.kind == "text" and last.text.endswith(" "):
        out[-1] = Piece("text", last.text[:-1])
        if not out[-1].text:
            out.pop()
    out.append(piece)


def _without_empty(pieces: Sequence[Piece]) -> list[Piece]:
    """Return the pieces without marks that hold nothing but white space."""
    dropped = set[int]()
    opened: list[int] = []
    solid = 0  # how many of the open marks, from the outside, are known to hold something
    for at, piece in enumerate(pieces):
        if piece.kind == "open":
            opened.append(at)
        elif piece.kind == "close":
            first = opened.pop()
            if solid > len(opened):
                solid = len(opened)
            else:
                dropped.update((first, at))
        elif piece.kind not in ("space", "break"):
            solid = len(opened)
    return [piece for at, piece in enumerate(pieces) if at not in dropped]


def _hoist(pieces: Sequence[Piece], kind: str, step: int) -> list[Piece]:
    """Move white space out of the marks: before what opens (1), behind what closes (-1)."""
    out: list[Piece] = []
    held: list[Piece] = []
    for piece in pieces[::step]:
        if piece.kind == kind:
            held.append(piece)
        elif piece.kind in ("space", "break"):
            out.append(piece)
        else:
            out += held
            held = []
            out.append(piece)
    return (out + held)[::step]


class _Writer:
    """Writes tidy pieces; looks at both neighbours of every mark."""

    def __init__(self, pieces: Sequence[Piece], place: Place) -> None:
        self.pieces = pieces
        self.place = place
        self.forms: dict[int, str] = {}
        self._pair_up()
        breaks = _BREAK_ENDS[place]
        shown = (p.text if p.kind == "text" else breaks if p.kind == "break" else "." for p in pieces)
        self.marks = pairing_marks("".join(shown), {form[0] for form in self.forms.values()})

    def write(self) -> str:
        out: list[str] = []
        links = 0
        for at, piece in enumerate(self.pieces):
            links += (piece.kind == "open") - (piece.kind == "close") if piece.text == "link" else 0
            out.append(self._piece(at, piece, links > 0))
        whole = "".join(out)
        return whole.replace("|", "\\|") if self.place == "cell" else whole

    def _piece(self, at: int, piece: Piece, in_link: bool) -> str:
        if piece.kind == "text":
            return self._text(at, piece.text, in_link)
        if piece.kind == "break":
            return _LINE_BREAK[self.place]
        if piece.kind == "code":
            return self._code(piece.text)
        if piece.kind == "image":
            return f"![{escape(piece.text, ' ', ' ', self.marks, True)}]({destination(piece.url)})"
        if piece.kind == "raw":
            return piece.text
        if piece.text == "link":
            return "[" if piece.kind == "open" else f"]({destination(piece.url)})"
        form = self.forms.get(at)
        return form or (f"<{piece.text}>" if piece.kind == "open" else f"</{piece.text}>")

    def _text(self, at: int, text: str, in_link: bool) -> str:
        escaped = escape(text, self._char(at - 1, -1), self._char(at + 1, 0), self.marks, in_link)
        begins_line = not at or self.pieces[at - 1].kind == "break"
        return escape_line_start(escaped, not at) if begins_line and self.place == "paragraph" else escaped

    def _code(self, text: str) -> str:
        if self.place == "cell" and "\\|" in text:
            # In a table cell a backslash before "|" could not be told from an escape.
            plain = (c if c.isalnum() or c == " " else f"&#{ord(c)};" for c in text)
            return f"<code>{''.join(plain)}</code>"
        return code_span(text)

    def _char(self, at: int, edge: int) -> str:
        """Return the character that piece ``at`` shows to its neighbour."""
        if not 0 <= at < len(self.pieces):
            return " "
        piece = self.pieces[at]
        if piece.kind == "text":
            return piece.text[edge]
        if piece.kind == "break":
            return _BREAK_ENDS[self.place][edge]
        return "[" if piece.kind == "open" and piece.text == "link" else "."

    def _pair_up(self) -> None:
        opened: list[int] = []
        for at, piece in enumerate(self.pieces):
            if piece.kind == "open":
                opened.append(at)
            elif piece.kind == "close":
                first = opened.pop()
                form = self._form(first, at)
                if form:
                    self.forms[first] = self.forms[at] = form

    def _form(self, first: int, last: int) -> str:
        """Return the delimiter that works for the mark from ``first`` to ``last``, or nothing."""
        before, inside = self._char(first - 1, -1), self._char(first + 1, 0)
        within, after = self._char(last - 1, -1), self._char(last + 1, 0)
        if not (flanks(before, inside) and flanks(after, within)):
            return ""
        bound = not (_is_word(before) or _is_word(after))
        for form in _DELIMITERS.get(self.pieces[first].text, ()):
            if form == "_" and not bound:
                continue
            if form == "*" and any(self._is_mark(at) for at in (first - 1, first + 1, last - 1, last + 1)):
                continue
            return form
        return ""

    def _is_mark(self, at: int) -> bool:
        return 0 <= at < len(self.pieces) and self.pieces[at].kind in ("open", "close")


def _is_word(char: str) -> bool:
    return not (char.isspace() or is_punctuation(char))
