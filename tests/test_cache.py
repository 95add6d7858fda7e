from __future__ import annotations

import logging
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longleaf import cache as cache_module
from longleaf.cache import VectorCache, cache_dir, keep, required_cache_dir, write_atomic
from longleaf.errors import CacheError

DIMS = 8
TEXTS = [f"text {n}" for n in range(40)]


def rows_for(texts: list[str]) -> np.ndarray:
    return np.array([np.arange(DIMS) + len(text) / 7 for text in texts], dtype=np.float32)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "vectors.sqlite3"


def filled(path: Path) -> VectorCache:
    cache = VectorCache(path)
    cache.put_many("m", TEXTS, rows_for(TEXTS))
    return cache


def found(cache: VectorCache, texts: list[str] = TEXTS, model: str = "m") -> int:
    return sum(vector is not None for vector in cache.get_many(model, texts))


# The folder


def test_the_folder_is_the_named_one_and_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LONGLEAF_CACHE", str(tmp_path / "a" / "b"))
    assert cache_dir() == tmp_path / "a" / "b"
    assert (tmp_path / "a" / "b").is_dir()


def test_without_a_name_it_is_the_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LONGLEAF_CACHE", raising=False)
    monkeypatch.setattr("platformdirs.user_cache_dir", lambda name, appauthor: str(tmp_path / name))
    assert cache_dir() == tmp_path / "longleaf"


def test_a_folder_that_cannot_be_made_is_no_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("LONGLEAF_CACHE", str(tmp_path / "file" / "cache"))
    assert cache_dir() is None
    assert "cannot be made" in caplog.text
    with pytest.raises(CacheError) as refusal:
        required_cache_dir()
    assert "LONGLEAF_CACHE" in refusal.value.hint


def test_a_folder_that_cannot_be_written_is_no_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LONGLEAF_CACHE", str(tmp_path))
    monkeypatch.setattr(cache_module.os, "access", lambda *_: False)  # root may write anywhere
    assert cache_dir() is None
    with pytest.raises(CacheError, match="cannot be written"):
        required_cache_dir()


# Whole files


@given(first=st.binary(max_size=99), second=st.binary(max_size=99))
def test_a_file_is_replaced_whole(
    tmp_path_factory: pytest.TempPathFactory, first: bytes, second: bytes
) -> None:
    path = tmp_path_factory.mktemp("files") / "index.npz"
    write_atomic(path, first)
    write_atomic(path, second)
    assert path.read_bytes() == second
    assert list(path.parent.iterdir()) == [path]


