"""A language model of a few thousand random weights, with a tokenizer made on the spot."""

from __future__ import annotations

from functools import lru_cache

from checks import REAL
from longleaf.models.hf.causal import CausalLM

WORDS = "<html><body><div1><p2><table><tr3><td4><text5><part6><ul><li7><h1><title> Page Question path"
VOCABULARY = 1000
TEMPLATE = (
    "{% for m in messages %}<|{{ m['role'] }}|>{{ m['content'] }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


def tiny_tokenizer(template: str | None = TEMPLATE):
    """Return a byte-level tokenizer with merges for tags."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=["<|end|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator([WORDS] * 3 + [page.read_text("utf-8") for page in REAL], trainer)
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<|end|>")
    fast.chat_template = template
    return fast


def tiny_model(kind: str = "llama", seed: int = 0, **options):
    """Return a random model whose answers depend on what it reads (large weights)."""
    import torch
    import transformers

    torch.manual_seed(seed)
    torch.set_num_threads(1)
    shape = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": VOCABULARY}
    shape |= {"max_position_embeddings": 8192, "initializer_range": 0.4}
    shape |= {"pad_token_id": None, "bos_token_id": None, "eos_token_id": None}
    if kind != "gpt2":
        shape |= {"intermediate_size": 64, "num_key_value_heads": 2, "tie_word_embeddings": False}
    configs = {
        "llama": transformers.LlamaConfig,
        "qwen": transformers.Qwen2Config,
        "phi": transformers.Phi3Config,
        "gpt2": transformers.GPT2Config,
        "bloom": transformers.BloomConfig,
    }
    config = configs[kind](**(shape | options))
    return transformers.AutoModelForCausalLM.from_config(config).eval()


@lru_cache
def tiny_lm(kind: str = "llama", method: str = "auto") -> CausalLM:
    """Return the model with its tokenizer; shared, so nothing in a test may depend on its cache."""
    return CausalLM(tiny_model(kind), tiny_tokenizer(), f"tiny-{kind}", method)
