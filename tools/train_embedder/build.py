"""Write the package data: the encoder's graph, the English rows as published and the Chinese rows as trained."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime

from memsieve.models.tokens import Tokens
from tools.train_embedder import graph as graphs
from tools.train_embedder.published import WORDS, Published

MOST_TOKENS = 256
MINIMUM_COSINE = 0.99

SENTENCES = (
    "The deployment failed because the database migration was not run first.",
    "Users in the Berlin office prefer dark mode.",
    "Yes.",
    "def add(a, b): return a + b",
    "The quarterly report shows revenue of $4.2 million, up 13% from last year.",
    "Why does the cache return stale data for some customers?",
    "HTTP 503 from https://api.example.com/v1/orders?id=42 after 30 seconds",
    "Le client a demandé un remboursement complet de sa commande.",
    "The meeting agreed to move the release to Thursday, unless the security review finds something serious.",
    "部署失败了，因为没有先运行数据库迁移。",
    "柏林办公室的用户更喜欢深色模式。",
    "会议决定把发布推迟到周四，除非安全审查发现严重问题。",
    "The agent retried the tool call three times. " * 30,
)


def english_rows(rows: np.ndarray) -> dict[str, np.ndarray]:
    """Quantise with one scale for the whole table: vectors that were stored stay what they are."""
    low, high = min(0.0, float(rows.min())), max(0.0, float(rows.max()))
    scale = np.float32((high - low) / 255)
    zero = np.uint8(round(-low / float(scale)))
    values = np.clip(np.rint(rows / scale) + zero, 0, 255).astype(np.uint8)
    return {"values": values, "zero": np.asarray(zero), "scale": np.asarray(scale)}


def chinese_rows(rows: np.ndarray) -> dict[str, np.ndarray]:
    """Quantise with a scale for each row."""
    scale = (np.abs(rows).max(axis=1) / 127).astype(np.float32)
    values = np.rint(rows / scale[:, None]).astype(np.int8)
    return {"values": values, "zero": np.asarray(np.int8(0)), "scale": scale}


def encoder_graph(model: Published) -> onnx.ModelProto:
    """Write the graph from word vectors to a vector of length one."""
    graph = graphs.Graph()
    weights = model.weights
    first_segment = weights["embeddings.token_type_embeddings.weight"][0]
    placed = graphs.place(graph, weights["embeddings.position_embeddings.weight"][:MOST_TOKENS] + first_segment)
    output = graphs.pool(graph, graphs.encode(graph, weights, model.config, placed))
    size = model.config["hidden_size"]
    return graphs.model_of(graph, "all-MiniLM-L6-v2", {"words": ["batch", "length", size]}, output, size)


def verify(exact: onnx.ModelProto, small: Path, tokens: Tokens, table: np.ndarray) -> None:
    """Print how close the files come to the exact numbers, and stop if that is not close enough."""
    sessions = [onnxruntime.InferenceSession(model) for model in (exact.SerializeToString(), str(small))]
    cosines = []
    for sentence in SENTENCES:
        ids = tokens.encode(sentence, MOST_TOKENS)
        given = (table[ids].astype(np.float32), tokens.vectors(ids))
        one, other = (s.run(None, {"words": words[None]})[0][0] for s, words in zip(sessions, given, strict=True))
        cosines.append(float(one @ other))
        print(f"  {cosines[-1]:.4f}  {sentence[:80]}")
    print(f"cosine of int8 to fp32: mean {np.mean(cosines):.4f}, lowest {min(cosines):.4f}")
    if np.mean(cosines) < MINIMUM_COSINE:
        sys.exit(f"The mean is below {MINIMUM_COSINE}: do not use these files.")


def main(rows: Path, target: Path, model: Published) -> None:
    """Write, then verify what was written."""
    trained = np.load(rows).astype(np.float32)
    (target / "minilm" / "words.txt").write_text("\n".join(model.words) + "\n", encoding="utf-8")
    np.savez(target / "minilm" / "words.npz", **english_rows(model.weights[WORDS]))  # type: ignore[arg-type]
    np.savez(target / "chinese" / "words.npz", **chinese_rows(trained))  # type: ignore[arg-type]
    exact = encoder_graph(model)
    graphs.quantise(exact, target / "minilm" / "encoder.onnx")
    verify(exact, target / "minilm" / "encoder.onnx", Tokens(target), np.concatenate((model.weights[WORDS], trained)))
    for file in sorted(path for part in ("minilm", "chinese") for path in (target / part).iterdir()):
        print(f"{file.stat().st_size:>10}  {hashlib.sha256(file.read_bytes()).hexdigest()[:16]}  {file.name}")
