"""How large the parts of a page are, and how neighbours are grouped into blocks.

The unit is the paper's word. Beside it stands a bound on tokens: no token is shorter than a byte,
so text that says little in many bytes (encoded data, addresses) weighs what it costs.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate

from longleaf.language import count_words, word_start_near
from longleaf.serialise.stand_in import STAND_INS, stand_in
from longleaf.types import Nodes

# A word of running text has 6 bytes with its space, one of code 10 (documentation pages), so this
# binds neither; 128 words are at most 2 KB of text: some 500 tokens of prose, 1,300 of base64.
BYTES_PER_WORD = 16
# An address is part of a link; one that is longer than this is data.
FREE_ATTRIBUTE_BYTES = 256
# A text this long is cut whatever its words are; counting them would take memory and time.
COUNTED = 1 << 16
BYTES_OF_PROSE = 6
# A word that is longer than this is none: it is cut inside.
DATA_BYTES = 1024


_SPEAKING = STAND_INS - {"input"}


def node_words(nodes: Nodes) -> list[int]:
    """Return the words of each text node (estimated where it is larger than a block) and picture.

    Pictures and labels count; what stands in a field does not.
    """
    counts = [_count(text) if text else 0 for text in nodes.text]
    if not _SPEAKING.isdisjoint(nodes.tag):
        for node, tag in enumerate(nodes.tag):
            if tag in _SPEAKING:
                counts[node] = count_words(stand_in(nodes, node))
    return counts


def _count(text: str) -> int:
    return count_words(text) if len(text) <= COUNTED else len(text) // BYTES_OF_PROSE


def node_weights(nodes: Nodes, words: Sequence[int]) -> Sequence[int]:
    """Return the weight of each node: its words, or more where it costs more tokens than words do."""
    weights = list(words)
    for node, text in enumerate(nodes.text):
        if text and (len(text) >= BYTES_PER_WORD * (words[node] + 1) or not text.isascii()):
            weights[node] = weight_of(text, words[node])
    sizes: dict[int, int] = {}  # elements that are alike share their attributes
    for node, attrs in enumerate(nodes.attrs):
        if attrs:
            size = sizes.get(id(attrs))
            if size is None:
                size = sizes[id(attrs)] = sum(map(len, attrs.values()))
            if size > FREE_ATTRIBUTE_BYTES:
                weights[node] += (size - FREE_ATTRIBUTE_BYTES) // BYTES_PER_WORD
    return weights


def weight_of(text: str, words: int | None = None) -> int:
    """Return the weight of a text."""
    count = _count(text) if words is None else words
    size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
    return max(count, size // BYTES_PER_WORD)


def halve(weights: Sequence[int], limit: int) -> list[tuple[int, int]]:
    """Group neighbours into ranges of at most ``limit``, by cutting the middle again and again.

    Independent of the limit in where it cuts, so that a smaller limit refines a larger one.
    A single item over the limit stays alone.
    """
    total = [0, *accumulate(weights)]
    groups: list[tuple[int, int]] = []
    stack = [(0, len(weights))]
    while stack:
        first, last = stack.pop()
        if last - first <= 1 or total[last] - total[first] <= limit:
            groups.append((first, last))
            continue
        middle = _nearest(total, (total[first] + total[last]) / 2, first + 1, last - 1)
        stack += [(middle, last), (first, middle)]
    return groups


def _nearest(total: Sequence[int], goal: float, first: int, last: int) -> int:
    """Return the first place in ``first .. last`` whose total is nearest to the goal."""
    right = bisect_left(total, goal, first, last)
    if right > first and goal - total[right - 1] <= total[right] - goal:
        return bisect_left(total, total[right - 1], first, right)
    return right


def cut_words(text: str, limit: int) -> list[tuple[int, int]]:
    """Return the pieces of a sentence or line that is over the limit: where each starts, and its words.

    Cut in the middle, again and again: between words, and inside one only where it alone is data.
    """
    pieces: list[tuple[int, int]] = []
    size = max(BYTES_PER_WORD * limit, DATA_BYTES)
    stack = [(0, len(text))]
    while stack:
        first, last = stack.pop()
        # What is sure to be too long is not counted: that keeps this linear.
        counts = last - first <= size and text.count(" ", first, last) <= 2 * limit
        words = count_words(text[first:last]) if counts else limit + 1
        middle = -1
        if words > limit or weight_of(text[first:last], words) * BYTES_PER_WORD > size:
            middle = word_start_near(text, (first + last) // 2, first, last)
            if middle < 0 and last - first > size:
                middle = (first + last) // 2
        if middle < 0:
            pieces.append((first, words if counts else count_words(text[first:last])))
        else:
            stack += [(middle, last), (first, middle)]
    return pieces
