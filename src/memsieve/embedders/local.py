"""The bundled embedder: no network, no key."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from memsieve.bundled import models
from memsieve.errors import EmbedderError
from memsieve.text.scripts import MAX_FOREIGN_SHARE, readable

if TYPE_CHECKING:
    from memsieve.model import Vector

MAX_TOKENS = 256
MAX_CHARACTERS = 32 * MAX_TOKENS

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
        self._model: _Model | None = None

    async def embed(self, texts: Sequence[str]) -> list[Vector | None]:
        return await asyncio.to_thread(self._embed_all, texts)

    def _embed_all(self, texts: Sequence[str]) -> list[Vector | None]:
        # One text per run: quantised vectors depend on what else is in the batch.
        return [self._embed(text) for text in texts]

    def _embed(self, text: str) -> Vector | None:
        seen = _SYMBOLS.sub(" ", text[:MAX_CHARACTERS])
        return self._loaded().embed(seen) if readable(seen, self.scripts) else None

    def _loaded(self) -> _Model:
        if self._model is None:
            with self._loading:
                if self._model is None:
                    self._model = _Model()
        return self._model


class _Model:
    """The vocabulary and the graph, in memory."""

    def __init__(self) -> None:
        try:
            self._tokens = models.tokens()
            self._session = models.session(models.FOLDER / "minilm" / "encoder.onnx")
        except Exception as exc:  # the libraries raise what they like
            raise EmbedderError(
                f"The bundled embedder could not be loaded: {exc}. Reinstall memsieve.",
                public="The bundled embedder could not be loaded.",
            ) from exc

    def embed(self, text: str) -> Vector | None:
        """Return the text's vector, or None if too many of its words are unknown."""
        ids = self._tokens.encode(text, MAX_TOKENS)
        # All unknown words look alike; a key of more than 100 letters is one.
        if ids.count(self._tokens.UNKNOWN) > MAX_FOREIGN_SHARE * len(ids):
            return None
        vector: Vector = self._session.run(None, {"words": self._tokens.vectors(ids)[None]})[0][0]
        return vector
