"""A block's score in the light of its section and neighbours."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks import REAL, real_tree, tree_of
from longleaf.prune.context import NEIGHBOUR_SHARE, SECTION_SHARE, in_context, sections
from strategies import LIMITS, pages

PAGE = "<p>before</p><h2>One</h2><p>a</p><p>b</p><h3>Inner</h3><p>c</p><h2>One</h2><p>d</p><p>e</p>"


def test_sections_are_heading_elements_not_their_words():
    tree = tree_of(PAGE, 1)
    number = dict(zip((b.text for b in tree.blocks if b.kind != "heading"), _texts(tree), strict=True))
    assert number["a"] == number["b"]
    assert number["d"] == number["e"] != number["a"]
    assert len({number[t] for t in ("before", "a", "c", "d")}) == 4


def _texts(tree):
    return [n for n, b in zip(sections(tree), tree.blocks, strict=True) if b.kind != "heading"]


def test_a_block_that_opens_with_its_heading_is_of_that_section():
    tree = tree_of(f"<h2>One</h2><p>a</p><div><h2>Two</h2><p>b</p></div><div><p>{'c ' * 9}</p></div>", 4)
    opens = next(b for b in tree.blocks if "b" in b.text.split())
    assert opens.text.startswith("Two")
    after = next(b for b in tree.blocks if b.text.startswith("c"))
    number = sections(tree)
    assert number[opens.id] == number[after.id] != number[0]


def test_shares_by_hand():
    tree = tree_of("<h2>One</h2><p>a</p><p>b</p><p>c</p>", 1)
    scores = np.zeros(len(tree.blocks), np.float32)
    scores[-1] = 1
    found = in_context([tree], scores)
    section = SECTION_SHARE / (1 + SECTION_SHARE)
    whole = 1 + NEIGHBOUR_SHARE
    assert found[-1] == pytest.approx((1 + NEIGHBOUR_SHARE * section) / whole)
    assert found[-2] == pytest.approx((section + NEIGHBOUR_SHARE) / whole)
    assert found[-3] == pytest.approx(section)


def test_pages_do_not_touch():
    one, two = tree_of("<p>a</p><p>b</p>", 1), tree_of("<p>c</p><p>d</p>", 1)
    apart = in_context([one, two], np.array([0, 0, 1, 0], np.float32))
    assert apart[:2].tolist() == [0, 0]
    assert apart[2:].tolist() == in_context([two], np.array([1, 0], np.float32)).tolist()
    assert in_context([], np.zeros(0, np.float32)).tolist() == []


@given(pages(), LIMITS, st.randoms(use_true_random=False))
def test_the_scale_stays_and_the_best_of_a_page_stays_best(html, limit, random):
    tree = tree_of(html, limit)
    if tree is not None:
        scores = np.array([random.random() for _ in tree.blocks], np.float32)
        found = in_context([tree], scores)
        assert len(found) == len(scores)
        assert 0 <= found.min() <= found.max() <= scores.max() + 1e-6


@pytest.mark.parametrize("path", REAL, ids=lambda p: p.name)
def test_every_block_of_a_real_page_has_a_section(path):
    tree = real_tree(path)
    number = sections(tree)
    assert len(number) == len(tree.blocks)
    # Blocks of one section stand together.
    assert len(set(number)) > 1
