"""Labels of tokens, from plain token classifiers and from Provence's two layouts without their code."""

import pytest

import tiny_models as tiny
from longleaf.errors import ModelError
from longleaf.models.hf.cross_encoder import CrossEncoder
from longleaf.models.hf.labeller import TokenLabeller

torch = tiny.torch
QUESTION = "How long burns the lamp?"
TEXT = "the lamp burns eleven hours . herons nest in the reed ."


def pair(folder, question, text):
    tokenizer = tiny.transformers.AutoTokenizer.from_pretrained(folder)
    return tokenizer(question, text, return_tensors="pt", return_offsets_mapping=True)


def expected_labels(encoded, logits, keep=1):
    """Start, end and probability of the text's tokens, by hand."""
    keep = logits[0].softmax(-1)[:, keep].tolist()
    sides = encoded.sequence_ids(0)
    offsets = encoded["offset_mapping"][0].tolist()
    return [(*o, p) for o, p, side in zip(offsets, keep, sides, strict=True) if side == 1]


def same(labels, expected):
    assert [label[:2] for label in labels] == [label[:2] for label in expected]
    assert [label[2] for label in labels] == pytest.approx([label[2] for label in expected], abs=1e-5)
    assert len({round(label[2], 6) for label in labels}) > 3


@pytest.mark.parametrize(("names", "keep"), [({0: "drop", 1: "keep"}, 1), ({0: "keep", 1: "drop"}, 0)])
def test_a_plain_token_classifier(tmp_path, names, keep):
    model = tiny.save_model(tmp_path, "BertForTokenClassification", id2label=names)
    encoded = pair(tmp_path, QUESTION, TEXT)
    with torch.no_grad():
        logits = model(encoded["input_ids"], token_type_ids=encoded["token_type_ids"]).logits
    (labels,) = TokenLabeller(str(tmp_path)).label(QUESTION, [TEXT])
    same(labels, expected_labels(encoded, logits, keep))
    assert [TEXT[a:b] for a, b, _ in labels] == TEXT.split()


def test_every_token_of_a_long_text_is_labelled_once(tmp_path):
    tiny.save_model(tmp_path, "BertForTokenClassification", num_labels=2)
    labeller = TokenLabeller(str(tmp_path))
    long = "herons nest . " * 60
    (labels, none) = labeller.label(QUESTION, [long, ""])
    assert [long[a:b] for a, b, _ in labels] == long.split() and none == []
    assert all(0 <= keep <= 1 for _, _, keep in labels)
    assert labeller.label(QUESTION, []) == []


def save_open_provence(folder, prefix="ranking_model."):
    """An OpenProvence checkpoint as its code saves one; return the ranker and the head."""
    from safetensors.torch import save_file

    torch.manual_seed(0)
    config = tiny.bert_config(num_labels=1)
    ranker = tiny.transformers.BertForSequenceClassification(config).eval()
    head = torch.nn.Linear(tiny.HIDDEN, 2)
    tensors = {prefix + key: value for key, value in ranker.state_dict().items()}
    tensors |= {f"pruning_head.classifier.{key}": value for key, value in head.state_dict().items()}
    save_file({key: value.contiguous() for key, value in tensors.items()}, folder / "model.safetensors")
    tiny.save_tokenizer(folder)
    (folder / "code.py").write_text("raise SystemExit('code of the model was run')")
    tiny.write(
        folder,
        "config.json",
        {
            "model_type": "open_provence",
            "architectures": ["OpenProvenceForSequenceClassification"],
            "auto_map": {"AutoConfig": "code.Config", "AutoModel": "code.Model"},
            "base_model_config": config.to_dict(),
            "pruning_config": {"hidden_size": tiny.HIDDEN, "num_labels": 2, "sentence_pooling": "mean"},
            "num_labels": 1,
            "max_length": 64,
        },
    )
    return ranker, head


@pytest.mark.parametrize("prefix", ["ranking_model.", ""])
def test_an_open_provence_checkpoint_labels_and_ranks(tmp_path, prefix):
    ranker, head = save_open_provence(tmp_path, prefix)
    encoded = pair(tmp_path, QUESTION, TEXT)
    with torch.no_grad():
        out = ranker(
            encoded["input_ids"], token_type_ids=encoded["token_type_ids"], output_hidden_states=True
        )
        logits = head(out.hidden_states[-1])
    (labels,) = TokenLabeller(str(tmp_path)).label(QUESTION, [TEXT])
    same(labels, expected_labels(encoded, logits))
    score = CrossEncoder(str(tmp_path)).score(QUESTION, [TEXT])
    assert score == pytest.approx([out.logits[0, 0].sigmoid().item()], abs=1e-5)


def save_provence(folder):
    from safetensors.torch import save_file

    torch.manual_seed(0)
    config = tiny.transformers.DebertaV2Config(
        vocab_size=len(tiny.SPECIAL) + len(tiny.WORDS),
        hidden_size=tiny.HIDDEN,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=64,
        type_vocab_size=0,
        initializer_range=0.5,
        num_labels=2,
    )
    ranker = tiny.transformers.DebertaV2ForSequenceClassification(config).eval()
    head = torch.nn.Linear(tiny.HIDDEN, 2)
    tensors = ranker.state_dict() | {f"token_classifier.{k}": v for k, v in head.state_dict().items()}
    save_file({key: value.contiguous() for key, value in tensors.items()}, folder / "model.safetensors")
    tiny.save_tokenizer(folder)
    tiny.write(
        folder, "config.json", config.to_dict() | {"model_type": "Provence", "architectures": ["Provence"]}
    )
    return ranker, head


def test_a_provence_checkpoint_reads_questions_in_small_letters_without_punctuation(tmp_path):
    ranker, head = save_provence(tmp_path)
    encoded = pair(tmp_path, "how long burns the lamp", TEXT)
    with torch.no_grad():
        out = ranker(encoded["input_ids"], output_hidden_states=True)
        logits = head(out.hidden_states[-1])
    (labels,) = TokenLabeller(str(tmp_path)).label(QUESTION, [TEXT])
    same(labels, expected_labels(encoded, logits))
    score = CrossEncoder(str(tmp_path)).score(QUESTION, [TEXT])
    assert score == pytest.approx([out.logits[0, 0].sigmoid().item()], abs=1e-5)


def without_base(config):
    del config["base_model_config"]


def other_sizes(config):
    config["base_model_config"]["hidden_size"] = 64


def more_layers(config):
    config["base_model_config"]["num_hidden_layers"] = 3


def unknown_base(config):
    config["base_model_config"]["model_type"] = "homemade"


@pytest.mark.parametrize("damage", [without_base, other_sizes, more_layers, unknown_base])
@pytest.mark.parametrize("kind", [TokenLabeller, CrossEncoder])
def test_a_checkpoint_that_is_laid_out_otherwise_is_a_model_error(tmp_path, damage, kind):
    import json

    save_open_provence(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    damage(config)
    tiny.write(tmp_path, "config.json", config)
    with pytest.raises(ModelError) as caught:
        kind(str(tmp_path))
    assert str(tmp_path) in caught.value.message


@pytest.mark.parametrize("kind", [TokenLabeller, CrossEncoder])
def test_weights_without_the_head_are_a_model_error(tmp_path, kind):
    save_open_provence(tmp_path)
    tiny.save_model(tmp_path / "plain", "BertForSequenceClassification", num_labels=1)
    (tmp_path / "plain" / "model.safetensors").replace(tmp_path / "model.safetensors")
    with pytest.raises(ModelError, match=r"pruning_head\.classifier\.weight"):
        kind(str(tmp_path))
