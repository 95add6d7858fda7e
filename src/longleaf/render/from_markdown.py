"""Markdown to HTML, for what ``serialise.markdown`` writes and answers are made of.

Not a general Markdown renderer: headings, paragraphs, lists, quotations, fences, pipe tables,
rules and the HTML of tables. Whatever else a text holds is shown as the text that it is.
Every character keeps its place in the source, so that cited stretches can be wrapped.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from html import escape

from longleaf.render.from_markdown_inline import InlineRenderer, Notes
from longleaf.render.sanitise import sanitise, to_markup

# Deeper lists and quotations are shown as text; the writer stops at 32 levels.
MAX_NESTING = 40

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})[ ]*([^`\s]*)[^`]*$")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))??(?:[ \t]+#+)?[ \t]*$")
_RULE = re.compile(r" {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$")
_QUOTE = re.compile(r" {0,3}> ?")
_ITEM = re.compile(r"( {0,3})([-+*]|\d{1,9}[.)])(?:( {1,4})(?=\S)|[ \t]*$)")
_TASK = re.compile(r"\[([ xX])\] ")
_DELIMITER_ROW = re.compile(r" {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_CELL = re.compile(r"(?:[^|\\]|\\.)*")
_HTML_TABLE = re.compile(r"<table[\s>]", re.I)

Line = tuple[str, int]  # characters, and the place of the first in the source


def markdown_html(text: str, notes: Notes | None = None) -> str:
    """Return Markdown as HTML in which nothing is active, with the notes' stretches and marks."""
    lines: list[Line] = []
    at = 0
    for line in text.split("\n"):
        lines.append((line, at))
        at += len(line) + 1
    renderer = _Renderer(notes or Notes([-1] * (len(text) + 1)))
    return _joined(renderer.blocks(lines, 0))


@dataclass(frozen=True, slots=True)
class _Block:
    """One block: its HTML (of a paragraph: what is in it), and whether a blank line stands before."""

    html: str
    paragraph: str = ""  # the start tag that a paragraph gets
    gap: bool = False


def _joined(blocks: list[_Block], tight: bool = False) -> str:
    bare = (b.html if tight or not b.paragraph else f"{b.paragraph}{b.html}</p>" for b in blocks)
    return "\n".join(bare)


