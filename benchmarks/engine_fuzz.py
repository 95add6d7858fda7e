"""What the engine does with broken pages: real ones, mutated at random from a seed.

    python benchmarks/engine_fuzz.py --folder DIR [--n 10000] [--seed 1] [--save DIR] [--minimise]

Input ``i`` depends on the seed, ``i`` and the pages alone: one or two pages of DIR, cut to ``--bytes``,
with one to eight changes (stretches of bytes deleted, doubled, swapped or cut off; tags dropped,
doubled or swapped; random tags, attributes, entities, NULs and invalid UTF-8 put in; nesting; two
pages spliced).

Checked for each: parse, clean and cut at 128 and 32 words without an untyped error and within two
seconds of processor time; the cleaned HTML parses to the same tree, and cleans to the same HTML
again; every word of the cleaned page lies in exactly one block, in order; a block of 32 words lies
in one of 128. Typed errors are counted by type and are no failures. ``--minimise`` shrinks the first
inputs of each kind of failure, by bytes, as long as it fails the same way.
"""

from __future__ import annotations

import argparse
import random
import re
import signal
import time
import traceback
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from itertools import accumulate, pairwise
from pathlib import Path

from longleaf.blocks import BlockTree, block_tree
from longleaf.clean import clean
from longleaf.errors import LongleafError
from longleaf.language import words
from longleaf.parse import parse
from longleaf.serialise.html import to_html
from longleaf.serialise.text import to_text
from longleaf.types import Document, Nodes

SECONDS = 2.0
MINIMISE_SECONDS = 60
# A parser adds these where they are left out.
IMPLIED = frozenset(("head", "body", "tbody"))
TAGS = """a abbr article aside b base blockquote body br button caption center code col colgroup dd details
div dl dt em fieldset figure font form frameset h1 h2 h3 h6 head hr html i iframe img input li link main math
mi mfrac msup nav nobr noembed noscript object ol optgroup option p plaintext pre q ruby rb rp rt s script
section select span strong style sub summary sup svg foreignObject desc text g table tbody td template
textarea tfoot th thead title tr tt u ul var video wbr xmp x-y""".split()
ATTRIBUTES = """id=a id=b hidden hidden=until-found style="display:none" style=visibility:hidden dir=rtl
class=headerlink aria-hidden=true colspan=2 rowspan=3 rowspan=0 colspan=99999999 href=# href=x name=n
title="a>b" alt="picture" src=data:x srcdoc="<p>in</p>" shadowrootmode=open type=hidden type=checkbox open
value=v role=navigation lang=de start=3 class=language-c < "=" ='""".split()
ODD = [
    *rb"""&amp; &lt &#0; &#x110000; &notit; &nbsp; &shy; &#xFEFF; &#13; & &#x1f; &copy <!-- --> <!--> --!>
    <![CDATA[ ]]> <?xml?> <?php <!doctype> </ <> </> < > /> <a/>""".split(),
    *(b"\x00", b"\xff", b"\xc3\x28", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xe2\x80\x8b", b"\x0c", b"\x1c"),
    *(b"\x1b[31m", b"\x85", b"\xc2\xa0", b"\r", b"\r\n", b"\xe6\x9d\xb1", b"\xe0\xb9\x84", b"\xc2\x85"),
]

Mutation = Callable[[random.Random, bytes], bytes]


def stretch(rng: random.Random, data: bytes) -> tuple[int, int]:
    """Return a random stretch, mostly short."""
    begin = rng.randrange(len(data) + 1)
    return begin, min(len(data), begin + int(rng.paretovariate(0.6)))


def delete(rng: random.Random, data: bytes) -> bytes:
    a, b = stretch(rng, data)
    return data[:a] + data[b:]


def double(rng: random.Random, data: bytes) -> bytes:
    a, b = stretch(rng, data)
    return data[:b] + data[a:b] * rng.randint(1, 4) + data[b:]


def swap(rng: random.Random, data: bytes) -> bytes:
    (a, b), (c, d) = sorted((stretch(rng, data), stretch(rng, data)))
    return data if b > c else data[:a] + data[c:d] + data[b:c] + data[a:b] + data[d:]


def truncate(rng: random.Random, data: bytes) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] if rng.random() < 0.5 else data[at:]


def tag_at(rng: random.Random, data: bytes) -> tuple[int, int]:
    begin = data.find(b"<", rng.randrange(len(data) + 1))
    end = data.find(b">", begin) + 1 if begin >= 0 else 0
    return (begin, end) if end else (0, 0)


