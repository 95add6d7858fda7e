from __future__ import annotations

import subprocess
import sys

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from longleaf.models.scripted import HashEncoder


@given(st.lists(st.text(max_size=60), max_size=6))
def test_rows_have_length_one_and_depend_on_their_text_alone(texts: list[str]) -> None:
    encoder = HashEncoder()
    rows = encoder.encode(texts)
    assert rows.shape == (len(texts), encoder.dims) and rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-6)
    assert all(np.array_equal(row, encoder.encode([text])[0]) for row, text in zip(rows, texts, strict=True))


def test_shared_words_make_texts_alike() -> None:
    question, near, far = HashEncoder().encode(
        ["Where does the heron nest?", "The heron does nest in reeds.", "Locks were built of oak."]
    )
    assert question @ near > question @ far


def test_case_does_not_count_and_order_does_not_either() -> None:
    one, two = HashEncoder().encode(["Heron Nest", "nest heron"])
    assert np.array_equal(one, two)


def test_lone_surrogates_are_words_like_any() -> None:
    assert HashEncoder().encode(["a\ud800b"]).shape == (1, 64)


def test_another_process_gives_the_same_bytes() -> None:
    code = (
        "from longleaf.models.scripted import HashEncoder;"
        "print(HashEncoder(8).encode(['heron reeds']).tobytes().hex())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == HashEncoder(8).encode(["heron reeds"]).tobytes().hex()


def test_progress_is_told() -> None:
    seen: list[tuple[int, int]] = []
    HashEncoder().encode(["a", "b"], lambda done, total: seen.append((done, total)))
    assert seen == [(1, 2), (2, 2)]
