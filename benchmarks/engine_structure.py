"""What is left of tables, lists, headings, code and words after cleaning and cutting real pages.

    python benchmarks/engine_structure.py --folder DIR [--sample N] [--htmlrag PATH] [-v]
    python benchmarks/engine_structure.py --fetch DIR       # fetches Debian packages into DIR first

DIR holds one folder for each package (or pages at any depth: then it is one). Each raw page is
compared with the page that Longleaf's ``default`` profile leaves and with its blocks of 128 words.
Both sides are read by ``engine_reading``, which shares no code with Longleaf: the raw bytes and the
HTML that comes out are parsed again (``--reader html5lib``: by another parser than Longleaf's).

Counted: rows of tables, and those whose list of cell texts changed; ``li``, ``dt``, ``dd``, cells and
headings with text whose text stands in an element of that name afterwards; empty cells; multi-line
``pre`` whose text is the same to the character; ``br``; words (between white space) of the raw page
that the cleaned page lacks or adds, that lie in no block or in two, that were glued or split. Left
out on both sides, and counted: permalink marks, hidden elements, icons, zero-width characters.

With ``--htmlrag`` (its ``html_utils.py``, loaded alone) its ``clean_html`` and ``build_block_tree``
of 128 words run on a seeded sample of ``--peer-sample`` pages.
"""

from __future__ import annotations

import argparse
import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import partial
from pathlib import Path
from typing import Any

from engine_peers import htmlrag_blocks, load_htmlrag
from engine_reading import INVISIBLE, ITEMS, Reading, decode, read

from longleaf.blocks import block_tree
from longleaf.clean import clean
from longleaf.errors import LongleafError
from longleaf.serialise.html import to_html
from longleaf.types import Document

PACKAGES = ("debian-reference-en", "python3.11-doc", "sqlite3-doc", "git-doc", "postgresql-doc-15")
HEADINGS = ITEMS[5:]
WORDS = 128
PAGE_SECONDS = 60


@dataclass
class Result:
    """The counts of some pages, and what deviates: (page, what, detail)."""

    counts: Counter[str] = field(default_factory=Counter)
    found: list[tuple[str, str, str]] = field(default_factory=list)


def differences(one: Sequence[Any], two: Sequence[Any]) -> list[tuple[Sequence[Any], Sequence[Any]]]:
    """Return the stretches in which two lists differ."""
    if list(one) == list(two):
        return []
    first, most = 0, min(len(one), len(two))
    while first < most and one[first] == two[first]:
        first += 1
    last = 0
    while last < most - first and one[-1 - last] == two[-1 - last]:
        last += 1
    one, two = one[first : len(one) - last], two[first : len(two) - last]
    matcher = SequenceMatcher(None, one, two, autojunk=len(one) * len(two) > 4_000_000)
    return [(one[a:b], two[c:d]) for tag, a, b, c, d in matcher.get_opcodes() if tag != "equal"]


