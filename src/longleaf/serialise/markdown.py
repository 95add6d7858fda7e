"""``Nodes`` to GitHub-flavoured Markdown that a reader can read and a parser reads back.

What Markdown has no word for is said with the nearest it has: a definition list is a list of
bold terms with their definitions indented below, a table with spans stays HTML, a caption is
a paragraph. The page title stands in where there is no h1. Not said at all: ids, languages of
words, the kind of an ordered list's numbers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from longleaf.clean_rules import PRE_TAGS
from longleaf.serialise.markdown_escape import escape_heading_end, fence
from longleaf.serialise.markdown_inline import Inline
from longleaf.serialise.markdown_leaf import Closing, LeafWalker, exact_text
from longleaf.serialise.markdown_table import html_table, is_grid, is_layout, pipe_table, table_rows
from longleaf.serialise.stand_in import stand_in
from longleaf.types import Nodes

# Quotations, lists and items inside each other beyond this are written side by side: some parsers
# drop what is deeper (markdown-it's CommonMark preset; measured with nested quotations and lists).
MAX_NESTING = 16
_MAX_NUMBER = 999_999_999  # what CommonMark takes as the number of an item

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_LISTS = frozenset(("ul", "ol", "dl", "menu", "dir", "select", "datalist"))
_ITEMS = frozenset(("li", "option", "optgroup"))
_OTHER_BULLET = {"-": "+", ".": ")"}  # tells a list from the one right before it
_PRE = PRE_TAGS
_LANGUAGE = re.compile(r"(?:language|lang|highlight|brush)-(?:source-)?([\w+#.\-]+)")
_NO_LANGUAGE = frozenset(("default", "none"))


def to_markdown(nodes: Nodes) -> str:
    """Return a cleaned tree as GitHub-flavoured Markdown, without a line end at the end.

    Code is kept to the byte; elsewhere white space is what a browser shows. Deterministic and
    iterative, so depth is no limit (nesting beyond ``MAX_NESTING`` levels is flattened).
    """
    walker = _Walker(nodes)
    walker.walk(0, len(nodes))
    walker.flush()
    return "\n".join(walker.lines.out)


@dataclass(slots=True)
class _Container:
    """Something that indents what it holds: a quotation, a list, an item of one."""

    kind: str
    rest: str = ""  # stands before each line
    first: str | None = None  # stands before the first line instead, until that is written
    started: bool = False
    bullet: str = "-"
    number: int = 1  # of a list: of its next item; of an item: its own
    step: int = 1
    written: int | None = None  # number of the last item that showed anything
    loose: bool = False  # a blank line parted two blocks of an item: it parts the others too
    last_list: _Container | None = None  # the list that was the last thing in here
    defined: bool = False  # a definition followed the term

    @property
    def is_list(self) -> bool:
        return self.kind in ("ul", "ol", "dl")

    @property
    def is_item(self) -> bool:
        return self.kind in ("li", "term")


class _Lines:
    """Lines of output, each behind the prefixes of the containers around it."""

    def __init__(self) -> None:
        self.out: list[str] = []
        self.open = [_Container("root", started=True)]
        self._too_deep = 0
        self._table = False  # the last block is a table, which only a blank line ends

    def push(self, container: _Container) -> None:
        if self._too_deep or len(self.open) > MAX_NESTING:
            self._too_deep += 1
            return
        before = self.top.last_list
        if before and before.kind == container.kind == "dl":
            container = before  # definitions go on in one list; other lists must not run together
        elif before and container.is_list and before.bullet == container.bullet:
            container.bullet = _OTHER_BULLET[container.bullet]
        self.open.append(container)

    def pop(self) -> None:
        if self._too_deep:
            self._too_deep -= 1
            return
        closed = self.open.pop()
        if closed.is_list and closed.started:
            self.top.last_list = closed
        elif closed.is_item and closed.started:
            self.top.written = closed.number

    @property
    def top(self) -> _Container:
        return self.open[-1]

    @property
    def depth(self) -> int:
        return len(self.open) + self._too_deep

    def close_to(self, depth: int) -> None:
        while self.depth > depth:
            self.pop()

    def emit(self, lines: Sequence[str], table: bool = False) -> None:
        """Write one block, apart from the one before it as its place asks."""
        if self.out and self._blank_before():
            self.out.append("".join(c.rest for c in self.open if c.started).rstrip())
        first = "".join(c.rest if c.first is None else c.first for c in self.open)
        for outer, container in pairwise(self.open):
            outer.last_list = outer.last_list if container.started else None
            container.first, container.started = None, True
        self.top.last_list = None
        rest = "".join(c.rest for c in self.open)
        self.out.append(first + lines[0])
        self.out += [rest + line if line else rest.rstrip() for line in lines[1:]]
        self._table = table

    def _blank_before(self) -> bool:
        shared = max(at for at, container in enumerate(self.open) if container.started)
        around = self.open[shared]
        if around.is_list:
            return around.loose
        if around.is_item:
            apart = around.loose or around.last_list or self._table
            if not apart and self._interrupts(shared + 1):
                return False
            around.loose = self.open[shared - 1].loose = True
        return True

    def _interrupts(self, at: int) -> bool:
        """Return whether a list opens here that may follow a paragraph's line (CommonMark 5.3)."""
        if len(self.open) < at + 2 or not self.open[at].is_list:
            return False
        marker = self.open[at + 1].first or ""
        return self.open[at].kind in ("ul", "dl") or marker in ("1. ", "1) ")


