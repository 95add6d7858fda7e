"""How fast the engine cleans and cuts pages beside other tools, and how it scales with odd shapes.

    python benchmarks/engine_speed.py --folder DIR [--htmlrag PATH] [--skip-shapes]

First a seeded mix of ``--pages`` real pages of DIR: every tool reads every page, one after the other,
``--runs`` times, so that a busy moment hits all of them. Longleaf: parse, clean and blocks of 256
words. htmlrag (its ``html_utils.py``, loaded alone): ``clean_html`` and ``build_block_tree`` of 256
words. trafilatura: ``extract``. BeautifulSoup: ``get_text`` with html.parser. Given: the median over
pages of each page's best time, seconds for each MB of all pages, and the ratio to Longleaf.

Then shapes, each in a process of its own with a time limit: the same content at 0.1, 1 and 5 MB,
100,000 nested ``div``, one text of 20 MB, 20,000 flat siblings, deep and repeated elements that have
cost tools dearly, real pages joined to 50 MB, and a page over the size limit. Given: seconds for
parsing and cleaning, and for cutting (128 words); and peak memory beyond what the imports took.
"""

from __future__ import annotations

import argparse
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from engine_peers import load_htmlrag
from engine_reading import decode

from longleaf.blocks import block_tree
from longleaf.clean import clean
from longleaf.parse import MAX_PAGE_BYTES
from longleaf.types import Document

WORDS = 256
MB = 1_000_000
SHAPES = (
    "real 0.1 MB",
    "real 1 MB",
    "real 5 MB",
    "real 50 MB",
    "100,000 nested div",
    "100,000 nested div, closed",
    "one text of 20 MB",
    "20,000 flat p",
    "20,000 flat li",
    "20,000 rows",
    "20,000 words linked one by one",
    "20,000 headings",
    "20,000 br in one p",
    "900 nested ul with text",
    "400 nested headings",
    "300 nested headings in ruby",
    "5,000 navigations",
    "30 templates nested in math",
    "over the limit",
)

MEASURED = """
import re, resource, sys, time
from pathlib import Path
from longleaf.blocks import block_tree
from longleaf.clean import clean
from longleaf.errors import LongleafError
from longleaf.parse import parse
from longleaf.types import Document
def peak():
    # The kernel carries ru_maxrss over from the process that started this one; VmHWM it does not.
    status = Path("/proc/self/status")
    found = re.search(r"VmHWM:\\s*(\\d+)", status.read_text()) if status.exists() else None
    return 1024 * (int(found.group(1)) if found else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
clean(Document.from_html("<p>One small page.</p>")); block_tree(clean(Document.from_html("<p>One.</p>")))
before = peak()
data = sys.stdin.buffer.read()
laps = [time.perf_counter()]
try:
    page = clean(Document.from_bytes(data)); laps.append(time.perf_counter())
    blocks = block_tree(page).blocks; laps.append(time.perf_counter())
    what = f"{len(page.nodes)} nodes, {len(blocks)} blocks"
except LongleafError as error:
    laps += [time.perf_counter()] * (3 - len(laps))
    what = type(error).__name__
print(laps[1] - laps[0], laps[2] - laps[1], peak() - before, what)
"""

Tool = Callable[[bytes], object]


def longleaf(data: bytes) -> object:
    return block_tree(clean(Document.from_bytes(data)), WORDS).blocks


def htmlrag(path: Path) -> Tool | None:
    try:
        module = load_htmlrag(path)
    except ImportError as error:
        print(f"htmlrag left out: {error}")
        return None
    return lambda data: module.build_block_tree(module.clean_html(decode(data)), WORDS)


def trafilatura() -> Tool | None:
    try:
        from trafilatura import extract
    except ImportError as error:
        print(f"trafilatura left out: {error}")
        return None
    return lambda data: extract(decode(data))


def beautiful_soup() -> Tool | None:
    try:
        from bs4 import BeautifulSoup
    except ImportError as error:
        print(f"BeautifulSoup left out: {error}")
        return None
    return lambda data: BeautifulSoup(decode(data), "html.parser").get_text()


def tools(module: Path | None) -> dict[str, Tool]:
    if module is None:
        print("htmlrag left out: no --htmlrag PATH")
    found: dict[str, Tool | None] = {
        "Longleaf": longleaf,
        "htmlrag": htmlrag(module) if module else None,
        "trafilatura": trafilatura(),
        "BeautifulSoup": beautiful_soup(),
    }
    return {name: tool for name, tool in found.items() if tool is not None}


def compare(pages: list[bytes], others: dict[str, Tool], runs: int) -> None:
    """Time every tool on every page, interleaved, and print what is left of the best of the runs."""
    best = {name: [float("inf")] * len(pages) for name in others}
    for _ in range(runs):
        for i, data in enumerate(pages):
            for name, tool in others.items():
                began = time.perf_counter()
                tool(data)
                best[name][i] = min(best[name][i], time.perf_counter() - began)
    size = sum(map(len, pages)) / MB
    print(f"{len(pages)} pages, {size:.1f} MB, best of {runs} runs a page")
    for name, times in best.items():
        ratio = sum(times) / sum(best["Longleaf"])
        slower = statistics.median(a / b for a, b in zip(times, best["Longleaf"], strict=True))
        print(
            f"  {name:14} median {1000 * statistics.median(times):7.1f} ms a page,"
            f" {sum(times) / size:6.3f} s a MB, {ratio:5.1f} x Longleaf in all,"
            f" {slower:5.1f} x on the median page"
        )


