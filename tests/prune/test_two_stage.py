"""First by embedding to a coarse budget, then by a language model; and rankers that rescore the best."""

import math

import pytest

from checks import REAL, TABLED, real_tree, tree_of
from longleaf.blocks import block_tree
from longleaf.models.scripted import HashEncoder, ScriptedLM
from longleaf.prune import prune_trees
from longleaf.prune.embed import EmbedPruner
from longleaf.prune.generative import GenerativePruner
from longleaf.prune.lexical import LexicalPruner
from longleaf.prune.likelihood import LikelihoodPruner, YesNoPruner
from longleaf.prune.rescore import best_of, put_above
from longleaf.prune.two_stage import TwoStagePruner
from longleaf.tokens import WordCounter, default_counter


def flat(prompt, written, candidates):
    return [0.0] * len(candidates)


def ranked(scores):
    return sorted(range(len(scores)), key=lambda i: -scores[i])


@pytest.mark.parametrize("path", [*REAL, TABLED], ids=lambda p: p.name)
def test_the_model_sees_what_the_coarse_stage_keeps_and_decides_there(path):
    tree = real_tree(path)
    question = "How do I write a file?"
    coarse = EmbedPruner(HashEncoder())
    lm = ScriptedLM(flat)
    scores = TwoStagePruner(coarse, GenerativePruner(lm), budget=900).score([tree], question)
    wide = block_tree(tree.page, 256)
    kept = prune_trees([wide], question, 900, coarse)
    (prompt,) = lm.prompts
    inside = [b for b in tree.blocks if any(_holds(wide.blocks[i], b) for i in kept.kept.whole)]
    assert inside
    top = set(ranked(scores)[: len(inside)])
    assert {b.id for b in inside} <= set(ranked(scores)[: len(inside) + 8]) and len(
        top & {b.id for b in inside}
    )
    for block in inside:
        assert f"<{block.path.split('>')[-1]}>" in prompt
    # Below, the coarse stage's order.
    rest = [i for i in ranked(scores) if i not in top]
    wide_scores = coarse.score([wide], question)
    pairs = list(zip(wide.blocks, wide_scores, strict=True))
    inherited = [next(s for b, s in pairs if _holds(b, tree.blocks[i])) for i in rest]
    assert inherited == sorted(inherited, reverse=True)


def _holds(wide, block):
    return wide.span.start <= block.span.start < wide.span.end


def test_a_larger_budget_keeps_a_superset_across_the_stages():
    tree = real_tree(REAL[1])
    pruner = TwoStagePruner(LexicalPruner(), GenerativePruner(ScriptedLM(flat)), budget=600)
    pruned = prune_trees([tree], "short options", 300, pruner)
    before = pruned.kept.whole
    for budget in (500, 700, 1500, 100000):
        pruned = pruned.at(budget)
        assert before <= pruned.kept.whole
        assert pruned.tokens_after <= budget
        before = pruned.kept.whole
    assert pruned.stage == "two-stage"


def test_all_fits_the_coarse_budget():
    tree = tree_of("<div><p>one is here</p><p>two is here</p></div><div>three is here</div>", 3)
    alone = GenerativePruner(ScriptedLM(flat)).score([tree], "which?")
    both = TwoStagePruner(
        LexicalPruner(), GenerativePruner(ScriptedLM(flat)), 10000, counter=default_counter()
    )
    assert both.score([tree], "which?") == pytest.approx(alone)
    assert both.score([tree, tree], "which?") == both.score([tree, tree], "which?")
    assert TwoStagePruner(
        LexicalPruner(), GenerativePruner(ScriptedLM(flat)), 1, counter=WordCounter()
    ).score([tree], "three")


def test_rescored_blocks_come_first_and_the_rest_keeps_its_order():
    first = [0.1, 0.9, 0.5, 0.7]
    assert best_of(first, 2) == [1, 3]
    scores = put_above(first, [1, 3], [-5.0, -4.0])
    assert ranked(scores) == [3, 1, 2, 0]
    assert put_above(first, [], []) == pytest.approx([s - 1.9 for s in first])
    assert put_above([], [], []) == []


def test_likelihood_prefers_the_block_that_predicts_the_question():
    def score(prompt, written, candidates):
        return [math.log(0.9 if "three" in prompt else 0.1)]

    class Honest(ScriptedLM):
        def _answer(self, query):
            import numpy as np

            text = bytes(query.prompt).decode()
            return [np.array(self.score(text, "", "x"), np.float32) for _ in query.wanted]

    tree = tree_of("<div><p>one is here</p><p>two is here</p></div><div>three is here</div>", 3)
    pruner = LikelihoodPruner(Honest(score), LexicalPruner(), most=3)
    scores = pruner.score([tree], "3?")
    assert scores[2] == pytest.approx(math.log(0.9))
    assert scores[:2] == pytest.approx([math.log(0.1)] * 2)


def test_yes_counts_against_no():
    def score(prompt, written, candidates):
        assert candidates == "YN"
        return [2.0, 0.0] if "two" in prompt.split("Question:")[0] else [0.0, 2.0]

    tree = tree_of("<div><p>one is here</p><p>two is here</p></div><div>three is here</div>", 3)
    pruner = YesNoPruner(ScriptedLM(score), LexicalPruner(), most=3)
    assert pruner.score([tree], "which?") == pytest.approx([-2, 2, -2])
    few = YesNoPruner(ScriptedLM(score), LexicalPruner(), most=1)
    assert ranked(few.score([tree], "two"))[0] == 1
