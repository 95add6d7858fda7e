"""What a user waits for before anything happens: import, help, and a question asked again.

    python benchmarks/startup.py [--folder DIR] [--runs 7]

Each line is a fresh process, best and median of the runs, beside a bare interpreter in the same
run. With ``--folder``: the first question on that folder from a cold start, a second one and
the first again, with peak memory.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SITE = Path(__file__).parent.parent / "examples" / "site"
QUESTION = "How do I parse command-line arguments?"
OTHER = "How do I write unit tests with mock objects?"


def seconds(args: list[str], cache: str) -> float:
    began = time.perf_counter()
    subprocess.run(args, check=True, capture_output=True, env={**os.environ, "LONGLEAF_CACHE": cache})
    return time.perf_counter() - began


def line(name: str, args: list[str], cache: str, runs: int, bare: float) -> float:
    times = [seconds(args, cache) for _ in range(runs)]
    best, median = min(times), statistics.median(times)
    ratio = f"{best / bare:6.1f} x bare" if bare else ""
    print(f"{name:42} best {1000 * best:7.0f} ms  median {1000 * median:7.0f} ms {ratio}")
    return best


def peak(args: list[str], cache: str) -> tuple[float, float]:
    """Return seconds and peak memory (MB) of one process and its children."""
    code = (
        "import resource, subprocess, sys, time; t = time.perf_counter();"
        "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL);"
        "print(time.perf_counter() - t, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1000)"
    )
    env = {**os.environ, "LONGLEAF_CACHE": cache}
    out = subprocess.run(
        [sys.executable, "-c", code, *args], check=True, capture_output=True, text=True, env=env
    )
    took, memory = out.stdout.split()
    return float(took), float(memory)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--runs", type=int, default=7)
    args = parser.parse_args()
    python, longleaf = [sys.executable], [sys.executable, "-m", "longleaf"]
    with tempfile.TemporaryDirectory() as cache:
        bare = line("python -c pass", [*python, "-c", "pass"], cache, args.runs, 0)
        line("import longleaf", [*python, "-c", "import longleaf"], cache, args.runs, bare)
        line("longleaf --help", [*longleaf, "--help"], cache, args.runs, bare)
        ask = [*longleaf, "ask", QUESTION]
        line("ask the example site, first time", [*ask, str(SITE)], cache, 1, bare)
        line("ask the example site, again", [*ask, str(SITE)], cache, args.runs, bare)
        other = [*longleaf, "ask", OTHER, str(SITE)]
        line("ask the example site, another question", other, cache, 1, bare)
    if args.folder:
        with tempfile.TemporaryDirectory() as cache:
            for name, question in (("first", QUESTION), ("another", OTHER), ("first again", QUESTION)):
                took, memory = peak([*longleaf, "ask", question, str(args.folder), "--json"], cache)
                print(f"{args.folder.name}: {name} question {took:.2f} s, peak {memory:.0f} MB a process")


if __name__ == "__main__":
    main()
