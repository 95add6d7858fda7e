"""PDF to HTML: every page a section, every paragraph named by its page and its place on it.

``id="page=3&paragraph=2"`` is a parameter list to PDF viewers, which open the page it names.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from longleaf.errors import TooLarge
from longleaf.parse import MAX_PAGE_BYTES
from longleaf.serialise.html import escape_text
from longleaf.sources.rich.converted import Converted, no_text, page_html
from longleaf.sources.rich.pdf_chars import PdfPage, read_pdf
from longleaf.sources.rich.pdf_lines import Piece, in_columns, lines_of, pieces
from longleaf.sources.rich.pdf_paragraphs import HYPHEN, Paragraph, paragraphs
from longleaf.sources.rich.pdf_tables import aligned, ruled

# Type this much larger than the text is a heading; so is a short bold line of the text's own size.
HEADING_SIZE = 1.12
MAX_HEADING_WORDS, MAX_BOLD_WORDS = 30, 14
LEVELS = 5
# A line at the edge of so many pages, and of this share of them, is a running header.
RUNNING_PAGES, RUNNING_SHARE = 3, 0.2
_DIGITS = re.compile(r"\d+|\b[ivxlc]+\b")
_WORDS = re.compile(r"\w+(?:-\w+)*")
_NOT_HTML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class _Laid:
    """A page laid out: running lines above and below, paragraphs between, and text at an angle."""

    number: int
    above: tuple[str, ...]
    below: tuple[str, ...]
    paragraphs: tuple[Paragraph, ...]
    aside: tuple[str, ...]


def to_html(data: bytes, name: str) -> Converted:
    """Return a PDF as a page.

    Raises ``Unreadable`` (broken, protected), ``TooLarge``, ``MissingExtra``, and
    ``EmptyDocument`` for one that holds pictures only.
    """
    pdf = read_pdf(data, name)
    running = _running(pdf.pages)
    laid = [_laid(page, running) for page in pdf.pages]
    if not any(p.paragraphs or p.above or p.below or p.aside for p in laid):
        raise no_text(name, "the PDF")
    writer = _Writer(laid)
    body = "\n".join(writer.page(page) for page in laid)
    if len(body) > MAX_PAGE_BYTES:
        raise TooLarge(f"{name}: over the limit of {MAX_PAGE_BYTES} bytes as HTML", "split the file")
    return Converted(page_html(body, _NOT_HTML.sub("", pdf.title)), {"pages": str(len(laid))})


def _edges(page: PdfPage) -> tuple[list[Piece], list[Piece]]:
    """Return the pieces of the first and of the last line of a page."""
    found = pieces(page.runs)
    if not found:
        return [], []
    high, low = max(p.base for p in found), min(p.base for p in found)
    near = 0.5 * max(p.size for p in found if p.base in (high, low))
    return [p for p in found if p.base > high - near], [p for p in found if p.base < low + near]


def _pattern(text: str) -> str:
    return _DIGITS.sub("#", text.lower()).strip()


def _running(pages: Sequence[PdfPage]) -> frozenset[str]:
    """Return the patterns of lines that stand at the edge of page after page, numbers apart."""
    seen: Counter[str] = Counter()
    for page in pages:
        above, below = _edges(page)
        seen.update(
            {"above " + _pattern(p.text) for p in above} | {"below " + _pattern(p.text) for p in below}
        )
    least = max(RUNNING_PAGES, RUNNING_SHARE * len(pages))
    # Chapters give their own line to their own pages: among very many pages fewer are enough.
    return frozenset(text for text, n in seen.items() if n >= min(least, 8))


def _laid(page: PdfPage, running: frozenset[str]) -> _Laid:
    above, below = _edges(page)
    # A page number shows that its whole line is one, though its other words change with the chapter.
    if not any("above " + _pattern(p.text) in running for p in above):
        above = []
    if above == below or not any("below " + _pattern(p.text) in running for p in below):
        below = []
    taken = {id(run) for p in (*above, *below) for run in p.runs}
    runs, tables = ruled([run for run in page.runs if id(run) not in taken], page.lines)
    found: list[Paragraph] = []
    for column in in_columns([*pieces(runs), *tables]):
        found += paragraphs(aligned(lines_of(column)))
    aside = tuple(p.text for p in pieces(page.aside))
    return _Laid(page.number, _texts(above), _texts(below), tuple(found), aside)


def _texts(found: Iterable[Piece]) -> tuple[str, ...]:
    return tuple(p.text for p in sorted(found, key=lambda p: p.x0))


class _Writer:
    """Writes pages as HTML; knows the whole file's type sizes and words."""

    def __init__(self, pages: Sequence[_Laid]) -> None:
        every = [p for page in pages for p in page.paragraphs]
        sizes: Counter[float] = Counter()
        self.words: Counter[str] = Counter()
        for p in every:
            text = " ".join(p.lines) + " ".join(cell for row in p.rows for cell in row)
            sizes[_rounded(p.size)] += len(text)
            self.words.update(word.lower() for word in _WORDS.findall(text))
        self.body = max(sizes, key=lambda s: (sizes[s], -s)) if sizes else 10.0
        large = {_rounded(p.size) for p in every if self._is_large(p)}
        self.levels = {size: min(n, LEVELS) for n, size in enumerate(sorted(large, reverse=True), 1)}

    def _is_large(self, p: Paragraph) -> bool:
        words = sum(len(line.split()) for line in p.lines)
        has_letters = any(c.isalpha() for line in p.lines for c in line)
        return has_letters and p.size > HEADING_SIZE * self.body and words <= MAX_HEADING_WORDS and not p.rows

    def _level(self, p: Paragraph) -> int:
        """Return the level of a heading, 0 for what is none."""
        if p.item or p.rows:
            return 0
        if self._is_large(p):
            return self.levels[_rounded(p.size)]
        text = " ".join(p.lines)
        short = len(text.split()) <= MAX_BOLD_WORDS and not text.endswith((".", ",", ";"))
        own_size = p.size >= 0.95 * self.body and any(c.isalpha() for c in text)
        return min(len(self.levels) + 1, LEVELS + 1) if p.bold and short and own_size and not p.mono else 0

    def page(self, page: _Laid) -> str:
        """Return a page as a section."""
        mark = f"page={page.number}"
        out = [f'<section id="{mark}">']
        out += self._running("header", mark, page.above)
        listed = False
        for n, p in enumerate(page.paragraphs, 1):
            if p.item != listed:
                out.append("<ul>" if p.item else "</ul>")
                listed = p.item
            out.append(self._paragraph(p, f"{mark}&amp;paragraph={n}"))
        if listed:
            out.append("</ul>")
        first = len(page.paragraphs) + 1
        out += [
            f'<p id="{mark}&amp;paragraph={n}">{self._joined([text])}</p>'
            for n, text in enumerate(page.aside, first)
        ]
        out += self._running("footer", mark, page.below)
        return "\n".join([*out, "</section>"])

    def _running(self, tag: str, mark: str, texts: Sequence[str]) -> list[str]:
        said = " ".join(self._joined([text]) for text in texts)
        return [f'<{tag}><p id="{mark}&amp;{tag}">{said}</p></{tag}>'] if said else []

    def _paragraph(self, p: Paragraph, mark: str) -> str:
        if p.rows:
            return self._table(p, mark)
        if p.mono:
            return f'<pre id="{mark}">\n' + escape_text(_clean("\n".join(p.lines), "-")) + "</pre>"
        level = self._level(p)
        tag = f"h{level}" if level else "li" if p.item else "p"
        return f'<{tag} id="{mark}">{self._joined(p.lines)}</{tag}>'

    def _table(self, p: Paragraph, mark: str) -> str:
        rows: list[str] = []
        for i, row in enumerate(p.rows):
            tag = "th" if p.header and i == 0 else "td"
            rows.append(
                "<tr>" + "".join(f"<{tag}>{self._joined(c.split(chr(10)))}</{tag}>" for c in row) + "</tr>"
            )
        return f'<table id="{mark}">\n' + "\n".join(rows) + "\n</table>"

    def _joined(self, lines: Sequence[str]) -> str:
        """Return lines as one, words that were parted at a line's end whole again."""
        first, *rest = " ".join(lines).split(HYPHEN)
        out = [first]
        for part in rest:
            tail = part.lstrip()
            head, word = _last_word(out[-1]), _first_word(tail)
            if head and word:
                out[-1] = out[-1].removesuffix(head) + self._whole(head, word)
                out.append(tail[len(word) :])
            else:
                out.append("-" + part)
        return escape_text(" ".join(_clean("".join(out), "-").split()))

    def _whole(self, head: str, tail: str) -> str:
        parted = f"{head}-{tail}".lower()
        # A compound keeps its hyphen if the file writes it so elsewhere, or goes on with a capital or digit.
        goes_on = tail[0].islower() or (head + tail).isupper()
        if self.words[parted] > self.words[(head + tail).lower()] or not goes_on:
            return f"{head}-{tail}"
        return head + tail


def _last_word(text: str) -> str:
    at = len(text)
    while at and text[at - 1].isalnum():
        at -= 1
    return text[at:]


def _first_word(text: str) -> str:
    stop = next((i for i, c in enumerate(text) if not c.isalnum()), len(text))
    return text[:stop]


def _rounded(size: float) -> float:
    return round(size * 2) / 2


def _clean(text: str, hyphen: str) -> str:
    return _NOT_HTML.sub("", text.replace(HYPHEN, hyphen))
