"""What an extractive answer is made of: paragraphs, lists, tables and code, cut from blocks.

A passage is a stretch of one block that reads by itself. Lists, tables and code stay whole where
they are short and are cut at items, rows or lines where not. Each piece of it (a sentence, an
item, a table, a listing) has the words of its element as quote and is written as Markdown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from longleaf.blocks import BlockTree, span_text
from longleaf.clean_rules import BLOCK_TAGS
from longleaf.language import count_words
from longleaf.outline import element_id
from longleaf.restrict import restrict
from longleaf.serialise.markdown import to_markdown
from longleaf.types import Block, Nodes, Span, subtree_ends
from longleaf.units import Unit, cut_points, units

PassageKind = Literal["prose", "list", "table", "code", "term"]
_KIND: dict[str, PassageKind] = {
    "sentence": "prose",
    "item": "list",
    "row": "table",
    "code": "code",
    "term": "term",
}
# Beyond these a list, a table or a listing is cut: about a screen each.
MAX_ITEMS, MAX_ROWS, MAX_LINES = 14, 14, 30
_LISTS = frozenset(("ul", "ol", "menu", "dir"))


@dataclass(frozen=True, slots=True)
class Piece:
    """The smallest cited part: its Markdown, the element's own words, and the nearest anchor."""

    markdown: str
    quote: str
    anchor: str


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of one block: its units, its kind, its text."""

    kind: PassageKind
    units: tuple[Unit, ...]
    text: str
    words: int

    @property
    def span(self) -> Span:
        """Return the stretch from the first unit to the last."""
        return Span(self.units[0].span.start, self.units[-1].span.end)


def passages(tree: BlockTree, block: Block, limit: Span | None = None) -> list[Passage]:
    """Return the passages of a block in order; ``limit`` takes only what ends inside that span."""
    nodes = tree.page.nodes
    out: list[Passage] = []
    run: list[Unit] = []
    for unit in units(nodes, block):
        if limit is not None and unit.span.end > limit.end:
            break
        if run and (unit.kind, unit.group) != (run[-1].kind, run[-1].group):
            out += _passage(nodes, run)
            run = []
        if unit.kind in _KIND:
            run.append(unit)
    return out + _passage(nodes, run)


def _passage(nodes: Nodes, run: list[Unit]) -> list[Passage]:
    if not run:
        return []
    kind = _KIND[run[0].kind]
    most = {"list": MAX_ITEMS, "table": MAX_ROWS}.get(kind, len(run))
    chosen = run[:most]
    while len(chosen) < len(run) and run[len(chosen)].tied:
        chosen.append(run[len(chosen)])
    text = span_text(nodes, Span(chosen[0].span.start, chosen[-1].span.end))
    size = count_words(text)
    return [Passage(kind, tuple(chosen), text, size)] if size else []


def pieces(tree: BlockTree, block: Block, passage: Passage) -> Iterator[Piece]:
    """Yield the cited pieces of a passage, in order."""
    nodes = tree.page.nodes
    if passage.kind == "table":
        yield _table(nodes, block, passage)
    elif passage.kind == "code":
        yield _code(nodes, block, passage)
    else:
        for unit in passage.units:
            quote = span_text(nodes, unit.span)
            if not count_words(quote):
                continue
            body = inline_markdown(nodes, unit.span)
            if passage.kind == "list":
                body = _bullet(nodes, unit) + body
            elif passage.kind == "term":
                body = f"**{body}**" if "`" not in body and "*" not in body else body
            yield Piece(body, quote, _anchor(nodes, block, unit.span))


def _anchor(nodes: Nodes, block: Block, span: Span) -> str:
    """Return the id nearest before a span inside its block, else the block's own."""
    said = next((n for n in range(span.start[0], span.end[0]) if nodes.says(n)), span.start[0])
    inside = range(said, block.span.start[0] - 1, -1)
    return next((name for n in inside if (name := element_id(nodes, n))), block.anchor)


def _bullet(nodes: Nodes, unit: Unit) -> str:
    first, last = unit.span.start[0], unit.span.end[0]
    # The first item of a list may start at the list itself, the others at their own element.
    item = next((n for n in range(first, last) if nodes.tag[n] == "li"), first)
    while item >= 0 and nodes.tag[item] != "li":
        item = nodes.parent[item]
    depth, up = -1, nodes.parent[item] if item >= 0 else -1
    parent = nodes.tag[up] if up >= 0 else "ul"
    while up >= 0:
        depth += nodes.tag[up] in _LISTS
        up = nodes.parent[up]
    indent = "   " * max(0, depth)
    return f"{indent}{_number(nodes, item)}. " if parent == "ol" else f"{indent}- "


