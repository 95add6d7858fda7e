"""Continuations of a prompt: one forward under a mask says what a forward for each would."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longleaf.errors import ModelError
from longleaf.models.base import TreeQuery
from longleaf.models.hf.causal import CausalLM
from longleaf.models.hf.masks import depth_first_order, kin
from tiny import tiny_lm, tiny_model, tiny_tokenizer

torch = pytest.importorskip("torch")
CLOSE = 1e-4


def naive(lm, query):
    """Return the log-probabilities of a query, each entry by a forward over the whole text of its own."""
    out = []
    for node, candidates in query.wanted:
        written = []
        while node >= 0:
            written.append(query.token[node])
            node = query.parent[node]
        ids = torch.tensor([[*query.prompt, *reversed(written)]])
        with torch.inference_mode():
            logits = lm.model(input_ids=ids).logits[0, -1].float()
        out.append(torch.log_softmax(logits, -1)[list(candidates)].numpy())
    return out


def gap(first, second):
    return max(float(np.abs(a - b).max()) for a, b in zip(first, second, strict=True))


@st.composite
def queries(draw):
    size = draw(st.integers(0, 12))
    token = draw(st.lists(st.integers(0, 999), min_size=size, max_size=size))
    parent = [draw(st.integers(-1, node - 1)) for node in range(size)]
    nodes = draw(st.lists(st.integers(-1, size - 1), min_size=1, max_size=5))
    prompt = draw(st.lists(st.integers(0, 999), min_size=1, max_size=40))
    return TreeQuery(prompt, token, parent, [(node, [3, 50, 200]) for node in nodes])


@settings(max_examples=40)
@given(queries(), st.sampled_from([2, 7, 512]))
def test_mask_walk_and_naive_forwards_agree(query, chunk):
    expected = naive(tiny_lm(), query)
    for method in ("tree", "depth-first"):
        lm = CausalLM(tiny_lm().model, tiny_lm().tokenizer, "tiny", method, chunk=chunk)
        assert gap(lm.log_probabilities([query])[0], expected) < CLOSE


@settings(max_examples=20)
@given(st.lists(queries(), min_size=2, max_size=5), st.sampled_from([3, 512]))
def test_a_batch_says_what_each_says_alone(some, chunk):
    lm = CausalLM(tiny_lm().model, tiny_lm().tokenizer, "tiny", "tree", chunk=chunk, batch=3)
    for query, rows in zip(some, lm.log_probabilities(some), strict=True):
        assert gap(rows, naive(lm, query)) < CLOSE


@pytest.mark.parametrize("kind", ["llama", "qwen", "phi", "gpt2", "bloom"])
def test_every_kind_of_model_scores_like_naive_forwards(kind):
    lm = tiny_lm(kind)
    query = TreeQuery(range(20, 60), [5, 6, 7, 8], [-1, 0, -1, 2], [(-1, [1, 2]), (1, [3, 4]), (3, [5, 9])])
    assert gap(lm.log_probabilities([query])[0], naive(lm, query)) < CLOSE
    # Bloom's attention is biased by distances that no mask of ours carries.
    assert lm.method == ("depth-first" if kind == "bloom" else "tree")


def test_a_sliding_window_is_walked():
    model = tiny_model("qwen", use_sliding_window=True, sliding_window=16, max_window_layers=0)
    lm = CausalLM(model, tiny_tokenizer(), "tiny")
    query = TreeQuery(range(20, 80), [5, 6, 7], [-1, -1, 1], [(0, [3, 4]), (2, [5, 9])])
    assert gap(lm.log_probabilities([query])[0], naive(lm, query)) < CLOSE


def test_prompts_longer_than_a_window_are_not_padded_together():
    model = tiny_model("qwen", use_sliding_window=True, sliding_window=16, max_window_layers=0)
    lm = CausalLM(model, tiny_tokenizer(), "tiny", "tree", chunk=8, batch=2)
    some = [TreeQuery(range(20, end), [5], [-1], [(-1, [3, 4]), (0, [5, 9])]) for end in (40, 48)]
    for query, rows in zip(some, lm.log_probabilities(some), strict=True):
        assert gap(rows, naive(lm, query)) < CLOSE


def test_positions_scaled_by_length_are_read_at_once():
    scaling = {"rope_type": "dynamic", "factor": 4.0, "rope_theta": 10000.0}
    model = tiny_model("llama", max_position_embeddings=32, rope_parameters=scaling)
    lm = CausalLM(model, tiny_tokenizer(), "tiny", "tree", chunk=8)
    query = TreeQuery(range(20, 48), [5], [-1], [(-1, [3, 4]), (0, [5, 9])])
    assert gap(lm.log_probabilities([query])[0], naive(lm, query)) < CLOSE
    assert lm.usage.forwards == 2


def test_a_prompt_that_begins_alike_is_not_read_again():
    lm = CausalLM(tiny_lm().model, tiny_lm().tokenizer, "tiny", "tree", chunk=16)
    page, other = list(range(20, 120)), list(range(150, 250))
    first, second = (TreeQuery([*page, *end], [5], [-1], [(0, [3, 4])]) for end in ([1, 2], [7, 8, 9]))
    lm.log_probabilities([first])
    assert (lm.usage.prompt, lm.usage.reused, lm.usage.tree) == (101, 0, 2)
    assert gap(lm.log_probabilities([second])[0], naive(lm, second)) < CLOSE
    assert (lm.usage.prompt, lm.usage.reused) == (103, 100)
    third = TreeQuery(other, [], [], [(-1, [3, 4])])
    assert gap(lm.log_probabilities([third])[0], naive(lm, third)) < CLOSE
    before = lm.usage.reused
    assert gap(lm.log_probabilities([first])[0], naive(lm, first)) < CLOSE
    assert lm.usage.reused == before + 100  # another page in between did not drive it out


def test_the_tree_is_one_forward():
    lm = CausalLM(tiny_lm().model, tiny_lm().tokenizer, "tiny", "tree")
    query = TreeQuery(range(20, 60), [5] * 30, range(-1, 29), [(n, [1, 2]) for n in range(-1, 30)])
    lm.log_probabilities([query])
    assert lm.usage.forwards == 2
    stepwise = CausalLM(tiny_lm().model, tiny_lm().tokenizer, "tiny", "depth-first")
    stepwise.log_probabilities([query])
    assert stepwise.usage.forwards == 1 + 31


def test_too_long_is_an_error_that_names_the_limit():
    with pytest.raises(ModelError, match="reads 8192 tokens, and this prompt has 8193"):
        tiny_lm().log_probabilities([TreeQuery([1] * 8192, [5], [-1], [(0, [1, 2])])])


def test_out_of_memory_is_an_error_that_says_what_to_do():
    lm = CausalLM(tiny_model(), tiny_tokenizer(), "tiny", "tree")

    def fail(**_):
        raise torch.OutOfMemoryError("CUDA out of memory")

    lm.model.forward = fail
    with pytest.raises(ModelError, match="out of memory") as caught:
        lm.log_probabilities([TreeQuery([1, 2], [], [], [(-1, [1, 2])])])
    assert "budget" in caught.value.hint


def test_8_bit_weights_stay_near():
    lm = CausalLM(tiny_lm().model, tiny_lm().tokenizer, "tiny", "tree")
    from longleaf.models.hf.loading import to_int8

    small = CausalLM(to_int8(tiny_model()), lm.tokenizer, "tiny", "auto")
    query = TreeQuery(range(20, 60), [5, 6], [-1, 0], [(-1, range(1000)), (1, range(1000))])
    exact, rounded = (m.log_probabilities([query])[0] for m in (lm, small))
    assert np.corrcoef(np.concatenate(exact), np.concatenate(rounded))[0, 1] > 0.95
    assert gap(exact, rounded) > 0


def test_bf16_stays_near():
    exact = CausalLM(tiny_lm().model, tiny_lm().tokenizer, "tiny", "tree")
    rounded = CausalLM(tiny_model().to(torch.bfloat16), exact.tokenizer, "tiny")
    query = TreeQuery(range(20, 60), [5, 6], [-1, 0], [(-1, range(1000)), (1, range(1000))])
    one, two = (m.log_probabilities([query])[0] for m in (exact, rounded))
    assert rounded.method == "tree"
    assert np.corrcoef(np.concatenate(one), np.concatenate(two))[0, 1] > 0.99


def test_loading_from_a_folder(tmp_path):
    tiny_model().save_pretrained(tmp_path)
    tiny_tokenizer().save_pretrained(tmp_path)
    lm = CausalLM.load(str(tmp_path), device="cpu", offline=True)
    query = TreeQuery(lm.encode(lm.chat("Hello")), [5], [-1], [(0, [3, 4])])
    assert gap(lm.log_probabilities([query])[0], naive(tiny_lm(), query)) < CLOSE
    assert lm.chat("Hello") == "<|user|>Hello<|end|><|assistant|>"
    assert lm.notes == ()


def test_without_a_chat_template_the_prompt_is_plain_and_a_note_says_so():
    lm = CausalLM(tiny_lm().model, tiny_tokenizer(None), "tiny")
    assert lm.chat("Hello") == "Hello\n"
    assert lm.notes == ("this model has no chat template: the plain prompt is used",)


@pytest.mark.parametrize(
    ("name", "message"),
    [("./nowhere", "no folder with a model"), ("someone/no-such-model", "cannot be loaded")],
)
def test_what_cannot_be_loaded_is_an_error(name, message):
    with pytest.raises(ModelError, match=message) as caught:
        CausalLM.load(name, offline=True)
    assert caught.value.hint


def test_an_empty_folder_and_an_unknown_device_are_errors(tmp_path):
    with pytest.raises(ModelError, match="cannot be loaded"):
        CausalLM.load(str(tmp_path), device="cpu")
    with pytest.raises(ModelError, match="no device called"):
        CausalLM.load(str(tmp_path), device="abacus")


def test_depth_first_order():
    query = TreeQuery([9], [1, 2, 3, 4], [-1, -1, 0, 1], [])
    tree = kin(query)
    assert tree.depth == (0, 1, 1, 2, 2)
    assert depth_first_order(tree) == [0, 1, 3, 2, 4]
    assert tree.sees.astype(int).tolist() == [
        [1, 0, 0, 0, 0],
        [1, 1, 0, 0, 0],
        [1, 0, 1, 0, 0],
        [1, 1, 0, 1, 0],
        [1, 0, 1, 0, 1],
    ]
