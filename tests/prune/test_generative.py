"""Blocks ranked by the probability of their paths: with numbers by hand, and with a real (tiny) model."""

import math
import re
from html import unescape

import numpy as np
import pytest

from checks import REAL, TABLED, real_tree, tree_of
from longleaf.blocks import block_tree
from longleaf.clean import clean
from longleaf.errors import ModelError
from longleaf.models.scripted import ScriptedLM
from longleaf.prune import prune_trees
from longleaf.prune.generative import NULL_QUESTION, GenerativePruner, Place
from longleaf.prune.prompt import labelled, message, path_text
from longleaf.prune.tokentree import path_scores
from longleaf.serialise.text import to_text
from longleaf.types import Document
from tiny import tiny_lm

torch = pytest.importorskip("torch")
CLOSE = 1e-4
SMALL = "<div><p>one is here</p><p>two is here</p></div><div>three is here</div>"


def by_digit(weights):
    """A model that knows one thing: how much it likes each digit."""

    def score(prompt, written, candidates):
        return [math.log(weights.get(c, 1)) for c in candidates]

    return ScriptedLM(score)


def test_the_worked_example():
    tree = tree_of(SMALL, 3)
    assert [path_text(b) for b in tree.blocks] == [
        "<html><body><div1><p1>",
        "<html><body><div1><p2>",
        "<html><body><div2>",
    ]
    lm = by_digit({"1": 1, "2": 3})
    scores = GenerativePruner(lm).score([tree], "which?")
    assert scores == pytest.approx([math.log(1 / 16), math.log(3 / 16), math.log(3 / 4)])
    halved = GenerativePruner(lm, normalised=True).score([tree], "which?")
    assert halved == pytest.approx([math.log(1 / 16) / 2, math.log(3 / 16) / 2, math.log(3 / 4)])
    (prompt,) = set(lm.prompts)
    assert prompt == message(labelled(tree, range(3)), "which?")
    assert (
        "<body><div1><p1>one is here</p1><p2>two is here</p2></div1><div2>three is here</div2></body>"
        in prompt
    )
    assert prompt.index("three") < prompt.index("which?")  # the page first: it is reused


def test_the_correction_takes_the_prior_off():
    def score(prompt, written, candidates):
        liked = "2" if NULL_QUESTION in prompt or "three" in prompt.split("Question: ")[1] else "1"
        return [2.0 if c == liked else 0.0 for c in candidates]

    tree = tree_of(SMALL, 3)
    plain = GenerativePruner(ScriptedLM(score), corrected=True).score([tree], "where is three?")
    assert plain == pytest.approx([0, 0, 0])
    other = GenerativePruner(ScriptedLM(score), corrected=True).score([tree], "where is one?")
    assert other[0] > 0 > other[2]


@pytest.mark.parametrize("path", [*REAL, TABLED], ids=lambda p: p.name)
def test_every_block_has_a_path_of_its_own_that_the_model_can_see(path):
    tree = real_tree(path)
    paths = [path_text(block) for block in tree.blocks]
    assert len(set(paths)) == len(paths)
    shown = labelled(tree, range(len(tree.blocks)))
    for label in {label for written in paths for label in written[1:-1].split("><")}:
        assert f"<{label}>" in shown
    # Nothing is lost: without its tags, the prompt holds the words of the page, in order.
    read = unescape(re.sub("<[^>]*>", " ", shown))
    assert "".join(read.split()) == "".join(to_text(tree.page.nodes).split())


def test_part_labels_stand_where_the_parts_begin():
    html = (
        "<p>One two three. Four five six. Seven eight nine.</p><div>loose <b>words</b><p>in</p>tail end</div>"
    )
    tree = tree_of(html, 3)
    shown = labelled(tree, range(len(tree.blocks)))
    assert "<p><part1>One two three. <part2>Four five six. <part3>Seven eight nine.</p>" in shown
    assert "<div><text1>loose <b>words</b><p>in</p><text2>tail end</div>" in shown
    assert "<p><part2>Four five six. </p>" in labelled(tree, [1])
    assert "<p><part1>One two three. <part3>Seven eight nine.</p>" in labelled(tree, [0, 2])


def test_text_cannot_pass_for_a_tag_and_attributes_stay_out():
    tree = tree_of('<p title="secret">a &lt;html&gt;&lt;body&gt; b</p>')
    assert "<p>a &lt;html&gt;&lt;body&gt; b</p>" in labelled(tree, [0])
    assert "secret" not in labelled(tree, [0])


