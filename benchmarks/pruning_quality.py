"""What every ranker keeps of the gold answer at several budgets.

    python benchmarks/pruning_quality.py --data DIR [--sets hard easy wiki] [--n N]
        [--rankers random order bm25 lexical dense embed oracle] [--pruner NAME ...] [--peers [NAME ...]]
        [--budgets 512 1024 2048 4096] [--tokenizer o200k|FILE.gguf] [--fill] [--links]
        [--against NAME ...] [--packages] [--cold] [--save FILE] [--load FILE ...]

DIR holds ``faq`` and ``wikitables``; sets, gold and metrics are ``pruning_sets``'s. A budget is tokens
of the whole serialised output (tags, ancestors, headings, header rows), counted with o200k, Longleaf's
default, or with the tokenizer of a GGUF file (the floors were measured with SmolLM2's, without ancestors
and headings). ``--pruner`` takes every name that ``longleaf.prune.make_pruner`` knows; ``--peers`` scores
the functions of ``pruning_peers.peers()`` by the same code. Prints means with standard errors, paired
differences with intervals clustered by page, and seconds a question (median; scoring alone, then with the
cut to one budget) with vectors in the cache, and ``--cold`` without. ``--save`` keeps every value as JSON
lines, ``--load`` adds values of earlier runs to the tables, so that runs can be split.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import time
import zlib
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict
from pathlib import Path

import pruning_report as report
import pruning_sets as sets
from pruning_report import Result

from longleaf.blocks import BlockTree
from longleaf.models.bundled import bundled_encoder, cached_encoder
from longleaf.prune import Pruner, make_pruner, prune_trees
from longleaf.prune.lexical import KIND_SHARE, bm25
from longleaf.tokens import TokenCounter, default_counter

BUDGETS = (512, 1024, 2048, 4096)
RANKERS = ("random", "order", "bm25", "lexical", "dense", "embed", "oracle")
Outputs = Callable[[sets.Case, Sequence[int]], dict[int, str]]


class Order:
    """Document order."""

    name = "order"

    def score(self, trees: Sequence[BlockTree], question: str) -> list[float]:
        """Return falling scores."""
        return [-float(i) for i in range(sum(len(tree.blocks) for tree in trees))]


class Random:
    """Any order, the same for the same question."""

    name = "random"

    def score(self, trees: Sequence[BlockTree], question: str) -> list[float]:
        """Return scores that say nothing."""
        draw = random.Random(zlib.crc32(question.encode()))
        return [draw.random() for tree in trees for _ in tree.blocks]


class PlainBm25:
    """BM25 over trail, header row and text, nothing else: what the mix is compared with."""

    name = "bm25"

    def score(self, trees: Sequence[BlockTree], question: str) -> list[float]:
        """Return BM25 scores, blocks of links and headings alone at their share."""
        blocks = [block for tree in trees for block in tree.blocks]
        shares = (KIND_SHARE.get(block.kind, 1.0) for block in blocks)
        return [float(s) * share for s, share in zip(bm25(blocks, question), shares, strict=True)]


class Dense:
    """The encoder alone, over every block."""

    name = "dense"

    def __init__(self) -> None:
        self.encoder = cached_encoder() or bundled_encoder()

    def score(self, trees: Sequence[BlockTree], question: str) -> list[float]:
        """Return cosines."""
        texts = [block.scored_text for tree in trees for block in tree.blocks]
        vectors = self.encoder.encode([question, *texts])
        return [float(s) for s in vectors[1:] @ vectors[0]]


class Oracle:
    """Knows which blocks are gold; the case is set before each question."""

    name = "oracle"
    case: sets.Case

    def score(self, trees: Sequence[BlockTree], question: str) -> list[float]:
        """Return how much of each block is gold."""
        return sets.gold_words(self.case)


def ranker(name: str) -> Pruner:
    """Return a ranker by name: one of this file's, or one of Longleaf's with its vectors cached."""
    ours: dict[str, Callable[[], Pruner]] = {
        "order": Order,
        "bm25": PlainBm25,
        "random": Random,
        "dense": Dense,
        "oracle": Oracle,
    }
    if name in ours:
        return ours[name]()
    return make_pruner(name, cached_encoder() if name in ("auto", "embed") else None)


def rank_and_cut(
    pruner: Pruner,
    counter: TokenCounter,
    options: Collection[str],
    seconds: dict[str, list[tuple[float, float]]],
) -> Outputs:
    """Return a function from case and budgets to outputs; it notes its seconds under the ranker's name."""

    def run(case: sets.Case, budgets: Sequence[int]) -> dict[int, str]:
        tree = sets.tree(case)
        if isinstance(pruner, Oracle):
            pruner.case = case
        timed = Timed(pruner)
        began = time.perf_counter()
        pruned = prune_trees(
            [tree],
            case.question,
            budgets[0],
            timed,
            counter,
            fill="fill" in options,
            links="links" in options,
        )
        seconds[pruner.name].append((timed.seconds, time.perf_counter() - began))
        return {budget: pruned.at(budget).html for budget in budgets}

    return run


def of_peer(peer: Callable[[str, str, Sequence[int]], dict[int, str]]) -> Outputs:
    """Return a function from case and budgets to outputs."""
    return lambda case, budgets: peer(case.html, case.question, budgets)


class Timed:
    """A pruner with a watch."""

    def __init__(self, pruner: Pruner) -> None:
        self.pruner = pruner
        self.name = pruner.name
        self.seconds = 0.0

    def score(self, trees: Sequence[BlockTree], question: str) -> list[float]:
        """Return the pruner's scores."""
        began = time.perf_counter()
        scores = self.pruner.score(trees, question)
        self.seconds = time.perf_counter() - began
        return scores


