"""What cleaning keeps, unwraps and sets aside: rules as data, each with its reason.

The default profile is structure-safe: every rule here was checked against public reports of
tools that lost text or structure by a broader one (empty cells, ``<ul><li>`` chains, ``pre``,
accordions, footers that hold the answer). Page chrome is never dropped here: blocks label it
and ranking demotes it, because query-free removal loses answers on 3 to 9 % of real pages.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal, NamedTuple

from longleaf.hidden import hiding, stands_as_block, text_colour

# tag -> reason. The whole subtree is set aside and reported.
DROP: dict[str, str] = {
    "script": "script",
    "style": "style",
    "link": "machine data",
    "meta": "machine data",
    "base": "machine data",
    "template": "inert template",
    "param": "machine data",
    "source": "media file",
    "track": "media file",
    "embed": "media file",
    "applet": "plug-in",
    "#comment": "comment",
    "col": "column styling",
    "annotation": "second notation of a formula",
    "annotation-xml": "second notation of a formula",
    # What a frame holds for browsers without frames: no browser shows it.
    "#fallback": "fallback of a frame",
}
# Of what is set aside, what a reader sees something else in place of: words on its sides are two.
LEAVES_A_GAP = frozenset(("icon", "picture without words", "drawing"))

# Elements that only style or group: their children stand as well without them.
UNWRAP = frozenset(
    """span font big nobr blink basefont colgroup picture noscript iframe noembed template object video audio
    canvas map plaintext""".split()
)

# Wrappers that merge away when they hold one element and nothing else (HtmlRAG section 3.2,
# restricted to tags without meaning of their own: the paper's rule loses h2, ul, tr, pre).
PLAIN_WRAPPERS = frozenset(("div", "section", "article", "main", "center"))

# Of ``UNWRAP``, what can hold a pair that a parser would take apart without it (``nesting_rules``).
REGROUPS = frozenset("noscript iframe noembed template object video audio canvas map plaintext".split())
# Of ``UNWRAP``, what stands apart on a page: words before, in and after it are not one word.
APART = frozenset("iframe noembed template object video audio canvas plaintext".split())
# Markup that was broken off in a name ("<b<i>"): written out, it would be read another way.
_REGULAR_NAME = re.compile(r"[a-zA-Z][\w:.\-]*\Z")

# A browser sets these apart from what stands beside them: white space at their edges is not shown.
BLOCK_TAGS = frozenset(
    """html head title body address article aside blockquote caption center dd details dialog dir div dl dt
    fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li listing main menu nav
    noframes ol optgroup option p plaintext pre search section select summary table tbody td tfoot th thead
    tr ul textarea xmp svg text""".split()
)
EDGES = BLOCK_TAGS | {"td", "th", "option"}

# White space counts in these.
PRE_TAGS = frozenset(("pre", "textarea", "listing", "xmp"))

# Kept although they hold no text: they carry position or meaning.
KEEP_EMPTY = frozenset("td th tr hr br wbr dd dt li html head body textarea select option".split())

# Attributes that carry meaning, for every element.
KEEP_ATTRS = frozenset(("id", "dir", "lang", "title"))
# And per element.
TAG_ATTRS: dict[str, frozenset[str]] = {
    "a": frozenset(("href", "name")),
    "img": frozenset(("alt", "src")),
    "amp-img": frozenset(("alt", "src")),
    "amp-anim": frozenset(("alt", "src")),
    "area": frozenset(("alt", "href")),
    "td": frozenset(("colspan", "rowspan", "headers")),
    "th": frozenset(("colspan", "rowspan", "headers", "scope")),
    "ol": frozenset(("start", "type", "reversed")),
    "li": frozenset(("value",)),
    "input": frozenset(("type", "value", "checked", "placeholder", "name", "alt")),
    "option": frozenset(("value", "selected", "label")),
    "optgroup": frozenset(("label",)),
    "button": frozenset(("value",)),
    "time": frozenset(("datetime",)),
    "data": frozenset(("value",)),
    "meter": frozenset(("value", "min", "max")),
    "progress": frozenset(("value", "max")),
    "del": frozenset(("datetime",)),
    "ins": frozenset(("datetime",)),
    "details": frozenset(("open",)),
    "blockquote": frozenset(("cite",)),
    "q": frozenset(("cite",)),
    "svg": frozenset(("role",)),
    "math": frozenset(("display",)),
    "mfenced": frozenset(("open", "close", "separators")),
}
# ``title`` says something on these only; elsewhere it repeats the text (tooltips).
TITLE_TAGS = frozenset(("abbr", "acronym", "dfn", "iframe", "html"))
# Class names that are kept, on code only, because they name the language.
CODE_CLASS = re.compile(r"^(?:language|lang|highlight|brush)-[\w+#.\-]+$")
CODE_TAGS = frozenset(("pre", "code", "div"))
# Roles that blocks read to label chrome.
KEEP_ROLES = frozenset(("navigation", "banner", "contentinfo", "search", "menu", "doc-toc", "doc-endnotes"))

# Table spans beyond these are nonsense; browsers clamp them the same way.
MAX_COLSPAN, MAX_ROWSPAN = 1000, 65534

SVG_TEXT = frozenset(
    ("svg", "text", "title", "desc", "tspan", "textPath", "foreignObject", "g", "a", "switch")
)

PERMALINK_CLASS = re.compile(
    r"\b(?:headerlink|permalink|header-anchor|anchorjs-link|anchor-link|hash-link|mw-editsection)\b"
)
PERMALINK_TEXT = frozenset(("", "¶", "#", "§", "🔗", "link", "​"))
ICON_CLASS = re.compile(r"\b(?:material-icons|material-symbols|fa|fas|far|fab|glyphicon|icon|icofont)\b")


Chrome = Literal["", "links", "chrome", "page"]
# Page chrome is kept and labelled: a footer may hold the telephone number that was asked for.
LINK_ROLES = frozenset(("navigation", "menu", "menubar", "search", "doc-toc"))
CHROME_ROLES = frozenset(("banner", "contentinfo"))
# Inside these a header or footer belongs to the content (HTML-AAM, roles banner and contentinfo).
CONTENT = frozenset(("article", "aside", "main", "nav", "section"))
# Names of consent dialogs: two words, because a page about cookies uses either alone.
CONSENT = re.compile(
    r"(?:cookie|consent|gdpr|ccpa)s?[-_]?(?:banner|bar|notice|notification|popup|modal|overlay|dialog|prompt|law"
    r"|wall|message|disclaimer|consent|manager|preferences)"
    r"|(?<![a-z])(?:onetrust|cookiebot|cybot|didomi|usercentrics|qc-cmp|osano|klaro|iubenda-cs|tarteaucitron"
    r"|borlabs|cc-window|cc-banner)"
)

# One of these is in each of them; looking for words is faster than the pattern.
_CONSENT_WORDS = "cookie consent gdpr ccpa onetrust cybot didomi usercentrics cmp osano klaro iubenda".split()
_CONSENT_WORDS += ["tarteaucitron", "borlabs", "cc-"]


def chrome_kind(tag: str, attrs: Mapping[str, str]) -> Chrome:
    """Return what kind of page chrome an element is; ``page`` where only its place on the page tells."""
    role = attrs.get("role", "")
    if tag == "nav" or role in LINK_ROLES:
        return "links"
    if role in CHROME_ROLES:
        return "chrome"
    if tag in ("header", "footer"):
        return "page"
    names = f"{attrs.get('id', '')} {attrs.get('class', '')}".lower() if attrs else ""
    if any(word in names for word in _CONSENT_WORDS) and CONSENT.search(names):
        return "chrome"
    return ""


NO_ATTRS: Mapping[str, str] = {}


class Verdict(NamedTuple):
    """What becomes of an element: kept with some attributes, unwrapped, or set aside for a reason.

    ``special`` is False where the next three say all, as for nearly every element: whether it is
    ``keep``t, whether a browser ``parts`` it from what stands beside it, its attributes.
    ``look`` means that the rule has to see the element's text or neighbours first; ``apart`` that
    words before, in and after an inline element are not one word.
    """

    special: bool
    keeps: bool
    parts: bool = False
    attrs: Mapping[str, str] = NO_ATTRS
    reason: str = ""
    look: bool = False
    chrome: Chrome = ""
    apart: bool = False


def judge(tag: str, attrs: Mapping[str, str], in_svg: bool) -> Verdict:
    """Return the verdict on an element from its tag and attributes alone; the same for all like it."""
    telling = bool(attrs) and not _SILENT.issuperset(attrs)
    reason = DROP.get(tag)
    if tag == "script" and attrs.get("type", "").lower().startswith("math/"):
        # With its type it is a formula to the next reader as well, and nothing that runs.
        return Verdict(True, True, attrs={"type": attrs["type"]}, look=True)
    if reason is not None and not (tag == "template" and "shadowrootmode" in attrs):
        return Verdict(True, False, reason=reason)
    if in_svg and tag not in SVG_TEXT:
        return Verdict(True, False, reason="drawing part")
    reason, look = _class_reason(tag, attrs) if telling else ("", tag == "svg")
    if reason or (tag in PICTURES and not attrs.get("alt", "").strip()):
        return Verdict(True, False, reason=reason or "picture without words")
    # A page that hides its whole body shows it by a script once it has loaded.
    look = look or (telling and tag not in WHOLE_PAGE and _may_be_unseen(tag, attrs))
    apart = tag in APART or (telling and _stands_apart(tag, attrs))
    if _unwraps(tag, attrs):
        return Verdict(look or apart or tag in REGROUPS, False, look=look, apart=apart)
    kept = kept_attributes(tag, attrs) if attrs else NO_ATTRS
    chrome = chrome_kind(tag, attrs)
    parts = tag in EDGES
    special = bool(look or chrome or (apart and not parts)) or tag in PRE_TAGS
    return Verdict(special, True, parts, kept, look=look, chrome=chrome, apart=apart and not parts)


WHOLE_PAGE = frozenset(("html", "head", "body"))
# Pictures by their tag; they say what stands in ``alt``.
PICTURES = frozenset(("img", "amp-img", "amp-anim", "area"))
_LINE_NUMBER = re.compile(r"(?<![a-z])(?:linenos?|line-?numbers?|ln-num|hljs-ln-n)(?![a-z])")


def _may_be_unseen(tag: str, attrs: Mapping[str, str]) -> bool:
    return hiding(tag, attrs) is not None or text_colour(tag, attrs) is not None


def _stands_apart(tag: str, attrs: Mapping[str, str]) -> bool:
    """Return whether style or class sets an inline element apart from the words beside it."""
    if tag == "tspan":  # a place of its own: another line of a drawing's text
        return not {"x", "y", "dy"}.isdisjoint(attrs)
    return stands_as_block(attrs) or bool(_LINE_NUMBER.search(attrs.get("class", "")))


# Attributes that hide nothing and name no role.
_SILENT = frozenset(
    "href id name src alt title lang dir colspan rowspan align valign width height rel".split()
)


def _class_reason(tag: str, attrs: Mapping[str, str]) -> tuple[str, bool]:
    """Return why an element goes by what its author calls it, and whether its text has to be seen first."""
    classes, hidden_from_aria = attrs.get("class", ""), attrs.get("aria-hidden") == "true"
    if tag in PICTURES:
        return "", "math" in classes
    if hidden_from_aria and "katex-html" in classes:
        return "second notation of a formula", False
    if hidden_from_aria and ICON_CLASS.search(classes):
        return "icon", False
    return "", tag == "svg" or has_mark(attrs)


def has_mark(attrs: Mapping[str, str]) -> bool:
    """Return whether an element may be an icon or a permalink's mark, if its text is one."""
    return attrs.get("aria-hidden") == "true" or bool(PERMALINK_CLASS.search(attrs.get("class", "")))


