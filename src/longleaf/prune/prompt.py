"""The one prompt of generative pruning, the same in training and in use.

The page comes first, so that what a model made of it serves the next question as well. Tags carry
the numbers of the path labels, and a block that is only part of an element begins with the label
of its part, so that every block has a path that the model can see. Attributes say nothing about
that and are left out, as in the paper.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from longleaf.blocks import BlockTree
from longleaf.paths import PathLabels
from longleaf.serialise.html import VOID
from longleaf.serialise.text import to_text
from longleaf.types import Block, Nodes

_TASK = """

Question: {question}

Which part of the page answers the question? Write the path of its tags from the top of the page \
down to it, then how it begins, like this: <html><body><div2><p1>It begins with these words"""


def message(page: str, question: str) -> str:
    """Return what the model is told: the page, then the question and the task."""
    return f"Page:\n{page}{_TASK.format(question=question)}"


def path_text(block: Block, number: int = 0) -> str:
    """Return a block's path as the model writes it, ``<html><body><div2>``; ``number`` is the page's."""
    labels = block.path.split(">")
    return f"<{'><'.join([_numbered(labels[0], number), *labels[1:]])}>"


def _numbered(label: str, number: int) -> str:
    return f"{label}{number}" if number else label


def labelled(tree: BlockTree, chosen: Sequence[int], number: int = 0) -> str:
    """Return the page with the blocks ``chosen`` and what they need, each tag named by its label.

    ``number`` tells several pages apart (``html1``); 0 for a page alone.
    """
    shown = tree.restrict(set(chosen))
    nodes = tree.page.nodes
    place = {origin: node for node, origin in enumerate(nodes.origin)}
    whole = [place[origin] for origin in shown.origin]
    labels = PathLabels(nodes)
    names = [labels.name(node) if nodes.tag[node] else "" for node in whole]
    if number and names and not shown.parent[0] >= 0:
        names[0] = f"{names[0]}{number}"
    marks = _marks(tree, labels, sorted(chosen), dict(zip(whole, shown.text, strict=True)))
    return "".join(_written(shown, names, whole, marks))


# The labels of blocks that begin at a node: where in its text (-1: right after its tag), and what
# they are called.
_Marks = dict[int, list[tuple[int, str]]]


def _marks(tree: BlockTree, labels: PathLabels, chosen: Sequence[int], shown: dict[int, str]) -> _Marks:
    """Return where the parts of elements begin, in characters of the text that is shown."""
    marks: _Marks = {}
    before: dict[int, int] = {}  # shown characters of a text node that earlier blocks took
    texts = tree.page.nodes.text
    for number in chosen:
        block, element = tree.blocks[number], tree.parent[number]
        (first, offset), (last, stop) = block.span.start, block.span.end
        part = block.path[len(labels.path(element)) :].strip(">")
        if part:
            at = offset and (offset if len(shown[first]) == len(texts[first]) else before.get(first, 0))
            where = (element, -1) if first <= element else (first, at)
            marks.setdefault(where[0], []).append((where[1], f"<{part.replace('>', '><')}>"))
        if first == last:
            before[first] = before.get(first, 0) + stop - offset
        elif stop:
            before[last] = stop
    return marks


def _written(nodes: Nodes, names: Sequence[str], whole: Sequence[int], marks: _Marks) -> Iterator[str]:
    open_at: list[int] = []
    for node, tag in enumerate(nodes.tag):
        while open_at and nodes.end[open_at[-1]] <= node:
            yield f"</{names[open_at.pop()]}>"
        found = marks.get(whole[node], ())
        if not tag:
            yield from _text(nodes.text[node], found)
            continue
        yield from (label for at, label in found if at >= 0)
        yield f"<{names[node]}>"
        yield from (label for at, label in found if at < 0)
        if tag in VOID:  # a picture's words, what a field holds
            yield escape(to_text(nodes, node, node + 1), False)
        else:
            open_at.append(node)
    yield from (f"</{names[node]}>" for node in reversed(open_at))


def _text(text: str, marks: Sequence[tuple[int, str]]) -> Iterator[str]:
    done = 0
    for at, label in marks:
        yield escape(text[done:at], False) + label
        done = at
    yield escape(text[done:], False)
