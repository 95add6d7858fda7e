from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longleaf.errors import MissingExtra, ModelError, UsageError
from longleaf.tokens import (
    FileCounter,
    TokenCounter,
    ToktokCounter,
    WordCounter,
    counter_called,
    default_counter,
    encodable,
)

COUNTERS = [default_counter(), ToktokCounter("cl100k_base"), WordCounter()]
ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=80)
# Few characters that merge in many ways: where cutting is hard.
MERGING = st.text("abehnot \n\t.'é中🧠\x00\ud800", max_size=40)
counters = pytest.mark.parametrize("counter", COUNTERS, ids=lambda counter: counter.name)


def test_known_counts() -> None:
    # By OpenAI's own tokenizer for o200k_base.
    assert default_counter().count("hello world") == 2
    assert default_counter().count("🧠") == 3
    assert default_counter().name == "o200k_base"
    assert WordCounter().count(" one\ttwo\nthree ") == 3


@counters
def test_the_empty_text_has_no_tokens(counter: TokenCounter) -> None:
    assert counter.count("") == 0
    assert counter.count_many([]) == []
    assert counter.cut("", 5) == ""


@pytest.mark.parametrize(
    "text", ["\ud800", "x\udfff\ud800y", "a\x00b", "\x00", "<|endoftext|>", "<|im_start|>"]
)
def test_odd_text_counts_as_ordinary_text(text: str) -> None:
    counter = default_counter()
    assert counter.count(text) >= 1
    assert counter.cut(text, 0) == ""
    assert counter.cut(text, 100) == text


def test_special_token_strings_are_not_special() -> None:
    assert default_counter().count("<|endoftext|>") == 7


@given(ANY_TEXT)
def test_encodable_keeps_every_other_character_in_place(text: str) -> None:
    clean = encodable(text)
    assert clean.encode().decode() == clean and len(clean) == len(text)
    assert all(a == b or "\ud800" <= a <= "\udfff" for a, b in zip(text, clean, strict=True))


@counters
@given(texts=st.lists(ANY_TEXT, max_size=5))
def test_many_counts_are_the_single_counts(counter: TokenCounter, texts: list[str]) -> None:
    assert counter.count_many(texts) == [counter.count(text) for text in texts]


@given(texts=st.lists(st.text(max_size=200), max_size=5))
def test_the_fast_way_counts_as_the_library_does(texts: list[str]) -> None:
    import toktok

    assert default_counter().count_many(texts) == toktok.batch_count(texts, "o200k_base", 1)


@counters
@given(text=st.one_of(ANY_TEXT, MERGING), limit=st.integers(-3, 12))
def test_a_cut_is_the_longest_prefix_that_fits(counter: TokenCounter, text: str, limit: int) -> None:
    kept = counter.cut(text, limit)
    assert text.startswith(kept)
    assert counter.count(kept) <= max(limit, 0)
    if limit > 0:
        longer = [text[:end] for end in range(len(kept) + 1, min(len(kept) + 8, len(text)) + 1)]
        assert all(counter.count(prefix) > limit for prefix in longer)


@counters
def test_a_cut_that_need_not_be_is_the_text_itself(counter: TokenCounter) -> None:
    text = "the bittern booms in the reeds at dusk"
    assert counter.cut(text, 10**12) is text


def test_a_long_text_is_cut_to_the_limit() -> None:
    text = "the bittern booms in the reeds " * 4_000
    kept = default_counter().cut(text, 1_000)
    assert default_counter().count(kept) == 1_000


def test_importing_loads_no_tokenizer() -> None:
    code = "import sys, longleaf.tokens as t; t.default_counter(); print('toktok' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


# A model's own tokenizer file.


@pytest.fixture
def tokenizer_file(tmp_path: Path) -> Path:
    """A tokenizer of five words that cuts at two tokens, as files of encoders do."""
    tokenizers = pytest.importorskip("tokenizers")
    vocabulary = {word: i for i, word in enumerate(["[UNK]", "a", "lamp", "burns", "long"])}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.add_special_tokens(["<end>"])
    tokenizer.enable_truncation(2)
    tokenizer.enable_padding(length=8)
    path = tmp_path / "tokenizer.json"
    tokenizer.save(str(path))
    return path


def test_a_tokenizer_file_counts_whole_texts(tokenizer_file: Path) -> None:
    counter = counter_called(str(tokenizer_file))
    assert counter.count("a lamp burns long") == 4
    assert counter.count("") == 0
    assert counter.count_many(["a", "a lamp\ud800"]) == [1, 3]
    assert counter.count("<end>") == 3  # text, not one special token
    assert counter.cut("a lamp burns long", 2) == "a lamp"
    assert counter.cut("a lamp", 2) == "a lamp"
    assert counter.cut("a lamp", 0) == ""
    assert FileCounter(tokenizer_file.parent).name == counter.name
    assert counter.name.startswith("tokenizer.json-")


def test_names_of_counters(tmp_path: Path) -> None:
    assert [counter_called(name).name for name in ("words", "o200k_base", "cl100k_base")] == [
        "words",
        "o200k_base",
        "cl100k_base",
    ]
    with pytest.raises(UsageError, match=r"gone\.json"):
        counter_called(str(tmp_path / "gone.json"))


@pytest.mark.parametrize("data", [b"{}", b"no json", b"\xff\xfe"])
def test_a_file_that_is_no_tokenizer_is_refused(tmp_path: Path, data: bytes) -> None:
    pytest.importorskip("tokenizers")
    (tmp_path / "x.json").write_bytes(data)
    with pytest.raises(ModelError, match=r"x\.json: this is no tokenizer"):
        counter_called(str(tmp_path / "x.json"))


def test_without_the_package_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.json").write_text("{}")
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(MissingExtra) as refused:
        FileCounter(tmp_path / "x.json")
    assert "longleaf[lm]" in refused.value.hint