def _unwraps(tag: str, attrs: Mapping[str, str]) -> bool:
    if tag == "a":
        return not (attrs.get("href") or attrs.get("id") or attrs.get("name"))
    if tag in ("span", "font"):
        return not (attrs.get("id") or attrs.get("dir") or attrs.get("lang"))
    return tag in UNWRAP or tag in ("g", "switch") or not _REGULAR_NAME.match(tag)


def kept_attributes(tag: str, attrs: Mapping[str, str]) -> Mapping[str, str]:
    """Return the attributes that carry meaning."""
    allowed = TAG_ATTRS.get(tag, frozenset())
    kept: dict[str, str] = {}
    for name, value in attrs.items():
        if name == "title" and tag not in TITLE_TAGS:
            continue
        if name in KEEP_ATTRS or name in allowed:
            if value or name in _FLAGS:
                kept[name] = _safe_value(name, value)
        elif name == "class" and tag in CODE_TAGS:
            language = [c for c in value.split() if CODE_CLASS.match(c)]
            if language and language != ["highlight-default"]:
                kept["class"] = " ".join(language)
        elif name == "role" and value in KEEP_ROLES:
            kept["role"] = value
    if kept.get("src") == "#":  # a picture in the page itself, or what no picture is
        del kept["src"]
    return kept


_INTEGER = re.compile(r"[ \t\n\f\r]*\+?([0-9]{1,9})")


def html_integer(value: str) -> int | None:
    """Return the number an attribute starts with, as the standard reads it (at most nine digits)."""
    found = _INTEGER.match(value)
    return int(found[1]) if found else None


_FLAGS = frozenset(("checked", "selected", "open", "reversed", "value"))


def _safe_value(name: str, value: str) -> str:
    if name in ("colspan", "rowspan"):
        number, limit = html_integer(value), MAX_COLSPAN if name == "colspan" else MAX_ROWSPAN
        return value if number is None or number <= limit else str(limit)
    if name in _ADDRESSES and _IGNORED.sub("", value).lower().startswith(_RUNS):
        return "#"
    return value


_ADDRESSES = frozenset(("href", "src", "cite"))
_RUNS = ("javascript:", "data:", "vbscript:")
# A browser passes over these before reads an address, and over breaks in it (URL standard, 4.4).
_IGNORED = re.compile(r"\A[\x00-\x20]+|[\t\n\r]")
