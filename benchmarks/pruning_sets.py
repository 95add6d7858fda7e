"""Pages, questions and gold of the pruning benchmarks, and how an output is scored.

Not part of the package: benchmarks read data that the repository does not ship.

Sets. ``hard``: FAQ pages with the question's own heading and every echo of it emptied, by the data's
own ``tools/faq_blank.py``; ``easy``: the same pages as they are; ``wiki``: whole Wikipedia pages and
questions whose answer stands in a table (lookup questions).

Selection. Cleaned pages of at least 6,000 (wiki: 4,000) tokens of o200k, a question once, FAQ answers
that are found on the raw page letter for letter, at most 45 questions a package, at most 315 (wiki:
300) in all, seeded. ``hard`` and ``easy`` hold the same questions.

Scoring needs the output as a string alone, HTML or text, so other tools are scored by the same code.
Compared are letters and digits in lower case, without anything between them: tools differ in white
space and marks. A word of the gold answer is kept where it lies in a stretch of the answer of
``REACH`` letters (or all of it) that stands in the output, so common words elsewhere do not count. A
gold block is a stretch of the answer in one of Longleaf's blocks of 128 words, a gold row a row of the
question's table with an answer in it; both are kept when 9 letters in 10 are. An answer is kept where
its words stand in the output in order, word bounded.
"""

from __future__ import annotations

import importlib.util
import json
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from html import unescape
from pathlib import Path
from types import ModuleType
from typing import Any

from longleaf.blocks import BlockTree, block_tree
from longleaf.clean import clean
from longleaf.decode import decode
from longleaf.parse import parse
from longleaf.serialise.html import to_html
from longleaf.tokens import default_counter
from longleaf.types import Document, Nodes

SETS = ("hard", "easy", "wiki")
LEAST_TOKENS = {"hard": 6000, "easy": 6000, "wiki": 4000}
MOST = {"hard": 315, "easy": 315, "wiki": 300}
MOST_A_PACKAGE = 45
# Letters that must stand together: five to six words. Of 315 FAQ pages with their answer taken out,
# 3.5 % of its words were still found with 24, 2.2 % with 30, 1.6 % with 40 (said twice, mostly).
REACH = 32
# Rows are shorter, and their cells often numbers.
ROW_REACH = 12
WHOLE = 0.9

_MARKUP = re.compile(
    r"<(script|style|template|noscript|svg)\b.*?</\1\s*>|<!--.*?-->|<[a-zA-Z/!?][^>]*>", re.S | re.I
)
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Case:
    """One question on one page. ``group`` is the package, or the page where there is none."""

    id: str
    set: str
    question: str
    html: str = field(repr=False)
    page: str
    group: str
    answer: str = field(repr=False, default="")
    blocks: tuple[str, ...] = field(repr=False, default=())
    answers: tuple[str, ...] = ()
    rows: tuple[str, ...] = field(repr=False, default=())


def metrics(name: str) -> tuple[str, ...]:
    """Return what is measured on a set."""
    return ("answer", "row") if name == "wiki" else ("share", "block")


def score(case: Case, output: str) -> dict[str, float]:
    """Return the metrics of one output (HTML or text), each 0 to 1."""
    words = visible_words(output)
    joined = "".join(words)
    if case.set == "wiki":
        spaced = f" {' '.join(words)} "
        answer = all(f" {' '.join(_words(a))} " in spaced for a in case.answers)
        row = any(covered(row, joined, ROW_REACH) >= WHOLE for row in case.rows)
        return {"answer": float(answer), "row": float(row)}
    return {
        "share": share_of_words(case.answer, joined),
        "block": float(any(covered(b, joined, REACH) >= WHOLE for b in case.blocks)),
    }


def visible_words(output: str) -> list[str]:
    """Return the words of HTML or text; every tag is a gap."""
    return _words(unescape(_MARKUP.sub(" ", output)))


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def _found(gold: str, output: str, reach: int) -> list[bool]:
    """Return for each letter of ``gold`` whether a stretch of ``reach`` around it stands in ``output``."""
    reach = min(reach, len(gold))
    kept = [False] * len(gold)
    known = _grams(output, reach)
    last = -1
    for at in range(len(gold) - reach + 1 if reach else 0):
        if gold[at : at + reach] in known:
            for place in range(max(at, last + 1), at + reach):
                kept[place] = True
            last = at + reach - 1
    return kept


