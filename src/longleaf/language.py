"""Words, sentences and search terms of running text.

Three small things that every stage shares: how many words a text has (the unit of the block
tree's granularity), where its sentences end, and which terms a search sees. No model, no I/O.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from Stemmer import Stemmer

# Scripts written without spaces: a letter counts as a word there (with the marks on it), because a
# whole paragraph of Chinese is one "word" to a white-space counter (faults of the reference,
# section 9.12) and only a dictionary could tell Thai words apart (UAX 29, section 4).
_IDEOGRAPHS = "\u3040-\u309f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_SOUTH_EAST_ASIAN = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_MARKS = (
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u1056-\u1059"
    "\u105e-\u1060\u1062-\u1064\u1067-\u106d\u1071-\u1074\u1082-\u108d\u17b4-\u17d3\u17dd\u200c\u200d"
)
_KATAKANA = "\u30a0-\u30ff\u31f0-\u31ff\uff66-\uff9f"
# Marks that belong to the letter before them, which \w does not know (Hindi would fall to pieces).
_JOINED = (
    "\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc"
    "\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0900-\u0963\u0966-\u0dff\u0f18-\u0fbc\u200c\u200d"
)
_UNSPACED = _IDEOGRAPHS + _SOUTH_EAST_ASIAN + _KATAKANA
_WORD = re.compile(
    rf"[{_IDEOGRAPHS}{_SOUTH_EAST_ASIAN}][{_MARKS}]*|[{_KATAKANA}]+"
    rf"|[^\W{_UNSPACED}](?:[^\W{_UNSPACED}]|[{_JOINED}])*(?:[.'’\-][^\W{_UNSPACED}](?:[^\W{_UNSPACED}]|[{_JOINED}])*)*"
)
# The same for texts without such scripts, four times as fast: nearly all of them.
_SPACED_WORD = re.compile(rf"\w[\w{_JOINED}]*(?:[.'’\-]\w[\w{_JOINED}]*)*")
_ASCII_WORD = re.compile(r"\w+(?:[.'\-]\w+)*", re.ASCII)
# They end a word more often than they begin one.
_SIGNS = tuple("+#%)]}!?.,:;*")
_LETTER = re.compile(r"[^\W_]")
_UNSPACED_LETTER = re.compile(f"[{_UNSPACED}]")
# For search, Korean is cut into pairs of syllables as well: its words carry their particles.
_UNCUT = _UNSPACED + "\uac00-\ud7af"
_UNSPACED_RUN = re.compile(rf"[{_UNCUT}]+")
_PART = re.compile(rf"[{_UNCUT}]+|[^\W_{_UNCUT}](?:[^\W_{_UNCUT}]|[{_JOINED}])*")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")

# Closed-class English words and the frame of a question ("how do I ..."): they say nothing
# about which block answers. Kept short on purpose: "not", "no", "without" carry meaning.
STOP_WORDS = frozenset(
    """a about above after again all also am an and any are aren as at be because been before being below
    between both but by can could did didn do does doesn doing don down during each few for from further get
    had has have having he her here hers him his how i if in into is isn it its itself just ll me more most
    my of off on once only or other our ours out over own re s same shall she should so some such t than
    that the their theirs them then there these they this those through to too under until up upon ve very
    was we were what when where which while who whom whose why will with would you your yours""".split()
)

_ABBREVIATIONS = frozenset(
    """e.g i.e etc vs cf al approx fig figs no nos vol pp p eq eqs sec ch dr mr mrs ms prof st inc ltd co corp
    jr sr resp viz ca est dept ed eds rev ref refs""".split()
)
_LONGEST_ABBREVIATION = max(map(len, _ABBREVIATIONS))
_LAST_WORD = re.compile(r"(?:\s|\A)[(\"'“‘\[]*(\S+)\Z")
_SENTENCE_END = re.compile(r"[.!?…]+[\"'”’)\]]*(?=\s)|[。！？]+[”’」』）]*|\n")
# Its first characters: looking for these alone is six times as fast on long texts.
_MAYBE_END = re.compile("[.!?…。！？\n]")
_NEXT_START = re.compile(r"\s*[\"'“‘(\[¿¡]*(\S)")


def count_words(text: str) -> int:
    """Return the number of words; a letter is a word in scripts without spaces."""
    return len(_pattern(text).findall(text))


def glued(left: str, right: str) -> bool:
    """Return whether two texts side by side would share a word."""
    return count_words(left + right) < count_words(left) + count_words(right)


def run_together(left: str, right: str) -> bool:
    """Return whether two texts that a page sets apart would be read as one: "Save" "Cancel", "C++" "Java"."""
    return glued(left, right) or (left[-1:] in _SIGNS and right[:1].isalnum())


def words(text: str) -> list[str]:
    """Return the words of ``text`` in order, as written."""
    return _pattern(text).findall(text)


def _pattern(text: str) -> re.Pattern[str]:
    if text.isascii():
        return _ASCII_WORD
    return _WORD if _UNSPACED_LETTER.search(text) else _SPACED_WORD


def collapse(text: str) -> str:
    """Return ``text`` with every run of white space as one space, none at the ends."""
    return " ".join(text.split())


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return ``(start, end)`` of each sentence, without surrounding white space.

    A line break ends a sentence. A full stop does not where an abbreviation, an initial or a
    small letter follows the pattern of running text ("e.g. this", "J. Smith").
    """
    spans: list[tuple[int, int]] = []
    start = seen = 0
    for place in _MAYBE_END.finditer(text):
        match = _SENTENCE_END.match(text, place.start()) if place.start() >= seen else None
        if match is None:
            continue
        seen = match.end()
        if match.group() != "\n" and not _ends_sentence(text, start, match):
            continue
        _append_span(spans, text, start, match.end())
        start = match.end()
    _append_span(spans, text, start, len(text))
    return spans


