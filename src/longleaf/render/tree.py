"""The block tree, drawn: for a terminal, and as a page of its own.

Elements are indented by depth; each block says its kind, its size and how it begins. With
scores, a bar shows them; with a kept set, what was cut is named and dimmed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Protocol

from longleaf.language import collapse
from longleaf.render.page import COLOURS, DARK_COLOURS, counted, page, text
from longleaf.types import Block, Page

BAR = 8
START_CHARS = 60
# Pages nest thousands deep; deeper rows keep this indentation and shorten the path.
MAX_INDENT = 20
_DIM, _BOLD, _END = "\x1b[2m", "\x1b[1m", "\x1b[0m"
# From the page's worst score to its best: grey, then ever stronger green. Numbers of xterm's 256
# colours, all of middling lightness, so that they can be read on black and on white.
_SHADES = (244, 102, 108, 72, 71, 70, 34)


class Tree(Protocol):
    """What is drawn: a block tree."""

    @property
    def page(self) -> Page:
        """The page it covers."""

    @property
    def blocks(self) -> tuple[Block, ...]:
        """Its blocks in document order."""

    @property
    def granularity(self) -> int:
        """Words that a block may have."""


@dataclass(frozen=True, slots=True)
class _Row:
    """One line: the elements that open here, or a block with its share of the best score."""

    depth: int
    label: str
    block: Block | None = None
    share: float | None = None
    cut: bool = False
    part: bool = False


def tree_text(
    tree: Tree,
    scores: Sequence[float] | None = None,
    kept: AbstractSet[int] | None = None,
    colour: bool = False,
    part: int = -1,
) -> str:
    """Return the tree as lines of text: facts in columns, then the block in its place.

    ``scores`` has one number a block, higher is better; ``kept`` the ids that stay, ``part`` the
    one of them that stays in part; ``colour`` adds ANSI codes (256 colours), which say nothing
    that the text does not.
    """
    ids = len(str(len(tree.blocks)))
    gutter = ids + 1 + 12 + 8 + (BAR + 1 if scores else 0) + (5 if kept is not None else 0)
    lines: list[str] = []
    for row in _rows(tree, scores, kept, part):
        indent = "  " * min(row.depth, MAX_INDENT)
        if row.block is None:
            line = f"{' ' * gutter}{indent}{row.label}"
            lines.append(f"{_DIM}{line}{_END}" if colour else line)
            continue
        facts = f"{'#' + str(row.block.id):<{ids + 1}} {row.block.kind:<11}{row.block.words:>5}w"
        facts += "" if row.share is None else f" {_bar(row.share)}"
        facts += "" if kept is None else f" {_state(row):<4}"
        rest = f" {indent}{row.label}  {_start(row.block)}".rstrip()
        lines.append(_coloured(facts, rest, row) if colour else facts + rest)
    return "\n".join(lines)


def _state(row: _Row) -> str:
    return "cut" if row.cut else "part" if row.part else ""


def _rows(
    tree: Tree, scores: Sequence[float] | None, kept: AbstractSet[int] | None, part: int = -1
) -> Iterator[_Row]:
    """Yield the elements above the blocks, each once and those that open together as one, and the blocks."""
    shares = _shares(scores)
    above: list[str] = []
    for place, block in enumerate(tree.blocks):
        *parents, label = block.path.split(">")
        shared = 0
        while shared < min(len(above), len(parents)) and above[shared] == parents[shared]:
            shared += 1
        if shared < len(parents):
            yield _Row(shared, _shortened(parents[shared:]))
        above = parents
        cut = kept is not None and block.id not in kept
        share = shares[place] if shares else None
        yield _Row(len(parents), label, block, share, cut, block.id == part)


def _shortened(labels: list[str]) -> str:
    if len(labels) > 6:
        labels = [*labels[:3], "…", *labels[-2:]]
    return ">".join(labels)


def _shares(scores: Sequence[float] | None) -> list[float]:
    if not scores:
        return []
    low, high = min(scores), max(scores)
    return [(score - low) / (high - low) if high > low else 0.0 for score in scores]


def _bar(share: float) -> str:
    filled = round(share * BAR)
    return "█" * filled + "·" * (BAR - filled)


def _start(block: Block) -> str:
    words = collapse(block.text)
    return words if len(words) <= START_CHARS else words[: START_CHARS - 1].rstrip() + "…"


def _coloured(facts: str, rest: str, row: _Row) -> str:
    """Return a line in the shade of its score; what was cut is dimmed, its bar keeps the shade."""
    shade = "" if row.share is None else f"\x1b[38;5;{_SHADES[round(row.share * (len(_SHADES) - 1))]}m"
    if row.cut:
        return f"{_DIM}{shade}{facts}{_END}{_DIM}{rest}{_END}"
    strong = _BOLD if row.block is not None and row.block.kind == "heading" else ""
    return f"{shade}{strong}{facts}{rest}{_END}" if shade or strong else facts + rest


# Everything hangs on our own class, because a notebook shows this page inside of its own.
_CSS = f"""
.longleaf-tree{{color-scheme:light dark;{COLOURS}}}
@media (prefers-color-scheme:dark){{.longleaf-tree{{{DARK_COLOURS}}}}}
body:has(>.longleaf-tree){{margin:0}}
body>.longleaf-tree{{min-height:100vh;padding:2rem clamp(1rem,4vw,3rem)}}
.longleaf-tree{{background:var(--ground);color:var(--ink);font:.9rem/1.5 system-ui,-apple-system,"Segoe UI",
Roboto,"Noto Sans",sans-serif;overflow-wrap:anywhere}}
.longleaf-tree h1{{margin:0 0 .3rem;font-size:1.25rem;line-height:1.3}}
.longleaf-tree .about{{margin:0 0 1.2rem;color:var(--soft)}}
.longleaf-tree .row{{display:flex;gap:.6rem;align-items:baseline;padding:.14rem .5rem;
border-inline-start:2px solid var(--line);margin-inline-start:calc(var(--depth)*.85rem)}}
.longleaf-tree .label,.longleaf-tree .element{{color:var(--soft);font-size:.84em;
font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}}
.longleaf-tree .label{{flex:none;min-width:3.4rem}}
.longleaf-tree .start{{flex:1 1 16rem;min-width:0;unicode-bidi:plaintext}}
.longleaf-tree .heading .start{{font-weight:650}}
.longleaf-tree .what{{flex:none;color:var(--soft);font-size:.86em;font-variant-numeric:tabular-nums}}
.longleaf-tree .bar{{flex:none;width:4rem;height:.55em;border-radius:.2em;background:var(--line);
overflow:hidden}}
.longleaf-tree .bar i{{display:block;height:100%;width:calc(var(--share)*100%);background:var(--accent)}}
.longleaf-tree .kept{{border-inline-start-color:var(--accent);background:var(--tint)}}
.longleaf-tree .cut .start{{color:var(--soft);font-weight:400}}
.longleaf-tree .cut .bar i{{background:var(--soft)}}
@media (max-width:40rem){{.longleaf-tree .row{{flex-wrap:wrap;column-gap:.6rem;row-gap:0;
margin-inline-start:calc(min(var(--depth),6)*.5rem)}}.longleaf-tree .start{{flex-basis:100%;order:5}}}}
"""


def tree_html(
    tree: Tree,
    scores: Sequence[float] | None = None,
    kept: AbstractSet[int] | None = None,
    part: int = -1,
) -> str:
    """Return the tree as a self-contained HTML page; what was cut says so, and is dimmed."""
    rows = "\n".join(_html_row(row, scores, kept) for row in _rows(tree, scores, kept, part))
    title = tree.page.document.title or tree.page.document.url or "Block tree"
    about = f"{counted(len(tree.blocks), 'block')} of at most about {counted(tree.granularity, 'word')}"
    if kept is not None:
        about += f", {len(kept)} kept"
    head = f'<h1 dir="auto" lang="">{text(title)}</h1>\n<p class="about">{about}</p>'
    return page(title, _CSS, f'<div class="longleaf-tree">\n{head}\n{rows}\n</div>')


def _html_row(row: _Row, scores: Sequence[float] | None, kept: AbstractSet[int] | None) -> str:
    depth = f"--depth:{min(row.depth, MAX_INDENT)}"
    block = row.block
    if block is None:
        return f'<div class="row element" style="{depth}">{text(row.label)}</div>'
    state = "" if kept is None else (" cut" if row.cut else " kept")
    said = f" ({_state(row)})" if _state(row) else ""
    what = f"#{block.id} {block.kind}, {counted(block.words, 'word')}{said}"
    bar = ""
    if row.share is not None and scores:
        what += f", score {scores[block.id]:.3f}"
        bar = f'<span class="bar" aria-hidden="true"><i style="--share:{row.share:.3f}"></i></span>'
    return (
        f'<div class="row {block.kind}{state}" style="{depth}">'
        f'<span class="label">{text(row.label)}</span>{bar}'
        f'<span class="start" lang="">{text(_start(block))}</span>'
        f'<span class="what">{text(what)}</span></div>'
    )
