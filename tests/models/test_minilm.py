from __future__ import annotations

import numpy as np
import pytest

from longleaf.errors import ModelError
from longleaf.models import minilm
from longleaf.models.protobuf import field

DIMS, WIDE = minilm.DIMS, 4 * minilm.DIMS


def tensor(name: str, value: np.ndarray, kind: int) -> bytes:
    dims = b"".join(field(1, size) for size in value.shape)
    return field(5, dims + field(2, kind) + field(8, name) + field(9, value.tobytes()))


def random_weights() -> dict[str, np.ndarray]:
    """Weights of the right names and shapes, small in vocabulary, with the numbers of a model at random."""
    rng = np.random.default_rng(7)
    weights: dict[str, np.ndarray] = {}

    def matrix(name: str, rows: int, columns: int, per_row: bool = False) -> None:
        weights[f"{name}_q"] = rng.integers(-127, 128, (rows, columns), dtype=np.int8)
        shape = (rows, 1) if per_row else (1, columns)
        weights[f"{name}_scale"] = rng.uniform(0.5, 1.5, shape).astype(np.float32) / (127 * rows**0.5)

    def vector(name: str, size: int, about: float) -> None:
        weights[name] = (about + 0.1 * rng.normal(size=size)).astype(np.float32)

    at = "inner.embeddings."
    matrix(f"{at}word_embeddings.weight", 50, DIMS, per_row=True)
    matrix(f"{at}position_embeddings.weight", minilm.POSITIONS, DIMS, per_row=True)
    weights[f"{at}token_type_embeddings.weight"] = rng.normal(size=(2, DIMS)).astype(np.float32) * 0.02
    norms = [f"{at}LayerNorm"]
    for layer in range(minilm.LAYERS):
        at = f"inner.encoder.layer.{layer}."
        for number in range(6):
            rows, columns = WIDE if number == 5 else DIMS, WIDE if number == 4 else DIMS
            matrix(f"val_{90 + 60 * layer + 5 * number}", rows, columns)
        for part in ("attention.self.query", "attention.self.key", "attention.self.value"):
            vector(f"{at}{part}.bias", DIMS, 0.0)
        for part, size in (("attention.output", DIMS), ("intermediate", WIDE), ("output", DIMS)):
            vector(f"{at}{part}.dense.bias", size, 0.0)
        norms += [f"{at}attention.output.LayerNorm", f"{at}output.LayerNorm"]
    for norm in norms:
        vector(f"{norm}.weight", DIMS, 1.0)
        vector(f"{norm}.bias", DIMS, 0.0)
    return weights


def reference(weights: dict[str, np.ndarray], ids: np.ndarray) -> np.ndarray:
    """BERT's forward pass for one text in float64, straight from its definition."""
    from math import erf, sqrt

    full = {
        name.removesuffix("_q"): value.astype(np.float64) * weights[f"{name.removesuffix('_q')}_scale"]
        for name, value in weights.items()
        if name.endswith("_q")
    }
    gelu = np.vectorize(lambda x: x * 0.5 * (1 + erf(x / sqrt(2))))

    def norm(x: np.ndarray, name: str) -> np.ndarray:
        centred = x - x.mean(1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(1, keepdims=True) + 1e-12)
        return scaled * weights[f"{name}.weight"] + weights[f"{name}.bias"]

    at = "inner.embeddings."
    x = full[f"{at}word_embeddings.weight"][ids] + full[f"{at}position_embeddings.weight"][: len(ids)]
    x = norm(x + weights[f"{at}token_type_embeddings.weight"][0], f"{at}LayerNorm")
    numbers = sorted(int(name[4:]) for name in full if name.startswith("val_"))
    for layer in range(minilm.LAYERS):
        at = f"inner.encoder.layer.{layer}."
        w = [full[f"val_{number}"] for number in numbers[6 * layer : 6 * layer + 6]]
        heads = [
            (x @ w[i] + weights[f"{at}attention.self.{part}.bias"]).reshape(len(ids), minilm.HEADS, -1)
            for i, part in enumerate(("query", "key", "value"))
        ]
        q, k, v = (head.transpose(1, 0, 2) for head in heads)
        scores = np.exp(q @ k.transpose(0, 2, 1) / sqrt(q.shape[-1]))
        mixed = (scores / scores.sum(-1, keepdims=True)) @ v
        out = mixed.transpose(1, 0, 2).reshape(x.shape) @ w[3] + weights[f"{at}attention.output.dense.bias"]
        x = norm(x + out, f"{at}attention.output.LayerNorm")
        wide = gelu(x @ w[4] + weights[f"{at}intermediate.dense.bias"])
        x = norm(x + wide @ w[5] + weights[f"{at}output.dense.bias"], f"{at}output.LayerNorm")
    mean = x.mean(0)
    return mean / np.linalg.norm(mean)


def test_the_graph_computes_what_bert_is_defined_to() -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    weights = random_weights()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(minilm.build(weights), options, providers=["CPUExecutionProvider"])
    for length in (2, 17):
        ids = np.random.default_rng(length).integers(0, 50, length)
        (vector,) = session.run(["vectors"], {"ids": ids[None]})[0]
        assert vector @ reference(weights, ids) > 0.999
        assert abs(np.linalg.norm(vector) - 1) < 1e-5


def test_weights_are_read_back_as_they_were_written() -> None:
    floats, bytes_ = np.arange(6, dtype=np.float32).reshape(2, 3), np.array([[-3, 7]], dtype=np.int8)
    flags = tensor("flags", np.array([True]), 9)
    packed = field(5, field(1, b"\x02\x81\x01") + field(2, 3) + field(8, "p") + field(9, bytes(258)))
    graph = field(2, "g") + tensor("a", floats, 1) + flags + tensor("b", bytes_, 3) + packed
    read = minilm.read_weights(field(1, 8) + field(7, graph))
    assert sorted(read) == ["a", "b", "p"]  # flags are no weights
    assert np.array_equal(read["a"], floats) and np.array_equal(read["b"], bytes_)
    assert read["p"].shape == (2, 129)


@pytest.mark.parametrize(
    "data", [b"", b"no model at all", field(1, 8), field(7, 5), b"\x3a\xff\xff\xff\x0fabc"]
)
def test_a_file_that_is_no_model_is_a_model_error(data: bytes) -> None:
    with pytest.raises(ModelError) as refusal:
        minilm.read_weights(data)
    assert "pip install" in refusal.value.hint


@pytest.mark.parametrize("name", ["val_90_q", "val_115_scale", "inner.encoder.layer.5.output.dense.bias"])
def test_a_missing_tensor_is_a_model_error(name: str) -> None:
    weights = random_weights()
    del weights[name]
    with pytest.raises(ModelError, match="lacks what MiniLM-L6 needs"):
        minilm.build(weights)


def test_a_matrix_of_another_shape_is_a_model_error() -> None:
    weights = random_weights()
    weights["val_110_q"] = weights["val_110_q"].T
    with pytest.raises(ModelError, match="val_110 has shape"):
        minilm.build(weights)


def test_the_probe_is_the_largest_product_there_is() -> None:
    _, inputs, expected = minilm.probe()
    assert inputs["bytes"].max() == 255 and expected.max() == 64 * 255 * 127
