"""The best of one ranking read again by a scorer, and pruners by a model's name."""

import pytest

import tiny_models as tiny
from checks import tree_of
from longleaf.errors import ModelError, UsageError
from longleaf.models.scripted import HashEncoder
from longleaf.prune import make_pruner, prune
from longleaf.prune.embed import EmbedPruner
from longleaf.prune.lexical import KIND_SHARE, LexicalPruner
from longleaf.prune.names import by_name
from longleaf.prune.rerank import RerankPruner

PAGE = "".join(f"<p>lamp {'burns ' * (i % 5)}number {i}</p>" for i in range(20))


class Scorer:
    """Prefers what ends in a high number; keeps what it was asked."""

    name = "scripted"

    def __init__(self):
        self.asked = []

    def score(self, question, texts):
        self.asked += texts
        return [1 - 1 / (2 + int(text.split()[-1])) if text.split()[-1].isdigit() else 0.5 for text in texts]


def ranked(scores):
    return sorted(range(len(scores)), key=lambda i: (-scores[i], i))


def test_the_best_are_read_again_and_the_rest_keep_their_order():
    tree, scorer = tree_of(PAGE, 8), Scorer()
    before = ranked(LexicalPruner().score([tree], "lamp burns"))
    scores = RerankPruner(scorer, LexicalPruner(), most=8).score([tree], "lamp burns")
    after = ranked(scores)
    assert scorer.asked == [tree.blocks[i].scored_text for i in sorted(before[:8])]
    assert set(after[:8]) == set(before[:8]) and after[:8] != before[:8]
    assert after[:8] == sorted(before[:8], key=lambda i: -int(tree.blocks[i].text.split()[-1]))
    assert after[8:] == before[8:]
    assert all(0 <= scores[i] <= 1 for i in after[:8]) and all(scores[i] < 0 for i in after[8:])


def test_links_and_headings_keep_their_share():
    tree = tree_of(
        "<h1>Lamp 5</h1><p>lamp 7</p><nav><a href=a>lamp</a> <a href=b>burns</a> <a href=c>9</a></nav>", 3
    )
    scores = RerankPruner(Scorer(), LexicalPruner()).score([tree], "lamp")
    for block, score in zip(tree.blocks, scores, strict=True):
        (said,) = Scorer().score("", [block.scored_text])
        assert score == pytest.approx(said * KIND_SHARE.get(block.kind, 1.0))
    assert {"links", "prose"} <= {block.kind for block in tree.blocks}


def test_equal_texts_are_read_once_and_blocks_without_words_never():
    tree, scorer = tree_of("<p>lamp 1</p><hr><p>lamp 1</p><p>lamp 2</p>", 2), Scorer()
    scores = RerankPruner(scorer, LexicalPruner()).score([tree], "lamp")
    assert sorted(scorer.asked) == ["lamp 1", "lamp 2"]
    assert scores[ranked(scores)[0]] == max(scores)
    assert RerankPruner(scorer, LexicalPruner()).score([], "lamp") == []


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    out = {}
    for kind, name in [
        ("embed", "BertModel"),
        ("cross-encoder", "BertForSequenceClassification"),
        ("labeller", "BertForTokenClassification"),
    ]:
        out[kind] = tmp_path_factory.mktemp(kind)
        tiny.save_model(out[kind], name, num_labels=1 if kind == "cross-encoder" else 2)
    return out


@pytest.mark.parametrize("kind", ["embed", "cross-encoder", "labeller"])
def test_a_pruner_by_the_name_of_a_model(folders, kind):
    pruner = make_pruner(f"{kind}:{folders[kind]}", HashEncoder())
    pruned = prune(tree_of(PAGE, 8), "how long the lamp burns", 120, pruner)
    assert 0 < pruned.tokens_after <= 120
    assert pruned.stage.startswith(kind)
    assert len(set(pruned.scores)) > 1


def test_the_encoder_given_makes_the_first_ranking(folders):
    encoder = HashEncoder()
    first = by_name(f"cross-encoder:{folders['cross-encoder']}", encoder).first
    assert isinstance(first, EmbedPruner) and first.encoder is encoder


@pytest.mark.parametrize("name", ["rank:x", "embed:", "cross-encoder: ", ":x", "lexical:x"])
def test_an_unknown_kind_or_no_model_is_a_usage_error(name):
    with pytest.raises(UsageError, match="no pruner called"):
        make_pruner(name)


@pytest.mark.parametrize("kind", ["embed", "cross-encoder", "labeller"])
def test_offline_reaches_the_model(kind):
    with pytest.raises(ModelError, match="the network is off"):
        make_pruner(f"{kind}:nobody/no-such-model", offline=True)
