"""How fast the bundled encoder starts and runs, beside torch where that is installed.

    python benchmarks/encoder.py [--texts N] [--model FOLDER]

The texts are made here from a fixed seed, so that every machine reads the same. Each figure is the better
of two runs. With torch and transformers installed and --model naming a folder with the float32
model (config.json, model.safetensors, tokenizer.json), the same texts go through torch.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

# Common words of technical pages: one or two word pieces each.
WORDS = """the of a to is in and that for it as be are this with on an by or not you can if from which at
function value object module string return argument class method default list type file name example
call python parser command option set error code user data line number import iterator dictionary
sequence attribute instance exception keyword parameter generator expression statement subprocess
asynchronous serialisation tokenizer metaclass encoding buffered hashable""".split()
LENGTHS = {"about 30 words": (20, 40), "about 100 words": (80, 120)}

COLD_START = """
import time
laps = [time.perf_counter()]
import numpy, onnxruntime; laps.append(time.perf_counter())
from longleaf.models.bundled import bundled_encoder
encoder = bundled_encoder(); encoder._load(); laps.append(time.perf_counter())
encoder.encode(["How do I parse command-line arguments?"]); laps.append(time.perf_counter())
print(*(1000 * (b - a) for a, b in zip(laps, laps[1:])))
"""


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--texts", type=int, default=256)
    options.add_argument("--model", type=Path)
    chosen = options.parse_args()
    cold_start()
    ours = longleaf_encoder()
    theirs = torch_encoder(chosen.model) if chosen.model else None
    for label, (low, high) in LENGTHS.items():
        texts = make_texts(chosen.texts, low, high)
        rate = best_rate(ours, texts)
        line = f"{label}: {rate:.0f} texts/s"
        if theirs is not None:
            other = best_rate(theirs, texts)
            line += f"; torch float32 {other:.0f} texts/s; ratio {rate / other:.1f}"
        print(line)


def cold_start() -> None:
    """Print the stages of a new process's first vector, the better of two."""
    command = [sys.executable, "-c", COLD_START]
    runs = [subprocess.run(command, capture_output=True, text=True, check=True).stdout for _ in range(2)]
    imports, load, first = min(([float(lap) for lap in run.split()] for run in runs), key=sum)
    print(
        f"cold start: imports {imports:.0f} ms, weights and session {load:.0f} ms, first text {first:.0f} ms"
    )


def make_texts(count: int, low: int, high: int) -> list[str]:
    source = random.Random(0)
    return [" ".join(source.choices(WORDS, k=source.randint(low, high))) for _ in range(count)]


def best_rate(encode: Callable[[list[str]], object], texts: list[str]) -> float:
    encode(texts[:8])
    times = []
    for _ in range(2):
        start = time.perf_counter()
        encode(texts)
        times.append(time.perf_counter() - start)
    return len(texts) / min(times)


def longleaf_encoder() -> Callable[[list[str]], object]:
    from longleaf.models.bundled import bundled_encoder

    return bundled_encoder().encode


def torch_encoder(model: Path) -> Callable[[list[str]], object] | None:
    """The same model in torch float32: 16 texts of like length a call, cut at 256 word pieces."""
    try:
        import torch
        from tokenizers import Tokenizer
        from transformers import BertModel
    except ImportError as error:
        print(f"no comparison with torch: {error}")
        return None
    network = BertModel.from_pretrained(model).eval()
    tokenizer = Tokenizer.from_file(str(model / "tokenizer.json"))
    tokenizer.enable_truncation(256)
    tokenizer.enable_padding()

    @torch.inference_mode()
    def encode(texts: list[str]) -> object:
        rows = []
        ordered = sorted(texts, key=len)
        for start in range(0, len(ordered), 16):
            batch = tokenizer.encode_batch(ordered[start : start + 16])
            ids = torch.tensor([one.ids for one in batch])
            mask = torch.tensor([one.attention_mask for one in batch])
            hidden = network(input_ids=ids, attention_mask=mask).last_hidden_state
            mean = (hidden * mask[:, :, None]).sum(1) / mask.sum(1, keepdim=True)
            rows.append(torch.nn.functional.normalize(mean, dim=1))
        return torch.cat(rows)

    return encode


if __name__ == "__main__":
    main()
