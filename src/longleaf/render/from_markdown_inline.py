"""The inside of one paragraph of Markdown to HTML, with every character's place in the source known.

Covers what ``serialise.markdown`` writes: emphasis, code, links, images (as their words), line
breaks, escapes, entities and a handful of bare elements. Everything else is text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape, unescape
from itertools import groupby

from longleaf.render.sanitise import safe_url
from longleaf.serialise.markdown_escape import flanks, is_punctuation

_PLAIN = re.compile(r"[^\\`<&*_~\[!\]\n]+")
_RUN = re.compile(r"\*+|_+|~+")
_TICKS = re.compile(r"`+")
_TAG = re.compile(r"<(/?)(sup|sub|kbd|mark|ins|del|strong|em|code)>")
_BREAK_TAG = re.compile(r"<br ?/?>")
_AUTOLINK = re.compile(r"<((?:https?://|mailto:)[^\s<>]*)>")
_ENTITY = re.compile(r"&#?\w{1,40};")
_TARGET = re.compile(
    r"\]\(\s*(<[^<>\n]*>|[^\s()<]*(?:\([^\s()]*\)[^\s()]*)*)(?:\s+\"(?:[^\"\\\n]|\\.)*\")?\s*\)"
)
_BRACKETS = ("[", "!", "x")  # of a link, of an image, of nothing any more
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


@dataclass(frozen=True, slots=True)
class Notes:
    """What to add to a text: whose stretch each character is, and marks that replace some of it.

    ``owner[i]`` is the number of a stretch or -1; ``attributes[n]`` stand in the tag around
    stretch ``n`` (the first time ``first[n]`` as well); ``marks`` maps an offset to the end and
    the HTML of a mark.
    """

    owner: list[int]
    attributes: list[str] = field(default_factory=list)
    first: dict[int, str] = field(default_factory=dict)
    marks: dict[int, tuple[int, str]] = field(default_factory=dict)

    def tag_attributes(self, stretch: int) -> str:
        """Return the attributes of the next element around a stretch; its id comes once only."""
        return self.attributes[stretch] + self.first.pop(stretch, "")


@dataclass(slots=True)
class _Piece:
    """Finished HTML (``at``: its place in the source, -1 for none), or a run of ``*``, ``_``, ``~``.

    ``step`` is 1 for a start tag, -1 for an end tag. A run knows which sides it can work on,
    how many characters are left, and what it became.
    """

    html: str
    at: int
    step: int = 0
    run: str = ""
    left: int = 0
    opens: bool = False
    closes: bool = False
    ends: list[str] = field(default_factory=list)
    starts: list[str] = field(default_factory=list)
    is_mark: bool = False


class InlineRenderer:
    """Renders one paragraph, heading or cell."""

    def __init__(self, text: str, places: list[int], notes: Notes, cell: bool = False) -> None:
        self.text = text
        self.places = places
        self.notes = notes
        self.cell = cell
        self.pieces: list[_Piece] = []
        self.brackets: list[tuple[str, int]] = []
        self._ticks: dict[int, list[int]] = {}
        for found in _TICKS.finditer(text):
            self._ticks.setdefault(len(found.group()), []).append(found.start())

    def render(self) -> str:
        """Return the HTML."""
        at = 0
        while at < len(self.text):
            at = self._next(at)
        self._emphasise(0)
        return "".join(self._grouped())

    @property
    def only_marks(self) -> bool:
        """Whether nothing but marks of the notes is in here."""
        return bool(self.pieces) and all(piece.is_mark or piece.html.isspace() for piece in self.pieces)

    # Reading.

    def _next(self, at: int) -> int:
        char = self.text[at]
        mark = self.notes.marks.get(self.places[at]) if char == "[" else None
        if mark is not None and mark[0] - self.places[at] <= len(self.text) - at:
            self.pieces.append(_Piece(mark[1], self.places[at], is_mark=True))
            return at + mark[0] - self.places[at]
        plain = _PLAIN.match(self.text, at)
        if plain:
            return self._literal(at, plain.end())
        if char in "*_~":
            return self._run(at)
        return {
            "\\": self._backslash,
            "`": self._code,
            "<": self._angle,
            "&": self._entity,
            "[": self._open_bracket,
            "!": self._open_bracket,
            "]": self._close_bracket,
            "\n": self._line_end,
        }[char](at)

    def _literal(self, at: int, end: int) -> int:
        """Add characters as text, one piece for each stretch of the notes."""
        for _, group in groupby(range(at, end), key=lambda n: self.notes.owner[self.places[n]]):
            run = list(group)
            text = self.text[run[0] : run[-1] + 1]
            self.pieces.append(_Piece(escape(text, False), self.places[run[0]]))
        return end

    def _add(self, html: str, at: int, step: int = 0) -> None:
        self.pieces.append(_Piece(html, self.places[at], step))

    def _backslash(self, at: int) -> int:
        after = self.text[at + 1 : at + 2]
        if after == "\n":
            self._add("<br>\n", at)
            return at + 2
        return self._literal(at + 1, at + 2) if _ESCAPED.match(self.text, at) else self._literal(at, at + 1)

    def _line_end(self, at: int) -> int:
        hard = self.text.endswith("  ", 0, at)
        self._add("<br>\n" if hard else "\n", at)
        return at + 1

    def _entity(self, at: int) -> int:
        found = _ENTITY.match(self.text, at)
        if not found or unescape(found.group()) == found.group():
            return self._literal(at, at + 1)
        self._add(escape(unescape(found.group()), False), at)
        return found.end()

    def _code(self, at: int) -> int:
        ticks = _TICKS.match(self.text, at)
        size = len(ticks.group()) if ticks else 1
        places = self._ticks.get(size, [])
        after = bisect_right(places, at)
        if after == len(places):
            return self._literal(at, at + size)
        code = self.text[at + size : places[after]].replace("\n", " ")
        if len(code) > 2 and code[0] == code[-1] == " " and code.strip(" "):
            code = code[1:-1]
        code = code.replace("\\|", "|") if self.cell else code
        self._add(f"<code>{escape(code, False)}</code>", at)
        return places[after] + size

    def _angle(self, at: int) -> int:
        link = _AUTOLINK.match(self.text, at)
        if link:
            address = escape(safe_url(link.group(1)))
            self._add(f'<a href="{address}" rel="noreferrer noopener">{escape(link.group(1), False)}</a>', at)
            return link.end()
        tag = _TAG.match(self.text, at) or _BREAK_TAG.match(self.text, at)
        if not tag:
            return self._literal(at, at + 1)
        if tag.re is _BREAK_TAG:
            self._add("<br>", at)
        elif not tag.group(1):
            self.brackets.append((tag.group(2), len(self.pieces)))
            self._add(escape(tag.group(), False), at)
        elif not self._close_tag(tag.group(2), at):
            self._add(escape(tag.group(), False), at)
        return tag.end()

    def _close_tag(self, name: str, at: int) -> bool:
        tags = (n for n, (kind, _) in enumerate(self.brackets) if kind not in _BRACKETS)
        inner = max(tags, default=-1)
        if inner < 0 or self.brackets[inner][0] != name:
            return False
        self._wrap(self.brackets[inner][1], f"<{name}>", f"</{name}>", at)
        del self.brackets[inner:]
        return True

    def _open_bracket(self, at: int) -> int:
        size = 2 if self.text.startswith("![", at) else 1
        if self.text[at] == "[" or size == 2:
            self.brackets.append((self.text[at], len(self.pieces)))
        self._add(self.text[at : at + size], at)
        return at + size

    def _close_bracket(self, at: int) -> int:
        kind, first = self.brackets[-1] if self.brackets else ("", 0)
        target = _TARGET.match(self.text, at) if kind in ("[", "!") else None
        if kind in _BRACKETS:
            self.brackets.pop()
        if target is None:
            return self._literal(at, at + 1)
        if kind == "!":
            self._wrap(first, '<span class="image">', "</span>", at)
            return target.end()
        url = unescape(_ESCAPED.sub(r"\1", target.group(1).strip("<>")))
        href = safe_url(url)
        opening = f'<a href="{escape(href)}" rel="noreferrer noopener">' if href else "<span>"
        self._wrap(first, opening, "</a>" if href else "</span>", at)
        # A link holds no link, so an open bracket before it is only a bracket.
        self.brackets = [("x" if name == "[" else name, piece) for name, piece in self.brackets]
        return target.end()

    def _wrap(self, first: int, opening: str, closing: str, at: int) -> None:
        self._emphasise(first + 1)
        self.pieces[first] = _Piece(opening, self.pieces[first].at, 1)
        self._add(closing, at, -1)

    # Emphasis (CommonMark 6.2, "process emphasis").

    def _run(self, at: int) -> int:
        found = _RUN.match(self.text, at)
        run = found.group() if found else self.text[at]
        end = at + len(run)
        before = self.text[at - 1] if at else " "
        after = self.text[end] if end < len(self.text) else " "
        left, right = flanks(before, after), flanks(after, before)
        if run[0] == "_":
            left, right = (
                left and (not right or is_punctuation(before)),
                right and (not left or is_punctuation(after)),
            )
        usable = run[0] != "~" or len(run) <= 2
        piece = _Piece("", self.places[at], 0, run, len(run), left and usable, right and usable)
        self.pieces.append(piece)
        return end

    def _emphasise(self, first: int) -> None:
        """Pair up the runs from piece ``first`` on; what is left of them is text."""
        runs = [piece for piece in self.pieces[first:] if piece.opens or piece.closes]
        openers: list[_Piece] = []
        fruitless: dict[tuple[str, bool, int], int] = {}  # no opener up to this place fits such a run
        for piece in runs:
            while piece.closes and piece.left:
                key = (piece.run[0], piece.opens, len(piece.run) % 3)
                found = _opener(openers, piece, fruitless.get(key, -1))
                if found < 0:
                    fruitless[key] = piece.at - 1
                    break
                _join(openers[found], piece)
                del openers[found + (openers[found].left > 0) :]
            if piece.opens and piece.left:
                openers.append(piece)
        for piece in runs:
            piece.closes = piece.opens = False

    # Writing.

    def _tokens(self) -> Iterator[tuple[str, int, int, bool]]:
        """Yield (html, place, step, is mark) of everything, runs as what they became."""
        for piece in self.pieces:
            if not piece.run:
                yield piece.html, piece.at, piece.step, piece.is_mark
                continue
            for tag in piece.ends:
                yield f"</{tag}>", piece.at, -1, False
            if piece.left:
                yield piece.run[0] * piece.left, piece.at, 0, False
            for tag in reversed(piece.starts):
                yield f"<{tag}>", piece.at, 1, False

    def _grouped(self) -> Iterator[str]:
        """Yield the HTML with an element around each stretch; an inner element is never cut."""
        depth, current = 0, -1
        for html, at, step, is_mark in self._tokens():
            if depth == 0:
                owner = -1 if is_mark else self.notes.owner[at]
                if owner != current:
                    if current >= 0:
                        yield "</span>"
                    if owner >= 0:
                        yield f"<span{self.notes.tag_attributes(owner)}>"
                    current = owner
            depth += step
            yield html
        if current >= 0:
            yield "</span>"


def _opener(openers: list[_Piece], closer: _Piece, after: int) -> int:
    """Return which of the openers beyond the place ``after`` the closer ends, or -1."""
    for at in range(len(openers) - 1, -1, -1):
        if openers[at].at <= after:
            break
        if _pairs(openers[at], closer):
            return at
    return -1


def _pairs(opener: _Piece, closer: _Piece) -> bool:
    if opener.run[0] != closer.run[0]:
        return False
    if opener.run[0] == "~":
        return opener.left == closer.left
    both = opener.closes or closer.opens
    one, other = len(opener.run), len(closer.run)
    return not (both and (one + other) % 3 == 0 and (one % 3 or other % 3))


def _join(opener: _Piece, closer: _Piece) -> None:
    size = 2 if opener.left > 1 and closer.left > 1 else 1
    tag = "del" if opener.run[0] == "~" else ("strong" if size == 2 else "em")
    opener.left -= size
    closer.left -= size
    opener.starts.append(tag)
    closer.ends.append(tag)