def unbalance(rng: random.Random, data: bytes) -> bytes:
    """Drop, double or move tags."""
    for _ in range(rng.randint(1, 12)):
        a, b = tag_at(rng, data)
        tag = data[a:b]
        data = data[:a] + tag * rng.choice((0, 0, 2)) + data[b:]
        if rng.random() < 0.5:
            data = put(rng, data, tag)
    return data


def put(rng: random.Random, data: bytes, what: bytes) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] + what + data[at:]


def random_tag(rng: random.Random) -> bytes:
    name = rng.choice(TAGS)
    if rng.random() < 0.35:
        return f"</{name}>".encode()
    attributes = "".join(f" {rng.choice(ATTRIBUTES)}" for _ in range(rng.choice((0, 0, 1, 1, 2))))
    return f"<{name}{attributes}{rng.choice(('', '', '', '/'))}>".encode()


def insert_tags(rng: random.Random, data: bytes) -> bytes:
    for _ in range(rng.randint(1, 15)):
        data = put(rng, data, random_tag(rng))
    return data


def insert_attribute(rng: random.Random, data: bytes) -> bytes:
    for _ in range(rng.randint(1, 6)):
        _, b = tag_at(rng, data)
        data = data[: b - 1] + b" " + rng.choice(ATTRIBUTES).encode() + data[b - 1 :] if b else data
    return data


def insert_odd(rng: random.Random, data: bytes) -> bytes:
    for _ in range(rng.randint(1, 12)):
        data = put(rng, data, rng.choice(ODD))
    return data


def cluster(rng: random.Random, data: bytes) -> bytes:
    """Put many tags with words between them at one place."""
    parts = (
        rng.choice((random_tag(rng), random_tag(rng), b" word ", b"x")) for _ in range(rng.randint(3, 40))
    )
    return put(rng, data, b"".join(parts))


def nest(rng: random.Random, data: bytes) -> bytes:
    a, b = stretch(rng, data)
    names = [rng.choice(TAGS).encode() for _ in range(rng.randint(1, 3))]
    times = rng.choice((2, 10, 100, 600, 1500))
    opened = b"".join(b"<" + name + b">" for name in names) * times
    closed = b"".join(b"</" + name + b">" for name in reversed(names)) * rng.choice((0, times))
    return data[:a] + opened + data[a:b] + closed + data[b:]


MUTATIONS: list[Mutation] = [
    *(delete, double, swap, truncate, unbalance, insert_tags, insert_tags, insert_attribute),
    *(insert_odd, cluster, cluster, nest),
]


@cache
def pages_of(folder: Path) -> list[Path]:
    return sorted(p for p in folder.rglob("*") if p.suffix in (".html", ".htm") and p.is_file())


def page(rng: random.Random, folder: Path, most: int) -> bytes:
    """Return a page of at most ``most`` bytes: its beginning, or a stretch from anywhere."""
    data = rng.choice(pages_of(folder)).read_bytes()
    size = min(len(data), int(most * rng.random() ** 2) + 500)
    begin = rng.choice((0, rng.randrange(len(data) - size + 1)))
    return data[begin : begin + size]


def make_input(seed: int, folder: Path, most: int) -> bytes:
    """Return the mutated page of one seed."""
    rng = random.Random(seed)
    data = page(rng, folder, most)
    if rng.random() < 0.2:
        other = page(rng, folder, most)
        data = data[: rng.randrange(len(data) + 1)] + other[rng.randrange(len(other) + 1) :]
    for _ in range(rng.randint(1, 8)):
        data = rng.choice(MUTATIONS)(rng, data)
    return data


def shape(nodes: Nodes) -> list[tuple[int, str, object]]:
    """Tags, attributes and texts with their depth, neighbouring texts joined."""
    out: list[tuple[int, str, object]] = []
    depth: list[int] = []
    for node, tag in enumerate(nodes.tag):
        up = nodes.parent[node]
        level = depth[up] if up >= 0 else 0
        depth.append(level + (tag not in IMPLIED))
        if tag in IMPLIED:
            continue
        if not tag and out and out[-1][:2] == (level, ""):
            out[-1] = (level, "", f"{out[-1][2]}{nodes.text[node]}")
        else:
            out.append((level, tag, nodes.text[node] or dict(nodes.attrs[node])))
    return out


def letters(text: str) -> str:
    return re.sub(r"[\W_]", "", text)


def uncovered(tree: BlockTree, whole: list[str]) -> str:
    """Return what is wrong with how the blocks hold the page's words, if anything."""
    blocks, limit = tree.blocks, tree.granularity
    if any(one.span.end != two.span.start for one, two in pairwise(blocks)):
        return f"gaps between blocks of {limit}"
    held = [word for block in blocks for word in words(block.text)]
    if held == whole:
        return ""
    same = letters("".join(held)) == letters("".join(whole))
    return (
        f"a word is cut in two by blocks of {limit}" if same else f"words lost or twice in blocks of {limit}"
    )


