"""Question and text in one pass: what the model says is what counts, also where a text is long."""

import math

import pytest

import tiny_models as tiny
from longleaf.errors import UsageError
from longleaf.models.hf.cross_encoder import CrossEncoder
from longleaf.models.hf.folders import load_tokenizer, model_folder
from longleaf.models.hf.pairs import BATCH_TOKENS, batches, windows

torch = tiny.torch
QUESTION = "how long the lamp burns ?"
TEXTS = [
    "the lamp burns eleven hours .",
    "herons nest in the reed",
    "the warranty covers two years . " * 4,
    "lamp",
]


def save(folder, **more):
    return tiny.save_model(folder, "BertForSequenceClassification", **more)


def logits(folder, model, text):
    """What the model says of one pair, by transformers alone."""
    tokenizer = tiny.transformers.AutoTokenizer.from_pretrained(folder)
    with torch.no_grad():
        return model(**tokenizer(QUESTION, text, return_tensors="pt")).logits[0].tolist()


def test_one_label_is_a_probability_in_the_order_of_the_model(tmp_path):
    model = save(tmp_path, num_labels=1)
    expected = [logits(tmp_path, model, text)[0] for text in TEXTS]
    scores = CrossEncoder(str(tmp_path)).score(QUESTION, TEXTS)
    assert scores == pytest.approx([1 / (1 + math.exp(-x)) for x in expected], abs=1e-5)
    assert sorted(range(4), key=scores.__getitem__) == sorted(range(4), key=expected.__getitem__)
    assert len(set(scores)) == 4


@pytest.mark.parametrize(
    ("labels", "yes"), [({0: "no", 1: "yes"}, 1), ({0: "relevant", 1: "other"}, 0), (None, 1)]
)
def test_of_two_labels_the_share_of_yes_counts(tmp_path, labels, yes):
    model = save(tmp_path, **({"id2label": labels} if labels else {"num_labels": 2}))
    scores = CrossEncoder(str(tmp_path)).score(QUESTION, TEXTS)
    expected = [torch.tensor(logits(tmp_path, model, text)).softmax(0)[yes].item() for text in TEXTS]
    assert scores == pytest.approx(expected, abs=1e-5)


def test_of_a_long_text_the_best_window_counts(tmp_path):
    model = save(tmp_path, num_labels=1)
    encoder = CrossEncoder(str(tmp_path))
    long = "herons nest . " * 40 + "the lamp burns eleven hours . " + "two years . " * 40
    found = windows(encoder._tokenizer, QUESTION, [long], 64, "tiny")
    assert len(found) > 2
    with torch.no_grad():
        each = [
            model(**{k: torch.tensor([v]) for k, v in w.inputs.items()}).logits[0, 0].item() for w in found
        ]
    assert encoder.score(QUESTION, [long]) == pytest.approx([1 / (1 + math.exp(-max(each)))], abs=1e-5)


def test_windows_hold_the_question_whole_and_all_of_the_text(tmp_path):
    tiny.save_tokenizer(tmp_path)
    tiny.bert_config().save_pretrained(tmp_path)
    tokenizer = load_tokenizer(model_folder(str(tmp_path)))
    asked = tokenizer(QUESTION, add_special_tokens=False)["input_ids"]
    texts = ["lamp herons " * 100, "lamp", "reed [SEP] [CLS] reed"]
    found = windows(tokenizer, QUESTION, texts, 64, "tiny")
    for window in found:
        ids = window.inputs["input_ids"]
        assert len(ids) <= 64 and ids[1 : len(asked) + 1] == asked
        assert ids.count(tokenizer.sep_token_id) == 2 and ids.count(tokenizer.cls_token_id) == 1
    read = {span for window in found if window.text == 0 for span in window.spans if span[1]}
    assert {texts[0][a:b] for a, b in read} == {"lamp", "herons"} and len(read) == 200
    assert [window.text for window in found][-2:] == [1, 2]


def test_a_question_without_room_for_a_text_is_refused(tmp_path):
    save(tmp_path, num_labels=1)
    encoder = CrossEncoder(str(tmp_path))
    with pytest.raises(UsageError, match=r"the question has 40 tokens, and .* reads 64"):
        encoder.score("lamp " * 40, ["herons"])
    assert encoder.score("lamp " * 40, []) == []


def test_batches_hold_every_window_once_and_keep_to_their_size(tmp_path):
    tiny.save_tokenizer(tmp_path)
    tiny.bert_config().save_pretrained(tmp_path)
    tokenizer = load_tokenizer(model_folder(str(tmp_path)))
    found = windows(tokenizer, "lamp", ["reed " * (i % 50) for i in range(300)], 64, "tiny")
    parts = list(batches(found, 256))
    assert sorted(i for part in parts for i in part) == list(range(300))
    assert all(len(part) * max(found[i].size for i in part) <= 256 for part in parts)
    assert list(batches(found[:1], 1)) == [[0]] and list(batches([])) == []
    assert BATCH_TOKENS >= 512


def test_neighbours_do_not_change_what_a_text_scores(tmp_path):
    save(tmp_path, num_labels=1)
    encoder = CrossEncoder(str(tmp_path))
    alone = [encoder.score(QUESTION, [text])[0] for text in TEXTS]
    assert encoder.score(QUESTION, TEXTS[::-1]) == pytest.approx(alone[::-1], abs=1e-5)