class _Walker(LeafWalker):
    """Walks a page: inline content collects until a block boundary writes it."""

    def __init__(self, nodes: Nodes) -> None:
        super().__init__(nodes, Inline(), self.flush)
        self.lines = _Lines()

    def flush(self) -> None:
        """Write what was collected as a paragraph."""
        text = self.inline.flush()
        if text:
            self.lines.emit(text.split("\n"))

    def line_break(self) -> None:
        """End the line; a second line end in a row ends the paragraph."""
        if self.inline.at_break():
            self.flush()
        else:
            self.inline.line_break()

    def block(self, node: int, closing: Closing) -> int:
        """Visit a block-level element; return the node to go on with."""
        self.flush()
        tag, end = self.nodes.tag[node], self.nodes.end[node]
        closing.append((end, self.flush))
        if tag in _LISTS:
            self._list(node, tag, closing)
        elif tag in _ITEMS:
            self._item(node, closing)
            self.inline.text(stand_in(self.nodes, node))
        elif tag in ("dt", "dd"):
            self._definition(node, tag, closing)
        elif tag == "blockquote":
            self._push(_Container("quote", "> "), end, closing)
        elif tag == "summary":
            self.inline.open("strong")
            closing.append((end, self.inline.close))
        else:
            return self._leaf_block(node, tag)
        return node + 1

    def _leaf_block(self, node: int, tag: str) -> int:
        """Write an element that is one block of Markdown, or go on inside of it."""
        if tag in _HEADINGS:
            self._heading(node, _HEADINGS[tag])
        elif tag in _PRE:
            self._code_block(node)
        elif tag == "hr":
            self.lines.emit(["***"])
        elif tag == "head":
            self._title(node)
        elif tag != "table" or not self._table(node):
            return node + 1
        return self.nodes.end[node]

    def _heading(self, node: int, level: int) -> None:
        LeafWalker(self.nodes, self.inline, self.inline.space).walk(node + 1, self.nodes.end[node])
        text = self.inline.flush("heading")
        if text:
            self.lines.emit([f"{'#' * level} {escape_heading_end(text)}"])

    def _title(self, head: int) -> None:
        inside = range(head + 1, self.nodes.end[head])
        title = next((n for n in inside if self.nodes.tag[n] == "title"), None)
        if title is not None and "h1" not in self.nodes.tag:
            self._heading(title, 1)

    def _code_block(self, node: int) -> None:
        text = exact_text(self.nodes, node)
        if text.strip():
            marks = fence(text)
            self.lines.emit([marks + self._language(node), *text.removesuffix("\n").split("\n"), marks])

    def _language(self, node: int) -> str:
        """Return the language named on the code, on ``code`` inside of it, or on a wrapper."""
        nodes, near = self.nodes, [node]
        near += [n for n in range(node + 1, nodes.end[node]) if nodes.tag[n] == "code"][:1]
        up = nodes.parent[node]
        while up >= 0 and len(near) < 4 and nodes.tag[up] == "div":
            near.append(up)
            up = nodes.parent[up]
        for place in near:
            found = _LANGUAGE.search(nodes.attrs[place].get("class", ""))
            if found:
                return "" if found.group(1) in _NO_LANGUAGE else found.group(1)
        return ""

    def _table(self, table: int) -> bool:
        """Write a table; return False if it only arranges what is in it."""
        rows = table_rows(self.nodes, table)
        if is_layout(self.nodes, table, rows):
            return False
        if not is_grid(self.nodes, rows):
            self.lines.emit(html_table(self.nodes, table), table=True)
            return True
        for node in range(table + 1, self.nodes.end[table]):
            if self.nodes.tag[node] == "caption":
                LeafWalker(self.nodes, self.inline, self.inline.space).walk(node + 1, self.nodes.end[node])
                self.flush()
        lines = pipe_table(self.nodes, rows)
        if lines:
            self.lines.emit(lines, table=True)
        return True

    # Containers.

    def _push(self, container: _Container, end: int, closing: Closing) -> None:
        depth = self.lines.depth

        def close() -> None:
            self.flush()
            self.lines.close_to(depth)

        self.lines.push(container)
        closing[-1] = (end, close)

    def _list(self, node: int, tag: str, closing: Closing) -> None:
        attrs, end = self.nodes.attrs[node], self.nodes.end[node]
        container = _Container("dl") if tag == "dl" else _Container("ul")
        if tag == "ol":
            step = -1 if "reversed" in attrs else 1
            start = _number(attrs.get("start", ""), self._count_items(node) if step < 0 else 1)
            container = _Container("ol", bullet=".", number=start, step=step)
        self._push(container, end, closing)

    def _count_items(self, node: int) -> int:
        nodes = self.nodes
        inside = range(node + 1, nodes.end[node])
        return sum(1 for n in inside if nodes.tag[n] == "li" and nodes.parent[n] == node)

    def _item(self, node: int, closing: Closing) -> None:
        around, number, marker = self.lines.top, 0, "- "
        if around.kind == "ol":
            number = min(max(_number(self.nodes.attrs[node].get("value", ""), around.number), 0), _MAX_NUMBER)
            if around.written is not None and number != around.written + 1:
                # Renderers count on from the first number, so a leap begins another list.
                self.lines.pop()
                self.lines.push(_Container("ol", bullet=".", step=around.step))
                around = self.lines.top
            around.number = number + around.step
            marker = f"{number}{around.bullet} "
        elif around.kind == "ul":
            marker = f"{around.bullet} "
        item = _Container("li", " " * len(marker), marker, number=number)
        self._push(item, self.nodes.end[node], closing)

    def _definition(self, node: int, tag: str, closing: Closing) -> None:
        """A term opens an item of the list, unless it is another name for the term before it."""
        lines = self.lines
        if tag == "dt" and lines.top.kind == "term" and lines.top.defined:
            lines.pop()
        if lines.top.kind == "dl":
            lines.push(_Container("term", "  ", f"{lines.top.bullet} "))
        if tag == "dt":
            self.inline.open("strong")
            closing.append((self.nodes.end[node], self.inline.close))
        elif lines.top.kind == "term":
            lines.top.defined = True


def _number(text: str, default: int) -> int:
    return int(text) if re.fullmatch(r"\s*-?\d{1,9}\s*", text) else default