def test_a_failed_write_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "index.npz"
    write_atomic(path, b"old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cache_module.os, "fsync", full)
    with pytest.raises(CacheError, match="No space left on device"):
        write_atomic(path, b"new")
    assert keep(path, b"new") is False and "No space left" in caplog.text
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_keep_keeps(tmp_path: Path) -> None:
    assert keep(tmp_path / "a", b"1") is True
    assert (tmp_path / "a").read_bytes() == b"1"


def test_writing_into_no_folder_is_a_cache_error(tmp_path: Path) -> None:
    with pytest.raises(CacheError):
        write_atomic(tmp_path / "none" / "a", b"1")


# Vectors


def test_what_is_put_comes_back_to_the_last_bit(path: Path) -> None:
    filled(path).close()
    vectors = VectorCache(path).get_many("m", [*TEXTS, "unknown"], DIMS)
    assert vectors[-1] is None
    assert np.array_equal(np.stack(vectors[:-1]), rows_for(TEXTS))


def test_models_and_sizes_are_kept_apart(path: Path) -> None:
    cache = filled(path)
    assert found(cache, model="other") == 0
    assert cache.get_many("m", TEXTS[:1], DIMS + 1) == [None]


def test_what_is_known_stays_as_it_is(path: Path) -> None:
    cache = filled(path)
    cache.put_many("m", TEXTS[:1], np.zeros((1, DIMS), dtype=np.float32))
    assert np.array_equal(cache.get_many("m", TEXTS[:1])[0], rows_for(TEXTS)[0])


def test_any_text_is_a_key(path: Path) -> None:
    odd = ["", "\x00", "\ud800", "a\udfff", "🧠", "x" * 100_000]
    cache = VectorCache(path)
    cache.put_many("m", odd, rows_for(odd))
    assert found(cache, odd) == len(odd)


def test_more_texts_than_one_query_takes(path: Path) -> None:
    many = [f"number {n}" for n in range(2_500)]
    cache = VectorCache(path)
    cache.put_many("m", many, rows_for(many))
    assert found(cache, many + many) == 5_000


def test_the_oldest_go_when_there_are_too_many(path: Path) -> None:
    cache = VectorCache(path, max_vectors=25)
    for text in TEXTS:
        cache.put_many("m", [text], rows_for([text]))
    assert cache.info().entries == 25
    assert found(cache, TEXTS[-25:]) == 25


def test_info_and_clear(path: Path) -> None:
    cache = filled(path)
    info = cache.info()
    assert (info.path, info.entries) == (str(path), len(TEXTS)) and info.bytes >= len(TEXTS) * 4 * DIMS
    assert cache.clear() == len(TEXTS)
    assert cache.info().entries == 0 and found(cache) == 0
    assert cache.info().bytes < info.bytes


def test_without_a_file_nothing_is_kept() -> None:
    cache = VectorCache(None)
    cache.put_many("m", TEXTS, rows_for(TEXTS))
    assert not cache.enabled and found(cache) == 0
    assert (cache.info().entries, cache.info().bytes, cache.clear()) == (0, 0, 0)


def overwrite(path: Path) -> None:
    path.write_bytes(b"this is no database " * 500)


def tear_a_page(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    path.write_bytes(bytes(data))


def cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


def other_tables(path: Path) -> None:
    path.unlink()
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE vectors (something TEXT)")
    db.close()


@pytest.mark.parametrize("damage", [overwrite, tear_a_page, cut_short, other_tables])
@pytest.mark.parametrize("reading", [True, False])
def test_a_damaged_file_is_set_aside_and_begun_anew(
    path: Path, damage: Callable[[Path], None], reading: bool, caplog: pytest.LogCaptureFixture
) -> None:
    filled(path).close()
    damage(path)
    cache = VectorCache(path)
    if reading:
        found(cache)
    cache.put_many("m", TEXTS, rows_for(TEXTS))
    assert found(cache) == len(TEXTS) and cache.enabled
    assert path.with_name(path.name + ".damaged").exists() and "damaged" in caplog.text
    assert found(VectorCache(path)) == len(TEXTS)


def test_an_empty_file_is_a_new_cache(path: Path) -> None:
    path.touch()
    assert found(filled(path)) == len(TEXTS)


def test_a_folder_in_its_place_means_no_cache(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path.mkdir()
    cache = filled(path)
    assert found(cache) == 0 and not cache.enabled
    assert len([record for record in caplog.records if record.levelno >= logging.WARNING]) == 1


def test_a_busy_file_is_passed_by_once(
    path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    filled(path).close()
    monkeypatch.setattr(cache_module, "_BUSY_SECONDS", 0.0)
    cache = VectorCache(path)
    assert found(cache) == len(TEXTS)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    cache.put_many("m", ["new"], rows_for(["new"]))
    other.execute("ROLLBACK")
    other.close()
    assert "busy" in caplog.text and cache.enabled and found(cache, ["new"]) == 0
    cache.put_many("m", ["new"], rows_for(["new"]))
    assert found(cache, ["new"]) == 1


def test_threads_share_a_cache(path: Path) -> None:
    cache = VectorCache(path)
    threads = [Thread(target=lambda t=text: cache.put_many("m", [t], rows_for([t]))) for text in TEXTS[:12]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found(cache, TEXTS[:12]) == 12


WRITER = """
import sys
from pathlib import Path
import numpy as np
from longleaf.cache import VectorCache
cache = VectorCache(Path(sys.argv[1]))
for n in range(int(sys.argv[3])):
    cache.put_many("m", [f"{sys.argv[2]} {n}"], np.full((1, 8), n, dtype=np.float32))
    print(n, flush=True)
assert cache.enabled
"""


def writer(path: Path, name: str, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(path), name, str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_processes_share_a_file(path: Path) -> None:
    running = [writer(path, name, 60) for name in "abc"]
    outputs = [process.communicate(timeout=120) for process in running]
    assert [process.returncode for process in running] == [0, 0, 0], outputs
    assert found(VectorCache(path), [f"{name} {n}" for name in "abc" for n in range(60)]) == 180


def test_a_killed_writer_loses_nothing_it_had_finished(path: Path) -> None:
    process = writer(path, "a", 1_000_000)
    assert process.stdout is not None and process.stderr is not None
    done = [process.stdout.readline() for _ in range(30)]
    process.kill()
    process.wait(timeout=60)
    process.stdout.close()
    process.stderr.close()
    cache = VectorCache(path)
    assert found(cache, [f"a {line.strip()}" for line in done]) == 30
    assert filled(path).enabled and not path.with_name(path.name + ".damaged").exists()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_opens_the_file_for_itself(path: Path) -> None:
    cache = filled(path)
    child = os.fork()
    if child == 0:
        cache.put_many("m", ["of the child"], rows_for(["of the child"]))
        os._exit(0 if found(cache) == len(TEXTS) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert found(cache, ["of the child", *TEXTS]) == 1 + len(TEXTS)


def test_a_cache_another_process_began_anew_is_not_set_aside_again(path: Path) -> None:
    filled(path).close()
    overwrite(path)
    late = VectorCache(path)
    late._inode = path.stat().st_ino
    found(VectorCache(path))
    fresh = filled(path)
    assert late._set_aside(sqlite3.DatabaseError("damaged")) is True
    assert found(VectorCache(path)) == len(TEXTS) and found(fresh) == len(TEXTS)