class Comparison:
    """Compares one page before and after, and notes what deviates."""

    def __init__(self, page: str, before: Reading, after: Reading) -> None:
        self.page, self.before, self.after = page, before, after
        self.out = Result()

    def note(self, what: str, detail: object) -> None:
        self.out.found.append((self.page, what, str(detail)[:300]))

    def run(self) -> Result:
        counts, before, after = self.out.counts, self.before, self.after
        counts["pages"] += 1
        counts.update({f"left out: {name}": n for name, n in before.claimed.items() if n})
        self.sequence("rows", before.rows, after.rows)
        for tag in ITEMS:
            name = "headings" if tag in HEADINGS else "cells" if tag in ("td", "th") else tag
            self.sequence(name, before.items.get(tag, []), after.items.get(tag, []))
        self.sequence("pre", multiline(before.pres), multiline(after.pres))
        for name, one, two in (
            ("empty cells", before.empty_cells, after.empty_cells),
            ("br", before.breaks, after.breaks),
        ):
            counts[name] += one
            counts[f"{name} lost"] += max(0, one - two)
            if one != two:
                self.note(name, f"{one} -> {two}")
        self.words("page", before.tokens, after.tokens)
        return self.out

    def sequence(self, name: str, one: Sequence[Any], two: Sequence[Any]) -> None:
        self.out.counts[name] += len(one)
        for lost, new in differences(one, two):
            self.out.counts[f"{name} lost"] += len(lost)
            self.out.counts[f"{name} new"] += max(0, len(new) - len(lost))
            self.note(name, f"{list(lost[:2])} -> {list(new[:2])}")

    def words(self, where: str, one: Sequence[str], two: Sequence[str]) -> None:
        """Count the words that are missing, there twice or new, glued and split."""
        counts = self.out.counts
        counts[f"words of {where}"] += len(one)
        for lost, new in differences(one, two):
            if "".join(lost) == "".join(new):
                counts[f"glued or split in {where}"] += max(len(lost), len(new))
            else:
                counts[f"lost from {where}"] += len(lost)
                counts[f"added to {where}"] += len(new)
            self.note(f"words of {where}", f"{list(lost[:8])} -> {list(new[:8])}")


def multiline(texts: list[str]) -> list[str]:
    return [text for text in texts if "\n" in text.strip("\n")]


def longleaf_page(path: Path, reader: str) -> Result:
    data = path.read_bytes()
    try:
        page = clean(Document.from_bytes(data, str(path)))
    except LongleafError as error:
        return Result(Counter({f"refused: {type(error).__name__}": 1}), [(str(path), "refused", str(error))])
    html = to_html(page.nodes)
    after = read(html, reader)
    comparison = Comparison(str(path), read(decode(data), reader), after)
    comparison.run()
    texts = [block.text for block in block_tree(page, WORDS).blocks]
    # Zero-width characters are left out on both sides; code keeps them.
    shown = INVISIBLE.sub("", " ".join(texts))
    comparison.words("blocks", after.tokens, shown.split())
    comparison.out.counts["blocks"] += len(texts)
    return comparison.out


def htmlrag_page(path: Path, reader: str, module: Path) -> Result:
    peer = load_htmlrag(module)
    raw = decode(path.read_bytes())
    signal.alarm(PAGE_SECONDS)
    try:
        html = peer.clean_html(raw)
        covered = htmlrag_blocks(peer, html, WORDS)
    except (TimeoutError, RecursionError, AttributeError, ValueError) as error:
        return Result(Counter({f"refused: {type(error).__name__}": 1}), [(str(path), "refused", str(error))])
    finally:
        signal.alarm(0)
    comparison = Comparison(str(path), read(raw, reader), read(html, reader))
    result = comparison.run()
    result.counts.update(covered)
    return result


def on_alarm(signum: int, frame: object) -> None:
    raise TimeoutError(f"over {PAGE_SECONDS} s")


def run_pages(pages: list[Path], job: Any, processes: int) -> Result:
    total = Result()
    signal.signal(signal.SIGALRM, on_alarm)
    with ProcessPoolExecutor(processes) as pool:
        for result in pool.map(job, pages, chunksize=4):
            total.counts.update(result.counts)
            total.found += result.found
    return total


def share(counts: Counter[str], *names: str) -> str:
    whole = sum(counts[name] for name in names)
    lost = sum(counts[f"{name} lost"] for name in names)
    return f"{whole - lost} of {whole}" + (f" ({100 * (whole - lost) / whole:.2f} %)" if whole else "")


