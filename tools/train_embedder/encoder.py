"""MiniLM in torch, from word vectors to token states; nothing but torch and numpy, for a machine that has no more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

HEADS, LAYERS, SIZE, INNER = 12, 6, 384, 1536
EPSILON = 1e-12


class Layer(nn.Module):
    """Attention, then the feed-forward part, each with its residual."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value, self.out = (nn.Linear(SIZE, SIZE) for _ in range(4))
        self.inner, self.outer = nn.Linear(SIZE, INNER), nn.Linear(INNER, SIZE)
        self.attended, self.done = nn.LayerNorm(SIZE, EPSILON), nn.LayerNorm(SIZE, EPSILON)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        parts = (part(x).unflatten(-1, (HEADS, -1)).transpose(1, 2) for part in (self.query, self.key, self.value))
        mixed = functional.scaled_dot_product_attention(*parts, attn_mask=mask[:, None, None, :])
        x = self.attended(x + self.out(mixed.transpose(1, 2).flatten(2)))
        done: Tensor = self.done(x + self.outer(functional.gelu(self.inner(x))))
        return done


class Encoder(nn.Module):
    """The transformer without its word vectors, which are given."""

    def __init__(self) -> None:
        super().__init__()
        self.positions, self.segments = nn.Embedding(512, SIZE), nn.Embedding(2, SIZE)
        self.norm = nn.LayerNorm(SIZE, EPSILON)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))

    def forward(self, words: Tensor, mask: Tensor, segments: Tensor | None = None) -> Tensor:
        at = torch.arange(words.shape[1], device=words.device)
        which = torch.zeros_like(at)[None] if segments is None else segments
        x = self.norm(words + self.positions(at) + self.segments(which))
        for layer in self.layers:
            x = layer(x, mask)
        return x


NAMES = {
    "positions": "embeddings.position_embeddings",
    "segments": "embeddings.token_type_embeddings",
    "norm": "embeddings.LayerNorm",
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "out": "attention.output.dense",
    "attended": "attention.output.LayerNorm",
    "inner": "intermediate.dense",
    "outer": "output.dense",
    "done": "output.LayerNorm",
}


def published_name(name: str) -> str:
    """Return what the published weights call a parameter of the encoder."""
    *place, module, kind = name.split(".")
    within = f"encoder.layer.{place[1]}." if place else ""
    return f"{within}{NAMES[module]}.{kind}"


def load(encoder: Encoder, weights: Mapping[str, np.ndarray]) -> None:
    """Fill the encoder with the published weights."""
    state = {name: torch.tensor(weights[published_name(name)]).float() for name in encoder.state_dict()}
    encoder.load_state_dict(state)


def padded(sequences: Sequence[np.ndarray], device: str) -> tuple[Tensor, Tensor]:
    """Return ids in one block, and which of them are real."""
    longest = max(map(len, sequences))
    ids = np.zeros((len(sequences), longest), np.int64)
    for row, sequence in zip(ids, sequences, strict=True):
        row[: len(sequence)] = sequence
    lengths = torch.tensor([len(sequence) for sequence in sequences])
    mask = torch.arange(longest)[None] < lengths[:, None]
    return torch.from_numpy(ids).to(device), mask.to(device)


def pooled(states: Tensor, mask: Tensor) -> Tensor:
    """Return the mean of the real tokens, of length one."""
    return functional.normalize((states * mask[..., None]).sum(1), dim=-1)