def _number(nodes: Nodes, item: int) -> int:
    up = nodes.parent[item]
    start = nodes.attrs[up].get("start", "1")
    number = int(start) if start.lstrip("-").isdecimal() and start.isascii() else 1
    child = up + 1
    while child < item:
        number += nodes.tag[child] == "li"
        child = nodes.end[child]
    return number


def _table(nodes: Nodes, block: Block, passage: Passage) -> Piece:
    table = passage.units[0].group
    context = [c for c in block.context if table <= c < nodes.end[table]]
    kept = restrict(nodes, [passage.span], context)
    root = next((i for i, origin in enumerate(kept.origin) if origin == nodes.origin[table]), 0)
    return Piece(
        to_markdown(_without_inner_links(subtree(kept, root))),
        passage.text,
        _anchor(nodes, block, passage.span),
    )


def _code(nodes: Nodes, block: Block, passage: Passage) -> Piece:
    span = passage.span
    if passage.text.count("\n") >= MAX_LINES:
        inside = [at for at in cut_points(nodes, block) if span.start < at < span.end]
        if len(inside) >= MAX_LINES:
            span = Span(span.start, inside[MAX_LINES - 1])
    kept = restrict(nodes, [span], ())
    root = next((i for i, tag in enumerate(kept.tag) if tag in ("pre", "textarea", "listing", "xmp")), 0)
    quote = span_text(nodes, span)
    return Piece(to_markdown(subtree(kept, root)), quote, _anchor(nodes, block, span))


def inline_markdown(nodes: Nodes, span: Span) -> str:
    """Return a span as one line of Markdown, without the block-level elements it stands in."""
    kept = restrict(nodes, [span], ())
    size = len(kept)
    place = [-1] * size
    tag, parent, text, origin = ["p"], [-1], [""], [-1]
    attrs: list[Mapping[str, str]] = [{}]
    for node in range(size):
        up = kept.parent[node]
        above = place[up] if up >= 0 else 0
        if kept.tag[node] in BLOCK_TAGS or is_inner_link(kept, node):
            place[node] = above if above >= 0 else 0
            if len(tag) > 1 and kept.tag[node] != "a":  # two blocks run together would glue their words
                tag, parent, text = [*tag, ""], [*parent, 0], [*text, " "]
                attrs, origin = [*attrs, {}], [*origin, -1]
            continue
        place[node] = len(tag)
        tag.append(kept.tag[node])
        parent.append(max(0, above))
        text.append(kept.text[node])
        attrs.append(kept.attrs[node])
        origin.append(kept.origin[node])
    return " ".join(to_markdown(_with_ends(tag, parent, text, attrs, origin)).split())


def is_inner_link(nodes: Nodes, node: int) -> bool:
    """Return whether a node is a link that would lead nowhere outside its own page."""
    href = nodes.attrs[node].get("href", "")
    return nodes.tag[node] == "a" and not href.startswith(("http://", "https://"))


def _without_inner_links(nodes: Nodes) -> Nodes:
    chosen = [node for node in range(len(nodes)) if not is_inner_link(nodes, node)]
    place = {node: i for i, node in enumerate(chosen)}
    parent: list[int] = []
    for node in chosen:
        up = nodes.parent[node]
        while up >= 0 and up not in place:
            up = nodes.parent[up]
        parent.append(place.get(up, -1))
    attrs = [nodes.attrs[node] for node in chosen]
    return _with_ends(
        [nodes.tag[n] for n in chosen],
        parent,
        [nodes.text[n] for n in chosen],
        attrs,
        [nodes.origin[n] for n in chosen],
    )


def _with_ends(
    tag: list[str], parent: list[int], text: list[str], attrs: list[Mapping[str, str]], origin: list[int]
) -> Nodes:
    return Nodes(tag, parent, subtree_ends(parent), text, attrs, origin)


def subtree(nodes: Nodes, root: int) -> Nodes:
    """Return the subtree of one node as a tree of its own."""
    stop = nodes.end[root]
    return Nodes(
        nodes.tag[root:stop],
        [-1, *(p - root for p in nodes.parent[root + 1 : stop])],
        [e - root for e in nodes.end[root:stop]],
        nodes.text[root:stop],
        nodes.attrs[root:stop],
        nodes.origin[root:stop],
    )