class _Renderer:
    def __init__(self, notes: Notes) -> None:
        self.notes = notes

    def blocks(self, lines: list[Line], depth: int) -> list[_Block]:
        """Return the blocks in order."""
        out: list[_Block] = []
        at, gap = 0, False
        while at < len(lines):
            if not lines[at][0].strip():
                at, gap = at + 1, True
                continue
            block, at = self._block(lines, at, depth)
            out.append(replace(block, gap=gap))
            gap = not lines[at - 1][0].strip()
        return out

    def _block(self, lines: list[Line], at: int, depth: int) -> tuple[_Block, int]:
        line = lines[at][0]
        if _FENCE.match(line):
            return self._fence(lines, at)
        if _HEADING.match(line):
            return self._heading(lines[at]), at + 1
        if _RULE.match(line):
            return _Block("<hr>"), at + 1
        if _HTML_TABLE.match(line):
            return self._html_table(lines, at)
        if _is_table(lines, at):
            return self._table(lines, at)
        if depth < MAX_NESTING and _QUOTE.match(line):
            return self._quotation(lines, at, depth)
        if depth < MAX_NESTING and _ITEM.match(line):
            return self._list(lines, at, depth)
        return self._paragraph(lines, at, depth)

    # Leaves.

    def _inline(self, lines: list[Line], cell: bool = False) -> InlineRenderer:
        text = "\n".join(line for line, _ in lines)
        places = [place for line, start in lines for place in range(start, start + len(line) + 1)]
        return InlineRenderer(text, places, self.notes, cell)

    def _paragraph(self, lines: list[Line], at: int, depth: int) -> tuple[_Block, int]:
        end = at + 1
        while end < len(lines) and not _starts_block(lines, end, depth):
            end += 1
        inline = self._inline([_stripped(line) for line in lines[at:end]])
        html = inline.render()
        return _Block(html, '<p class="marks">' if inline.only_marks else "<p>"), end

    def _heading(self, line: Line) -> _Block:
        found = _HEADING.match(line[0])
        level, title = (len(found.group(1)), found.group(2) or "") if found else (6, "")
        start = found.start(2) if found and found.group(2) else 0
        # The question is the page's h1 and "Sources" its h2.
        tag = f"h{min(6, level + 2)}"
        return _Block(f"<{tag}>{self._inline([(title, line[1] + start)]).render()}</{tag}>")

    def _fence(self, lines: list[Line], at: int) -> tuple[_Block, int]:
        found = _FENCE.match(lines[at][0])
        marks, language = (found.group(1), found.group(2)) if found else ("```", "")
        indent = len(lines[at][0]) - len(lines[at][0].lstrip(" "))
        closing = re.compile(rf" {{0,3}}{marks[0]}{{{len(marks)},}}[ \t]*$")
        end = at + 1
        while end < len(lines) and not closing.match(lines[end][0]):
            end += 1
        code = "".join(re.sub(f"^ {{0,{indent}}}", "", line) + "\n" for line, _ in lines[at + 1 : end])
        named = f' class="language-{escape(language)}"' if language else ""
        html = f"<pre{self._attributes(lines[at:end])}><code{named}>{escape(code, False)}</code></pre>"
        return _Block(html), min(end + 1, len(lines))

    def _html_table(self, lines: list[Line], at: int) -> tuple[_Block, int]:
        end = at
        while end < len(lines) and lines[end][0].strip():
            end += 1
        table = to_markup(sanitise("\n".join(line for line, _ in lines[at:end])))
        return _Block(f'<div class="scroll"><div{self._attributes(lines[at:end])}>{table}</div></div>'), end

    def _attributes(self, lines: list[Line]) -> str:
        """Return the attributes of the stretch that owns a block as a whole, if one does."""
        owners = (self.notes.owner[p] for line, start in lines for p in range(start, start + len(line)))
        owner = next((number for number in owners if number >= 0), -1)
        return self.notes.tag_attributes(owner) if owner >= 0 else ""

    def _table(self, lines: list[Line], at: int) -> tuple[_Block, int]:
        end = at + 2
        while end < len(lines) and "|" in lines[end][0] and not _interrupts(lines[end][0], 0):
            end += 1
        head, width = _cells(lines[at]), len(_cells(lines[at]))
        out = ['<div class="scroll"><table dir="auto">']
        if any(cell.strip() for cell, _ in head):
            out.append(f"<thead>{self._row(head, 'th', width)}</thead>")
        out.append("<tbody>")
        out += [self._row(_cells(line), "td", width) for line in lines[at + 2 : end]]
        return _Block("".join([*out, "</tbody></table></div>"])), end

    def _row(self, cells: list[Line], tag: str, width: int) -> str:
        cells = (cells + [("", 0)] * width)[:width]
        written = (f"<{tag}>{self._inline([cell], True).render()}</{tag}>" for cell in cells)
        return f"<tr>{''.join(written)}</tr>"

    # Containers.

    def _quotation(self, lines: list[Line], at: int, depth: int) -> tuple[_Block, int]:
        end = at
        while end < len(lines) and _QUOTE.match(lines[end][0]):
            end += 1
        inside = self.blocks([_cut(line, _QUOTE) for line in lines[at:end]], depth + 1)
        return _Block(f'<blockquote dir="auto">{_joined(inside)}</blockquote>'), end

    def _list(self, lines: list[Line], at: int, depth: int) -> tuple[_Block, int]:
        items: list[tuple[str, list[_Block]]] = []
        first = _marker(lines[at][0])
        end, loose = at, False
        while end < len(lines) and _marker(lines[end][0])[-1:] == first[-1]:
            loose = loose or (end > at and not lines[end - 1][0].strip())
            item, end = _item_lines(lines, end, depth)
            box, item = _task(item)
            items.append((box, self.blocks(item, depth + 1)))
        loose = loose or any(block.gap for _, item in items for block in item[1:])
        html = "\n".join(f"<li>{box}{_joined(item, not loose)}</li>" for box, item in items)
        if not first[0].isdigit():
            return _Block(f'<ul dir="auto">\n{html}\n</ul>'), end
        start = "" if int(first[:-1]) == 1 else f' start="{int(first[:-1])}"'
        return _Block(f'<ol dir="auto"{start}>\n{html}\n</ol>'), end