@lru_cache(maxsize=64)
def _grams(text: str, size: int) -> frozenset[str]:
    return frozenset(text[at : at + size] for at in range(len(text) - size + 1))


def covered(gold: str, output: str, reach: int) -> float:
    """Return the share of letters of ``gold`` that stand in ``output`` (both joined words)."""
    kept = _found(gold, output, reach)
    return sum(kept) / len(kept) if kept else 0.0


def share_of_words(answer: str, output: str) -> float:
    """Return the share of the answer's words that are kept whole in ``output`` (joined words)."""
    words = _words(answer)
    kept = _found("".join(words), output, REACH)
    at = whole = 0
    for word in words:
        whole += all(kept[at : at + len(word)])
        at += len(word)
    return whole / len(words) if words else 0.0


# Reading the data.


def load(name: str, data: Path, blank: Path | None = None, limit: int = 0, seed: int = 7) -> list[Case]:
    """Return the cases of a set, all questions of a page in a row.

    ``data`` holds ``faq`` and ``wikitables``; ``blank`` is ``faq_blank.py`` (default: in the folder
    ``tools`` beside ``data``). ``limit`` keeps a seeded sample.
    """
    if name not in SETS:
        raise SystemExit(f"there is no set {name!r}: choose from {', '.join(SETS)}")
    rows = _wiki_rows(data, seed) if name == "wiki" else _faq_rows(data, seed)
    cases: list[Case] = []
    if name == "wiki":
        cases = [case for row in rows if (case := _wiki_case(row, data / "wikitables")) is not None]
    else:
        module = _load_module(blank or data.parent / "tools" / "faq_blank.py")
        cases = [_faq_case(name, row, data / "faq", module) for row in rows]
    cases = cases[: MOST[name]]
    if limit:
        cases = cases[:limit]
    return sorted(cases, key=lambda case: (case.group, case.page, case.id))


def _load_module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("faq_blank", path)
    if spec is None or spec.loader is None or not path.exists():
        raise SystemExit(f"{path}: not there; pass --blank")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.open(encoding="utf-8")]


@lru_cache(maxsize=256)
def _raw(path: Path) -> str:
    return decode(path.read_bytes())


@lru_cache(maxsize=1024)
def _tokens(path: Path) -> int:
    return default_counter().count(to_html(clean(Document.from_html(_raw(path))).nodes))


@lru_cache(maxsize=256)
def _joined(path: Path) -> str:
    return "".join(visible_words(_raw(path)))


def _faq_rows(data: Path, seed: int) -> Iterator[dict[str, Any]]:
    """Yield the questions that are taken, in seeded order."""
    rows = _lines(data / "faq" / "questions.jsonl")
    random.Random(seed).shuffle(rows)
    seen: set[str] = set()
    taken: dict[str, int] = {}
    for row in rows:
        path, question = data / "faq" / row["page"], " ".join(_words(row["question"]))
        if not question or question in seen or taken.get(row["package"], 0) >= MOST_A_PACKAGE:
            continue
        if _tokens(path) < LEAST_TOKENS["hard"] or "".join(_words(row["answer"])) not in _joined(path):
            continue
        seen.add(question)
        taken[row["package"]] = taken.get(row["package"], 0) + 1
        yield row


def _faq_case(name: str, row: dict[str, Any], data: Path, module: ModuleType) -> Case:
    html = _raw(data / row["page"])
    blocks = _gold_blocks(row["answer"], data / row["page"])
    if name == "hard":
        html = module.blanked(html, row["question"], row["answer"])
    return Case(
        row["id"], name, row["question"], html, row["page"], row["package"], row["answer"], tuple(blocks)
    )


@lru_cache(maxsize=256)
def _texts(path: Path) -> list[str]:
    return ["".join(_words(b.text)) for b in block_tree(clean(Document.from_html(_raw(path)))).blocks]


