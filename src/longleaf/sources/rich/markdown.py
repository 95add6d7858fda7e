"""Markdown to HTML: CommonMark with tables and strikethrough, headings named as GitHub names them."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from longleaf.sources.rich.converted import Converted, missing_extra, page_html, text_of
from longleaf.sources.rich.plain import body_html

if TYPE_CHECKING:
    from markdown_it.token import Token

# Quotes in quotes in quotes: markdown-it drops what is deeper, and its own 20 is soon reached.
MAX_NESTING = 150
_FRONT_MATTER = re.compile(r"\A(---|\+\+\+)[ \t]*\n(.*?)\n(?:\1|\.\.\.)[ \t]*(?:\n|\Z)", re.S)
_FIELD = re.compile(r"^\w[\w-]*\s*[:=]", re.M)
_TITLE = re.compile(r"^title\s*[:=]\s*(.+?)\s*$", re.M | re.I)
_NOT_IN_SLUG = re.compile(r"[^\w\- ]")


def to_html(data: bytes, name: str) -> Converted:
    """Return a Markdown file as a page; raw HTML in it is passed on, front matter is set aside."""
    try:
        from markdown_it import MarkdownIt
    except ImportError as error:
        raise missing_extra(name, "markdown-it-py") from error
    text, title = _front_matter(text_of(data, name).replace("\r\n", "\n"))
    reader = MarkdownIt("commonmark", {"maxNesting": MAX_NESTING}).enable(["table", "strikethrough"])
    tokens = reader.parse(text)
    if any(token.level >= MAX_NESTING - 2 for token in tokens):
        # Deeper text would be gone; as plain text every word of it stays.
        return Converted(page_html(body_html(text)[0], title))
    _name_headings(tokens)
    return Converted(page_html(reader.renderer.render(tokens, reader.options, {}), title))


def _front_matter(text: str) -> tuple[str, str]:
    """Return the text without its front matter, and the title that stands there."""
    found = _FRONT_MATTER.match(text)
    if found is None or not _FIELD.search(found.group(2)):
        return text, ""
    title = _TITLE.search(found.group(2))
    return text[found.end() :], title.group(1).strip("\"'") if title else ""


def _name_headings(tokens: list[Token]) -> None:
    used: dict[str, int] = {}
    for token, inline in pairwise(tokens):
        if token.type != "heading_open":
            continue
        slug = _slug("".join(t.content for t in inline.children or () if t.type in ("text", "code_inline")))
        again = used.get(slug, 0)
        used[slug] = again + 1
        token.attrSet("id", f"{slug}-{again}" if again else slug)


def _slug(text: str) -> str:
    return _NOT_IN_SLUG.sub("", text.strip().lower()).replace(" ", "-") or "section"
