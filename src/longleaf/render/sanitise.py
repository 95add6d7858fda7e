"""HTML of unknown origin to HTML that is safe to show inside a page of ours.

An allow-list writer behind a tokenizer: whatever comes in, only known tags with checked
attributes go out, every one of them closed, and all text escaped. Elements whose text is data
(scripts, styles, controls) go with what they hold; anything else unknown leaves its text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

from longleaf.language import collapse

_BLOCKS = frozenset(
    """p div section article aside header footer main nav address center blockquote pre hr ul ol li dl dt dd
    table caption thead tbody tfoot tr td th figure figcaption details summary h1 h2 h3 h4 h5 h6""".split()
)
_INLINE = frozenset(
    """a abbr b bdi bdo br cite code data del dfn em i ins kbd mark q rp rt ruby s samp small span strong sub
    sup time tt u var wbr""".split()
)
# Formulas: the elements that show something, not those that link, embed or carry a second notation.
_MATH = frozenset(
    """math mrow mi mn mo ms mtext mspace mfrac msqrt mroot mstyle merror mpadded mphantom msub msup msubsup
    munder mover munderover mmultiscripts mprescripts mtable mtr mtd""".split()
)
_ALLOWED = _BLOCKS | _INLINE | _MATH
_VOID = frozenset(("br", "hr", "wbr"))
# These go together with everything inside of them.
_DROP = frozenset(
    """head script style template title iframe object embed applet noembed noframes frameset canvas audio
    video select datalist xmp plaintext annotation annotation-xml base link meta""".split()
)
_DROP_VOID = frozenset(("embed", "base", "link", "meta", "frame"))
# Unknown to us, but what they hold stands apart from what is beside them.
_APART = frozenset("form fieldset option button label legend text desc html body".split())
_RENAMED = {
    "textarea": "pre",
    "listing": "pre",
    "strike": "s",
    "center": "div",
    "tt": "code",
    "acronym": "abbr",
}
_ROW_PARTS = frozenset(("caption", "thead", "tbody", "tfoot", "tr", "td", "th"))
# A start tag ends an open element of these kinds, as it does in a browser.
_ENDS = {
    "li": frozenset(("li",)),
    "dt": frozenset(("dt", "dd")),
    "dd": frozenset(("dt", "dd")),
    "tr": frozenset(("tr", "td", "th")),
    "td": frozenset(("td", "th")),
    "th": frozenset(("td", "th")),
    "thead": _ROW_PARTS,
    "tbody": _ROW_PARTS,
    "tfoot": _ROW_PARTS,
    "a": frozenset(("a",)),
}
# How far up that reaches: an item of an inner list does not end one of an outer list.
_HOLDS = {
    "li": frozenset(("ul", "ol")),
    "dt": frozenset(("dl",)),
    "dd": frozenset(("dl",)),
    "tr": frozenset(("table", "thead", "tbody", "tfoot")),
    "td": frozenset(("tr", "table")),
    "th": frozenset(("tr", "table")),
    "thead": frozenset(("table",)),
    "tbody": frozenset(("table",)),
    "tfoot": frozenset(("table",)),
}
_HEADING = re.compile(r"h[1-6]$")
# Headings of a page are small print inside a page of ours, so they stand below our own levels.
_HEADING_TAG = "h4"
# A browser moves deeper elements around; text beyond is kept, its tags are not.
MAX_DEPTH = 200

_SCHEMES = frozenset(("http", "https", "mailto"))
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.\-]*:")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")
_NUMBER = re.compile(r"-?\d{1,6}")
_LANGUAGE = re.compile(r"[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8}){0,4}")
_CHECKS: dict[str, re.Pattern[str]] = {
    "dir": re.compile(r"ltr|rtl|auto", re.I),
    "lang": _LANGUAGE,
    "colspan": _NUMBER,
    "rowspan": _NUMBER,
    "start": _NUMBER,
    "value": _NUMBER,
    "type": re.compile(r"[1aAiI]"),
    "reversed": re.compile(r""),
    "open": re.compile(r""),
    "title": re.compile(r"[^\x00]{0,500}"),
    "datetime": re.compile(r"[\w:.+\- ]{0,40}"),
    "display": re.compile(r"block|inline"),
}
_FLAGS = frozenset(("reversed", "open"))
_ATTRIBUTES: dict[str, tuple[str, ...]] = {
    "td": ("colspan", "rowspan"),
    "th": ("colspan", "rowspan"),
    "ol": ("start", "type", "reversed"),
    "li": ("value",),
    "abbr": ("title",),
    "dfn": ("title",),
    "time": ("datetime",),
    "details": ("open",),
    "math": ("display",),
}
_EVERYWHERE = ("dir", "lang")


@dataclass(frozen=True, slots=True)
class Part:
    """One tag (finished HTML) or one text (not yet escaped) of safe HTML; ``block`` parts words."""

    text: str
    is_text: bool
    block: bool = False


def sanitise(html: str, base: str = "", trail: Sequence[str] = ()) -> list[Part]:
    """Return untrusted HTML as safe parts, balanced, in order.

    ``base`` resolves relative links. Headings that only repeat ``trail`` before any other text
    are left out. Images become their words: the page that shows this loads nothing.
    """
    cleaner = _Cleaner(base, trail)
    cleaner.feed(html)
    cleaner.close()
    return cleaner.finish()


def to_markup(parts: Iterable[Part]) -> str:
    """Return safe parts as HTML."""
    return "".join(escape(part.text, False) if part.is_text else part.text for part in parts)


def safe_url(url: str, base: str = "", local: bool = False) -> str:
    """Return an address that a link may have, or nothing.

    That is http, https, mailto or relative (resolved against ``base``); file too where ``local``
    says so or the base is one. What browsers ignore in an address is gone before it is judged.
    """
    url = _CONTROL.sub("", url).strip().replace(" ", "%20")
    try:
        joined = urljoin(base, url) if base else url
        scheme = urlsplit(joined).scheme
    except ValueError:
        return ""
    local = local or base.startswith("file:")
    known = scheme in _SCHEMES or (local and scheme == "file")
    return joined if known or not _SCHEME.match(joined) else ""


class _Cleaner(HTMLParser):
    def __init__(self, base: str, trail: Sequence[str]) -> None:
        super().__init__(convert_charrefs=True)
        self.base = base
        self.trail = {collapse(heading) for heading in trail}
        self.parts: list[Part] = []
        self.open: list[str] = []
        self._dropping = ""
        self._drop_depth = 0
        self._heading_at: int | None = None
        self._says_something = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._dropping:
            self._drop_depth += tag == self._dropping
            return
        if tag in _DROP:
            if tag not in _DROP_VOID:
                self._dropping, self._drop_depth = tag, 1
            return
        tag = _RENAMED.get(tag, tag)
        values = {name: value or "" for name, value in attrs}
        if tag == "img":
            self._add_image(values)
        elif tag == "input":
            self._add_input(values)
        elif tag in _ALLOWED:
            self._open(tag, values)
        elif tag in _APART:
            self._text(" ")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        # In HTML the slash means nothing; a drop without an end would swallow the rest.
        if tag not in _DROP:
            self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if self._dropping:
            self._drop_depth -= tag == self._dropping
            if not self._drop_depth:
                self._dropping = ""
            return
        tag = _RENAMED.get(tag, tag)
        tag = _HEADING_TAG if _HEADING.match(tag) else tag
        if tag in self.open:
            self._close_to(len(self.open) - 1 - self.open[::-1].index(tag))

    def handle_data(self, data: str) -> None:
        if not self._dropping:
            self._text(data)

    def finish(self) -> list[Part]:
        """Close what is open and return the parts."""
        self._close_to(0)
        return self.parts

    def _text(self, text: str) -> None:
        if text:
            self.parts.append(Part(text.replace("\x00", ""), True))
            self._says_something = self._says_something or (bool(text.strip()) and self._heading_at is None)

    def _open(self, tag: str, values: dict[str, str]) -> None:
        heading = _HEADING.match(tag) is not None
        self._close_implied(_HEADING_TAG if heading else tag)
        if tag in _VOID:
            self.parts.append(Part(f"<{tag}>", False, tag in _BLOCKS or tag == "br"))
            return
        if len(self.open) >= MAX_DEPTH or (tag in _ROW_PARTS and "table" not in self.open):
            self._text(" ")
            return
        if heading and not self._says_something:
            self._heading_at = len(self.parts)
        written = _HEADING_TAG if heading else tag
        self.parts.append(Part(f"<{written}{self._attributes(tag, values)}>", False, tag in _BLOCKS))
        self.open.append(written)

    def _close_implied(self, tag: str) -> None:
        ends, holds = _ENDS.get(tag), _HOLDS.get(tag, frozenset())
        for at in range(len(self.open) - 1, -1, -1):
            if self.open[at] in holds or ends is None:
                break
            if self.open[at] in ends:
                self._close_to(at)
                break
        if tag in _BLOCKS and "p" in self.open:
            at = len(self.open) - 1 - self.open[::-1].index("p")
            # A cell or an item inside a paragraph cannot be, so the paragraph is over.
            if not any(inner in _BLOCKS for inner in self.open[at + 1 :]):
                self._close_to(at)

    def _close_to(self, depth: int) -> None:
        while len(self.open) > depth:
            tag = self.open.pop()
            self.parts.append(Part(f"</{tag}>", False, tag in _BLOCKS))
            if tag == _HEADING_TAG and self._heading_at is not None:
                self._drop_repeated_heading(self._heading_at)
                self._heading_at = None

    def _drop_repeated_heading(self, at: int) -> None:
        text = collapse("".join(part.text for part in self.parts[at:] if part.is_text))
        if text in self.trail:
            del self.parts[at:]
        elif text:
            self._says_something = True

    def _attributes(self, tag: str, values: dict[str, str]) -> str:
        out = []
        for name in (*_EVERYWHERE, *_ATTRIBUTES.get(tag, ())):
            value = values.get(name)
            if value is None:
                continue
            if name in _FLAGS:
                out.append(f" {name}")
            elif _CHECKS[name].fullmatch(value):
                out.append(f' {name}="{escape(value)}"')
        if tag == "a":
            url = safe_url(values.get("href", ""), self.base)
            if url and "href" in values:
                out.append(f' href="{escape(url)}" rel="noreferrer noopener"')
        return "".join(out)

    def _add_image(self, values: dict[str, str]) -> None:
        alt = collapse(values.get("alt", ""))
        if alt:
            self.parts.append(Part('<span class="image">', False))
            self._text(alt)
            self.parts.append(Part("</span>", False))

    def _add_input(self, values: dict[str, str]) -> None:
        kind = values.get("type", "").lower()
        if kind in ("checkbox", "radio"):
            self._text("☑ " if "checked" in values else "☐ ")
        elif kind in ("", "text", "search", "button", "submit"):
            self._text(f"{values.get('value') or values.get('placeholder') or ''} ")
