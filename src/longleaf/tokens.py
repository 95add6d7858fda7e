"""Counting and cutting text by tokens.

The unit of every budget. ``default_counter`` counts as today's hosted models do (OpenAI's
``o200k_base``); ``FileCounter`` as the model whose ``tokenizer.json`` it is given;
``WordCounter`` counts words and is for tests and examples.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from longleaf.errors import MissingExtra, ModelError, UsageError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

# o200k_base rather than cl100k_base, measured with toktok 0.3.0 on 2 cores: both count HTML at
# 140 to 300 MB/s and agree within 0.6 % on English pages, but cl100k_base, the older vocabulary,
# gives 1.4 to 3 times as many tokens for Chinese, Japanese, Arabic, Russian and Hindi as the
# models in use now. The price is the first call: 0.30 s instead of 0.10 to 0.18 s.
ENCODING = "o200k_base"
# What toktok has the vocabulary of, of the encodings in use.
ENCODINGS = (ENCODING, "cl100k_base")
# More tokens than any text has; small enough for a 32-bit size.
_ALL = 2**31 - 1
# How many characters past the last whole token ``cut`` looks: more than the longest common word.
_REACH = 16
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_WORD = re.compile(r"\S+")


class TokenCounter(Protocol):
    """Something that counts tokens; the same text always has the same count."""

    @property
    def name(self) -> str:
        """What the tokens are, for reports and cache keys."""

    def count(self, text: str) -> int:
        """Return the number of tokens in ``text``; 0 for the empty text."""

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens in each of ``texts``."""

    def cut(self, text: str, limit: int) -> str:
        """Return the longest prefix of ``text``, in whole code points, of at most ``limit`` tokens."""


def encodable(text: str) -> str:
    """Return ``text`` with each lone surrogate as U+FFFD: the same length, and valid as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return _LONE_SURROGATE.sub("\ufffd", text)
    return text


class ToktokCounter:
    """Exact counts of one of OpenAI's encodings; special-token strings count as the text they are."""

    def __init__(self, encoding: str = ENCODING) -> None:
        self.name = encoding

    def count(self, text: str) -> int:
        """Return the number of tokens in ``text``."""
        # Not batch_count: it sets up threads, 28 µs a call where this takes 0.5 µs.
        return self._truncate(encodable(text), _ALL)[1]

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens in each of ``texts``."""
        return [self.count(text) for text in texts]

    def cut(self, text: str, limit: int) -> str:
        """Return the longest prefix of ``text`` of at most ``limit`` tokens.

        Longest among the prefixes that end within 16 characters of the last whole token: a
        prefix is tokenised afresh, so part of the next word can still fit.
        """
        if limit <= 0:
            return ""
        clean = encodable(text)
        kept, total = self._truncate(clean, limit)
        if total <= limit:
            return text
        while self.count(kept) > limit:
            kept = self._truncate(kept, limit)[0]
        end = len(kept)
        for longer in range(min(end + _REACH, len(clean)), end, -1):
            if self.count(clean[:longer]) <= limit:
                end = longer
                break
        return text[:end]

    def _truncate(self, text: str, limit: int) -> tuple[str, int]:
        import toktok

        kept, total = toktok.truncate(text, min(limit, _ALL), self.name)
        return kept, total


class WordCounter:
    """White-space separated words as tokens: easy to check by eye, and loads nothing."""

    name = "words"

    def count(self, text: str) -> int:
        """Return the number of words in ``text``."""
        return len(text.split())

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Return the number of words in each of ``texts``."""
        return [self.count(text) for text in texts]

    def cut(self, text: str, limit: int) -> str:
        """Return ``text`` up to where the first word too many begins."""
        for number, match in enumerate(_WORD.finditer(text)):
            if number >= limit:
                return text[: match.start()]
        return text


class FileCounter:
    """Counts as the model does whose Hugging Face ``tokenizer.json`` this is.

    Special tokens (begin, end) are not added, and strings that look like one count as the text
    they are, as in ``ToktokCounter``. Raises ``UsageError`` for a path that is no file,
    ``ModelError`` for a file that is no tokenizer, ``MissingExtra`` without ``tokenizers``.
    """

    def __init__(self, path: str | Path) -> None:
        path = Path(path)
        if path.is_dir():
            path = path / "tokenizer.json"
        try:
            data = path.read_bytes()
        except OSError as error:
            hint = f"pass a tokenizer.json, {', '.join(ENCODINGS)} or words"
            raise UsageError(f"{path}: {error.strerror or error}", hint) from error
        self.name = f"{path.name}-{blake2b(data, digest_size=4).hexdigest()}"
        self._tokenizer = _load_tokenizer(data, path)

    def count(self, text: str) -> int:
        """Return the number of tokens in ``text``."""
        return len(self._tokenizer.encode(encodable(text), add_special_tokens=False))

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens in each of ``texts``."""
        return [self.count(text) for text in texts]

    def cut(self, text: str, limit: int) -> str:
        """Return the prefix of ``text`` up to the end of a token, of at most ``limit`` tokens."""
        if limit <= 0:
            return ""
        offsets = self._tokenizer.encode(encodable(text), add_special_tokens=False).offsets
        if len(offsets) <= limit:
            return text
        # A prefix is tokenised afresh and may have more tokens than it had inside the text.
        for last in range(limit - 1, -1, -1):
            kept = text[: offsets[last][1]]
            if self.count(kept) <= limit:
                return kept
        return ""


def _load_tokenizer(data: bytes, path: Path) -> Tokenizer:
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        hint = "pip install 'longleaf[lm]'"
        raise MissingExtra("counting with a tokenizer file needs the package tokenizers", hint) from error
    try:
        tokenizer = Tokenizer.from_str(data.decode())
    # The binding raises a bare Exception for JSON that is no tokenizer; nothing else runs here.
    except Exception as error:
        raise ModelError(f"{path}: this is no tokenizer: {error}", "pass a tokenizer.json") from error
    # Some files ask for a fixed length, which would count every long text the same.
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True
    return tokenizer


def counter_called(name: str) -> TokenCounter:
    """Return the counter of an encoding's name, ``words``, or the path of a ``tokenizer.json``.

    Raises what ``FileCounter`` does.
    """
    if name == "words":
        return WordCounter()
    return ToktokCounter(name) if name in ENCODINGS else FileCounter(name)


@lru_cache(maxsize=1)
def default_counter() -> TokenCounter:
    """Return the counter that budgets are given in unless the caller says otherwise."""
    return ToktokCounter()
