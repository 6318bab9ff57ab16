"""Embedders: the bundled one, and any behind an OpenAI-compatible endpoint."""

from __future__ import annotations

import asyncio
import math
import re
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from memsieve.errors import EmbedderError
from memsieve.models import bundled
from memsieve.models.openai_api import EndpointError, OpenAIEndpoint
from memsieve.text.scripts import MAX_FOREIGN_SHARE, readable

if TYPE_CHECKING:
    from memsieve.model import Vector

LOCAL_MAX_TOKENS = 256
_LOCAL_CHARACTERS = 32 * LOCAL_MAX_TOKENS

# Emoji and the like are one unknown word to the model: "done ✅" must stay near "done".
_SYMBOLS = re.compile(r"[^\w\s\x00-\u25ff\u3000-\u303f\uff00-\uffef]+")


class LocalEmbedder:
    """all-MiniLM-L6-v2 with rows for Chinese, in 8-bit integers, on the processor; loaded when the first text comes."""

    name = "all-MiniLM-L6-v2-zh-int8"
    dimensions = 384
    # Measured on six unrelated sentences each: 0.02 is their mean cosine in English, 0.4 in French and Vietnamese, but
    # 0.6 in Russian, 0.7 to 0.8 in Korean, Arabic, Hindi and Greek (cut into single letters), 1.0 in Thai (all
    # unknown). Vectors of letters that the model was not taught would make strangers twins.
    scripts = frozenset({"Latin", "Han"})

    def __init__(self) -> None:
        self._loading = threading.Lock()
        self._model: _LocalModel | None = None

    async def embed(self, texts: Sequence[str]) -> list[Vector | None]:
        return await asyncio.to_thread(self._embed_all, texts)

    def _embed_all(self, texts: Sequence[str]) -> list[Vector | None]:
        # One text per run: quantised vectors depend on what else is in the batch.
        return [self._embed(text) for text in texts]

    def _embed(self, text: str) -> Vector | None:
        seen = _SYMBOLS.sub(" ", text[:_LOCAL_CHARACTERS])
        return self._loaded().embed(seen) if readable(seen, self.scripts) else None

    def _loaded(self) -> _LocalModel:
        if self._model is None:
            with self._loading:
                if self._model is None:
                    self._model = _LocalModel()
        return self._model


class _LocalModel:
    """The vocabulary and the graph, in memory."""

    def __init__(self) -> None:
        try:
            self._tokens = bundled.tokens()
            self._session = bundled.session(bundled.FOLDER / "minilm" / "encoder.onnx")
        except Exception as exc:  # the libraries raise what they like
            raise EmbedderError(
                f"The bundled embedder could not be loaded: {exc}. Reinstall memsieve.",
                public="The bundled embedder could not be loaded.",
            ) from exc

    def embed(self, text: str) -> Vector | None:
        """Return the text's vector, or None if too many of its words are unknown."""
        ids = self._tokens.encode(text, LOCAL_MAX_TOKENS)
        # All unknown words look alike; a key of more than 100 letters is one.
        if ids.count(self._tokens.UNKNOWN) > MAX_FOREIGN_SHARE * len(ids):
            return None
        vector: Vector = self._session.run(None, {"words": self._tokens.vectors(ids)[None]})[0][0]
        return vector


BATCH_SIZE = 64
# Models refuse more than about 8000 tokens, and one text refused would fail its whole batch.
REMOTE_CHARACTERS = 8000


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
            batch = await _requested(
                self._endpoint, self._name, [texts[at].strip()[:REMOTE_CHARACTERS] for at in positions]
            )
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


async def _requested(endpoint: OpenAIEndpoint, model: str, texts: list[str]) -> list[Vector]:
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