def joined(pages: list[bytes], size: int) -> bytes:
    """Return the pages one after the other as one body, repeated up to ``size`` bytes."""
    bodies = [data[data.find(b"<body") :].partition(b">")[2].partition(b"</body>")[0] for data in pages]
    one = b"".join(body for body in bodies if body)
    parts = one * (size // len(one) + 1)
    return b"<!doctype html><html><head><title>Joined</title></head><body>" + parts[:size] + b"</body></html>"


def shape(name: str, pages: list[bytes]) -> bytes:
    """Return the input of a shape."""
    n = 20_000
    sizes = {"real 0.1 MB": MB // 10, "real 1 MB": MB, "real 5 MB": 5 * MB, "real 50 MB": 50 * MB}
    if name in sizes:
        return joined(pages, sizes[name])
    made = {
        "100,000 nested div": lambda: b"<div>" * 100_000 + b"deep words",
        "100,000 nested div, closed": lambda: b"<div>a " * 100_000 + b"</div>" * 100_000,
        "one text of 20 MB": lambda: b"<p>" + b"Some plain words of text. " * (20 * MB // 26),
        "20,000 flat p": lambda: b"<p>A paragraph of a few words.</p>" * n,
        "20,000 flat li": lambda: b"<ul>" + b"<li>An item of a few words</li>" * n + b"</ul>",
        "20,000 rows": lambda: b"<table>" + b"<tr><td>name</td><td>some value</td></tr>" * n + b"</table>",
        "20,000 words linked one by one": lambda: b"<p>" + b'<a href="x">word</a> ' * n,
        "20,000 headings": lambda: b"<h2>A heading</h2><p>Text.</p>" * n,
        "20,000 br in one p": lambda: b"<p>" + b"a line of text<br>" * n,
        "900 nested ul with text": lambda: b"<ul><li>some words " * 450,
        "400 nested headings": lambda: b"<em><h1>word " * 400,
        "300 nested headings in ruby": lambda: b"<ruby><h1><rt>" * 300 + b"x",
        "5,000 navigations": lambda: b'<nav><a href="x">a b</a></nav><h2>c</h2><p>d</p>' * 5000,
        "30 templates nested in math": lambda: b"<math><template>" * 30 + b"x",
        "over the limit": lambda: b"<p>words </p>" * (MAX_PAGE_BYTES // 13 + 1),
    }
    return made[name]()


def run_shape(name: str, pages: list[bytes], limit: float) -> float:
    """Measure one shape in a fresh process; return its seconds."""
    data = shape(name, pages)
    command = [sys.executable, "-c", MEASURED]
    try:
        run = subprocess.run(command, input=data, capture_output=True, timeout=limit)
    except subprocess.TimeoutExpired:
        print(f"  {name:32} {len(data) / MB:6.2f} MB  over the limit of {limit:.0f} s")
        return float("inf")
    if run.returncode:
        print(f"  {name:32} {len(data) / MB:6.2f} MB  failed: {run.stderr.decode().strip()[-200:]}")
        return float("inf")
    cleaned, cut, extra, what = run.stdout.decode().strip().split(" ", 3)
    print(
        f"  {name:32} {len(data) / MB:6.2f} MB  parse and clean {float(cleaned):6.2f} s,"
        f" blocks {float(cut):6.2f} s, memory {int(extra) / MB:6.0f} MB ="
        f" {int(extra) / len(data):5.1f} x input; {what}"
    )
    return float(cleaned) + float(cut)


def run_shapes(pages: list[bytes], limit: float) -> None:
    print("\nShapes, each in its own process")
    took = {name: run_shape(name, pages, limit) for name in SHAPES}
    print(f"  5 MB take {took['real 5 MB'] / took['real 1 MB']:.1f} times as long as 1 MB")


def draw(folder: Path, count: int, seed: int) -> list[bytes]:
    found = sorted(p for p in folder.rglob("*") if p.suffix in (".html", ".htm") and p.is_file())
    if not found:
        raise SystemExit(f"{folder}: no pages")
    return [path.read_bytes() for path in random.Random(seed).sample(found, min(count, len(found)))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, required=True, help="real pages, read at any depth")
    parser.add_argument("--pages", type=int, default=60, help="how many of them")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--htmlrag", type=Path, metavar="PATH", help="htmlrag's html_utils.py, to compare")
    parser.add_argument("--limit", type=float, default=60, help="seconds for each shape")
    parser.add_argument("--skip-shapes", action="store_true", help="only compare tools on real pages")
    args = parser.parse_args()
    pages = draw(args.folder, args.pages, args.seed)
    compare(pages, tools(args.htmlrag), args.runs)
    if not args.skip_shapes:
        run_shapes(pages, args.limit)


if __name__ == "__main__":
    main()
