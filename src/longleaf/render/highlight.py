"""Quotes marked in the HTML they were taken from.

A quote is text and the HTML has tags, other white space and other marks around figures
(``10^6`` for a raised 6). So only letters and digits are compared, across all tags.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from longleaf.render.sanitise import Part


@dataclass(frozen=True, slots=True)
class Quote:
    """Words to find, what stands before and after them, and the id that their place gets."""

    text: str
    prefix: str
    suffix: str
    id: str


@dataclass(frozen=True, slots=True)
class _Letters:
    """The letters and digits of some parts in a row, and the part and offset of each."""

    text: str
    places: list[tuple[int, int]]


def mark_quotes(parts: Sequence[Part], quotes: Sequence[Quote]) -> tuple[list[Part], set[str]]:
    """Return the parts with every quote in ``mark`` elements, and the ids of those found.

    A mark never spans a tag, so the result is as balanced as the input. Before the first mark
    of a quote stands an empty ``span`` with its id.
    """
    letters = _letters(parts)
    marked: dict[int, list[tuple[int, int]]] = {}
    ids: dict[tuple[int, int], list[str]] = {}
    for quote in quotes:
        pieces = list(_pieces(parts, letters, quote))
        for number, start, end in pieces:
            marked.setdefault(number, []).append((start, end))
        if pieces:
            ids.setdefault(pieces[0][:2], []).append(quote.id)
    out: list[Part] = []
    for at, part in enumerate(parts):
        out += _with_marks(part, _segments(marked[at]), at, ids) if at in marked else [part]
    return out, {name for names in ids.values() for name in names}


def _letters(parts: Sequence[Part]) -> _Letters:
    places = [
        (at, offset)
        for at, part in enumerate(parts)
        if part.is_text
        for offset, char in enumerate(part.text)
        if char.isalnum()
    ]
    return _Letters("".join(parts[at].text[offset] for at, offset in places), places)


def _only_letters(text: str) -> str:
    return "".join(char for char in text if char.isalnum())


def _pieces(parts: Sequence[Part], letters: _Letters, quote: Quote) -> Iterator[tuple[int, int, int]]:
    """Yield (part, start, end) of each text that a quote covers, if it is there at all."""
    wanted = _only_letters(quote.text)
    at = _best_place(letters.text, wanted, _only_letters(quote.prefix), _only_letters(quote.suffix))
    if at < 0:
        return
    inner = [n for n, char in enumerate(quote.text) if char.isalnum()]
    head, tail = quote.text[: inner[0]], quote.text[inner[-1] + 1 :]
    first = _reach(parts, letters.places[at], head[::-1], -1)
    last = _reach(parts, letters.places[at + len(wanted) - 1], tail, 1)
    for number in range(first[0], last[0] + 1):
        text = parts[number].text
        if not parts[number].is_text or not text.strip():
            continue
        start = first[1] if number == first[0] else 0
        end = last[1] + 1 if number == last[0] else len(text)
        if text[start:end].strip():
            yield number, start, end


def _best_place(text: str, wanted: str, prefix: str, suffix: str) -> int:
    """Return where ``wanted`` stands with the most of its context around it, or -1."""
    best, best_score = -1, -1
    at = text.find(wanted) if wanted else -1
    while at >= 0:
        end = at + len(wanted)
        before, after = text[max(0, at - len(prefix)) : at], text[end : end + len(suffix)]
        score = _common(before[::-1], prefix[::-1]) + _common(after, suffix)
        if score > best_score:
            best, best_score = at, score
        at = text.find(wanted, at + 1)
    return best


def _common(one: str, other: str) -> int:
    return next(
        (n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )


def _reach(parts: Sequence[Part], place: tuple[int, int], marks: str, step: int) -> tuple[int, int]:
    """Move an end of a quote over the punctuation it has there, through inline tags, white space apart."""
    wanted = iter("".join(marks.split()))
    mark = next(wanted, "")
    number, offset = place[0], place[1] + step
    while mark and 0 <= number < len(parts) and not parts[number].block:
        text = parts[number].text if parts[number].is_text else ""
        while mark and 0 <= offset < len(text):
            if text[offset] == mark:
                place, mark = (number, offset), next(wanted, "")
            elif not text[offset].isspace():
                return place
            offset += step
        number += step
        offset = 0 if step > 0 or not 0 <= number < len(parts) else len(parts[number].text) - 1
    return place


def _segments(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return what the ranges cover, cut wherever one of them starts or ends."""
    cuts = sorted({place for pair in ranges for place in pair})
    return [(a, b) for a, b in pairwise(cuts) if any(start <= a and b <= end for start, end in ranges)]


def _with_marks(
    part: Part, ranges: list[tuple[int, int]], at: int, ids: dict[tuple[int, int], list[str]]
) -> Iterator[Part]:
    done = 0
    for start, end in ranges:
        if start > done:
            yield Part(part.text[done:start], True)
        for name in ids.get((at, start), ()):
            yield Part(f'<span class="at" id="{name}"></span>', False)
        yield Part("<mark>", False)
        yield Part(part.text[start:end], True)
        yield Part("</mark>", False)
        done = end
    if done < len(part.text):
        yield Part(part.text[done:], True)
