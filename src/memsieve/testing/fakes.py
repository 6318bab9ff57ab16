"""A clock and an embedder for tests, which depend on nothing outside."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import numpy as np

from memsieve.model import Vector
from memsieve.text.scripts import HAN

_UNREADABLE = re.compile(f"[\u3040-\u30ff\uac00-\ud7af{HAN}]")


class Clock:
    """Return the same moment until it is advanced."""

    def __init__(self, now: datetime = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def advance(self, *, hours: float = 0, seconds: float = 0) -> None:
        """Move forward, or back where the step is negative."""
        self.now += timedelta(hours=hours, seconds=seconds)


class WordEmbedder:
    """Bag-of-words vectors: texts are alike by the words they share. Like many models it reads no Chinese."""

    name = "words"
    dimensions = 512

    async def embed(self, texts: Sequence[str]) -> list[Vector | None]:
        """Return one vector for each text; None for a text it cannot read."""
        return [self.vector(text) for text in texts]

    def vector(self, text: str) -> Vector | None:
        """Return the vector of a text."""
        words = re.findall(r"\w+", text.casefold())
        if not words or _UNREADABLE.search(text):
            return None
        vector = np.zeros(self.dimensions, np.float32)
        np.add.at(vector, [self._direction(word) for word in words], 1)
        return vector / np.float32(np.linalg.norm(vector))

    def _direction(self, word: str) -> int:
        return int.from_bytes(hashlib.blake2b(word.encode(), digest_size=4).digest()) % self.dimensions
