"""Abstention: questions that a passage answers, and questions that it does not.

    python benchmarks/abstain.py --data DIR [--faq DIR]

CLAPNQ's passages become small pages (title, passage). Its unanswerable questions are asked of a
passage of the right topic, so they are as hard as it gets. Printed: the rate at which the
default threshold abstains on both, the curve over thresholds, and the area under it. With
``--faq``, also FAQ questions asked of their own pages and of another package's.
"""

from __future__ import annotations

import argparse
import json
from html import escape
from pathlib import Path

from faq_data import load, source_of

from longleaf.abstain import confidence
from longleaf.index.memory import MemoryIndex
from longleaf.models.base import Encoder
from longleaf.models.bundled import cached_encoder
from longleaf.plan import Planner
from longleaf.retrieve import Retriever
from longleaf.types import Document

OFF_TOPIC = (
    "What is the capital of France?",
    "How do I bake sourdough bread?",
    "Who won the 2018 football world cup?",
    "asdf qwerty zxcv",
    "What are the symptoms of measles?",
    "How tall is Mount Kilimanjaro?",
    "When did the Roman empire fall?",
    "How do I change the tyre of a bicycle?",
    "Which vitamins are in carrots?",
    "What is the best visa for students in Japan?",
)


def score(index: MemoryIndex, question: str, encoder: Encoder | None) -> tuple[float, bool]:
    retriever = Retriever(index, question, encoder)
    planner = Planner(question, index.bm25.weight)
    trust = confidence(index, question, retriever.search(planner.query(planner.first())))
    return trust.score, trust.enough


def page(row: dict[str, list[dict[str, str]]]) -> Document:
    passage = row["passages"][0]
    title, text = escape(passage["title"]), escape(passage["text"])
    return Document.from_html(
        f"<title>{title}</title><h1>{title}</h1><p>{text}</p>", f"{passage['title']}.html"
    )


def clapnq(data: Path, name: str, encoder: Encoder | None) -> list[tuple[float, bool]]:
    rows = [json.loads(line) for line in (data / f"clapnq_dev_{name}.jsonl").open(encoding="utf-8")]
    return [score(MemoryIndex.of([page(row)]), row["input"], encoder) for row in rows]


def auc(good: list[float], bad: list[float]) -> float:
    """Return how often an answerable question scores above an unanswerable one."""
    wins = sum((g > b) + 0.5 * (g == b) for g in good for b in bad)
    return wins / (len(good) * len(bad))


def rate(scores: list[tuple[float, bool]]) -> float:
    return sum(not enough for _, enough in scores) / len(scores)


def report(name: str, good: list[tuple[float, bool]], bad: list[tuple[float, bool]]) -> None:
    print(f"\n{name}: {len(good)} answerable, {len(bad)} not")
    print(f"abstained at the default: {rate(good):.3f} of the answerable, {rate(bad):.3f} of the others")
    print(f"area under the curve: {auc([s for s, _ in good], [s for s, _ in bad]):.3f}")
    print("threshold  answerable  others  balanced accuracy")
    for step in range(4, 20):
        at = step / 20
        left, right = (sum(s < at for s, _ in scores) / len(scores) for scores in (good, bad))
        print(f"{at:9.2f}  {left:10.3f}  {right:6.3f}  {(1 - left + right) / 2:17.3f}")


def faq(data: Path, encoder: Encoder | None) -> tuple[list[tuple[float, bool]], list[tuple[float, bool]]]:
    questions = load(data, 80, 7)
    sources = sorted({source_of(q, data) for q in questions})
    indexes = {source: MemoryIndex.build([source]) for source in sources}
    own = [score(indexes[source_of(q, data)], q.text, encoder) for q in questions]
    off = [score(indexes[source], q, encoder) for source in sources[:6] for q in OFF_TOPIC]
    return own, off


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--faq", type=Path)
    args = parser.parse_args()
    for name, encoder in (("with the encoder", cached_encoder()), ("BM25 only", None)):
        good, bad = (clapnq(args.data, kind, encoder) for kind in ("answerable", "unanswerable"))
        report(f"CLAPNQ, {name}", good, bad)
        if args.faq:
            report(f"FAQ, own pages against off-topic questions, {name}", *faq(args.faq, encoder))


if __name__ == "__main__":
    main()
