"""What other tools give a model of a page within a token budget, for the same question.

    python benchmarks/pruning_peers.py --data DIR [--pages N] [--only NAME ...] [--seconds S]

DIR holds ``questions.jsonl`` and the pages it names. Runs every installed peer on one question of
each of N pages and prints the median seconds a page (first cleaning or splitting, then ranking and
all budgets; nothing encoded before), runs over the budget (always 0), runs that crashed or passed
the time limit, empty outputs, and the share of each budget that was used (median). Exit status 1 if
a run was over. All 17 peers took 13 s a question on two cores, four budgets each.

``peers()`` is for the quality benchmark: a peer is called with (html, question, budgets) and returns
the output for each budget. None of the packages is a dependency of Longleaf; install them in a
scratch environment (570 MB with what Longleaf needs):

    pip install . beautifulsoup4 trafilatura readability-lxml resiliparse \\
        langchain-text-splitters llama-index-core langchain-community rank-bm25
    pip install --no-deps htmlrag==0.1.1

``-lead`` is the beginning of the tool's text. ``-ranked`` and the splitters' chunks are ranked by
Longleaf's default ranking and packed (``pruning_peer_chunks``). ``htmlrag-bm25`` is htmlrag as
released, ``htmlrag-ours`` the same with Longleaf's ranking of its blocks. The headings that a
tool knows a chunk to stand under are ranked with it, but are no part of the output unless the tool
puts them there.
"""

from __future__ import annotations

import argparse
import logging
import random
import signal
import sys
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from types import FrameType
from typing import Any, Protocol

import pruning_peer_tools as tools
from faq_data import load
from pruning_peer_chunks import Chunk, Ranker, pack, paragraphs
from pruning_peer_htmlrag import HtmlRag

from longleaf.decode import decode
from longleaf.models.bundled import bundled_encoder, cached_encoder
from longleaf.tokens import TokenCounter, default_counter

BUDGETS = (512, 1024, 2048, 4096)
# Processor time for one step (cleaning, ranking, one budget). htmlrag's pruning cleans the whole
# page again for every block that it takes away; on 20 FAQ pages all of its steps together took 8 s at most.
SECONDS = 20.0
# What a tool may raise on a page (``crashes`` adds the parsers' own). Longleaf's own errors are not among
# them: without its encoder there is no ranking to compare with.
CRASHES: tuple[type[Exception], ...] = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
)


class TimeLimit(BaseException):
    """A step took too long. No ``Exception``, because several tools swallow those."""


class Steps(Protocol):
    """A tool in three steps, so that a page is read once and ranked once a question."""

    def prepare(self, html: str) -> Any:
        """Read a page."""

    def rank(self, page: Any, question: str) -> Any:
        """Rank what was read."""

    def cut(self, ranked: Any, budget: int) -> str:
        """Return at most ``budget`` tokens of it."""


@dataclass(frozen=True, slots=True)
class Lead:
    """The beginning of a tool's text."""

    extract: tools.Extract
    counter: TokenCounter

    def prepare(self, html: str) -> str:
        """Return the text."""
        return self.extract(html)

    def rank(self, page: str, question: str) -> str:
        """Return the text as it is: the question does not matter."""
        return page

    def cut(self, ranked: str, budget: int) -> str:
        """Return the beginning of the text."""
        return self.counter.cut(ranked, budget)


@dataclass(frozen=True, slots=True)
class Chunks:
    """A tool's chunks in Longleaf's ranking."""

    split: tools.Split
    counter: TokenCounter
    ranker: Ranker

    def prepare(self, html: str) -> list[Chunk]:
        """Return the chunks."""
        return self.split(html)

    def rank(self, page: list[Chunk], question: str) -> tuple[list[str], list[int]]:
        """Return the texts and their order, best first."""
        return [c.text for c in page], self.ranker.order([c.scored_text for c in page], question)

    def cut(self, ranked: tuple[list[str], list[int]], budget: int) -> str:
        """Return the best chunks that fit."""
        return pack(*ranked, budget, self.counter)


