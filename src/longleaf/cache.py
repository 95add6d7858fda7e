"""What Longleaf keeps between runs: the cache folder, vectors by content, and whole files.

A cache may vanish, be full, be damaged or be shared by several processes; none of that is ever
an error for the caller, only slower. Problems are logged under ``longleaf.cache``.
"""

from __future__ import annotations

import hashlib
import logging
import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, TypeVar

from longleaf.errors import CacheError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]

T = TypeVar("T")

_LOG = logging.getLogger(__name__)
_VARIABLE = "LONGLEAF_CACHE"
_HINT = f"Point {_VARIABLE} at a folder that can be written."
# Seconds to wait for another process that is writing; a slice of vectors takes milliseconds.
_BUSY_SECONDS = 10.0
# Keys in one query: SQLite took no more than 999 parameters before version 3.32.
_KEYS = 900
# Vectors kept, oldest dropped first: 300,000 of 384 numbers are about 0.5 GB.
_MAX_VECTORS = 300_000
# Another process holds the file for long: it will let go. Not a database, torn pages, or other
# tables than ours: a new file helps. All else (full disk, read-only file) stays as it is.
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_DAMAGE = (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
# Connections that came over a fork: SQLite allows the child neither to use nor to close them.
_INHERITED: list[sqlite3.Connection] = []
_SCHEMA = """
CREATE TABLE IF NOT EXISTS vectors (
    id INTEGER PRIMARY KEY, model TEXT NOT NULL, key BLOB NOT NULL, vector BLOB NOT NULL, UNIQUE (model, key)
)
"""


_WARNED: set[str] = set()  # a folder is complained of once a process


def cache_dir() -> Path | None:
    """Return the cache folder, made if need be, or None (and a logged warning) if it can't be written.

    ``LONGLEAF_CACHE`` if set, else the user's cache folder of the operating system.
    """
    try:
        return required_cache_dir()
    except CacheError as error:
        if error.message not in _WARNED:
            _WARNED.add(error.message)
            _LOG.warning("%s; nothing will be kept between runs", error.message)
        return None


def required_cache_dir() -> Path:
    """Return the cache folder, made if need be; raises ``CacheError`` if it can't be written."""
    folder = _folder()
    try:
        # Vectors say something about the pages someone read, so they are nobody else's business.
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or error
        raise CacheError(f"the cache folder {folder} cannot be made: {reason}", _HINT) from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise CacheError(f"the cache folder {folder} cannot be written", _HINT)
    return folder


def _folder() -> Path:
    named = os.environ.get(_VARIABLE)
    if named:
        return Path(named).expanduser().absolute()
    import platformdirs

    return Path(platformdirs.user_cache_dir("longleaf", appauthor=False))


def write_atomic(path: Path, data: bytes) -> None:
    """Put ``data`` at ``path`` so that every reader sees the old file or the new one, whole.

    Raises ``CacheError`` if that fails; nothing is left behind then.
    """
    part = ""
    try:
        number, part = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
        with os.fdopen(number, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
        part = ""
    except OSError as error:
        raise CacheError(f"cannot write {path}: {error.strerror or error}", _HINT) from error
    finally:
        if part:
            Path(part).unlink(missing_ok=True)


def keep(path: Path, data: bytes) -> bool:
    """``write_atomic``, but a failure is a logged warning and False: for what can be made again."""
    try:
        write_atomic(path, data)
    except CacheError as error:
        _LOG.warning("%s; it will be made again next time", error.message)
        return False
    return True


@dataclass(frozen=True, slots=True)
class CacheInfo:
    """What a vector cache holds; ``bytes`` is the size of its files."""

    path: str
    entries: int
    bytes: int


class VectorCache:
    """Vectors in one SQLite file, by model name and content of the text.

    Safe with several threads and processes and after a kill (write-ahead log). A damaged file is set aside
    as ``NAME.damaged`` and begun anew. With ``path`` None, or where the file can't be used, nothing
    is found and nothing is kept (``enabled`` is False).
    """

    def __init__(self, path: Path | None, max_vectors: int = _MAX_VECTORS) -> None:
        self.path = path
        self.max_vectors = max_vectors
        self.enabled = path is not None
        self._lock = RLock()
        self._connection: sqlite3.Connection | None = None
        self._process = 0
        self._inode = 0

    def get_many(self, model: str, texts: Sequence[str], dims: int | None = None) -> list[Vector | None]:
        """Return the vector of each text, read-only, or None where there is none (of ``dims`` numbers)."""
        import numpy as np

        keys = [_key(text) for text in texts]
        stored = self._attempt(lambda db: _select(db, model, sorted(set(keys)))) or {}
        found: list[Vector | None] = []
        for key in keys:
            blob = stored.get(key, b"")
            fits = len(blob) == 4 * dims if dims is not None else blob and len(blob) % 4 == 0
            found.append(np.frombuffer(blob, dtype="<f4") if fits else None)
        return found

    def put_many(self, model: str, texts: Sequence[str], vectors: Sequence[Vector] | Vector) -> None:
        """Keep the vector of each text; what is known already stays as it is."""
        rows = [
            (model, _key(text), vector.astype("<f4").tobytes())
            for text, vector in zip(texts, vectors, strict=True)
        ]
        if rows:
            self._attempt(lambda db: self._insert(db, rows))

    def info(self) -> CacheInfo:
        """Return how much is kept."""
        entries = self._attempt(lambda db: int(db.execute("SELECT count(*) FROM vectors").fetchone()[0]))
        return CacheInfo(str(self.path or ""), entries or 0, sum(_size(path) for path in self._files()))

    def clear(self) -> int:
        """Forget everything; return the number of vectors that were kept."""
        return self._attempt(_delete_all) or 0

    def close(self) -> None:
        """Let go of the file; the next use opens it again."""
        with self._lock:
            if self._connection is not None and self._process == os.getpid():
                self._connection.close()
            elif self._connection is not None:
                _INHERITED.append(self._connection)
            self._connection = None

    def __del__(self) -> None:
        if hasattr(self, "_connection"):
            self.close()

    def _insert(self, db: sqlite3.Connection, rows: list[tuple[str, bytes, bytes]]) -> None:
        with db:
            db.execute("BEGIN IMMEDIATE")
            db.executemany("INSERT OR IGNORE INTO vectors (model, key, vector) VALUES (?, ?, ?)", rows)
            oldest = "DELETE FROM vectors WHERE id <= (SELECT max(id) FROM vectors) - ?"
            db.execute(oldest, (self.max_vectors,))

    def _attempt(self, work: Callable[[sqlite3.Connection], T]) -> T | None:
        """Do ``work`` on the database; None where there is none. A damaged file gets one fresh start."""
        with self._lock:
            for fresh in (False, True):
                if not self.enabled:
                    return None
                try:
                    return work(self._open())
                except (sqlite3.DatabaseError, OSError) as error:
                    if _code(error) in _BUSY:
                        _LOG.warning("the vector cache %s is busy; going on without it this once", self.path)
                        return None
                    self.close()
                    if fresh or _code(error) not in _DAMAGE or not self._set_aside(error):
                        self._disable(error)
            return None

    def _disable(self, error: Exception) -> None:
        _LOG.warning("the vector cache %s cannot be used: %s; going on without", self.path, error)
        self.close()
        self.enabled = False

    def _open(self) -> sqlite3.Connection:
        if self._connection is not None and self._process == os.getpid():
            return self._connection
        assert self.path is not None  # or it would not be enabled
        self.close()
        self._process = os.getpid()
        db = sqlite3.connect(self.path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        self._connection = db
        self._inode = os.stat(self.path).st_ino
        db.execute("PRAGMA journal_mode = WAL")
        # Survives a killed process; a power cut may lose the last writes but harms nothing else.
        db.execute("PRAGMA synchronous = NORMAL")
        db.execute(_SCHEMA)
        return db

    def _set_aside(self, error: Exception) -> bool:
        """Move the damaged file away, unless another process has done so already."""
        assert self.path is not None
        try:
            if os.stat(self.path).st_ino == self._inode:
                _LOG.warning("the vector cache %s is damaged (%s); beginning a new one", self.path, error)
                os.replace(self.path, self.path.with_name(self.path.name + ".damaged"))
                for extra in self._files():
                    extra.unlink(missing_ok=True)
        except FileNotFoundError:
            return True
        except OSError:
            return False
        return True

    def _files(self) -> Iterator[Path]:
        if self.path is not None:
            for suffix in ("", "-wal", "-shm"):
                yield self.path.with_name(self.path.name + suffix)


def _code(error: Exception) -> int:
    # The low byte is the kind of the error, the rest says more about it.
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_IOERR)
    return int(code) & 0xFF


def _key(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _select(db: sqlite3.Connection, model: str, keys: list[bytes]) -> dict[bytes, bytes]:
    found: dict[bytes, bytes] = {}
    for start in range(0, len(keys), _KEYS):
        part = keys[start : start + _KEYS]
        marks = ",".join("?" * len(part))
        query = f"SELECT key, vector FROM vectors WHERE model = ? AND key IN ({marks})"
        found.update(db.execute(query, [model, *part]))
    return found


def _delete_all(db: sqlite3.Connection) -> int:
    count = db.execute("DELETE FROM vectors").rowcount
    db.execute("VACUUM")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return count


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
