"""Tiny random models of transformers' own architectures, saved as people save real ones."""

import json
import os

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors  # noqa: E402

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
WORDS = (
    "a burns battery covers day eleven herons hour hours how in it lamp lasts light long nest of passage "
    "passages query red reed represent searching sentence the this two warranty what years for relevant "
    "> : . , ? ! word instruct given web search retrieve that answer"
).split()
HIDDEN = 32
# What BERT's own tokenizer gives.
INPUTS = ["input_ids", "token_type_ids", "attention_mask"]


def save_tokenizer(folder, most=64):
    backend = Tokenizer(models.WordLevel({w: i for i, w in enumerate(SPECIAL + WORDS)}, unk_token="[UNK]"))
    backend.normalizer = normalizers.Lowercase()
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    backend.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", SPECIAL.index("[CLS]")), ("[SEP]", SPECIAL.index("[SEP]"))],
    )
    names = {f"{n.strip('[]').lower()}_token": n for n in SPECIAL}
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=backend, model_max_length=most, eos_token="[SEP]", model_input_names=INPUTS, **names
    )
    tokenizer.save_pretrained(folder)


def bert_config(**more):
    return transformers.BertConfig(
        vocab_size=len(SPECIAL) + len(WORDS),
        hidden_size=HIDDEN,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=64,
        initializer_range=0.5,  # far from uniform attention, so that every token tells
        **more,
    )


def save_model(folder, kind, config=None, seed=0, most=64, **more):
    """Save a random model of a transformers class with its tokenizer; return the model."""
    torch.manual_seed(seed)
    model = getattr(transformers, kind)(config or bert_config(**more)).eval()
    model.save_pretrained(folder)
    save_tokenizer(folder, most)
    return model


def save_encoder(folder, pooling="mean", prompts=None, most=None, **more):
    """Save an encoder with the files of sentence-transformers; return the model."""
    model = save_model(folder, "BertModel", **more)
    if pooling is not None:
        write(folder, "modules.json", [module("Transformer", ""), module("Pooling", "1_Pooling")])
        write(folder, "1_Pooling/config.json", {f"pooling_mode_{pooling}": True, "pooling_mode_other": False})
    if prompts is not None:
        write(folder, "config_sentence_transformers.json", {"prompts": prompts})
    if most is not None:
        write(folder, "sentence_bert_config.json", {"max_seq_length": most})
    return model


def module(kind, path):
    return {"type": f"sentence_transformers.models.{kind}", "path": path}


def write(folder, name, value):
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(value), "utf-8")


def cache_on_hub(root, name, build):
    """Lay a model out as the hub's client caches it; ``root`` is the cache."""
    commit = "0" * 40
    repo = root / f"models--{name.replace('/', '--')}"
    snapshot = repo / "snapshots" / commit
    snapshot.mkdir(parents=True)
    (repo / "refs").mkdir()
    (repo / "refs" / "main").write_text(commit)
    build(snapshot)
    assert os.listdir(snapshot)
