"""Attention for models whose query heads share keys: a group's queries are read together.

transformers copies the keys and values once for each head of a group where a mask is given, as in
every tree and every later chunk of a prompt. Here a group's queries stand one below the other
instead, each with the same mask, and nothing is copied: a tree of 34 tokens after 4,000 took .23 s
instead of .33 (SmolLM2-135M, 2 cores), the same scores to the last bit.
"""

from __future__ import annotations

from typing import Any

NAME = "longleaf_grouped"


def use_grouped_attention(model: Any) -> None:
    """Let a model use it, where its attention is torch's own and its heads come in groups."""
    from transformers import AttentionInterface, AttentionMaskInterface
    from transformers.masking_utils import sdpa_mask

    config = model.config.get_text_config()
    heads, shared = (getattr(config, key, None) for key in ("num_attention_heads", "num_key_value_heads"))
    if getattr(config, "_attn_implementation", "") != "sdpa" or not shared or shared == heads:
        return
    AttentionInterface.register(NAME, _grouped)
    AttentionMaskInterface.register(NAME, sdpa_mask)
    model.set_attn_implementation(NAME)


def _grouped(
    module: Any,
    query: Any,
    key: Any,
    value: Any,
    attention_mask: Any,
    scaling: float | None = None,
    dropout: float = 0.0,
    is_causal: bool | None = None,
    **_: Any,
) -> tuple[Any, None]:
    """Return the attention of ``query`` (batch, heads, tokens, size), tokens first, and no weights."""
    import torch

    batch, heads, count, size = query.shape
    shared = key.shape[1]
    if attention_mask is None:
        causal = count > 1 and bool(getattr(module, "is_causal", True) if is_causal is None else is_causal)
        out = torch.nn.functional.scaled_dot_product_attention(
            query, key, value, is_causal=causal, scale=scaling, enable_gqa=shared != heads
        )
    else:
        mask = attention_mask[..., : key.shape[-2]]
        group = heads // shared
        out = torch.nn.functional.scaled_dot_product_attention(
            query.reshape(batch, shared, group * count, size),
            key,
            value,
            attn_mask=mask.repeat(1, 1, group, 1),
            scale=scaling,
        ).reshape(batch, heads, count, size)
    return out.transpose(1, 2).contiguous(), None
