"""What ranks blocks: BM25, and its mix with vectors."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks import REAL, real_tree, tree_of
from longleaf.language import terms
from longleaf.models.scripted import HashEncoder
from longleaf.prune import make_pruner
from longleaf.prune.embed import LEXICAL_SHARE, EmbedPruner, mix, scaled
from longleaf.prune.lexical import K1, KIND_SHARE, B, Bm25, LexicalPruner, bag, kind_share, query_terms

PAGE = (
    "<h1>Lamps</h1><h2>Battery</h2><p>It lasts eleven hours.</p><h2>Warranty</h2><p>It covers two years.</p>"
    "<nav><a href=a>battery</a> <a href=b>hours</a> <a href=c>lasts</a></nav>"
)


def best(blocks, scores):
    return blocks[max(range(len(blocks)), key=lambda i: scores[i])]


def test_bm25_by_hand():
    index = Bm25([Counter("aab"), Counter("b"), Counter("c")])
    idf = math.log(1 + (3 - 1 + 0.5) / (1 + 0.5))
    weight = 2 * (K1 + 1) / (2 + K1 * (1 - B + B * 3 / (5 / 3)))
    assert index.scores({"a": 1.0}).tolist() == pytest.approx([idf * weight, 0, 0])
    assert index.scores({"a": 2.0})[0] == pytest.approx(2 * idf * weight)
    assert index.scores({"z": 1.0, "b": 0.0}).tolist() == [0, 0, 0]
    assert index.weight("a") == pytest.approx(idf)
    assert index.weight("z") == pytest.approx(math.log1p(3.5 / 0.5))


@pytest.mark.parametrize("bags", [[], [Counter()], [Counter(), Counter()]])
def test_bm25_of_nothing(bags):
    assert Bm25(bags).scores({"a": 1.0}).tolist() == [0.0] * len(bags)


@given(st.lists(st.lists(st.sampled_from("abcd"), max_size=6), max_size=6))
def test_bm25_never_goes_below_zero_and_finds_only_what_is_there(docs):
    scores = Bm25(Counter(doc) for doc in docs).scores({"a": 1.0})
    assert [score > 0 for score in scores] == ["a" in doc for doc in docs]


def test_headings_take_part_and_links_and_headings_alone_do_not_win():
    tree = tree_of(PAGE, 6)
    blocks = tree.blocks
    scores = LexicalPruner().score([tree], "How long does the battery last?")
    assert best(blocks, scores).text == "It lasts eleven hours."
    assert best(blocks, LexicalPruner().score([tree], "the warranty")).text == "It covers two years."
    assert bag(blocks[-1])["batteri"] == 1
    (links,) = [b for b in blocks if b.kind == "links"]
    assert kind_share(links) == KIND_SHARE["links"]


def test_rows_of_links_are_data_where_a_header_row_says_so():
    rows = "".join(
        f"<tr><td><a href={i}>lamp {i}</a></td><td><a href=x{i}>town {i}</a></td></tr>" for i in range(20)
    )
    headed = tree_of(f"<table><tr><th>Name</th><th>Town</th></tr>{rows}</table>", 64).blocks
    bare = tree_of(f"<table>{rows}</table>", 64).blocks
    assert [b.kind for b in headed[1:]] == ["links"] * (len(headed) - 1)
    assert {kind_share(b) for b in headed[1:]} == {1.0}
    assert {kind_share(b) for b in bare} == {KIND_SHARE["links"]}


def test_question_terms_count_once():
    assert query_terms("lamp lamps LAMP") == {terms("lamp")[0]: 1.0}


@pytest.mark.parametrize("path", REAL, ids=lambda p: p.name)
def test_same_blocks_same_scores(path):
    tree = real_tree(path)
    for pruner in (LexicalPruner(), EmbedPruner(HashEncoder())):
        once, twice = (pruner.score([tree], "which module parses options") for _ in range(2))
        assert once == twice
        assert len(once) == len(tree.blocks)
        assert len(set(once)) > 1


def test_scaled():
    assert scaled(np.array([2, 4, 3], np.float32)).tolist() == [0, 1, 0.5]
    assert scaled(np.array([2, 2], np.float32)).tolist() == [0, 0]
    assert scaled(np.zeros(0, np.float32)).tolist() == []


def test_mix():
    one, none = np.array([1, 0], np.float32), np.array([0, 5], np.float32)
    assert mix(one, none).tolist() == pytest.approx([LEXICAL_SHARE, 1 - LEXICAL_SHARE])


class Letters:
    """An encoder that counts letters, so that what is alike is plain to see."""

    name = "letters"
    dims = 26

    def encode(self, texts, progress=None):
        rows = np.array([[t.lower().count(chr(97 + i)) for i in range(26)] for t in texts], np.float32)
        return rows / np.maximum(1e-9, np.linalg.norm(rows, axis=1, keepdims=True))


def test_the_trail_and_the_text_are_both_compared():
    page = "<h2>zzzz</h2><p>aaaa</p><h2>yyyy</h2><p>aaaa</p><h2>xxxx</h2><p>cccc</p>"
    tree = tree_of(page, 1)
    scores = EmbedPruner(Letters()).score([tree], "zzzz cccc")
    text = {b.id: (b.headings, b.text) for b in tree.blocks}
    by_place = {text[i]: score for i, score in enumerate(scores)}
    assert best(tree.blocks, scores).text == "cccc"
    assert by_place[("zzzz",), "aaaa"] > by_place[("yyyy",), "aaaa"]
    assert 0 <= min(scores) <= max(scores) <= 1


class Counting:
    """An encoder that says how much it was asked."""

    name = "counting"

    def __init__(self):
        self.asked = 0

    def encode(self, texts):
        self.asked += len(texts)
        return np.ones((len(texts), 4), np.float32)


def test_only_the_most_promising_are_encoded():
    tree = tree_of("".join(f"<p>lamp{i} burns</p>" for i in range(50)), 2)
    encoder = Counting()
    scores = EmbedPruner(encoder, most=7).score([tree], "lamp33")
    assert encoder.asked == 1 + 7
    assert best(tree.blocks, scores).text == "lamp33 burns"
    assert EmbedPruner(encoder).score([], "lamp") == []
    assert encoder.asked == 1 + 7


def test_an_encoder_given_is_the_one_used():
    encoder = Counting()
    assert make_pruner("embed", encoder).encoder is encoder
    assert make_pruner("auto", encoder).name == "embed"
    assert make_pruner("lexical", encoder).name == "lexical"
