"""Does a page parse to the tree that the HTML standard says: the html5lib tree-construction tests.

    python benchmarks/tree_construction.py --tests DIR [-v]

DIR holds the .dat files, at any depth: ``html5lib/tests/testdata/tree-construction`` of html5lib's
source distribution, or ``html/testdata/webkit`` of Debian's golang-golang-x-net-dev. Fragment cases
and cases for parsers with scripting are left out and counted.

Compared, in document order and with depth: the elements below ``html`` with it, by name, with all
attributes and their values; and all text, character for character. Not compared: the doctype,
comments (texts that one parts are joined), the order of attributes, and the namespace of an element.
A template's content counts as its children. An input that ``parse`` refuses with a typed error is
counted by type, apart from passes and failures.

Beside it the parser alone (lexbor, read here without Longleaf) on the cases without templates: a
case that it passes and Longleaf fails is Longleaf's own doing, and marked ``own``.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser

from longleaf.errors import LongleafError
from longleaf.parse import parse
from longleaf.types import Document, Nodes

# What stands at a depth: ("element name", attributes) or ("", text).
Entry = tuple[int, str, object]


@dataclass(frozen=True)
class Case:
    """One test: what is parsed, and the expected tree as the file draws it."""

    file: str
    number: int
    data: str
    kind: str
    drawn: str


def read_cases(path: Path) -> Iterator[Case]:
    """Yield the cases of one .dat file."""
    text = path.read_bytes().decode("utf-8", "surrogatepass")
    for number, body in enumerate(re.split(r"(?:\A|\n)#data\n", text)[1:], 1):
        head, _, drawn = body.partition("\n#document\n")
        data, _, sections = head.partition("\n#errors") if "\n#errors" in head else ("", "", head)
        if head.startswith("#errors"):
            data = ""
        kind = "fragment" if "\n#document-fragment" in sections else ""
        kind = kind or ("scripted" if "\n#script-on" in sections else "")
        yield Case(path.name, number, data, kind, drawn.removesuffix("\n"))


def expected(drawn: str) -> list[Entry]:
    """Read a drawn tree: two spaces a level, ``"text"``, ``<name>``, ``name="value"``."""
    out: list[Entry] = []
    shift: list[int] = []  # depths at which ``content`` of a template stands: it is no node here
    for item in re.split(r"(?:\A|\n)\| ", "\n" + drawn)[1:]:
        body = item.lstrip(" ")
        level = (len(item) - len(body)) // 2
        shift = [depth for depth in shift if depth < level]
        if body == "content":
            shift.append(level)
            continue
        add_item(out, level - len(shift), body)
    return out


def add_item(out: list[Entry], level: int, body: str) -> None:
    if body.startswith(("<!--", "<!DOCTYPE")):
        return
    if body.startswith("<") and body.endswith(">"):
        out.append((level, body[1:-1].split(" ")[-1], {}))
    elif body.startswith('"'):
        add_text(out, level, body[1:-1])
    else:
        name, _, value = body.partition('="')
        out[-1][2][name.replace(" ", ":")] = value[:-1]  # type: ignore[index]


def add_text(out: list[Entry], level: int, text: str) -> None:
    """Append text, joined with text right before it on the same level."""
    if not text:
        return
    if out and out[-1][:2] == (level, ""):
        out[-1] = (level, "", str(out[-1][2]) + text)
    else:
        out.append((level, "", text))


def longleaf_tree(data: str) -> list[Entry]:
    """Return what ``parse`` makes of a case."""
    nodes: Nodes = parse(Document.from_bytes(data.encode("utf-8", "surrogatepass"), "", "utf-8")).nodes
    out: list[Entry] = []
    depth: list[int] = []
    for node, tag in enumerate(nodes.tag):
        up = nodes.parent[node]
        depth.append(0 if up < 0 else depth[up] + 1)
        if tag and tag != "#comment":
            out.append((depth[node], tag, dict(nodes.attrs[node])))
        elif not tag:
            add_text(out, depth[node], nodes.text[node])
    return out


def lexbor_tree(data: str) -> list[Entry]:
    """Return what the parser alone makes of a case."""
    root = LexborHTMLParser(data).root
    out: list[Entry] = []
    depth: dict[int, int] = {}
    for node in root.traverse(include_text=True) if root is not None else ():
        above = node.parent
        level = depth.get(above.mem_id, -1) + 1 if above is not None else 0
        depth[node.mem_id] = level
        if node.tag == "-text":
            add_text(out, level, node.text_content or "")
        elif node.tag and not node.tag.startswith("-"):
            out.append((level, node.tag, {k: v or "" for k, v in node.attributes.items()}))
    return out


def outcome(case: Case, build: Callable[[str], list[Entry]]) -> str:
    """Return "pass", "fail" or the name of the typed error."""
    try:
        tree = build(case.data)
    except LongleafError as error:
        return type(error).__name__
    except UnicodeEncodeError:
        return "not UTF-8"
    return "pass" if tree == expected(case.drawn) else "fail"


def explain(case: Case, own: bool) -> None:
    print(f"{case.file} #{case.number}{' own' if own else ''}: {case.data[:400]!r}")
    got, want = longleaf_tree(case.data), expected(case.drawn)
    pairs = enumerate(zip(got, want, strict=False))
    at = next((i for i, (a, b) in pairs if a != b), min(len(got), len(want)))
    print(f"    expected {want[at : at + 2]}\n    got      {got[at : at + 2]}")


def run_file(path: Path, verbose: bool, total: Counter[str]) -> None:
    here: Counter[str] = Counter()
    for case in read_cases(path):
        if case.kind:
            here[case.kind] += 1
            continue
        result = outcome(case, longleaf_tree)
        here[result] += 1
        alone = "" if "<template" in case.data.lower() else outcome(case, lexbor_tree)
        here[f"parser alone: {alone}"] += bool(alone)
        own = result != "pass" and alone == "pass"
        here["own"] += own
        if verbose and result == "fail":
            explain(case, own)
    counts = ", ".join(f"{n} {name}" for name, n in sorted(here.items()) if n)
    print(f"{path.parent.name}/{path.name}: {counts}")
    total.update(here)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tests", type=Path, required=True, help="folder of .dat files, read at any depth")
    parser.add_argument("-v", "--verbose", action="store_true", help="show every failing case")
    args = parser.parse_args()
    total: Counter[str] = Counter()
    for path in sorted(args.tests.rglob("*.dat")):
        run_file(path, args.verbose, total)
    skipped = {"fragment", "scripted", "own"}
    cases = sum(n for name, n in total.items() if name not in skipped and not name.startswith("parser"))
    print(f"\n{total['pass']} of {cases} documents give the expected tree; {total['fail']} do not.")
    for name, count in sorted(total.items()):
        print(f"  {name}: {count}")


if __name__ == "__main__":
    main()
