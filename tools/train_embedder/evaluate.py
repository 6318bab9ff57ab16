"""Measure the bundled embedder against MiniLM as published, on pairs that were kept out of training."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import onnxruntime
from rich.console import Console
from rich.table import Table
from tokenizers import BertWordPieceTokenizer

from memsieve.models.embedders import LocalEmbedder
from tools.train_embedder import build
from tools.train_embedder.published import WORDS, Published

Embed = Callable[[Sequence[str]], np.ndarray]


def before(model: Published) -> Embed:
    """Return MiniLM as published: its own tokenizer and rows, in full precision."""
    tokenizer = BertWordPieceTokenizer(vocab={word: number for number, word in enumerate(model.words)})
    session = onnxruntime.InferenceSession(build.encoder_graph(model).SerializeToString())
    rows = model.weights[WORDS]

    def embed(texts: Sequence[str]) -> np.ndarray:
        encoded = (tokenizer.encode(text).ids[: build.MOST_TOKENS] for text in texts)
        return np.stack([session.run(None, {"words": rows[ids][None]})[0][0] for ids in encoded])

    return embed


def after(texts: Sequence[str]) -> np.ndarray:
    """Embed with what the package holds; a text that it does not read gets zeros and finds nothing."""
    vectors = asyncio.run(LocalEmbedder().embed(texts))
    return np.stack([np.zeros(384, np.float32) if vector is None else vector for vector in vectors])


def recall(questions: np.ndarray, answers: np.ndarray) -> float:
    """Return how often the translation is the nearest of all."""
    return float(np.mean((questions @ answers.T).argmax(1) == np.arange(len(answers))))


def agreement(chinese: np.ndarray, english: np.ndarray) -> float:
    """Return the rank correlation of similarities among Chinese sentences with those among their translations."""
    at = np.triu_indices(len(chinese), 1)
    ranks = [(vectors @ vectors.T)[at].argsort().argsort() for vectors in (chinese, english)]
    return float(np.corrcoef(*ranks)[0, 1])


def main(train: Path, model: Published) -> None:
    """Print one table."""
    table = Table("pairs", "model", "zh→en R@1", "en→zh R@1", "similarity (Spearman)", "English cosine, lowest")
    published = before(model)
    for name, pairs in json.loads((train / "pairs_dev.json").read_text("utf-8")).items():
        english, chinese = ([pair[side] for pair in pairs] for side in (0, 1))
        teacher = published(english)
        for label, embed in (("MiniLM as published", published), ("bundled", after)):
            en, zh = embed(english), embed(chinese)
            figures = (recall(zh, en), recall(en, zh), agreement(zh, teacher), float((en * teacher).sum(1).min()))
            table.add_row(name, label, *(f"{figure:.3f}" for figure in figures))
    Console(width=110).print(table)
