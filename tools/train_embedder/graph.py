"""Write the encoder as an ONNX graph, node by node, and quantise it: no torch is needed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

PARTS = ("query", "key", "value")


class Graph:
    """Collects nodes and weights; every method returns the name of what it made."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []

    def constant(self, name: str, value: Any) -> str:
        """Add a weight."""
        self.weights.append(numpy_helper.from_array(np.asarray(value, order="C"), name))
        return name

    def node(self, operation: str, name: str, *inputs: str, **attributes: Any) -> str:
        """Add a node with one output, which carries the node's name."""
        self.nodes.append(helper.make_node(operation, list(inputs), [name], name=f"{name}_node", **attributes))
        return name

    def linear(self, name: str, x: str, weight: np.ndarray, bias: np.ndarray) -> str:
        """Multiply by a transposed weight, as torch stores it, and add the bias."""
        product = self.node("MatMul", f"{name}_product", x, self.constant(f"{name}_weight", weight.T))
        return self.node("Add", name, product, self.constant(f"{name}_bias", bias))

    def layer_norm(self, name: str, x: str, weight: np.ndarray, bias: np.ndarray, epsilon: float) -> str:
        """Normalise the last axis."""
        scale, shift = self.constant(f"{name}_gain", weight), self.constant(f"{name}_offset", bias)
        return self.node("LayerNormalization", name, x, scale, shift, epsilon=epsilon)


def encode(graph: Graph, weights: dict[str, np.ndarray], config: dict[str, Any], placed: str) -> str:
    """Write everything from word vectors with their places added to the states of the tokens."""
    scale, shift = weights["embeddings.LayerNorm.weight"], weights["embeddings.LayerNorm.bias"]
    hidden = graph.layer_norm("embeddings", placed, scale, shift, config["layer_norm_eps"])
    for number in range(config["num_hidden_layers"]):
        layer = {
            key.removeprefix(f"encoder.layer.{number}."): value
            for key, value in weights.items()
            if key.startswith(f"encoder.layer.{number}.")
        }
        hidden = encoder_layer(graph, f"layer{number}", hidden, layer, config)
    return hidden


def place(graph: Graph, positions: np.ndarray) -> str:
    """Add the vectors of the places to those of the words."""
    table = graph.constant("position_embeddings", positions)
    length = graph.node("Shape", "length", "words", start=1, end=2)
    start = graph.constant("first_position", np.array([0], np.int64))
    return graph.node("Add", "embedded", "words", graph.node("Slice", "positions", table, start, length))


def encoder_layer(graph: Graph, name: str, x: str, layer: dict[str, np.ndarray], config: dict[str, Any]) -> str:
    """Write one layer of BERT: attention, then the feed-forward part, each with its residual."""
    mixed = attention(graph, name, x, layer, config["num_attention_heads"])
    out = (layer["attention.output.dense.weight"], layer["attention.output.dense.bias"])
    summed = graph.node("Add", f"{name}_attended_sum", graph.linear(f"{name}_attended", mixed, *out), x)
    norm = (layer["attention.output.LayerNorm.weight"], layer["attention.output.LayerNorm.bias"])
    attended = graph.layer_norm(f"{name}_attention", summed, *norm, config["layer_norm_eps"])
    inner = (layer["intermediate.dense.weight"], layer["intermediate.dense.bias"])
    active = gelu(graph, f"{name}_gelu", graph.linear(f"{name}_inner", attended, *inner))
    out = (layer["output.dense.weight"], layer["output.dense.bias"])
    summed = graph.node("Add", f"{name}_sum", graph.linear(f"{name}_outer", active, *out), attended)
    norm = (layer["output.LayerNorm.weight"], layer["output.LayerNorm.bias"])
    return graph.layer_norm(name, summed, *norm, config["layer_norm_eps"])


def attention(graph: Graph, name: str, x: str, layer: dict[str, np.ndarray], heads: int) -> str:
    """Write multi-head attention with query, key and value in one multiplication."""
    size = layer["attention.self.query.weight"].shape[0]
    scale = np.float32((size // heads) ** -0.5)
    parts = [(layer[f"attention.self.{part}.weight"], layer[f"attention.self.{part}.bias"]) for part in PARTS]
    parts[0] = (parts[0][0] * scale, parts[0][1] * scale)
    joined = graph.linear(f"{name}_qkv", x, *(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))
    split = graph.constant(f"{name}_split", np.array([0, 0, 3, heads, size // heads], np.int64))
    shaped = graph.node("Reshape", f"{name}_heads", joined, split)
    turned = graph.node("Transpose", f"{name}_turned", shaped, perm=[2, 0, 3, 1, 4])
    indices = (graph.constant(f"{name}_{part}_index", np.int64(at)) for at, part in enumerate(PARTS))
    query, key, value = (
        graph.node("Gather", f"{name}_{part}", turned, index, axis=0)
        for part, index in zip(PARTS, indices, strict=True)
    )
    keys = graph.node("Transpose", f"{name}_keys", key, perm=[0, 1, 3, 2])
    scores = graph.node("MatMul", f"{name}_scores", query, keys)
    shares = graph.node("Softmax", f"{name}_shares", scores, axis=-1)
    mixed = graph.node("MatMul", f"{name}_mixed", shares, value)
    back = graph.node("Transpose", f"{name}_back", mixed, perm=[0, 2, 1, 3])
    flat = graph.constant(f"{name}_flat", np.array([0, 0, size], np.int64))
    return graph.node("Reshape", f"{name}_joined", back, flat)


def gelu(graph: Graph, name: str, x: str) -> str:
    """Write the exact GELU: x / 2 · (1 + erf(x / √2))."""
    root = graph.constant(f"{name}_root", np.float32(np.sqrt(2)))
    one, half = graph.constant(f"{name}_one", np.float32(1)), graph.constant(f"{name}_half", np.float32(0.5))
    error = graph.node("Erf", f"{name}_erf", graph.node("Div", f"{name}_scaled", x, root))
    raised = graph.node("Mul", f"{name}_raised", x, graph.node("Add", f"{name}_plus", error, one))
    return graph.node("Mul", name, raised, half)


def pool(graph: Graph, hidden: str) -> str:
    """Sum up the tokens and scale the result to length one; a mean would give the same."""
    tokens = graph.constant("token_axis", np.array([1], np.int64))
    total = graph.node("ReduceSum", "total", hidden, tokens, keepdims=0)
    return graph.node("LpNormalization", "vector", total, axis=1, p=2)


def model_of(graph: Graph, name: str, inputs: dict[str, list[str | int]], output: str, size: int) -> onnx.ModelProto:
    """Wrap the nodes into a checked model of floats."""
    given = [helper.make_tensor_value_info(key, TensorProto.FLOAT, shape) for key, shape in inputs.items()]
    made = helper.make_tensor_value_info(output, TensorProto.FLOAT, ["batch", size])
    body = helper.make_graph(graph.nodes, name, given, [made], graph.weights)
    model = helper.make_model(body, opset_imports=[helper.make_opsetid("", 17)], producer_name="memsieve")
    model.ir_version = 8
    onnx.checker.check_model(model)
    return model


def quantise(model: onnx.ModelProto, target: Path) -> None:
    """Write a model whose matrices are 8-bit integers, with a scale for each channel."""
    # Seven bits of range: processors without VNNI saturate on eight, and vectors would differ between machines.
    quantize_dynamic(model, target, per_channel=True, reduce_range=True, weight_type=QuantType.QInt8)
