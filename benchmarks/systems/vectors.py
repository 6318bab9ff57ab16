"""The one embedder of all systems: each text is embedded once, and the time it takes is known."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from memsieve.models.embedders import LocalEmbedder


class Vectors:
    """The bundled embedder, with a memory for what it has read and a watch of its own: an `Embed`."""

    def __init__(self) -> None:
        self._embedder = LocalEmbedder()
        self._known: dict[str, np.ndarray] = {}
        # How long it has taken so far, with looking up what is known.
        self.seconds = 0.0

    def __call__(self, texts: Sequence[str]) -> np.ndarray:
        """Return the vectors of texts; those that were not seen before are made."""
        began = time.perf_counter()
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            # In a thread of its own: who asks may be in an event loop already.
            with ThreadPoolExecutor(1) as thread:
                made = thread.submit(asyncio.run, self._embedder.embed(new)).result()
            self.learn(new, [np.zeros(self._embedder.dimensions) if vector is None else vector for vector in made])
        found = np.stack([self._known[text] for text in texts])
        self.seconds += time.perf_counter() - began
        return found

    def learn(self, texts: Sequence[str], vectors: Sequence[np.ndarray]) -> None:
        """Take vectors as given: how long a model takes is no matter of an engine."""
        rows = (np.asarray(vector, np.float32) for vector in vectors)
        self._known.update(zip(texts, rows, strict=True))
