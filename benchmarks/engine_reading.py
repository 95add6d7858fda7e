"""A reading of HTML that shares no code with Longleaf: rows, items, code and words as a browser shows them.

``read`` parses with selectolax or html5lib and walks the tree itself; hidden and machine parts are
left out by rules of its own. What it leaves out on purpose it counts in ``claimed``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

BREAKS = frozenset(
    """address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset
    figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li listing main menu nav
    ol optgroup option p plaintext pre search section select summary table tbody td text textarea tfoot th
    thead title tr ul xmp""".split()
)
MACHINE = frozenset(
    """annotation annotation-xml applet base col embed link meta param script source style template
    track""".split()
)
ITEMS = ("li", "dt", "dd", "td", "th", "h1", "h2", "h3", "h4", "h5", "h6")
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)", re.I)
_MARK_CLASS = re.compile(r"\b(?:headerlink|permalink|header-anchor|anchor-link|hash-link)\b")
INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff]")
_CHARSET = re.compile(rb"(?:charset|encoding)\s*=\s*[\"']?\s*([\w.:-]+)", re.I)

# (parent, tag or "" for text, text, attributes) in document order.
Row = tuple[int, str, str, dict[str, str]]


@dataclass
class Reading:
    """What one page shows."""

    tokens: list[str] = field(default_factory=list)
    rows: list[tuple[str, ...]] = field(default_factory=list)
    items: dict[str, list[str]] = field(default_factory=dict)
    pres: list[str] = field(default_factory=list)
    empty_cells: int = 0
    breaks: int = 0
    claimed: Counter[str] = field(default_factory=Counter)


def decode(data: bytes) -> str:
    """Decode a page by what it declares, else as UTF-8, else as cp1252."""
    found = _CHARSET.search(data[:1024])
    for name in ([found.group(1).decode("ascii").lower()] if found else []) + ["utf-8"]:
        try:
            return data.decode("cp1252" if name in ("iso-8859-1", "latin1", "us-ascii") else name)
        except (LookupError, UnicodeDecodeError):
            continue
    return data.decode("cp1252", "replace")


def selectolax_nodes(html: str) -> list[Row]:
    from selectolax.lexbor import LexborHTMLParser

    root = LexborHTMLParser(html).root
    out: list[Row] = []
    place: dict[int, int] = {}
    for node in root.traverse(include_text=True) if root is not None else ():
        tag, above = node.tag or "", node.parent
        up = place.get(above.mem_id, -1) if above is not None else -1
        place[node.mem_id] = len(out)
        if tag == "-text":
            out.append((up, "", (node.text_content or "").replace("\0", ""), {}))
        else:
            attributes = {} if tag.startswith("-") else {k: v or "" for k, v in node.attributes.items()}
            out.append((up, tag, "", attributes))
    return out


def html5lib_nodes(html: str) -> list[Row]:
    import html5lib

    out: list[Row] = []
    stack = [-1]
    walker = html5lib.getTreeWalker("etree")
    tree = html5lib.parse(html, treebuilder="etree", namespaceHTMLElements=False)
    for token in walker(tree):
        kind = token["type"]
        if kind in ("StartTag", "EmptyTag"):
            attributes = {name: value for (_, name), value in token["data"].items()}
            out.append((stack[-1], token["name"], "", attributes))
            if kind == "StartTag":
                stack.append(len(out) - 1)
        elif kind == "EndTag":
            stack.pop()
        elif kind in ("Characters", "SpaceCharacters"):
            out.append((stack[-1], "", token["data"], {}))
    return out


READERS = {"selectolax": selectolax_nodes, "html5lib": html5lib_nodes}


def read(html: str, reader: str = "selectolax") -> Reading:
    """Return what a page shows."""
    nodes = READERS[reader](html)
    out = Reading()
    ends = subtree_ends(nodes)
    shown = set(visible(nodes, ends, out.claimed))
    words = render(nodes, range(len(nodes)), shown, out.claimed)
    out.tokens = words.split()
    for i in sorted(shown):
        read_element(nodes, i, range(i, ends[i]), shown, out)
    return out


def subtree_ends(nodes: list[Row]) -> list[int]:
    ends = list(range(1, len(nodes) + 1))
    for i in range(len(nodes) - 1, -1, -1):
        up = nodes[i][0]
        if up >= 0:
            ends[up] = max(ends[up], ends[i])
    return ends


def visible(nodes: list[Row], ends: list[int], claimed: Counter[str]) -> Iterator[int]:
    """Yield the nodes a reader sees; marks, icons and hidden parts are counted."""
    i = 0
    while i < len(nodes):
        reason = unseen(nodes, ends, i)
        if reason is None:
            yield i
            i += 1
        else:
            claimed[reason] += reason != "machine"
            i = ends[i]


def unseen(nodes: list[Row], ends: list[int], i: int) -> str | None:
    _, tag, _, attributes = nodes[i]
    if tag in MACHINE or tag.startswith("-"):
        return "machine"
    if not attributes:
        return None
    if "hidden" in attributes or _HIDDEN.search(attributes.get("style", "")):
        return "hidden elements"
    if attributes.get("type", "").lower() == "hidden" and tag == "input":
        return "machine"
    text = "".join(row[2] for row in nodes[i : ends[i]]) if len(attributes) else ""
    if _MARK_CLASS.search(attributes.get("class", "")) and text.strip() in ("¶", "#", "§", "", "\uf0c1"):
        return "permalink marks"
    if attributes.get("aria-hidden") == "true" and not any(map(str.isalnum, text)):
        return "icons"
    return None


def render(nodes: list[Row], span: range, shown: set[int], claimed: Counter[str] | None = None) -> str:
    """Return the characters of a stretch of nodes, a space at each edge of a block."""
    out: list[str] = []
    closing: list[int] = []
    alt = False
    for i in span:
        if i not in shown:
            continue
        up, tag, text, attributes = nodes[i]
        while closing and not below(nodes, closing[-1], up):
            closing.pop()
            out.append(" ")
        if tag in BREAKS:
            out.append(" ")
            closing.append(i)
        elif tag == "img":
            text = attributes.get("alt", "")
        elif tag == "input":
            text = field_text(attributes)
        elif tag == "sup" and out and out[-1][-1:].isalnum():
            out.append("^")
        if claimed is not None and text:
            claimed["invisible characters"] += len(INVISIBLE.findall(text))
        text = INVISIBLE.sub("", text)
        if text:
            # The words of a picture or a field are words of their own.
            apart = (alt or bool(tag)) and out and out[-1][-1:].isalnum() and text[:1].isalnum()
            out.append(" " + text if apart else text)
            alt = bool(tag)
    return "".join(out)


def below(nodes: list[Row], ancestor: int, node: int) -> bool:
    while node > ancestor:
        node = nodes[node][0]
    return node == ancestor


def field_text(attributes: dict[str, str]) -> str:
    kind = attributes.get("type", "text").lower()
    if kind in ("checkbox", "radio"):
        return "[x] " if "checked" in attributes else "[ ] "
    if kind in ("image", "file", "password"):
        return ""
    return attributes.get("value") or attributes.get("placeholder") or ""


def read_element(nodes: list[Row], i: int, span: range, shown: set[int], out: Reading) -> None:
    tag = nodes[i][1]
    if tag == "br":
        out.breaks += 1
    elif tag == "tr":
        cells = [c for c in span if nodes[c][0] == i and nodes[c][1] in ("td", "th") and c in shown]
        ends = [*cells[1:], span.stop]
        texts = (render(nodes, range(a, b), shown) for a, b in zip(cells, ends, strict=False))
        out.rows.append(tuple(" ".join(text.split()) for text in texts))
    elif tag == "pre":
        inner = ("\n" if nodes[c][1] == "br" else nodes[c][2] for c in span if c in shown)
        out.pres.append("".join(inner))
    elif tag in ITEMS:
        text = " ".join(render(nodes, span, shown).split())
        out.empty_cells += not text and tag in ("td", "th")
        if text:
            out.items.setdefault(tag, []).append(text)
