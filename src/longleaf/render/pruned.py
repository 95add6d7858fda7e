"""What the model saw: pages in reading order, with what pruning cut faded, and why.

Nothing is loaded and nothing runs. The reason of every block stands in a tooltip, on a marker
that the keyboard reaches, and in a list by rank; marker and list lead to each other.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from longleaf.blocks import BlockTree
from longleaf.prune.pruned import Pruned
from longleaf.render.page import attribute, counted, page, text
from longleaf.render.pruned_style import PRUNED_CSS
from longleaf.render.sanitise import Part, safe_url, sanitise, to_markup
from longleaf.serialise.html import to_html
from longleaf.types import Block, Nodes, short_digest

State = Literal["kept", "came", "cut"]
_STATES: tuple[State, ...] = ("kept", "came", "cut")
# Through the sanitiser a text says of itself whose it is: block, state and end in characters
# of private use, which are taken out of the page first.
_OPEN, _CLOSE = "\ue000", "\ue001"
_SIGN = re.compile(f"{_OPEN}(\\d+),(\\d)(?:,(h[1-6]))?{_CLOSE}")
_PRIVATE = re.compile(f"[{_OPEN}{_CLOSE}]")
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_CAME = "came along: heading, header row or caption of what is kept"
# How much of a block the list by rank shows.
START_CHARS = 80


@dataclass(slots=True)
class _View:
    """One pruning while it is drawn: the reasons, and which blocks have a marker to lead to."""

    pruned: Pruned
    name: str
    reasons: list[str]
    ranks: dict[int, int]
    marked: set[int] = field(default_factory=set)

    def why(self, position: int) -> str:
        """Return what a tooltip says of a block."""
        return f"{self.reasons[position]}, score {self.pruned.scores[position]:.3f}"


def pruned_html(pruned: Pruned) -> str:
    """Return a pruning as a self-contained HTML page without scripts.

    The pages' own HTML is sanitised and never trusted; text that the output holds is plain or
    highlighted, what was cut is faded.
    """
    ids = "".join(tree.page.document.id for tree in pruned.trees)
    name = f"p{short_digest(f'{pruned.question} {pruned.budget} {ids}')[:6]}"
    ranks = {position: rank for rank, position in enumerate(pruned.order, 1)}
    view = _View(pruned, name, pruned.reasons(), ranks)
    base = 0
    documents: list[str] = []
    for number, tree in enumerate(pruned.trees):
        documents.append(_document(view, tree, number, base))
        base += len(tree.blocks)
    # The top is written last: it leads to what is there.
    parts = (_top(view), *documents, _ranking(view))
    body = '<div class="longleaf-pruned">\n{}\n</div>'.format("\n".join(part for part in parts if part))
    return page(f"Pruned: {pruned.question}", PRUNED_CSS, body)


def _top(view: _View) -> str:
    pruned = view.pruned
    kept = len(pruned.kept.whole)
    partly = " and a part of one more" if pruned.kept.part is not None else ""
    stopped = {"budget": "the budget", "floor": "the floor", "end": "the end of the pages"}
    facts = [
        f"{pruned.tokens_before:,} → {counted(pruned.tokens_after, 'token')} (budget {pruned.budget:,})",
        f"{kept:,} of {counted(len(pruned.order), 'block')} kept{partly}",
        f"ranked by {pruned.stage}",
        f"stopped by {stopped[pruned.stopped_by]}",
    ]
    listed = "".join(f"<li>{text(fact)}</li>" for fact in facts)
    notes = "".join(f"<p>{text(note)}</p>" for note in pruned.notes)
    note = f'<div class="note">{notes}</div>\n' if notes else ""
    return (
        f'<header class="top">\n<h1 dir="auto" lang="">{text(pruned.question)}</h1>\n'
        f'<ul class="facts">{listed}</ul>\n{note}{_contents(view)}'
        '<p class="legend"><span class="kept">kept for its rank</span> <span class="came">came along with it'
        '</span> <span class="cut">cut</span> <span><span class="at kept">1</span> rank of the block that'
        f" begins here</span> {_best(view)}</p>\n</header>"
    )


def _best(view: _View) -> str:
    """Return a link to the best block, which may stand far down."""
    best = view.pruned.order[0] if view.pruned.order else -1
    return f'<a href="#{view.name}-b{best}">Go to the best block</a>' if best in view.marked else ""


def _contents(view: _View) -> str:
    """Return links to the pages where there are several."""
    if len(view.pruned.trees) < 2:
        return ""
    base, rows = 0, []
    for number, tree in enumerate(view.pruned.trees):
        kept = _kept(view, tree, base)
        named = tree.page.document.title or tree.page.document.url or _title(tree)
        rows.append(f'<li><a href="#{view.name}-d{number}" lang="">{text(named)}</a> {kept}</li>')
        base += len(tree.blocks)
    return f'<nav aria-label="Pages"><ol>{"".join(rows)}</ol></nav>\n'


def _kept(view: _View, tree: BlockTree, base: int) -> str:
    kept = sum(view.pruned.state(base + block.id) != "cut" for block in tree.blocks)
    return f'<span class="what">{kept:,} of {counted(len(tree.blocks), "block")} kept</span>'


def _title(tree: BlockTree) -> str:
    return tree.page.document.title or "Page without a title"


def _document(view: _View, tree: BlockTree, number: int, base: int) -> str:
    url = tree.page.document.url
    link = safe_url(url, local=True)
    address = ""
    if url not in ("", "-"):
        inner = (
            f'<a href="{attribute(link)}" rel="noreferrer noopener">{text(url)}</a>' if link else text(url)
        )
        address = f'<p class="address">{inner}</p>\n'
    language = tree.page.document.lang
    lang = f' lang="{attribute(language)}"' if language else ""
    content = f'<div class="content" dir="auto"{lang}>{_content(view, tree, base)}</div>'
    states = {view.pruned.state(base + block.id) for block in tree.blocks}
    if states == {"cut"} and len(view.pruned.trees) > 1:
        content = (
            f'<details class="whole"><summary>Nothing of this page was kept</summary>{content}</details>'
        )
    return (
        f'<section class="document" id="{view.name}-d{number}">\n<header><h2 dir="auto" lang="">'
        f'{text(_title(tree))}</h2>\n{address}<p class="what">{_kept(view, tree, base)}</p></header>\n'
        f"{content}\n</section>"
    )


# The text of a page, each stretch with its block and what became of it.


def _content(view: _View, tree: BlockTree, base: int) -> str:
    parts = sanitise(to_html(_signed(view.pruned, tree, base)), tree.page.document.url)
    return to_markup(_Marker(view, base).mark(parts))


def _signed(pruned: Pruned, tree: BlockTree, base: int) -> Nodes:
    """Return the page with every text that shows something behind a sign of its block and state."""
    nodes = tree.page.nodes
    starts: list[tuple[int, int]] = []
    owners: list[tuple[int, bool]] = []  # block, kept
    for block in tree.blocks:
        state = pruned.state(base + block.id)
        part = pruned.kept.part if state == "part" else None
        starts.append(block.span.start)
        owners.append((block.id, state == "kept" or (part is not None and part.start == block.span.start)))
        if part is not None and part.start > block.span.start:
            starts.append(part.start)
            owners.append((block.id, True))
        if part is not None and part.end < block.span.end:
            starts.append(part.end)
            owners.append((block.id, False))
    there = _texts_there(pruned, tree)
    texts = list(nodes.text)
    attrs = list(nodes.attrs)
    for node, tag in enumerate(nodes.tag):
        if nodes.says(node):
            said = nodes.text[node]
            level = _level(nodes, node)
            came = there.get(nodes.origin[node]) == said
            pieces = _pieces(node, said, starts, owners)
            texts[node] = "".join(_sign(owner, came, level) + piece for owner, piece in pieces)
        elif tag == "img" and attrs[node].get("alt", "").strip():
            ((owner, alt),) = _pieces(node, attrs[node]["alt"], starts, owners, whole=True)
            came = nodes.origin[node] in there
            attrs[node] = {**attrs[node], "alt": _sign(owner, came, "") + alt}
    return replace(nodes, text=texts, attrs=attrs)


def _texts_there(pruned: Pruned, tree: BlockTree) -> dict[int, str]:
    """Return the nodes of a page that the output holds, by identity, with their text."""
    for kept_tree, nodes in pruned.pool.pages(pruned.kept):
        if kept_tree is tree:
            return dict(zip(nodes.origin, nodes.text, strict=True))
    return {}


def _pieces(
    node: int,
    said: str,
    starts: list[tuple[int, int]],
    owners: list[tuple[int, bool]],
    whole: bool = False,
) -> Iterator[tuple[tuple[int, bool], str]]:
    """Yield the stretches of a text with whose they are."""
    place = max(0, bisect_right(starts, (node, 0)) - 1)
    done = 0
    while not whole and place + 1 < len(starts) and starts[place + 1][0] == node:
        until = starts[place + 1][1]
        if until > done:
            yield owners[place], _PRIVATE.sub("\ufffd", said[done:until])
        done, place = until, place + 1
    yield owners[place], _PRIVATE.sub("\ufffd", said[done:])


def _sign(owner: tuple[int, bool], came: bool, level: str) -> str:
    state = 0 if owner[1] else 1 if came else 2
    return f"{_OPEN}{owner[0]},{state}{',' + level if level else ''}{_CLOSE}"


def _level(nodes: Nodes, node: int) -> str:
    """Return the heading that a text stands in, for its size: the sanitiser makes all levels one."""
    for _ in range(4):  # a link, code, emphasis around it
        node = nodes.parent[node]
        if node < 0:
            return ""
        if nodes.tag[node] in _HEADINGS:
            return nodes.tag[node]
    return ""


class _Marker:
    """Takes the signs out of safe HTML and puts classes, tooltips and markers in."""

    def __init__(self, view: _View, base: int) -> None:
        self.view = view
        self.base = base
        self.out: list[Part] = []
        # A box that is ticked or not has no sign; it goes with what stands before it.
        first: State = "cut" if view.pruned.state(base) == "cut" else "kept"
        self.block, self.state, self.level = 0, first, ""
        self.links = 0

    def mark(self, parts: list[Part]) -> list[Part]:
        """Return the parts with every text wrapped."""
        for part in parts:
            if part.is_text:
                self._text(part.text)
                continue
            self.links += part.text.startswith("<a ") or part.text == "<a>"
            self.links -= part.text == "</a>"
            # What was folded away was read all the same.
            opened = part.text.startswith("<details") and " open" not in part.text
            self.out.append(replace(part, text=part.text[:-1] + " open>") if opened else part)
        return self.out

    def _text(self, said: str) -> None:
        done = 0
        for sign in _SIGN.finditer(said):
            self._piece(said[done : sign.start()])
            self.block, self.state = int(sign[1]), _STATES[int(sign[2])]
            self.level = sign[3] or ""
            done = sign.end()
        self._piece(said[done:])

    def _piece(self, said: str) -> None:
        if not said:
            return
        if not said.strip():
            self.out.append(Part(said, True))
            return
        position = self.base + self.block
        if position not in self.view.marked:
            self.view.marked.add(position)
            self._add_marker(position)
        why = self.view.why(position)
        why = f"{_CAME}; its own block: {why}" if self.state == "came" else why
        classes = " ".join(name for name in (self.state, self.level) if name)
        self.out.append(Part(f'<span class="{classes}" title="{attribute(why)}">', False, True))
        self.out.append(Part(said, True))
        self.out.append(Part("</span>", False, True))

    def _add_marker(self, position: int) -> None:
        # Before the inline elements that open here: a link must not stand inside a link.
        at, links = len(self.out), self.links
        while at and _opens_inline(self.out[at - 1]):
            at -= 1
            links -= self.out[at].text.startswith("<a")
        state = self.view.pruned.state(position)
        shown = {"kept": "kept", "part": "kept in part", "cut": "cut"}[state]
        label = f"block {position + 1}, {shown}: {self.view.why(position)}"
        facts = (
            f'class="at {"cut" if state == "cut" else "kept"}" id="{self.view.name}-b{position}" '
            f'title="{attribute(label)}" aria-label="{attribute(label)}"'
        )
        rank = self.view.ranks[position]
        marker = f'<a {facts} href="#{self.view.name}-r{position}">{rank}</a>'
        if links:
            marker = f'<span role="note" {facts}>{rank}</span>'
        self.out.insert(at, Part(marker, False, True))


def _opens_inline(part: Part) -> bool:
    return not part.is_text and not part.block and not part.text.startswith("</")


# The list by rank.


def _ranking(view: _View) -> str:
    rows = "\n".join(_row(view, position) for position in view.pruned.order)
    return f'<details class="ranking"><summary>All blocks by rank</summary>\n<ol>\n{rows}\n</ol>\n</details>'


def _row(view: _View, position: int) -> str:
    pruned = view.pruned
    _, block = pruned.pool.at(position)
    state = "cut" if pruned.state(position) == "cut" else "kept"
    facts = f"{block.kind}, {counted(block.words, 'word')}, {view.why(position)}"
    start = text(_start(block)) or "<i>no text</i>"
    if position in view.marked:
        start = f'<a href="#{view.name}-b{position}" lang="">{start}</a>'
    return (
        f'<li id="{view.name}-r{position}" class="{state}">{start}'
        f'<span class="what">{text(facts)}</span></li>'
    )


def _start(block: Block) -> str:
    words = " ".join(block.text[: 4 * START_CHARS].split())
    return words if len(words) <= START_CHARS else words[: START_CHARS - 1].rstrip() + "…"