def _task(item: list[Line]) -> tuple[str, list[Line]]:
    """Return the box of a task, if the item is one, and its lines without it."""
    found = _TASK.match(item[0][0])
    if not found:
        return "", item
    return "☐ " if found.group(1) == " " else "☑ ", [_cut(item[0], _TASK), *item[1:]]


def _starts_block(lines: list[Line], at: int, depth: int) -> bool:
    """Return whether line ``at`` ends the paragraph before it."""
    return _interrupts(lines[at][0], depth) or (depth < MAX_NESTING and _is_table(lines, at))


def _interrupts(line: str, depth: int) -> bool:
    """Return whether a line is blank or begins another block, whatever follows it."""
    if not line.strip() or any(rule.match(line) for rule in (_FENCE, _HEADING, _RULE, _HTML_TABLE)):
        return True
    if depth >= MAX_NESTING:
        return False
    item = _ITEM.match(line)
    # Only a number 1 may follow a paragraph's line directly: "in\n1968. was" is running text.
    listed = item is not None and bool(item.group(3)) and item.group(2) in ("-", "+", "*", "1.", "1)")
    return listed or _QUOTE.match(line) is not None


def _is_table(lines: list[Line], at: int) -> bool:
    if "|" not in lines[at][0] or at + 1 >= len(lines) or not _DELIMITER_ROW.match(lines[at + 1][0]):
        return False
    return len(_cells(lines[at])) == len(_cells(lines[at + 1]))


def _cells(line: Line) -> list[Line]:
    """Return the cells of a table row; a backslash keeps the next character from ending one."""
    text, start = line
    at = len(text) - len(text.lstrip())
    at += text.startswith("|", at)
    out: list[Line] = []
    while at <= len(text.rstrip()):
        found = _CELL.match(text, at)
        end = found.end() if found else len(text)
        end = max(end, at)
        if end >= len(text) and not text[at:].strip():
            break
        out.append(_stripped((text[at:end], start + at)))
        at = end + 1
    return out


def _item_lines(lines: list[Line], at: int, depth: int) -> tuple[list[Line], int]:
    """Return the lines of one list item without their indentation, and where the next begins."""
    text, start = lines[at]
    found = _ITEM.match(text)
    width = 0
    if found:
        width = found.end() if found.group(3) else found.end(2) + 1
    item: list[Line] = [(text[width:], start + min(width, len(text)))]
    end = at + 1
    while end < len(lines):
        text, start = lines[end]
        if not text.strip():
            item.append(("", start + len(text)))
        elif len(text) - len(text.lstrip(" ")) >= width:
            item.append((text[width:], start + width))
        elif lines[end - 1][0].strip() and not _starts_block(lines, end, depth) and not _marker(text):
            item.append(_stripped(lines[end]))
        else:
            break
        end += 1
    return item, end


def _marker(line: str) -> str:
    """Return the marker that makes a line a list item, or nothing."""
    found = None if _RULE.match(line) else _ITEM.match(line)
    return found.group(2) if found else ""


def _cut(line: Line, what: re.Pattern[str]) -> Line:
    found = what.match(line[0])
    size = found.end() if found else 0
    return line[0][size:], line[1] + size


def _stripped(line: Line) -> Line:
    """Return a line without the white space around it (two spaces at its end break the line)."""
    text = line[0]
    start = len(text) - len(text.lstrip())
    text = text.strip() + ("  " if text.endswith("  ") and text.strip() else "")
    return text, line[1] + start
