"""What each step of the default mix and of the cut gives.

    python benchmarks/pruning_ablation.py --data DIR [--sets hard easy wiki] [--n N] [--only NAME ...]

Each row is the default with one step taken out (``-``) or one more put in (``+``); ``old mix`` is
the mix before all of them. Sets and metrics are ``pruning_sets``'s. Printed: the default's means,
then each row's paired difference to the default, with 95 % intervals clustered by page, on all
questions and on two halves: packages perlfaq, python3.11-doc and privoxy against the others, and
Wikipedia pages by a hash. Below zero: the step that was taken out is worth having.
"""

from __future__ import annotations

import argparse
import re
import statistics
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pruning_report as report
import pruning_sets as sets
from pruning_quality import BUDGETS, Outputs, measure, rank_and_cut, ranker

from longleaf.blocks import BlockTree
from longleaf.language import collapse, terms
from longleaf.prune import budget as cutting
from longleaf.prune import context, embed, lexical
from longleaf.tokens import default_counter
from longleaf.types import Block

Patch = tuple[object, str, Any]
HALF_A = frozenset(("perlfaq", "python3.11-doc", "privoxy"))
_IDENTIFIER = re.compile(r"\w+(?:[._]\w+)+")


def one_vector(self: embed.EmbedPruner, blocks: Sequence[Block], question: str) -> Any:
    """Trail and text in one vector."""
    vectors = self.encoder.encode([question, *(block.scored_text for block in blocks)])
    return vectors[1:] @ vectors[0]


def kinds_alone(block: Block) -> float:
    """A share by kind, header row or not."""
    return lexical.KIND_SHARE.get(block.kind, 1.0)


def whole_identifiers(text: str) -> list[str]:
    """Terms, and names such as ``os.path.join`` whole beside their parts."""
    return terms(text) + [match.group().casefold() for match in _IDENTIFIER.finditer(text)]


class OldMix:
    """The mix before: 0.3 of BM25 on prose and 0.7 on tables, one vector, each block by itself."""

    name = "old"

    def __init__(self, inner: embed.EmbedPruner) -> None:
        self.inner = inner

    def score(self, trees: Sequence[BlockTree], question: str) -> list[float]:
        """Return the scores."""
        blocks = [block for tree in trees for block in tree.blocks]
        share = np.array([0.7 if block.kind == "table" else 0.3 for block in blocks])
        kinds = np.array([kinds_alone(block) for block in blocks])
        words = embed.scaled(lexical.bm25(blocks, question) * kinds.astype(np.float32))
        alike = embed.scaled(one_vector(self.inner, blocks, question))
        return [float(s) for s in (share * words + (1 - share) * alike) * kinds]


class Distinct:
    """The default with every block whose text was ranked already behind all others."""

    name = "distinct"

    def __init__(self, inner: embed.EmbedPruner) -> None:
        self.inner = inner

    def score(self, trees: Sequence[BlockTree], question: str) -> list[float]:
        """Return the scores, repeats lowered by one."""
        blocks = [block for tree in trees for block in tree.blocks]
        scores = self.inner.score(trees, question)
        seen: set[str] = set()
        for place in sorted(range(len(blocks)), key=lambda i: (-scores[i], i)):
            text = collapse(blocks[place].text)
            scores[place] -= text in seen
            seen.add(text)
        return scores


@contextmanager
def patched(patches: Sequence[Patch]) -> Iterator[None]:
    """Put values in place of a module's or a class's own."""
    with ExitStack() as stack:
        for where, name, value in patches:
            stack.enter_context(patch.object(where, name, value))
        yield


def no_part(*_: object) -> None:
    """Keep nothing of the block that does not fit."""


def systems() -> dict[str, Outputs]:
    """Return the default and its variants by name."""
    mix: Any = ranker("embed")
    rows: dict[str, tuple[Any, tuple[str, ...], list[Patch]]] = {
        "default": (mix, (), []),
        "old mix": (OldMix(mix), (), []),
        "- section": (mix, (), [(context, "SECTION_SHARE", 0.0)]),
        "- neighbours": (mix, (), [(context, "NEIGHBOUR_SHARE", 0.0)]),
        "- trail's own vector": (mix, (), [(embed.EmbedPruner, "_cosines", one_vector)]),
        "- rows of links": (mix, (), [(embed, "kind_share", kinds_alone)]),
        "+ links": (mix, ("links",), []),
        "old mix + links": (OldMix(mix), ("links",), []),
        "- partial last block": (mix, (), [(cutting, "_partial", no_part)]),
        "+ fill": (mix, ("fill",), []),
        "+ fill - partial": (mix, ("fill",), [(cutting, "_partial", no_part)]),
        "+ distinct texts": (Distinct(mix), (), []),
        "+ whole identifiers": (mix, (), [(lexical, "terms", whole_identifiers)]),
    }
    return {name: _variant(*row) for name, row in rows.items()}


def _variant(pruner: Any, options: Sequence[str], patches: Sequence[Patch]) -> Outputs:
    inner = rank_and_cut(pruner, default_counter(), options, {pruner.name: []})

    def run(case: sets.Case, budgets: Sequence[int]) -> dict[int, str]:
        with patched(patches):
            return inner(case, budgets)

    return run


def half(place: tuple[str, str]) -> str:
    """Return the half that a case's page and group are in."""
    page, group = place
    if page == group:
        return "AB"[zlib.crc32(page.encode()) % 2]
    return "A" if group in HALF_A else "B"


def print_differences(values: report.Values, places: dict[str, tuple[str, str]]) -> None:
    """Print each row's difference to the default, by budget and as the mean of all on each half."""
    page = {case: place[0] for case, place in places.items()}
    for (name, metric), (rows, budgets) in report.cells(values).items():
        means = [statistics.fmean(values[name, metric, "default", b].values()) for b in budgets]
        print(f"\n{name}, {metric}: default " + " ".join(f"{mean:.1f}" for mean in means))
        for row in rows[1:]:
            parts = []
            gaps: dict[str, list[float]] = {"A": [], "B": []}
            for b in budgets:
                theirs, ours = values[name, metric, row, b], values[name, metric, "default", b]
                gap, low, high = report.paired(theirs, ours, page)
                parts.append(f"{gap:+5.1f} [{low:+.1f},{high:+.1f}]")
                for case in ours:
                    gaps[half(places[case])].append(theirs[case] - ours[case])
            halves = " ".join(
                f"{letter} {statistics.fmean(found):+.1f}" for letter, found in gaps.items() if found
            )
            print(f"{row:22}" + " ".join(f"{part:>20}" for part in parts) + f" | {halves}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--blank", type=Path)
    parser.add_argument("--sets", nargs="+", default=list(sets.SETS), choices=sets.SETS)
    parser.add_argument("--n", type=int, default=0)
    parser.add_argument("--only", nargs="*", default=[])
    args = parser.parse_args()
    chosen: dict[str, Callable[..., dict[int, str]]] = {
        name: run for name, run in systems().items() if not args.only or name in ("default", *args.only)
    }
    results = []
    for name in args.sets:
        cases = sets.load(name, args.data, args.blank, args.n)
        print(f"{name}: {len(cases)} questions", file=sys.stderr)
        results += measure(cases, chosen, BUDGETS, default_counter())
    print_differences(*report.collect(results))


if __name__ == "__main__":
    main()
