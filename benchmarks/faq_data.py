"""The FAQ questions of ``--data``: sources by package, gold element ranges, and the split.

Not part of the package: benchmarks read data that the repository does not ship.
"""

from __future__ import annotations

import json
import random
import re
import zlib
from dataclasses import dataclass
from pathlib import Path

from longleaf.index.memory import MemoryIndex
from longleaf.language import has_word
from longleaf.serialise.text import to_text
from longleaf.types import Nodes

LEVELS = {f"h{n}": n for n in range(1, 7)}


@dataclass(frozen=True)
class Question:
    """One question with its gold answer and where that stands."""

    id: str
    text: str
    answer: str
    page: Path
    heading: str
    anchor: str
    package: str

    @property
    def dev(self) -> bool:
        """Whether the question's package is one that constants may be chosen on (a third of them)."""
        return zlib.crc32(self.package.encode()) % 3 == 0


def load(data: Path, limit: int, seed: int, split: str = "all") -> list[Question]:
    """Return a seeded sample of the questions, of one split or of all packages."""
    rows = [json.loads(line) for line in (data / "questions.jsonl").open(encoding="utf-8")]
    questions = [
        Question(
            r["id"],
            r["question"],
            r["answer"],
            data / r["page"],
            r["heading"],
            r["anchor"] or "",
            r["package"],
        )
        for r in rows
    ]
    # A question without one word ("???") is refused by design.
    questions = [q for q in questions if has_word(q.text)]
    questions = [q for q in questions if split == "all" or q.dev == (split == "dev")]
    random.Random(seed).shuffle(questions)
    return questions[:limit] if limit else questions


def squeeze(text: str) -> str:
    """Return what two renderings of one text have in common: lower-case words."""
    return " ".join(re.findall(r"\w+", text.lower()))


def source_of(question: Question, data: Path) -> Path:
    """Return the folder that holds all pages of the question's package."""
    return data / "pages" / question.package


def gold_blocks(index: MemoryIndex, question: Question) -> set[int]:
    """Return the rows of the index whose blocks reach into the gold answer's element range."""
    pages = [n for n, e in enumerate(index.entries) if Path(e.url) == question.page]
    if not pages:
        return set()
    tree = index.tree(pages[0])
    span = gold_range(tree.page.nodes, question)
    if span is None:
        return set()
    base = int(index.starts[pages[0]])
    return {
        base + b.id
        for b in tree.blocks
        if b.span.start[0] < span[1] and b.span.end > (span[0], 0) and b.words
    }


def gold_range(nodes: Nodes, question: Question) -> tuple[int, int] | None:
    """Return the nodes from behind the question's heading to the next heading of its level."""
    wanted = squeeze(question.text)
    for node, tag in enumerate(nodes.tag):
        if tag != question.heading or not squeeze(to_text(nodes, node)).endswith(wanted):
            continue
        start = nodes.end[node]
        if tag not in LEVELS:  # dt, tr: the siblings until the next of their kind
            stop = next(
                (n for n in range(start, len(nodes)) if nodes.tag[n] == tag and n > start), len(nodes)
            )
            return start, nodes.end[start] if tag == "tr" and nodes.tag[start] == "tr" else stop
        level = LEVELS[tag]
        for after in range(start, len(nodes)):
            if LEVELS.get(nodes.tag[after], 9) <= level:
                return start, after
        return start, len(nodes)
    return None