def boundaries(tree: BlockTree) -> set[int]:
    """Between which words of the page the blocks begin."""
    return {0, *accumulate(len(words(block.text)) for block in tree.blocks)}


def check(data: bytes) -> str:
    """Return "fine", the name of a typed error, or what is wrong."""
    try:
        cleaned = clean(Document.from_bytes(data))
    except LongleafError as error:
        return f"typed: {type(error).__name__}"
    nodes = cleaned.nodes
    whole = words(to_text(nodes))
    coarse, fine = block_tree(cleaned, 128), block_tree(cleaned, 32)
    html = to_html(nodes)
    again = parse(Document.from_html(html))
    faults = [
        uncovered(coarse, whole),
        uncovered(fine, whole),
        "" if boundaries(coarse) <= boundaries(fine) else "blocks of 32 do not refine those of 128",
        "" if shape(again.nodes) == shape(nodes) else "cleaned HTML parses to another tree",
        "" if to_html(clean(again).nodes) == html else "cleaned HTML cleans to another page",
    ]
    return next(filter(None, faults), "fine")


def on_alarm(signum: int, frame: object) -> None:
    raise TimeoutError


def guarded(data: bytes) -> str:
    """Return what ``check`` says, or the crash with its place, or that it took too long."""
    signal.signal(signal.SIGPROF, on_alarm)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        return check(data)
    except TimeoutError:
        return f"over {SECONDS:.0f} s"
    except Exception as error:  # noqa: BLE001 (any crash is what is looked for)
        at = traceback.extract_tb(error.__traceback__)[-1]
        return f"crash: {type(error).__name__} in {Path(at.filename).name}, {at.name}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def trial(seed: int, folder: Path, most: int) -> tuple[int, str]:
    return seed, guarded(make_input(seed, folder, most))


def minimise(data: bytes, verdict: str) -> bytes:
    """Drop stretches of bytes, halves first, as long as the verdict stays."""
    stop = time.monotonic() + MINIMISE_SECONDS
    size = len(data) // 2
    while size and time.monotonic() < stop:
        at, changed = 0, False
        while at < len(data) and time.monotonic() < stop:
            less = data[:at] + data[at + size :]
            if less and guarded(less) == verdict:
                data, changed = less, True
            else:
                at += size
        size = size if changed and size == 1 else size // 2
    return data


def summary(results: list[tuple[int, str]], seconds: float) -> list[tuple[int, str]]:
    """Print the counts and every failing seed; return the failures."""
    counts = Counter(verdict for _, verdict in results)
    print(f"{len(results)} inputs in {seconds:.0f} s")
    for verdict, count in counts.most_common():
        print(f"  {count:6} {verdict}")
    failed = [(s, v) for s, v in results if v != "fine" and not v.startswith("typed")]
    for verdict in {v: None for _, v in failed}:
        print(f"{verdict}: seeds {' '.join(str(s) for s, v in failed if v == verdict)}")
    return failed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, required=True, help="pages to mutate, read at any depth")
    parser.add_argument("--n", type=int, default=10_000, help="how many inputs")
    parser.add_argument("--seed", type=int, default=1, help="the first input's seed")
    parser.add_argument("--bytes", type=int, default=60_000, help="what a page is cut to")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--save", type=Path, metavar="DIR", help="where to put failing inputs")
    parser.add_argument(
        "--minimise",
        type=int,
        nargs="?",
        const=1,
        default=0,
        metavar="N",
        help="shrink and show N of each kind",
    )
    args = parser.parse_args()
    seeds = range(args.seed, args.seed + args.n)
    began = time.perf_counter()
    with ProcessPoolExecutor(args.processes) as pool:
        job = partial(trial, folder=args.folder, most=args.bytes)
        results = list(pool.map(job, seeds, chunksize=20))
    failed = summary(results, time.perf_counter() - began)
    seen: Counter[str] = Counter()
    for seed, verdict in failed:
        data = make_input(seed, args.folder, args.bytes)
        if args.save:
            args.save.mkdir(parents=True, exist_ok=True)
            (args.save / f"{seed}.html").write_bytes(data)
        seen[verdict] += 1
        if seen[verdict] <= args.minimise:
            print(f"{verdict}, seed {seed}: {minimise(data, verdict)[:2000]!r}")


if __name__ == "__main__":
    main()
