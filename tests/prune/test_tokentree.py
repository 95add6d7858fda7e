"""Paths as tokens: what is merged, what a model has to be asked, and what the blocks score."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longleaf.prune.tokentree import path_scores, sibling_log_probabilities, token_tree

PATHS = st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=6), min_size=1, max_size=12)


def texts(words):
    """Paths as one token a character, read easily in a test."""
    return token_tree([[ord(c) for c in word] for word in words])


def test_paths_that_begin_alike_are_merged():
    tree = texts(["abc", "abd", "ax"])
    assert "".join(map(chr, tree.token)) == "abcdx"
    assert tree.parent == (-1, 0, 1, 1, 0)
    assert tree.ends == (2, 3, 4)
    assert tree.branches == (0, 1)
    assert tree.fed == (0, 1)
    assert tree.skipped == pytest.approx(1 / 5)  # the root alone


def test_the_six_node_page_by_hand():
    # <html><body>(<div1>(<p1>, <p2>), <div2>): a token is a tag; the model says 1 to 3, and 1 to 1.
    tree = token_tree([[0, 1, 2, 4], [0, 1, 2, 5], [0, 1, 3]])
    assert len(tree) == 6
    assert [tree.children[node] for node in tree.branches] == [(2, 5), (3, 4)]
    logs = sibling_log_probabilities(tree, [np.log([1, 3]), np.log([5, 5])])
    assert logs.tolist() == pytest.approx([0, 0, *np.log([0.25, 0.5, 0.5, 0.75])])
    assert path_scores(tree, logs) == pytest.approx([math.log(0.125), math.log(0.125), math.log(0.75)])
    shared = [math.log(0.125) / 2, math.log(0.125) / 2, math.log(0.75)]
    assert path_scores(tree, logs, normalised=True) == pytest.approx(shared)


@given(PATHS, st.randoms(use_true_random=False), st.floats(-50, 50))
def test_siblings_sum_to_one_and_scores_are_sums(paths, random, shift):
    tree = token_tree(paths)
    logits = [np.array([random.uniform(-9, 9) for _ in tree.children[node]]) for node in tree.branches]
    logs = sibling_log_probabilities(tree, logits)
    for children in tree.children.values():
        assert not children or math.isclose(sum(math.exp(logs[c]) for c in children), 1)
    scores = path_scores(tree, logs)
    for path, end, score in zip(paths, tree.ends, scores, strict=True):
        above, total = end, 0.0
        read = []
        while above >= 0:
            read.append(tree.token[above])
            total += logs[above]
            above = tree.parent[above]
        assert read[::-1] == path
        assert score == pytest.approx(total)
    # A number added to all logits of a branch changes nothing.
    shifted = sibling_log_probabilities(tree, [values + shift for values in logits])
    assert np.allclose(shifted, logs)


@given(PATHS)
def test_nodes_are_in_depth_first_order_and_what_is_fed_leads_to_choices(paths):
    tree = token_tree(paths)
    assert all(up < node for node, up in enumerate(tree.parent))
    assert {node for node in tree.branches if node >= 0} <= set(tree.fed)
    for node in tree.fed:
        assert tree.parent[node] in (*tree.fed, -1)
        assert any(tree.children[node])
    assert len({tuple(path) for path in paths}) == len(set(tree.ends))
    assert tree.depth(-1) == 0
    assert all(tree.depth(end) == len(path) for path, end in zip(paths, tree.ends, strict=True))


def test_one_path_needs_no_model():
    tree = token_tree([[1, 2, 3]])
    assert tree.branches == ()
    assert tree.fed == ()
    assert path_scores(tree, sibling_log_probabilities(tree, [])) == [0.0]
    assert token_tree([]).ends == ()
    assert token_tree([[]]).ends == (-1,)