@dataclass
class Peer:
    """A tool under a budget. A step that fails gives empty output and is counted in ``crashes``.

    The last page is remembered, so ask all questions of a page in a row. The time limit works in
    the main thread only, and cannot end a step inside of compiled code.
    """

    name: str
    steps: Steps
    seconds: float = SECONDS
    runs: int = 0
    crashes: Counter[str] = field(default_factory=Counter)
    _html: str | None = field(default=None, repr=False)
    _page: tuple[Any, str] = field(default=(None, ""), repr=False)

    def __call__(self, html: str, question: str, budgets: Sequence[int]) -> dict[int, str]:
        """Return the output for each budget: HTML or text of at most so many tokens."""
        self.runs += len(budgets)
        if html != self._html:
            self._page = self._try("prepare", lambda: self.steps.prepare(html))
            self._html = html
        page, why = self._page
        if not why:
            ranked, why = self._try("rank", lambda: self.steps.rank(page, question))
        if why:
            self.crashes[why] += len(budgets)
            return dict.fromkeys(budgets, "")
        return {budget: self._cut(ranked, budget) for budget in budgets}

    def _cut(self, ranked: Any, budget: int) -> str:
        out, why = self._try("cut", lambda: self.steps.cut(ranked, budget))
        self.crashes.update([why] if why else [])
        return out or ""

    def _try(self, step: str, run: Callable[[], Any]) -> tuple[Any, str]:
        """Return what a step gives and ``""``, or None and what went wrong."""
        try:
            with warnings.catch_warnings(), limited(self.seconds):
                warnings.simplefilter("ignore")
                return run(), ""
        except TimeLimit:
            return None, f"{step}: over {self.seconds:g} s"
        except crashes() as error:
            return None, f"{step}: {type(error).__name__}"


@cache
def crashes() -> tuple[type[Exception], ...]:
    """Return what counts as a crash of a tool."""
    found = list(CRASHES)
    if find_spec("lxml") is not None:
        from lxml.etree import LxmlError

        found.append(LxmlError)
    if find_spec("bs4") is not None:
        from bs4.exceptions import ParserRejectedMarkup

        found.append(ParserRejectedMarkup)
    return tuple(found)


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise ``TimeLimit`` after so much processor time (other programs do not count) of this process."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise TimeLimit

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


# Name of the peer -> the packages it needs, as they are imported.
NEEDS = {
    "htmlrag-bm25-128": ("htmlrag", "bs4", "langchain_community", "rank_bm25"),
    "htmlrag-bm25-256": ("htmlrag", "bs4", "langchain_community", "rank_bm25"),
    "htmlrag-ours-128": ("htmlrag", "bs4"),
    "htmlrag-ours-256": ("htmlrag", "bs4"),
    "trafilatura-lead": ("trafilatura",),
    "trafilatura-ranked": ("trafilatura",),
    "readability-lead": ("readability",),
    "readability-ranked": ("readability",),
    "resiliparse-lead": ("resiliparse",),
    "resiliparse-ranked": ("resiliparse",),
    "langchain-header": ("langchain_text_splitters", "bs4"),
    "langchain-section": ("langchain_text_splitters", "bs4", "lxml"),
    "langchain-semantic": ("langchain_text_splitters", "bs4"),
    "langchain-recursive": ("langchain_text_splitters",),
    "llamaindex-html": ("llama_index.core", "bs4"),
    "beautifulsoup-lead": ("bs4",),
    "beautifulsoup-ranked": ("bs4",),
}
# Without what it depends on (torch, transformers and more), which its pruning alone does not need.
HTMLRAG = "--no-deps htmlrag==0.1.1"
# Package as it is imported -> what ``pip install`` takes.
DISTRIBUTIONS = {
    "bs4": "beautifulsoup4",
    "htmlrag": HTMLRAG,
    "langchain_community": "langchain-community",
    "langchain_text_splitters": "langchain-text-splitters",
    "llama_index.core": "llama-index-core",
    "lxml": "lxml",
    "rank_bm25": "rank-bm25",
    "readability": "readability-lxml",
    "resiliparse": "resiliparse",
    "trafilatura": "trafilatura",
}


def missing(name: str, htmlrag: Path | None = None) -> list[str]:
    """Return what a peer lacks, each as ``pip install`` takes it."""
    absent = [m for m in NEEDS[name] if not (m == "htmlrag" and htmlrag is not None) and not _installed(m)]
    return [DISTRIBUTIONS[m] for m in absent]


def _installed(module: str) -> bool:
    top = module.partition(".")[0]
    return find_spec(top) is not None and (top == module or find_spec(module) is not None)


def peers(
    counter: TokenCounter | None = None,
    ranker: Ranker | None = None,
    htmlrag: Path | None = None,
    seconds: float = SECONDS,
    only: Sequence[str] = (),
) -> dict[str, Peer]:
    """Return the peers whose packages are installed; one line on stderr for each that is not.

    ``counter`` and ``ranker`` are Longleaf's own unless given, with vectors kept in its cache;
    ``htmlrag`` is the folder of that package where it is not installed.
    """
    counter = counter or default_counter()
    ranker = ranker or Ranker(cached_encoder())
    for name in ("readability", "trafilatura"):  # both log what they raise or swallow
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    out: dict[str, Peer] = {}
    for name in only or NEEDS:
        absent = missing(name, htmlrag)
        if absent:
            print(f"{name} left out, needs: {', '.join(absent)}", file=sys.stderr)
        else:
            out[name] = Peer(name, _steps(name, counter, ranker, htmlrag), seconds)
    return out


