from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longleaf.cache import VectorCache
from longleaf.models import cached
from longleaf.models.base import Progress
from longleaf.models.cached import CachedEncoder
from longleaf.models.scripted import HashEncoder


class Watched(HashEncoder):
    """A HashEncoder that notes what it was asked for, and can fail at a given text."""

    def __init__(self, fails_at: str | None = None) -> None:
        super().__init__()
        self.asked: list[str] = []
        self.fails_at = fails_at

    def encode(self, texts: Sequence[str], progress: Progress | None = None) -> np.ndarray:
        if self.fails_at in texts:
            raise KeyboardInterrupt
        self.asked += texts
        return super().encode(texts, progress)


def on(path: Path | None, **options: str) -> tuple[CachedEncoder, Watched]:
    encoder = Watched(**options)
    return CachedEncoder(encoder, VectorCache(path)), encoder


@given(calls=st.lists(st.lists(st.sampled_from(["", "a", "b c", "\ud800", "🧠 d"]), max_size=6), max_size=4))
def test_cached_or_not_the_bytes_are_the_same(
    tmp_path_factory: pytest.TempPathFactory, calls: list[list[str]]
) -> None:
    encoder, _ = on(tmp_path_factory.mktemp("cache") / "v.sqlite3")
    for texts in calls:
        rows = encoder.encode(texts)
        assert rows.dtype == np.float32 and rows.shape == (len(texts), 64)
        assert rows.tobytes() == HashEncoder().encode(texts).tobytes()
    assert encoder.hits + encoder.encoded == sum(map(len, calls))
    encoder.cache.close()


def test_only_what_is_missing_is_encoded_and_once(tmp_path: Path) -> None:
    encoder, behind = on(tmp_path / "v.sqlite3")
    encoder.encode(["a", "b", "a"])
    assert behind.asked == ["a", "b"] and (encoder.hits, encoder.encoded) == (1, 2)
    encoder.encode(["b", "c"])
    assert behind.asked == ["a", "b", "c"] and (encoder.hits, encoder.encoded) == (2, 3)
    later, untouched = on(tmp_path / "v.sqlite3")
    later.encode(["c", "b", "a"])
    assert untouched.asked == [] and (later.hits, later.encoded) == (3, 0)


def test_it_stands_for_the_encoder_behind_it() -> None:
    encoder, behind = on(None)
    assert (encoder.name, encoder.dims) == (behind.name, behind.dims)


def test_without_a_cache_every_call_is_encoded() -> None:
    encoder, behind = on(None)
    encoder.encode(["a"])
    encoder.encode(["a"])
    assert behind.asked == ["a", "a"]


def test_progress_counts_every_text_and_ends_at_the_total(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cached, "_SLICE", 2)
    encoder, _ = on(tmp_path / "v.sqlite3")
    encoder.encode(["a"])
    seen: list[tuple[int, int]] = []
    encoder.encode(["a", "b", "c", "d", "b"], lambda done, total: seen.append((done, total)))
    assert seen == [(2, 5), (3, 5), (4, 5), (5, 5)]


def test_an_interruption_keeps_what_was_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cached, "_SLICE", 2)
    encoder, _ = on(tmp_path / "v.sqlite3", fails_at="e")
    with pytest.raises(KeyboardInterrupt):
        encoder.encode(["a", "b", "c", "d", "e"])
    later, behind = on(tmp_path / "v.sqlite3")
    later.encode(["a", "b", "c", "d", "e"])
    assert behind.asked == ["e"]