def naive_scores(lm, pruner, tree, question):
    """Return the sum of log-probabilities among siblings, a forward over the whole text for each choice."""
    places = [Place(0, b.id) for b in tree.blocks]
    scores = []
    for made in pruner.queries([tree], places, question):
        logs = np.zeros(len(made.tree))
        for node in made.tree.branches:
            children = list(made.tree.children[node])
            logits = _naive_logits(lm, made, node)[[made.tree.token[c] for c in children]]
            logs[children] = torch.log_softmax(logits, -1).numpy()
        share = math.log(len(made.places) / len(places))
        scores += [score + share for score in path_scores(made.tree, logs)]
    return scores


def _naive_logits(lm, made, node):
    written = []
    while node >= 0:
        written.append(made.tree.token[node])
        node = made.tree.parent[node]
    ids = torch.tensor([[*made.query.prompt, *reversed(written)]])
    with torch.inference_mode():
        return lm.model(input_ids=ids).logits[0, -1].double()


@pytest.mark.parametrize("path", REAL, ids=lambda p: p.name)
def test_mask_walk_and_naive_forwards_agree_on_real_pages(path):
    tree = real_tree(path)
    question = "How do I make an environment?"
    expected = naive_scores(tiny_lm(), GenerativePruner(tiny_lm()), tree, question)
    for method in ("tree", "depth-first"):
        scores = GenerativePruner(tiny_lm("llama", method)).score([tree], question)
        assert np.abs(np.subtract(scores, expected)).max() < CLOSE


def test_scores_change_with_the_question_and_with_the_page():
    tree = real_tree(REAL[2])
    pruner = GenerativePruner(tiny_lm())
    first, second = (pruner.score([tree], q) for q in ("What is pip?", "Where is the script?"))
    assert np.abs(np.subtract(first, second)).max() > 0.01
    other = Document.from_html(REAL[2].read_text().replace("environment", "surroundings"))
    third = pruner.score([block_tree(clean(other))], "What is pip?")
    assert len(third) == len(first)
    assert np.abs(np.subtract(first, third)).max() > 0.01
    assert pruner.score([tree], "What is pip?") == pytest.approx(first, abs=CLOSE)


def test_a_page_over_the_context_is_split_between_subtrees():
    html = "".join(
        f"<div>{''.join(f'<p>word {i} {j} is here</p>' for j in range(4))}</div>" for i in range(6)
    )
    tree = tree_of(html, 5)
    whole = by_digit({})
    GenerativePruner(whole).score([tree], "which?")
    lm = by_digit({})
    lm.context = len(whole.prompts[0]) * 2 // 3
    pruner = GenerativePruner(lm)
    made = pruner.queries([tree], [Place(0, b.id) for b in tree.blocks], "which?")
    assert [p for query in made for p in query.places] == [Place(0, b.id) for b in tree.blocks]
    assert all(len(query.query.prompt) <= lm.context for query in made)
    for query in made:  # no div is torn
        ends = {tree.blocks[p.block].path.split(">")[2] for p in query.places}
        assert sum(tree.blocks[p.block].path.split(">")[2] in ends for p in query.places) == 4 * len(ends)
    # To a model that likes nothing more than the rest every block is as good, wherever it was shown.
    scores = pruner.score([tree], "which?")
    assert scores == pytest.approx([math.log(1 / 24)] * 24)


def test_not_even_one_block_fits():
    lm = by_digit({})
    lm.context = 100
    with pytest.raises(ModelError, match="reads 100 tokens; one block and the question have"):
        GenerativePruner(lm).score([tree_of(SMALL, 3)], "which?")


def test_several_pages_share_one_prompt_and_are_told_apart():
    trees = [tree_of(SMALL, 3), tree_of("<p>four is here</p>", 3)]
    lm = by_digit({"2": 3})
    scores = GenerativePruner(lm).score(trees, "which?")
    assert len(scores) == 4
    assert scores[3] == pytest.approx(math.log(3 / 4))
    (prompt,) = lm.prompts
    assert "<html1>" in prompt
    assert "<html2><body><p>four is here</p></body></html2>" in prompt.replace("<head></head>", "")


def test_it_prunes():
    tree = tree_of(SMALL, 3)
    pruned = prune_trees([tree], "which?", 30, GenerativePruner(by_digit({"2": 3})))
    assert "three is here" in pruned.html
    assert "one is here" not in pruned.html
    assert pruned.tokens_after <= 30
