"""Answers on real FAQ pages: the loop beside one-shot, BM25 concatenation and the page's lead.

    python benchmarks/faq_answers.py --data DIR [--n 200] [--seed 7] [--split all|dev|test]

``bm25-concat`` is the five best blocks by BM25, ``bm25-fill`` as many as the length takes.

All pages of a question's package are its source. Every row is cut to the loop's own number of
words, question by question, so that ROUGE compares at equal length. ROUGE is rouge-score with
its Porter stemmer, mean over questions; intervals are paired bootstraps over questions.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from faq_data import Question, gold_blocks, load, source_of
from rouge_score.rouge_scorer import RougeScorer

from longleaf.answer import Options, stream
from longleaf.index.memory import MemoryIndex
from longleaf.models.bundled import cached_encoder
from longleaf.prune.lexical import query_terms
from longleaf.types import Answer, Done

SCORER = RougeScorer(["rouge1", "rougeL"], use_stemmer=True)
ROWS = ("loop", "one-shot", "bm25-concat", "bm25-fill", "lead")


@dataclass
class Outcome:
    """The scores of one system on one question."""

    rouge: dict[str, tuple[float, float]]
    words: int
    seconds: float = 0.0
    first: bool = False
    any: bool = False
    stop: str = ""


@dataclass
class Table:
    """All outcomes, system by system."""

    rows: dict[str, list[Outcome]] = field(default_factory=lambda: {name: [] for name in ROWS})


def answer(question: str, index: MemoryIndex, options: Options) -> tuple[Answer, float]:
    began = time.perf_counter()
    for event in stream(question, index, options, cached_encoder()):
        if isinstance(event, Done):
            return event.answer, time.perf_counter() - began
    raise RuntimeError("no answer")


def rouge(text: str, gold: str) -> dict[str, tuple[float, float]]:
    scores = SCORER.score(gold, text)
    return {name: (s.recall, s.fmeasure) for name, s in scores.items()}


def cut(text: str, words: int) -> str:
    return " ".join(text.split()[:words])


# Blocks that say nothing: the baselines pass over them as well.
_SAYING = dict.fromkeys(("links", "chrome", "heading", "media"), 0.0)


def bm25_concat(question: str, index: MemoryIndex, most: int = 5) -> str:
    scores = index.search(query_terms(question)) * index.kind_weights(_SAYING)
    best = sorted(range(len(scores)), key=lambda r: -scores[r])[:most]
    return "\n".join(index.block(r).text for r in best)


def bm25_fill(question: str, index: MemoryIndex) -> str:
    """As many blocks as it takes: five are often shorter than the answer they are compared with."""
    return bm25_concat(question, index, 60)


def lead(question: str, index: MemoryIndex) -> str:
    scores = index.search(query_terms(question)) * index.kind_weights(_SAYING)
    tree = index.tree(index.page_of(int(scores.argmax())))
    return "\n".join(b.text for b in tree.blocks if b.kind not in ("heading", "links", "media"))


def outcome(question: Question, index: MemoryIndex, result: Answer, seconds: float, words: int) -> Outcome:
    text = (
        cut(" ".join(c.quote for c in result.citations), words)
        if words
        else " ".join(c.quote for c in result.citations)
    )
    gold = gold_blocks(index, question)
    ids = {e.id: n for n, e in enumerate(index.entries)}
    cited = [int(index.starts[ids[c.document_id]]) + c.block_id for c in result.citations]
    return Outcome(
        rouge(text, question.answer),
        len(text.split()),
        seconds,
        bool(cited) and cited[0] in gold,
        any(row in gold for row in cited),
        result.stop_reason,
    )


def measure(question: Question, index: MemoryIndex, table: Table) -> None:
    result, seconds = answer(question.text, index, Options())
    loop = outcome(question, index, result, seconds, 0)
    table.rows["loop"].append(loop)
    one, took = answer(question.text, index, Options(loop=False))
    table.rows["one-shot"].append(outcome(question, index, one, took, loop.words))
    baselines: dict[str, Callable[[str, MemoryIndex], str]] = {
        "bm25-concat": bm25_concat,
        "bm25-fill": bm25_fill,
        "lead": lead,
    }
    for name, make in baselines.items():
        text = cut(make(question.text, index), loop.words)
        table.rows[name].append(Outcome(rouge(text, question.answer), len(text.split())))


def interval(ours: list[float], theirs: list[float], draws: int = 2000) -> tuple[float, float, float]:
    """Return the mean paired difference and its 95 % bootstrap interval."""
    rng = random.Random(0)
    gaps = [a - b for a, b in zip(ours, theirs, strict=True)]
    means = sorted(statistics.fmean(rng.choices(gaps, k=len(gaps))) for _ in range(draws))
    return statistics.fmean(gaps), means[int(0.025 * draws)], means[int(0.975 * draws)]


def report(table: Table) -> None:
    n = len(table.rows["loop"])
    print(f"{n} questions; ROUGE with stemmer, mean over questions; all rows at the loop's length")
    columns = ("first", "any", "R1 rec", "R1 F1", "RL rec", "RL F1", "words", "s/q")
    print(f"{'row':12}" + "".join(f"{c:>8}" for c in columns))
    for name, outcomes in table.rows.items():
        mean = lambda pick, outcomes=outcomes: statistics.fmean(pick(o) for o in outcomes)  # noqa: E731
        cited = name in ("loop", "one-shot")
        print(
            f"{name:12} {f'{mean(lambda o: o.first):.3f}' if cited else '-':>7}"
            f" {f'{mean(lambda o: o.any):.3f}' if cited else '-':>7}"
            f" {mean(lambda o: o.rouge['rouge1'][0]):7.3f} {mean(lambda o: o.rouge['rouge1'][1]):7.3f}"
            f" {mean(lambda o: o.rouge['rougeL'][0]):7.3f} {mean(lambda o: o.rouge['rougeL'][1]):7.3f}"
            f" {mean(lambda o: o.words):7.0f} {mean(lambda o: o.seconds):7.2f}"
        )
    for other in ROWS[1:]:
        for metric in ("rouge1", "rougeL"):
            gap, low, high = interval(
                [o.rouge[metric][1] for o in table.rows["loop"]],
                [o.rouge[metric][1] for o in table.rows[other]],
            )
            print(f"loop - {other:12} {metric} F1: {gap:+.3f} [{low:+.3f}, {high:+.3f}]")
    print("stop reasons:", dict(Counter(o.stop for o in table.rows["loop"])))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--n", type=int, default=200)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--split", choices=("all", "dev", "test"), default="all")
    args = parser.parse_args()
    indexes: dict[str, MemoryIndex] = {}
    table = Table()
    for question in sorted(load(args.data, args.n, args.seed, args.split), key=lambda q: q.package):
        if question.package not in indexes:
            indexes.clear()
            indexes[question.package] = MemoryIndex.build([source_of(question, args.data)])
        measure(question, indexes[question.package], table)
    report(table)


if __name__ == "__main__":
    main()
