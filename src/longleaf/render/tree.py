"""The block tree, drawn: for a terminal, and as a page of its own.

Elements are indented by depth; each block says its kind, its size and how it begins. With
scores, a bar shows them; with a kept set, what was cut is dimmed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Protocol

from longleaf.render.page import COLOURS, DARK_COLOURS, page, text
from longleaf.types import Block, Page

BAR = 8
START_CHARS = 64
_DIM, _BOLD, _GREEN, _END = "\x1b[2m", "\x1b[1m", "\x1b[32m", "\x1b[0m"


class Tree(Protocol):
    """What is drawn: a block tree."""

    @property
    def page(self) -> Page:
        """The page it covers."""

    @property
    def blocks(self) -> tuple[Block, ...]:
        """Its blocks in document order."""


def tree_text(
    tree: Tree,
    scores: Sequence[float] | None = None,
    kept: AbstractSet[int] | None = None,
    colour: bool = False,
) -> str:
    """Return the tree as lines of text; ``colour`` adds ANSI codes."""
    shares = _shares(scores)
    lines: list[str] = []
    for depth, label, block in _rows(tree):
        indent = "  " * depth
        if block is None:
            lines.append(f"{_DIM}{indent}{label}{_END}" if colour else f"{indent}{label}")
            continue
        bar = f" {_bar(shares[block.id])}" if shares else ""
        cut = kept is not None and block.id not in kept
        facts = f"#{block.id} {block.kind} {block.words}w{bar}{' cut' if cut else ''}"
        line = f"{indent}{label}  {facts}  {_start(block)}"
        lines.append(_coloured(line, cut, shares[block.id] if shares else 0.0) if colour else line)
    return "\n".join(lines)


def _rows(tree: Tree) -> Iterator[tuple[int, str, Block | None]]:
    """Yield the elements above the blocks, each once, and the blocks, with their depths."""
    above: list[str] = []
    for block in tree.blocks:
        labels = block.path.split(">")
        shared = 0
        while shared < min(len(above), len(labels) - 1) and above[shared] == labels[shared]:
            shared += 1
        for depth in range(shared, len(labels) - 1):
            yield depth, labels[depth], None
        above = labels[:-1]
        yield len(labels) - 1, labels[-1], block


def _shares(scores: Sequence[float] | None) -> list[float]:
    if not scores:
        return []
    low, high = min(scores), max(scores)
    return [(score - low) / (high - low) if high > low else 0.0 for score in scores]


def _bar(share: float) -> str:
    filled = round(share * BAR)
    return "█" * filled + "·" * (BAR - filled)


def _start(block: Block) -> str:
    words = " ".join(block.text.split())
    return words if len(words) <= START_CHARS else words[: START_CHARS - 1] + "…"


def _coloured(line: str, cut: bool, share: float) -> str:
    if cut:
        return f"{_DIM}{line}{_END}"
    return f"{_BOLD}{_GREEN}{line}{_END}" if share > 2 / 3 else line


_CSS = f"""
:root{{color-scheme:light dark;{COLOURS}}}
@media (prefers-color-scheme:dark){{:root{{{DARK_COLOURS}}}}}
body{{margin:2rem auto;max-width:72rem;padding:0 1rem;background:var(--ground);color:var(--ink);
font:0.95rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}}
h1{{font-size:1.3rem}}
.row{{padding:.1rem .4rem;border-inline-start:1px solid var(--line)}}
.element{{color:var(--soft)}}
.block{{background:color-mix(in srgb,var(--accent) calc(var(--share)*40%),transparent)}}
.cut{{opacity:.45;text-decoration:line-through dotted}}
.what{{color:var(--soft);font-size:.85em}}
code{{font-family:ui-monospace,monospace;font-size:.88em}}
"""


def tree_html(tree: Tree, scores: Sequence[float] | None = None, kept: AbstractSet[int] | None = None) -> str:
    """Return the tree as a self-contained HTML page; cut blocks are struck through as well as faded."""
    shares = _shares(scores)
    rows: list[str] = []
    for depth, label, block in _rows(tree):
        style = f"margin-inline-start:{min(depth, 24) * 0.9:.1f}rem"
        if block is None:
            rows.append(f'<div class="row element" style="{style}"><code>{text(label)}</code></div>')
            continue
        share = shares[block.id] if shares else 0.0
        cut = kept is not None and block.id not in kept
        what = f"#{block.id} {block.kind}, {block.words} words" + (
            f", score {scores[block.id]:.3f}" if scores else ""
        )
        rows.append(
            f'<div class="row block{" cut" if cut else ""}" style="{style};--share:{share:.2f}">'
            f'<code>{text(label)}</code> <span class="what">{text(what)}{" (cut)" if cut else ""}</span> '
            f"{text(_start(block))}</div>"
        )
    title = tree.page.document.title or tree.page.document.url or "Block tree"
    return page(title, _CSS, f"<h1>{text(title)}</h1>\n" + "\n".join(rows))
