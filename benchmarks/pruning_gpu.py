"""Generative pruning on a GPU: the same scores, and how many pages a second.

    python benchmarks/pruning_gpu.py --data DIR [--pages 20] [--batch 4] [--model FOLDER]

DIR holds the FAQ set. Without a CUDA device it says so and ends with exit code 0. Pages and questions
are those of ``pruning_cost.py``. Scores of the CPU in fp32 are compared with those of the device in
fp32 and in bf16, one page at a time and in batches: largest difference of a log-probability among
siblings, rank correlation of the blocks of a page, pages a second.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from statistics import mean

import numpy as np
from pruning_cost import sample

from longleaf.blocks import block_tree
from longleaf.clean import clean
from longleaf.models.base import TreeQuery
from longleaf.models.hf.causal import CausalLM
from longleaf.models.hf.smollm2 import smollm2_folder
from longleaf.prune.generative import GenerativePruner, PathQuery, Place
from longleaf.prune.tokentree import path_scores, sibling_log_probabilities
from longleaf.types import Document


def prompts(lm: CausalLM, data: Path, count: int, seed: int) -> list[PathQuery]:
    """Return the prompts of the pages."""
    pruner = GenerativePruner(lm)
    out: list[PathQuery] = []
    for path, question, _ in sample(data, count, seed):
        tree = block_tree(clean(Document.from_file(path)))
        out += pruner.queries([tree], [Place(0, block.id) for block in tree.blocks], question)
    return out


def run(lm: CausalLM, made: list[PathQuery]) -> tuple[list[list[float]], list[np.ndarray], float]:
    """Return the scores of each prompt's blocks, the siblings' log-probabilities, and the seconds."""
    queries: list[TreeQuery] = [query.query for query in made]
    lm.log_probabilities(queries[:1])  # the first run on a device also compiles
    lm._kept.clear()
    began = time.perf_counter()
    results = lm.log_probabilities(queries)
    seconds = time.perf_counter() - began
    logs = [sibling_log_probabilities(q.tree, rows) for q, rows in zip(made, results, strict=True)]
    return [path_scores(q.tree, values) for q, values in zip(made, logs, strict=True)], logs, seconds


def ranks(scores: list[float]) -> np.ndarray:
    return np.argsort(np.argsort(scores))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--pages", type=int, default=20)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--model")
    parser.add_argument("--device", default="cuda", help="cpu checks the script itself where there is no GPU")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    import torch

    if args.device.startswith("cuda") and not torch.cuda.is_available():
        print("skipped: torch finds no CUDA device")
        return
    folder = args.model or smollm2_folder()
    reference = CausalLM.load(folder, "cpu", "fp32", offline=True)
    made = prompts(reference, args.data, args.pages, args.seed)
    expected, logs, seconds = run(reference, made)
    print(f"cpu fp32: {len(made)} prompts, {len(made) / seconds:.2f} a second")
    for dtype in ("fp32", "bf16"):
        for batch in (1, args.batch):
            lm = CausalLM.load(folder, args.device, dtype, offline=True, batch=batch)
            scores, found, seconds = run(lm, made)
            apart = [float(np.abs(a - b).max()) for a, b in zip(logs, found, strict=True) if len(a)]
            pairs = [(a, b) for a, b in zip(expected, scores, strict=True) if len(a) > 2]
            alike = mean(float(np.corrcoef(ranks(a), ranks(b))[0, 1]) for a, b in pairs)
            print(f"{args.device} {dtype}, batch {batch}: {len(made) / seconds:.2f} a second;")
            print(f"  log-probabilities at most {max(apart):.1e} apart, median page {np.median(apart):.1e};")
            print(f"  rank correlation {alike:.4f}")


if __name__ == "__main__":
    main()
