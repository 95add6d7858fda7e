"""The index in memory: BM25 over the blocks of all pages, kept in a cache file between runs.

Opening a folder again costs one look at each file; only pages that changed are read. Block
trees are made again from the page when a hit needs them, so the cache holds no page text.
"""

from __future__ import annotations

import io
import json
import os
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longleaf.blocks import BlockTree
from longleaf.errors import MissingExtra, NoPages, Unreadable
from longleaf.index.ingest import Entry, Progress, Row, read_row, read_rows, tree_of
from longleaf.index.stored import unpack
from longleaf.prune.lexical import Bm25
from longleaf.sources import Origin, listing
from longleaf.types import Block, Document, short_digest

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Changes with anything that changes rows: cleaning, cutting, terms.
FORMAT = "7"
# Block trees held at once: a long answer touches a few dozen pages of 0.1 MB.
MAX_TREES = 64


class MemoryIndex:
    """Blocks of many pages under one numbering of rows, page after page."""

    def __init__(self, rows: Sequence[Row], origins: Sequence[Origin]) -> None:
        import numpy as np

        good = [(row, origin) for row, origin in zip(rows, origins, strict=True) if not row.entry.error]
        self.skipped = tuple((row.entry.url, row.entry.error) for row in rows if row.entry.error)
        self.entries = [row.entry for row, _ in good]
        self.origins = [origin for _, origin in good]
        self._rows = list(rows)
        sizes = [len(entry.kinds) for entry in self.entries]
        self.starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self.kinds = [kind for entry in self.entries for kind in entry.kinds]
        self.bm25 = _merge([row for row, _ in good], self.starts)
        self.file: Path | None = None
        self._packed = [row.packed for row, _ in good]
        self._blocks: dict[int, tuple[Block, ...]] = {}
        self._trees: OrderedDict[int, BlockTree] = OrderedDict()

    @classmethod
    def build(
        cls,
        sources: Sequence[str | Path],
        cache: Path | None = None,
        progress: Progress | None = None,
        offline: bool = False,
    ) -> MemoryIndex:
        """Index files, folders and URLs; unchanged pages come from the ``cache`` folder.

        Raises what ``listing`` raises, and ``NoPages`` when no page could be read.
        """
        origins = listing(sources, offline)
        file = _cache_file(cache, sources, origins)
        rows = _refreshed(file, origins, progress)
        index = cls(rows, origins)
        index.file = file
        if not index.entries:
            raise NoPages(
                f"{', '.join(map(str, sources))}: no page could be read",
                "; ".join(error for _, error in index.skipped[:3]),
            )
        return index

    @classmethod
    def of(cls, documents: Iterable[Document]) -> MemoryIndex:
        """Index documents that are at hand."""
        origins = [Origin(d.url, size=len(d.data), document=d) for d in documents]
        return cls([read_row(origin) for origin in origins], origins)

    def __len__(self) -> int:
        return len(self.kinds)

    def search(self, query: Mapping[str, float]) -> NDArray[np.float32]:
        """Return the BM25 score of every row for weighted terms."""
        return self.bm25.scores(query)

    def kind_weights(self, weight: Mapping[str, float]) -> NDArray[np.float32]:
        """Return the weight of each row's kind, 1 where none is given."""
        import numpy as np

        return np.array([weight.get(kind, 1.0) for kind in self.kinds], np.float32)

    def page_of(self, row: int) -> int:
        """Return the number of the page that a row belongs to."""
        import numpy as np

        return int(np.searchsorted(self.starts, row, side="right")) - 1

    def block(self, row: int) -> Block:
        """Return the block of a row."""
        page = self.page_of(row)
        return self.blocks(page)[row - int(self.starts[page])]

    def blocks(self, page: int) -> tuple[Block, ...]:
        """Return the blocks of a page; the page itself is not read."""
        if page not in self._blocks:
            self._blocks[page] = unpack(self._packed[page])
        return self._blocks[page]

    def tree(self, page: int) -> BlockTree:
        """Return the block tree of a page, made anew when it is not at hand.

        Raises ``Unreadable`` when the page changed since it was indexed.
        """
        tree = self._trees.get(page)
        if tree is not None:
            self._trees.move_to_end(page)
            return tree
        document = self.origins[page].load()
        if document.digest != self.entries[page].digest:
            if self.file is not None:
                self.file.unlink(missing_ok=True)  # what it says of this page is not true any more
            raise Unreadable(f"{document.url}: the page changed while it was being read", "ask again")
        tree = tree_of(document)
        self._trees[page] = tree
        while len(self._trees) > MAX_TREES:
            self._trees.popitem(last=False)
        return tree


