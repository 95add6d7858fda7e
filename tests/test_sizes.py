"""How large the parts of a page are."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checks import tree_of
from longleaf.language import count_words
from longleaf.sizes import BYTES_PER_WORD, DATA_BYTES, cut_words, halve, weight_of

FEW = settings(max_examples=150, deadline=None)
TEXT = st.text(st.sampled_from("ab _.-,\n漢ส"), max_size=400)


@pytest.mark.parametrize(
    ("text", "weight"),
    [("one two", 2), ("", 0), ("a" * 160, 10), ("漢" * 20, 20), ("- " * 100, 12)],
)
def test_a_text_weighs_its_words_or_what_its_bytes_cost(text, weight):
    assert weight_of(text) == weight


@FEW
@given(TEXT, st.integers(1, 20))
def test_pieces_cover_the_text_and_no_word_is_cut(text, limit):
    pieces = cut_words(text, limit)
    assert [start for start, _ in pieces] == sorted({start for start, _ in pieces})
    assert pieces[0][0] == 0
    stops = [start for start, _ in pieces[1:]] + [len(text)]
    counts = [count_words(text[start:stop]) for (start, _), stop in zip(pieces, stops, strict=True)]
    assert counts == [words for _, words in pieces]
    assert sum(counts) == count_words(text)
    assert all(count <= max(1, limit) for count in counts)


@FEW
@given(TEXT, st.integers(1, 9), st.integers(1, 4))
def test_a_smaller_limit_refines(text, limit, factor):
    coarse = {start for start, _ in cut_words(text, limit * factor)}
    assert coarse <= {start for start, _ in cut_words(text, limit)}


def test_data_without_white_space_is_cut_by_bytes():
    pieces = cut_words("x" * 100_000, 128)
    assert all(b - a <= BYTES_PER_WORD * 128 for (a, _), (b, _) in pairwise(pieces))
    assert len(cut_words("x" * DATA_BYTES, 1)) == 1


def test_no_block_is_larger_than_its_bytes_allow():
    tree = tree_of(f"<p>{'QUJD' * 20_000}</p><pre>{'0x00,' * 5_000}</pre><p>End.</p>", 64)
    assert max(len(block.text) for block in tree.blocks) <= BYTES_PER_WORD * 64
    said = "".join(block.text.replace("\n", "") for block in tree.blocks)
    assert said == "QUJD" * 20_000 + "0x00," * 5_000 + "End."


def test_a_long_address_weighs_what_it_costs():
    link = f"<li><a href='http://x.test/?{'q' * 4000}'>short</a></li>"
    assert len(tree_of(f"<ul>{link * 8}</ul>", 128).blocks) == 8
    assert len(tree_of("<ul>" + "<li><a href=x>short</a></li>" * 8 + "</ul>", 128).blocks) == 1


@FEW
@given(st.lists(st.integers(0, 9), max_size=40), st.integers(1, 20))
def test_halving_takes_the_middle(weights, limit):
    groups = halve(weights, limit)
    assert [group[0] for group in groups[1:]] == [group[1] for group in groups[:-1]]
    assert all(last - first <= 1 or sum(weights[first:last]) <= limit for first, last in groups)
