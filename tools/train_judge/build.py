"""Write the judge's graph into the package.

python -m tools.train_judge.build --trained FOLDER
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import onnx

from memsieve.claims.pair_model import MOST_TOKENS
from memsieve.models import bundled
from tools.train_embedder import graph as graphs
from tools.train_judge.train import CLASSES

CONFIG = {"num_hidden_layers": 6, "num_attention_heads": 12, "layer_norm_eps": 1e-12}
SIZE = 384


def judge_graph(weights: dict[str, np.ndarray]) -> onnx.ModelProto:
    """Write the graph from the word vectors of two sentences, and which is of the second, to three scores."""
    graph = graphs.Graph()
    first, second = weights["embeddings.token_type_embeddings.weight"]
    placed = graphs.place(graph, weights["embeddings.position_embeddings.weight"][: 2 * MOST_TOKENS] + first)
    marked = graph.node("Mul", "marked", "second", graph.constant("second_segment", second - first))
    states = graphs.encode(graph, weights, CONFIG, graph.node("Add", "both", placed, marked))
    opening = graph.node("Gather", "opening", states, graph.constant("at_first", np.int64(0)), axis=1)
    mean = graph.node("ReduceMean", "mean", states, axes=[1], keepdims=0)
    read = graph.node("Concat", "read", opening, mean, axis=-1)
    output = graph.linear("scores", read, weights["head.weight"], weights["head.bias"])
    inputs: dict[str, list[str | int]] = {"words": ["batch", "length", SIZE], "second": ["batch", "length", 1]}
    return graphs.model_of(graph, "memsieve judge", inputs, output, CLASSES)


def main() -> None:
    """Read the command line and do it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trained", type=Path, required=True, help="the folder that train.py wrote")
    arguments = parser.parse_args()
    weights: dict[str, np.ndarray] = {}
    for part in sorted(arguments.trained.glob("judge*.npz")):
        with np.load(part) as held:
            weights |= {name: held[name].astype(np.float32) for name in held.files}
    target = bundled.FOLDER / "judge" / "judge.onnx"
    target.parent.mkdir(exist_ok=True)
    graphs.quantise(judge_graph(weights), target)
    print(f"{target.stat().st_size:>10}  {target.name}")


if __name__ == "__main__":
    main()
