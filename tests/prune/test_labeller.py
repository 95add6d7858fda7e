"""From tokens' probabilities to sentences, and from sentences to blocks."""

import re

import pytest

from checks import tree_of
from longleaf.prune.labeller import LabelPruner, best_sentence
from longleaf.prune.lexical import KIND_SHARE


class Words:
    """Labels each word with a probability of its own; other words have none."""

    name = "scripted"

    def __init__(self, **keep):
        self.keep = keep
        self.asked = []

    def label(self, question, texts):
        self.asked += texts
        return [
            [(m.start(), m.end(), self.keep.get(m.group().casefold(), 0.0)) for m in re.finditer(r"\w+", t)]
            for t in texts
        ]


def test_a_block_has_the_mean_of_its_best_sentence():
    (block,) = tree_of("<p>It burns eleven hours. Herons nest in reed beds. It burns.</p>").blocks
    labels = Words(burns=0.9, hours=0.7).label("", [block.scored_text])[0]
    assert best_sentence(block, labels) == pytest.approx(0.9 / 2)
    assert best_sentence(block, [label for label in labels if label[1] < 24]) == pytest.approx(1.6 / 4)
    assert best_sentence(block, []) == 0.0


def test_headings_are_read_but_are_no_sentences_of_the_block():
    tree = tree_of("<h2>Battery burns</h2><p>Eleven hours.</p><p>Herons nest.</p>", 2)
    labeller = Words(battery=1.0, burns=1.0, hours=0.5)
    scores = dict(zip([b.text for b in tree.blocks], LabelPruner(labeller).score([tree], "?"), strict=True))
    assert scores["Eleven hours."] == pytest.approx(0.25) and scores["Herons nest."] == 0.0
    assert any("Battery burns" in text and "Eleven" in text for text in labeller.asked)


def test_links_keep_their_share_and_all_are_probabilities():
    tree = tree_of(
        "<p>It burns.</p><nav><a href=a>burns</a> <a href=b>burns</a> <a href=c>burns</a></nav><hr>", 4
    )
    scores = LabelPruner(Words(burns=1.0, it=1.0)).score([tree, tree], "?")
    kinds = [block.kind for block in tree.blocks] * 2
    assert len(scores) == len(kinds) and {"prose", "links"} <= set(kinds)
    for kind, score in zip(kinds, scores, strict=True):
        assert score in (0.0, pytest.approx(KIND_SHARE.get(kind, 1.0)))
    assert scores[kinds.index("links")] == pytest.approx(KIND_SHARE["links"])


def test_equal_texts_are_read_once():
    tree, labeller = tree_of("<p>lamp one</p><hr><p>lamp one</p>", 2), Words(lamp=1.0)
    LabelPruner(labeller).score([tree, tree], "?")
    assert labeller.asked == ["lamp one"]
    assert LabelPruner(labeller).score([], "?") == []
