"""A page to the row that an index keeps of it: the terms of each block, and what it is.

The same function runs in this process, in worker processes and, later, on a cluster. It
returns plain arrays, which are cheap to hand over.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_all_start_methods, get_context
from typing import TYPE_CHECKING

from longleaf.blocks import BlockTree, block_tree
from longleaf.clean import clean
from longleaf.errors import DocumentError, MissingExtra
from longleaf.index.stored import pack
from longleaf.prune.lexical import bag
from longleaf.sources import Origin
from longleaf.types import Document

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Below this many bytes in all, starting processes costs more than it saves.
PARALLEL_BYTES = 4_000_000
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Entry:
    """What an index knows of one page without reading it again."""

    url: str
    size: int
    mtime_ns: int
    ctime_ns: int
    id: str
    title: str
    digest: str
    kinds: tuple[str, ...]
    error: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """An entry with its postings: vocabulary of the page, and (term, block, count) triples."""

    entry: Entry
    terms: tuple[str, ...]
    term_ids: NDArray[np.int32]
    blocks: NDArray[np.int32]
    counts: NDArray[np.float32]
    packed: bytes = b""


def tree_of(document: Document) -> BlockTree:
    """Return the block tree that retrieval works on."""
    return block_tree(clean(document))


def read_row(origin: Origin) -> Row:
    """Read, clean and cut one page. A bad page becomes a row with an error, never an exception."""
    try:
        document = origin.load()
        tree = tree_of(document)
    except (DocumentError, MissingExtra) as error:
        return _bad_row(origin, f"{type(error).__name__}: {error.message}")
    return _row(origin, tree)


def _bad_row(origin: Origin, error: str) -> Row:
    import numpy as np

    entry = Entry(origin.url, origin.size, origin.mtime_ns, origin.ctime_ns, "", "", "", (), error)
    return Row(entry, (), np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0, np.float32))


def _row(origin: Origin, tree: BlockTree) -> Row:
    import numpy as np

    vocabulary: dict[str, int] = {}
    term_ids: list[int] = []
    rows: list[int] = []
    counts: list[int] = []
    for block in tree.blocks:
        for term, count in bag(block).items():
            term_ids.append(vocabulary.setdefault(term, len(vocabulary)))
            rows.append(block.id)
            counts.append(count)
    document = tree.page.document
    kinds = tuple(block.kind for block in tree.blocks)
    entry = Entry(
        url=origin.url,
        size=origin.size,
        mtime_ns=origin.mtime_ns,
        ctime_ns=origin.ctime_ns,
        id=document.id,
        title=document.title,
        digest=document.digest,
        kinds=kinds,
    )
    return Row(
        entry,
        tuple(vocabulary),
        np.asarray(term_ids, np.int32),
        np.asarray(rows, np.int32),
        np.asarray(counts, np.float32),
        pack(tree.blocks),
    )


def read_rows(origins: Sequence[Origin], progress: Progress | None = None, workers: int = 2) -> Iterator[Row]:
    """Yield the rows of many pages in order, over several processes when there is much to read."""
    total = sum(origin.size for origin in origins)
    done = 0
    for origin, row in zip(origins, _map(origins, total, workers), strict=True):
        done += origin.size
        yield row
        if progress is not None:
            progress(done, total)


def _map(origins: Sequence[Origin], total: int, workers: int) -> Iterator[Row]:
    # Processes are forked, because spawning them would import the caller's main module again.
    if total < PARALLEL_BYTES or workers < 2 or "fork" not in get_all_start_methods():
        yield from map(read_row, origins)
        return
    pool = ProcessPoolExecutor(workers, mp_context=get_context("fork"))
    with _one_interrupt() as listen:
        try:
            rows = pool.map(read_row, origins, chunksize=4)
            listen()
            yield from rows
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _one_interrupt() -> Iterator[Callable[[], None]]:
    """Leave Ctrl-C to this process, and hear it once.

    A terminal interrupts the whole group, and people press twice. Workers that die of it while
    they hold a queue's lock would leave this process waiting for ever, and a second interrupt
    would break off the clean-up of the first. So an interrupt is only noted until ``listen`` is
    called, when the workers have inherited that, and ignored after the first one.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: None
        return

    noted: list[int] = []

    def note(number: int, _frame: object) -> None:
        noted.append(number)

    def hear(_signal: int, _frame: object) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        raise KeyboardInterrupt

    def listen() -> None:
        signal.signal(signal.SIGINT, hear)
        if noted:
            hear(noted[0], None)

    before = signal.signal(signal.SIGINT, note)
    try:
        yield listen
    finally:
        signal.signal(signal.SIGINT, before)
