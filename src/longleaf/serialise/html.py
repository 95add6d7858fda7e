"""``Nodes`` to HTML that a browser parses back to the same tree."""

from __future__ import annotations

from longleaf.types import Nodes

VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
# Elements whose text a parser takes as it stands, so that it must not be escaped.
RAW_TEXT = frozenset("script style xmp plaintext".split())
_UNMARKED = frozenset(("#comment", "#fallback"))
# A parser drops one newline right after these start tags, so one is added back when needed.
_EATS_NEWLINE = frozenset(("pre", "textarea", "listing"))


def escape_text(text: str) -> str:
    """Return ``text`` with the characters escaped that would start markup."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def escape_attribute(text: str) -> str:
    """Return ``text`` fit for a double-quoted attribute value."""
    text = text.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace("\r", "&#13;")  # a parser reads a bare one as a line feed


def open_tag(nodes: Nodes, node: int) -> str:
    """Return the start tag of an element with its attributes."""
    attrs = nodes.attrs[node]
    if not attrs:
        return f"<{nodes.tag[node]}>"
    written = "".join(f' {k}="{escape_attribute(v)}"' if v else f" {k}" for k, v in attrs.items())
    return f"<{nodes.tag[node]}{written}>"


def to_html(nodes: Nodes, root: int = 0, end: int | None = None) -> str:
    """Return the HTML of the nodes ``root .. end`` (default: the subtree of ``root``).

    Iterative, so depth is no limit. No white space is added or removed.
    """
    if not len(nodes):
        return ""
    stop = nodes.end[root] if end is None else end
    out: list[str] = []
    stack: list[tuple[int, str]] = []
    tags, texts, ends = nodes.tag, nodes.text, nodes.end
    for node in range(root, stop):
        while stack and stack[-1][0] <= node:
            out.append(stack.pop()[1])
        tag = tags[node]
        if not tag:
            raw = tags[nodes.parent[node]] in RAW_TEXT if nodes.parent[node] >= 0 else False
            out.append(texts[node] if raw else escape_text(texts[node]))
            continue
        if tag in _UNMARKED:
            out.append(f"<!--{texts[node]}-->" if tag == "#comment" else texts[node])
            continue
        out.append(open_tag(nodes, node))
        if tag in _EATS_NEWLINE and node + 1 < ends[node] and texts[node + 1].startswith("\n"):
            out.append("\n")
        if tag not in VOID:
            stack.append((ends[node], f"</{tag}>"))
    while stack:
        out.append(stack.pop()[1])
    return "".join(out)
