"""Encoders by folder: pooling, instructions, and vectors that depend on their text alone."""

import numpy as np
import pytest

import tiny_models as tiny
from longleaf.cache import VectorCache
from longleaf.errors import ModelError
from longleaf.models.base import encode_with_question
from longleaf.models.cached import CachedEncoder
from longleaf.models.hf.encoder import HfEncoder
from longleaf.models.hf.recipes import Recipe, family
from longleaf.models.scripted import HashEncoder

torch = tiny.torch
TEXTS = [
    "the lamp burns eleven hours",
    "herons nest",
    "",
    "word " * 200,
    "the warranty covers two years . " * 3,
]
QUERY = "Represent this sentence for searching relevant passages: "


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("encoder")
    tiny.save_encoder(folder, prompts={"query": "query: ", "document": "passage: "})
    return HfEncoder(str(folder))


def states(folder, text, limit=64):
    """The token states of a text, by transformers alone."""
    tokenizer = tiny.transformers.AutoTokenizer.from_pretrained(folder)
    model = tiny.transformers.BertModel.from_pretrained(folder).eval()
    with torch.no_grad():
        ids = tokenizer(text, return_tensors="pt", truncation=True, max_length=limit)["input_ids"]
        return model(ids).last_hidden_state[0].numpy()


def cosine(a, b):
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


def test_rows_have_length_one(encoder):
    rows = encoder.encode(TEXTS)
    assert rows.shape == (len(TEXTS), encoder.dims) == (5, tiny.HIDDEN) and rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)
    assert encoder.encode([]).shape == (0, tiny.HIDDEN)


def test_a_vector_depends_on_its_text_alone_to_the_last_bit(encoder):
    alone = [encoder.encode([text])[0].tobytes() for text in TEXTS]
    for order in ([4, 3, 2, 1, 0], [1, 1, 3], [2, 0, 4, 0]):
        assert [row.tobytes() for row in encoder.encode([TEXTS[i] for i in order])] == [
            alone[i] for i in order
        ]


@pytest.mark.parametrize(
    ("pooling", "pick"),
    [
        ("cls_token", lambda rows: rows[0]),
        ("mean_tokens", lambda rows: rows.mean(0)),
        ("mean_sqrt_len_tokens", lambda rows: rows.sum(0) / len(rows) ** 0.5),
        ("max_tokens", lambda rows: rows.max(0)),
        ("lasttoken", lambda rows: rows[-1]),
    ],
)
def test_pooling_is_what_the_folder_says(tmp_path, pooling, pick):
    tiny.save_encoder(tmp_path, pooling)
    expected = pick(states(tmp_path, TEXTS[0]))
    assert cosine(HfEncoder(str(tmp_path)).encode(TEXTS[:1])[0], expected) == pytest.approx(1, abs=1e-5)


def test_instructions_stand_where_they_belong(encoder):
    folder, text = encoder.folder.path, "how long the lamp burns"
    as_text, as_query = encoder.encode([text])[0], encoder.encode_query(text)
    assert cosine(as_text, states(folder, "passage: " + text).mean(0)) == pytest.approx(1, abs=1e-5)
    assert cosine(as_query, states(folder, "query: " + text).mean(0)) == pytest.approx(1, abs=1e-5)
    assert cosine(as_text, as_query) < 0.999


@pytest.mark.parametrize(
    ("name", "query", "passage", "pooling"),
    [
        ("bge-small-en-v1.5", QUERY, "", "cls"),
        ("bge-large-en", QUERY, "", "cls"),
        ("bge-m3", "", "", "cls"),
        ("e5-base-v2", "query: ", "passage: ", "mean"),
        ("multilingual-e5-small", "query: ", "passage: ", "mean"),
        ("all-MiniLM-L6-v2", "", "", "mean"),
    ],
)
def test_without_such_files_the_model_card_of_its_family_counts(tmp_path, name, query, passage, pooling):
    folder = tmp_path / name
    tiny.save_encoder(folder, pooling=None)
    encoder, pick = HfEncoder(str(folder)), {"cls": lambda r: r[0], "mean": lambda r: r.mean(0)}[pooling]
    for row, text in [
        (encoder.encode_query("lamp"), query + "lamp"),
        (encoder.encode(["lamp"])[0], passage + "lamp"),
    ]:
        assert cosine(row, pick(states(folder, text))) == pytest.approx(1, abs=1e-5)


