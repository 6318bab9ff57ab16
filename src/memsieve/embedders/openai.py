"""An embedder behind any OpenAI-compatible endpoint."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from memsieve.errors import EmbedderError
from memsieve.openai_api import EndpointError, OpenAIEndpoint

if TYPE_CHECKING:
    from memsieve.model import Vector

BATCH_SIZE = 64
# Models refuse more than about 8000 tokens, and one text refused would fail its whole batch.
MAX_CHARACTERS = 8000


class OpenAIEmbedder:
    """A remote model; it is taken to read every script."""

    def __init__(self, endpoint: OpenAIEndpoint, model: str) -> None:
        self._endpoint = endpoint
        self._name = model
        self._dimensions: int | None = None

    @property
    def name(self) -> str:
        return self._name

    @property
    def dimensions(self) -> int | None:
        return self._dimensions

    async def embed(self, texts: Sequence[str]) -> list[Vector | None]:
        vectors: list[Vector | None] = [None] * len(texts)
        written = [position for position, text in enumerate(texts) if text.strip()]
        for start in range(0, len(written), BATCH_SIZE):
            positions = written[start : start + BATCH_SIZE]
            batch = await _request(self._endpoint, self._name, [texts[at].strip()[:MAX_CHARACTERS] for at in positions])
            for position, vector in zip(positions, batch, strict=True):
                vectors[position] = self._measured(vector)
        return vectors

    def _measured(self, vector: Vector) -> Vector:
        if self._dimensions is None:
            self._dimensions = len(vector)
        if len(vector) != self._dimensions:
            raise EmbedderError(
                f"{self._name} gave a vector of {len(vector)} numbers where {self._dimensions} were expected. "
                "Check that the endpoint serves one model under this name."
            )
        return vector


async def _request(endpoint: OpenAIEndpoint, model: str, texts: list[str]) -> list[Vector]:
    """Return one vector of length one for each text, in order."""
    try:
        answer = await endpoint.post("/embeddings", {"model": model, "input": texts, "encoding_format": "float"})
    except EndpointError as exc:
        raise EmbedderError(f"No vector from {model}: {exc}", public=f"No vector from {model}: {exc.public}") from exc
    try:
        return _in_order(answer["data"], len(texts))
    except (KeyError, TypeError, ValueError) as exc:
        raise EmbedderError(
            f"{model} at {endpoint.base_url} gave no usable vectors ({type(exc).__name__}: {exc}). "
            "Check that the model is one for embeddings.",
            public=f"No usable vectors from {model}.",
        ) from exc


def _in_order(items: Any, count: int) -> list[Vector]:
    """Return the vectors by their index."""
    vectors = {item["index"]: _unit(item["embedding"]) for item in items}
    if len(items) != count or vectors.keys() != set(range(count)):
        raise ValueError(f"{count} texts were sent, and {len(items)} vectors came back for texts {sorted(vectors)}")
    return [vectors[index] for index in range(count)]


def _unit(numbers: Any) -> Vector:
    """Return the numbers as a vector of length one."""
    import numpy as np

    wide = np.asarray(numbers)
    if wide.ndim != 1 or wide.dtype.kind not in "iuf":
        raise TypeError("an embedding is not a list of numbers")
    length = math.hypot(*wide)
    if not 0 < length < math.inf:
        raise ValueError("an embedding is zero or not finite")
    vector: Vector = (wide / length).astype(np.float32)
    return vector