def report(title: str, counts: Counter[str], seconds: float) -> None:
    print(f"\n{title}: {counts['pages']} pages, {seconds:.0f} s with both readings")
    print(f"  rows changed      {counts['rows lost']} of {counts['rows']}, {counts['rows new']} new ones")
    for name in ("li", "cells", "dt", "dd", "headings", "empty cells", "br"):
        print(f"  {name:17} {share(counts, name)} kept")
    print(f"  multi-line pre    {share(counts, 'pre')} exact")
    for where in ("page", "blocks"):
        if not counts[f"words of {where}"]:
            continue
        said = (
            "of the cleaned page, by the blocks" if where == "blocks" else "of the raw page, by the cleaned"
        )
        missing, more = counts[f"lost from {where}"], counts[f"added to {where}"]
        print(
            f"  words {said}: {counts[f'words of {where}']}; missing {missing}, twice or added {more}, "
            f"glued or split {counts[f'glued or split in {where}']}"
        )
    for name, count in sorted(counts.items()):
        if name.startswith(("left out", "refused", "words in")):
            print(f"  {name}: {count}")


def fetch(folder: Path) -> None:
    """Download and unpack the packages, with the ordinary Debian tools."""
    for name in PACKAGES:
        target = folder / name
        if not target.exists():
            target.mkdir(parents=True)
            subprocess.run(["apt-get", "download", name], cwd=folder, check=True)
            package = next(folder.glob(f"{name}_*.deb"))
            subprocess.run(["dpkg", "-x", str(package), str(target)], check=True)


def packages(folder: Path) -> dict[str, list[Path]]:
    """Return the pages of each package folder, links not followed twice."""
    groups = {name: folder / name for name in PACKAGES if (folder / name).is_dir()} or {folder.name: folder}
    return {
        name: sorted(p for p in root.rglob("*.htm*") if p.suffix in (".html", ".htm") and not p.is_symlink())
        for name, root in groups.items()
    }


def show(found: list[tuple[str, str, str]], folder: Path, most: int) -> None:
    kinds: Counter[str] = Counter()
    for page, what, detail in found:
        kinds[what] += 1
        if kinds[what] <= most:
            print(f"    {page.removeprefix(str(folder))}: {what}: {detail}")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, help="pages: a folder for each package, or any tree of HTML")
    parser.add_argument(
        "--fetch", type=Path, metavar="DIR", help="fetch the Debian packages into DIR, use it"
    )
    parser.add_argument("--sample", type=int, default=0, help="pages of each package (default: all)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--reader", choices=("selectolax", "html5lib"), default="selectolax")
    parser.add_argument("--htmlrag", type=Path, metavar="PATH", help="htmlrag's html_utils.py, to compare")
    parser.add_argument("--peer-sample", type=int, default=25, help="pages of each package for htmlrag")
    parser.add_argument(
        "-v",
        "--verbose",
        type=int,
        nargs="?",
        const=20,
        default=0,
        metavar="N",
        help="show up to N deviations of each kind and package",
    )
    args = parser.parse_args()
    if not (args.folder or args.fetch):
        parser.error("one of --folder and --fetch is needed")
    return args


def draw(pages: list[Path], size: int, seed: int) -> list[Path]:
    return sorted(random.Random(seed).sample(pages, size)) if 0 < size < len(pages) else pages


def measure(title: str, groups: dict[str, list[Path]], job: Any, args: argparse.Namespace) -> None:
    whole: Counter[str] = Counter()
    began = time.perf_counter()
    for name, pages in groups.items():
        start = time.perf_counter()
        result = run_pages(pages, job, args.processes)
        report(f"{title}, {name}", result.counts, time.perf_counter() - start)
        show(result.found, args.folder, args.verbose)
        whole.update(result.counts)
    report(f"{title}, all", whole, time.perf_counter() - began)


def main() -> None:
    args = arguments()
    if args.fetch:
        fetch(args.fetch)
        args.folder = args.fetch
    groups = packages(args.folder)
    ours = {name: draw(pages, args.sample, args.seed) for name, pages in groups.items()}
    measure("Longleaf", ours, partial(longleaf_page, reader=args.reader), args)
    if args.htmlrag:
        theirs = {name: draw(pages, args.peer_sample, args.seed) for name, pages in groups.items()}
        job = partial(htmlrag_page, reader=args.reader, module=args.htmlrag)
        measure(f"htmlrag (sample of {args.peer_sample} pages each)", theirs, job, args)


if __name__ == "__main__":
    main()