def gguf_counter(path: str) -> TokenCounter:
    """Return the counter of a GGUF file's tokenizer (needs transformers and gguf)."""
    from transformers import AutoTokenizer

    file = Path(path)
    tokenizer = AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name).backend_tokenizer

    class Counter:
        name = file.stem

        def count(self, text: str) -> int:
            return len(tokenizer.encode(text, add_special_tokens=False))

        def count_many(self, texts: Sequence[str]) -> list[int]:
            return [self.count(text) for text in texts]

        def cut(self, text: str, limit: int) -> str:
            ends = [end for _, end in tokenizer.encode(text, add_special_tokens=False).offsets]
            return text if len(ends) <= limit else text[: ends[limit - 1]] if limit > 0 else ""

    return Counter()


def measure(
    cases: Sequence[sets.Case], systems: dict[str, Outputs], budgets: Sequence[int], counter: TokenCounter
) -> list[Result]:
    """Run every system on every case."""
    results: list[Result] = []
    for done, case in enumerate(cases, 1):
        for name, outputs in systems.items():
            for budget, output in outputs(case, budgets).items():
                if counter.count(output) > budget:
                    raise SystemExit(f"{name}: over the budget of {budget} tokens on {case.id}")
                for metric, value in sets.score(case, output).items():
                    results.append(
                        Result(case.set, case.id, case.page, case.group, name, budget, metric, value)
                    )
        if done % 50 == 0:
            print(f"{case.set}: {done} of {len(cases)}", file=sys.stderr)
    return results


def cold_seconds(names: Sequence[str], cases: Sequence[sets.Case]) -> dict[str, float]:
    """Return the median seconds of scoring with no vector kept, one question of each page, 12 pages."""
    firsts = list({case.page: case for case in cases}.values())
    random.Random(0).shuffle(firsts)
    out: dict[str, float] = {}
    for name in names:
        pruner = make_pruner(name, bundled_encoder())
        pruner.score([sets.tree(firsts[0])], "warm up")
        times = []
        for case in firsts[:12]:
            timed = Timed(pruner)
            timed.score([sets.tree(case)], case.question)
            times.append(timed.seconds)
        out[name] = statistics.median(times)
    return out


def print_seconds(seconds: dict[str, list[tuple[float, float]]]) -> None:
    """Print the median seconds of each ranker."""
    print("\nseconds a question, median: scoring | scoring and the cut to the first budget")
    for name, times in seconds.items():
        score, both = (statistics.median(column) for column in zip(*times, strict=True))
        print(f"{name:24} {score:.4f} | {both:.4f}")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--blank", type=Path, help="faq_blank.py; default: DIR/../tools/faq_blank.py")
    parser.add_argument("--sets", nargs="+", default=list(sets.SETS), choices=sets.SETS)
    parser.add_argument("--n", type=int, default=0, help="questions of each set; default: all")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--rankers", nargs="*", default=list(RANKERS))
    parser.add_argument("--pruner", nargs="*", default=[], help="further names for make_pruner")
    parser.add_argument("--peers", nargs="*", help="tools of pruning_peers; no name: all")
    parser.add_argument("--budgets", nargs="+", type=int, default=list(BUDGETS))
    parser.add_argument("--tokenizer", default="o200k")
    parser.add_argument("--fill", action="store_true")
    parser.add_argument("--links", action="store_true", help="keep link targets and ids")
    parser.add_argument("--ours", default="embed", help="the ranker that floors and differences are of")
    parser.add_argument("--against", nargs="*", default=[], help="rankers to compare with; default: all")
    parser.add_argument("--packages", action="store_true")
    parser.add_argument("--cold", action="store_true")
    parser.add_argument("--save", type=Path)
    parser.add_argument("--load", type=Path, nargs="*", default=[])
    return parser.parse_args()


def main() -> None:
    args = arguments()
    counter = default_counter() if args.tokenizer == "o200k" else gguf_counter(args.tokenizer)
    seconds: dict[str, list[tuple[float, float]]] = defaultdict(list)
    options = [name for name in ("fill", "links") if getattr(args, name)]
    systems = {n: rank_and_cut(ranker(n), counter, options, seconds) for n in [*args.rankers, *args.pruner]}
    if args.peers is not None:
        from pruning_peers import peers

        for name, peer in peers(counter=counter, only=args.peers).items():
            systems[name] = of_peer(peer)
    results: list[Result] = []
    cases: list[sets.Case] = []
    for name in args.sets if systems else ():
        cases = sets.load(name, args.data, args.blank, args.n, args.seed)
        results += measure(cases, systems, args.budgets, counter)
    if args.save:
        args.save.write_text("".join(json.dumps(asdict(r)) + "\n" for r in results), encoding="utf-8")
    for file in args.load:
        results += [Result(**json.loads(line)) for line in file.open(encoding="utf-8")]
    values, places = report.collect(results)
    print(f"tokens: {counter.name}; options: {', '.join(options) or 'none'}")
    report.print_means(values, args.ours)
    report.print_paired(values, places, args.ours, args.against)
    if args.packages:
        report.print_packages(values, places, args.ours)
    print_seconds(seconds)
    if args.cold:
        for name, median in cold_seconds(
            [n for n in args.rankers if n in ("lexical", "embed")], cases
        ).items():
            print(f"{name:24} {median:.2f} s without any vector kept ({args.sets[-1]})")


if __name__ == "__main__":
    main()