def _steps(name: str, counter: TokenCounter, ranker: Ranker, htmlrag: Path | None) -> Steps:
    tool, _, how = name.partition("-")
    if tool == "htmlrag":
        ranking, _, words = how.partition("-")
        return HtmlRag(htmlrag or _folder(), int(words), counter, ranker if ranking == "ours" else None)
    if how in ("lead", "ranked"):
        extract: tools.Extract = getattr(tools, f"{tool}_text")
        if how == "lead":
            return Lead(extract, counter)
        return Chunks(lambda html: paragraphs(extract(html)), counter, ranker)
    if tool == "llamaindex":
        return Chunks(tools.llamaindex_html(counter), counter, ranker)
    return Chunks(getattr(tools, name.replace("-", "_")), counter, ranker)


def _folder() -> Path:
    spec = find_spec("htmlrag")
    if spec is None or spec.origin is None:
        raise SystemExit(f"htmlrag is not installed: pip install {HTMLRAG}")
    return Path(spec.origin).parent


def sample(data: Path, pages: int, seed: int) -> list[tuple[str, str]]:
    """Return one question (the first in a seeded shuffle) on each of ``pages`` pages: HTML and question."""
    first = {question.page: question.text for question in reversed(load(data, 0, seed))}
    chosen = random.Random(seed).sample(sorted(first), min(pages, len(first)))
    return [(decode(page.read_bytes()), first[page]) for page in chosen]


@dataclass
class Tally:
    """What a peer's runs took and gave."""

    seconds: list[float] = field(default_factory=list)
    used: dict[int, list[int]] = field(default_factory=dict)

    def row(self, peer: Peer) -> str:
        """Return one line of the table."""
        runs = [(budget, n) for budget, counts in self.used.items() for n in counts]
        over = sum(n > budget for budget, n in runs)
        empty = sum(not n for _, n in runs)
        shares = " ".join(f"{median(counts) / budget:7.0%}" for budget, counts in self.used.items())
        cells = f"{median(self.seconds):8.2f} {max(self.seconds):8.2f} {over:4}/{len(runs):<4}"
        reasons = ", ".join(f"{why} {n}" for why, n in sorted(peer.crashes.items()))
        return f"{peer.name:22} {cells} {sum(peer.crashes.values()):7} {empty:6} {shares}  {reasons}"


def measure(peer: Peer, pages: Sequence[tuple[str, str]], counter: TokenCounter) -> Tally:
    """Run a peer on every page and question at all budgets."""
    tally = Tally(used={budget: [] for budget in BUDGETS})
    for html, question in pages:
        start = time.perf_counter()
        out = peer(html, question, BUDGETS)
        tally.seconds.append(time.perf_counter() - start)
        for budget, text in out.items():
            tally.used[budget].append(counter.count(text))
    return tally


def versions() -> str:
    """Return the installed versions of the peers' packages."""
    found = []
    for name in sorted({d.split()[-1].partition("==")[0] for d in DISTRIBUTIONS.values()}):
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            found.append(f"{name} (none)")
    return ", ".join(found)


def main() -> int:
    """Run all peers on a sample and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--pages", type=int, default=20)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=SECONDS, help="processor time a step")
    parser.add_argument("--only", nargs="*", choices=sorted(NEEDS), default=(), metavar="NAME")
    parser.add_argument("--htmlrag", type=Path, help="folder of the package, where it is not installed")
    options = parser.parse_args()
    counter = default_counter()
    pages = sample(options.data, options.pages, options.seed)
    # Without the cache on disk, or the seconds would depend on what ran before.
    ranker = Ranker(bundled_encoder())
    ranker.scores(["warm"], "up")
    print(versions())
    sizes = [counter.count(html) for html, _ in pages]
    print(f"{len(pages)} pages, {median(sizes):,.0f} tokens of HTML in the median, {max(sizes):,} at most")
    shares = " ".join(f"{budget:7}" for budget in BUDGETS)
    print(f"{'peer':22} {'s/page':>8} {'most':>8} {'over/runs':>9} {'crashes':>7} {'empty':>6} {shares}")
    over = 0
    for peer in peers(counter, ranker, options.htmlrag, options.seconds, options.only).values():
        tally = measure(peer, pages, counter)
        over += sum(n > budget for budget, counts in tally.used.items() for n in counts)
        print(tally.row(peer), flush=True)
    return 1 if over else 0


if __name__ == "__main__":
    raise SystemExit(main())