def test_e5_mistral_reads_the_state_of_the_end_token():
    recipe = family("e5-mistral-7b-instruct")
    assert (recipe.pooling, recipe.passage, recipe.closed) == ("lasttoken", "", True)
    assert recipe.query.startswith("Instruct: ") and recipe.query.endswith("\nQuery: ")
    assert family("multilingual-e5-large-instruct").pooling == "mean"


def test_an_end_token_is_added_where_the_tokenizer_adds_none(tmp_path):
    tiny.save_encoder(tmp_path, pooling=None)
    encoder = HfEncoder(str(tmp_path), recipe=Recipe("lasttoken", closed=True))
    tokenizer, _, _ = encoder._load()
    for text, limit in (("lamp", 64), ("word " * 200, 64)):
        ids = encoder._ids(tokenizer, text, limit)
        assert ids[-1] == tokenizer.eos_token_id and ids[-2] != ids[-1] and len(ids) <= limit


def test_long_texts_are_cut_at_the_limit_that_the_folder_says(tmp_path):
    tiny.save_encoder(tmp_path, "mean_tokens", most=16)
    rows = HfEncoder(str(tmp_path)).encode(
        ["lamp " * 14, "lamp " * 14 + "herons nest", "lamp " * 13 + "herons"]
    )
    assert rows[0].tobytes() == rows[1].tobytes() != rows[2].tobytes()
    assert cosine(rows[1], states(tmp_path, "lamp " * 50, 16).mean(0)) == pytest.approx(1, abs=1e-5)


def test_marks_in_a_text_are_words(encoder):
    tokenizer, _, limit = encoder._load()
    ids = encoder._ids(tokenizer, "lamp [SEP] lamp", limit)
    assert ids.count(tokenizer.sep_token_id) == 1


def test_bfloat16_is_near_and_another_name(encoder):
    half = HfEncoder(str(encoder.folder.path), dtype="bf16")
    rows, exact = half.encode(TEXTS[:2]), encoder.encode(TEXTS[:2])
    assert rows.dtype == np.float32 and ((rows * exact).sum(1) > 0.99).all()
    assert half.name != encoder.name


def test_other_weights_and_other_use_are_other_names(tmp_path, encoder):
    tiny.save_encoder(tmp_path, seed=1, prompts={"query": "query: ", "document": "passage: "})
    other = HfEncoder(str(tmp_path))
    assert len({encoder.name, other.name, HfEncoder(str(tmp_path), recipe=Recipe("cls")).name}) == 3
    assert HfEncoder(str(encoder.folder.path)).name == encoder.name


def test_questions_and_texts_are_cached_apart(encoder, tmp_path):
    cached = CachedEncoder(encoder, VectorCache(tmp_path / "v.sqlite3"))
    for _ in range(2):
        question, rows = encode_with_question(cached, "lamp", ["lamp", "herons"])
        assert question.tobytes() == encoder.encode_query("lamp").tobytes()
        assert rows.tobytes() == encoder.encode(["lamp", "herons"]).tobytes()
    assert (cached.encoded, cached.hits) == (3, 3)
    cached.cache.close()


def test_an_encoder_without_instructions_reads_the_question_as_a_text(tmp_path):
    plain = HashEncoder()
    for encoder in (plain, CachedEncoder(plain, VectorCache(None))):
        question, rows = encode_with_question(encoder, "lamp", ["herons", "lamp"])
        assert question.tobytes() == rows[1].tobytes()


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"modules.json": [tiny.module("Transformer", ""), tiny.module("Dense", "2_Dense")]}, "Dense"),
        ({"1_Pooling/config.json": {"pooling_mode_weightedmean_tokens": True}}, "weightedmean_tokens"),
        ({"1_Pooling/config.json": {"pooling_mode_cls_token": True, "pooling_mode_max_tokens": True}}, "and"),
        ({"1_Pooling/config.json": {"pooling_mode": "mean", "include_prompt": False}}, "prompt"),
    ],
)
def test_what_is_not_read_here_is_refused(tmp_path, files, says):
    tiny.save_encoder(tmp_path, "mean_tokens")
    for name, value in files.items():
        tiny.write(tmp_path, name, value)
    with pytest.raises(ModelError, match=says):
        HfEncoder(str(tmp_path))