def _gold_blocks(answer: str, path: Path) -> list[str]:
    """Return the answer cut where Longleaf's blocks begin; whole where cleaning took part of it."""
    gold, texts = "".join(_words(answer)), _texts(path)
    start = "".join(texts).find(gold)
    if start < 0:
        return [gold]
    out: list[str] = []
    at = 0
    for text in texts:
        part = gold[max(0, at - start) : max(0, at + len(text) - start)]
        if part:
            out.append(part)
        at += len(text)
    # A piece of a few letters (a lone full stop's neighbour) would be found anywhere.
    return [part for part in out if len(part) >= min(REACH, len(gold))] or [gold]


def _wiki_rows(data: Path, seed: int) -> Iterator[dict[str, Any]]:
    rows = [row for row in _lines(data / "wikitables" / "questions.jsonl") if row["lookup"]]
    random.Random(seed).shuffle(rows)
    seen: set[str] = set()
    for row in rows:
        question = " ".join(_words(row["question"]))
        if question in seen or _tokens(data / "wikitables" / "pages" / row["page"]) < LEAST_TOKENS["wiki"]:
            continue
        seen.add(question)
        yield row


def _wiki_case(row: dict[str, Any], data: Path) -> Case | None:
    path = data / "pages" / row["page"]
    rows = _gold_rows(path, row["table_index"], row["answers"])
    if not rows:
        return None
    return Case(
        row["id"],
        "wiki",
        row["question"],
        _raw(path),
        row["page"],
        row["page"],
        answers=tuple(row["answers"]),
        rows=rows,
    )


@lru_cache(maxsize=256)
def _pages(path: Path) -> tuple[Nodes, Nodes]:
    page = parse(Document.from_html(_raw(path)))
    return page.nodes, clean(page).nodes


def _gold_rows(path: Path, number: int, answers: Sequence[str]) -> tuple[str, ...]:
    """Return the rows of the question's table that hold an answer, as joined words.

    ``number`` counts tables of class ``wikitable`` in most questions and all tables in others: the
    first of the two readings whose table holds an answer is taken. Rows are as cleaning leaves them.
    """
    raw, cleaned = _pages(path)
    tables = [n for n, tag in enumerate(raw.tag) if tag == "table"]
    classed = [n for n in tables if "wikitable" in raw.attrs[n].get("class", "")]
    at = {origin: node for node, origin in enumerate(cleaned.origin)}
    for listed in (classed, tables):
        if number >= len(listed):
            continue
        table = at.get(raw.origin[listed[number]])
        rows = [] if table is None else _rows_with(cleaned, table, answers)
        if rows:
            return tuple(rows)
    return ()


def _rows_with(nodes: Nodes, table: int, answers: Iterable[str]) -> list[str]:
    wanted = [f" {' '.join(_words(answer))} " for answer in answers]
    out: list[str] = []
    for node in range(table, nodes.end[table]):
        if nodes.tag[node] == "tr":
            words = visible_words(to_html(nodes, node))
            if any(answer in f" {' '.join(words)} " for answer in wanted):
                out.append("".join(words))
    return out


@lru_cache(maxsize=2)
def _tree_of(html: str) -> BlockTree:
    return block_tree(clean(Document.from_html(html)), counter=default_counter())


def tree(case: Case) -> BlockTree:
    """Return the block tree of the case's page, cut as ``prune`` cuts it."""
    return _tree_of(case.html)


def gold_words(case: Case) -> list[float]:
    """Return how much of each block of ``tree(case)`` is gold, 0 to 1: what the oracle ranks by."""
    texts = ["".join(_words(b.text)) for b in tree(case).blocks]
    if case.set == "wiki":
        return [float(any(covered(row, text, ROW_REACH) >= WHOLE for row in case.rows)) for text in texts]
    gold = "".join(_words(case.answer))
    start = "".join(texts).find(gold)
    out: list[float] = []
    at = 0
    for text in texts:
        inside = min(at + len(text), start + len(gold)) - max(at, start)
        out.append(max(0, inside) / len(text) if text and start >= 0 else 0.0)
        at += len(text)
    return out