def _merge(rows: Sequence[Row], starts: NDArray[np.int64]) -> Bm25:
    import numpy as np

    vocabulary: dict[str, int] = {}
    term_ids: list[NDArray[np.int32]] = []
    blocks: list[NDArray[np.int32]] = []
    for row, start in zip(rows, starts, strict=False):
        place = np.array([vocabulary.setdefault(t, len(vocabulary)) for t in row.terms], np.int32)
        term_ids.append(place[row.term_ids])
        blocks.append((row.blocks + start).astype(np.int32))
    empty_ids, empty_counts = np.zeros(0, np.int32), np.zeros(0, np.float32)
    return Bm25.from_arrays(
        vocabulary,
        np.concatenate([empty_ids, *term_ids]),
        np.concatenate([empty_ids, *blocks]),
        np.concatenate([empty_counts, *(row.counts for row in rows)]),
        int(starts[-1]),
    )


_ARRAYS = ("head", "lengths", "term_ids", "blocks", "counts", "packed")


# The cache file: one .npz a source, replaced as a whole.


def _cache_file(cache: Path | None, sources: Sequence[str | Path], origins: Sequence[Origin]) -> Path | None:
    if cache is None or any(origin.path is None for origin in origins):
        return None
    key = json.dumps([FORMAT, *(os.path.realpath(s) for s in sources)])
    return cache / f"index-{short_digest(key)}.npz"


def _refreshed(file: Path | None, origins: Sequence[Origin], progress: Progress | None) -> list[Row]:
    known = {} if file is None else _load(file)
    fresh = [o for o in origins if not _unchanged(o, known.get(o.url))]
    read = dict(zip((o.url for o in fresh), read_rows(fresh, progress, os.cpu_count() or 1), strict=True))
    rows = [read[o.url] if o.url in read else known[o.url] for o in origins]
    if file is not None and (fresh or len(known) != len(origins)):
        _save(file, rows)
    return rows


def _unchanged(origin: Origin, row: Row | None) -> bool:
    if row is None:
        return False
    entry = row.entry
    if entry.error.startswith(MissingExtra.__name__):
        return False  # installed since, perhaps
    known, now = (entry.size, entry.mtime_ns, entry.ctime_ns), (origin.size, origin.mtime_ns, origin.ctime_ns)
    return known == now


def _save(file: Path, rows: Sequence[Row]) -> None:
    import numpy as np

    from longleaf.cache import keep

    lengths = np.array([[len(r.terms), len(r.term_ids), len(r.packed)] for r in rows], np.int64).reshape(
        -1, 3
    )
    head = {"entries": [asdict(r.entry) for r in rows], "terms": [t for r in rows for t in r.terms]}
    empty_ids, empty_counts = np.zeros(0, np.int32), np.zeros(0, np.float32)
    buffer = io.BytesIO()
    np.savez(
        buffer,
        head=np.frombuffer(json.dumps(head).encode("utf-8", "surrogatepass"), np.uint8),
        lengths=lengths,
        term_ids=np.concatenate([empty_ids, *(r.term_ids for r in rows)]),
        blocks=np.concatenate([empty_ids, *(r.blocks for r in rows)]),
        counts=np.concatenate([empty_counts, *(r.counts for r in rows)]),
        packed=np.frombuffer(b"".join(r.packed for r in rows), np.uint8),
    )
    keep(file, buffer.getvalue())


def _load(file: Path) -> dict[str, Row]:
    """Return the rows of a cache file by address; an unusable file is as good as none."""
    import zipfile

    import numpy as np

    if not file.exists():
        return {}
    try:
        with file.open("rb") as opened, np.load(opened) as data:
            arrays = {name: data[name] for name in _ARRAYS}
        head = json.loads(arrays["head"].tobytes().decode("utf-8", "surrogatepass"))
        return _rows_of(head, arrays)
    except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile, EOFError):
        return {}


def _rows_of(head: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> dict[str, Row]:
    rows: dict[str, Row] = {}
    term_at = triple_at = byte_at = 0
    packed = arrays["packed"].tobytes()
    for data, (terms, triples, size) in zip(head["entries"], arrays["lengths"].tolist(), strict=True):
        entry = Entry(**{**data, "kinds": tuple(data["kinds"])})
        span = slice(triple_at, triple_at + triples)
        rows[entry.url] = Row(
            entry,
            tuple(head["terms"][term_at : term_at + terms]),
            arrays["term_ids"][span],
            arrays["blocks"][span],
            arrays["counts"][span],
            packed[byte_at : byte_at + size],
        )
        term_at += terms
        triple_at += triples
        byte_at += size
    return rows