def _append_span(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        spans.append((start, end))


def _ends_sentence(text: str, start: int, match: re.Match[str]) -> bool:
    place, end = match.span()
    mark = text[place]
    if mark in "。！？":
        return True
    follower = _NEXT_START.match(text, end)
    if follower is None:
        return True
    if mark == "." and text[place + 1 : place + 2] != "." and _is_shortened(text, start, place):
        return False
    return not follower.group(1).islower()


def _is_shortened(text: str, start: int, place: int) -> bool:
    """Return whether the full stop at ``place`` belongs to an abbreviation or an initial."""
    # A word that fills this stretch is too long to be one.
    word = _LAST_WORD.search(text[max(start, place - _LONGEST_ABBREVIATION - 3) : place])
    if word is None:
        return False
    last = word.group(1).lower()
    return last in _ABBREVIATIONS or (len(last) == 1 and last.isalpha() and last != "i")


@lru_cache(maxsize=200_000)
def stem(word: str) -> str:
    """Return the English Snowball stem of a lower-case word."""
    return _stemmer().stemWord(word) if word.isascii() and len(word) > 3 else word


@lru_cache(maxsize=1)
def _stemmer() -> Stemmer:
    from Stemmer import Stemmer

    return Stemmer("english")


@lru_cache(maxsize=200_000)
def _token_terms(token: str) -> tuple[str, ...]:
    """Return the search terms of one white-space token such as ``ArgumentParser.add_argument()``."""
    parts: list[str] = []
    for run in _PART.findall(unicodedata.normalize("NFKC", token)):
        if _UNSPACED_RUN.fullmatch(run):
            # Bigrams stand in for words where a script writes no spaces.
            parts += [run[i : i + 2] for i in range(max(1, len(run) - 1))]
            continue
        lower = run.casefold()
        parts.append(lower)
        pieces = _CAMEL.split(run)
        if len(pieces) > 1:
            parts += [piece.casefold() for piece in pieces]
    return tuple(stem(part) for part in parts if part not in STOP_WORDS)


def terms(text: str) -> list[str]:
    """Return the search terms of ``text`` in order: case-folded, stop words out, stemmed.

    Identifiers give their parts (``add_argument`` gives ``add``, ``argument``); CamelCase gives
    the whole and the parts, so both spellings of a question find them.
    """
    out: list[str] = []
    for token in text.split():
        out.extend(_token_terms(token))
    return out


def has_word(text: str) -> bool:
    """Return whether ``text`` holds a letter or digit at all."""
    return _LETTER.search(text) is not None


def word_starts(text: str) -> list[int]:
    """Return the offset of each word."""
    return [match.start() for match in _pattern(text).finditer(text)]


# How far from a place a word's start is looked for; so much text without white space is data.
_WINDOWS = (200, 2000)
_AFTER_WHITE = re.compile(r"\s(?=\w)")


def word_start_near(text: str, place: int, first: int, last: int) -> int:
    """Return the start of a word near ``place``, between ``first`` and ``last``; -1 where there is none.

    One after white space is better than a nearer one inside an address or an expression.
    """
    for window in _WINDOWS:
        after = _AFTER_WHITE.search(text, max(first, place - 1), min(last, place + window))
        if after is not None:
            return after.end()
        before = [found.end() for found in _AFTER_WHITE.finditer(text, max(first, place - window), place)]
        if before:
            return before[-1]
    low = max(first, place - _WINDOWS[0])
    starts = [low + start for start in word_starts(text[low : min(last, place + _WINDOWS[0])])]
    # Where the window begins inside a word, its first word begins elsewhere.
    starts = [start for start in starts if start > low]
    at = bisect_left(starts, place)
    return starts[at] if at < len(starts) else starts[-1] if starts else -1
