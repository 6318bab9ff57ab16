"""The simplest memory by vectors: all of them in one array, and one product for each question."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from benchmarks.systems.base import Embed, Found, Said


class Dense:
    """Exact cosines, in memory."""

    name = "vectors alone"

    def __init__(self, _: Path, embed: Embed) -> None:
        self._embed = embed
        self._texts: dict[str, list[str]] = defaultdict(list)
        self._rows: dict[str, np.ndarray] = {}

    def record(self, project: str, said: Sequence[Said]) -> None:
        texts = [one.text for one in said]
        rows = self._embed(texts)
        known = self._rows.get(project)
        self._texts[project] += texts
        self._rows[project] = rows if known is None else np.concatenate([known, rows])

    def ask(self, project: str, question: str, most: int) -> list[Found]:
        order = np.argsort(-(self._rows[project] @ self._embed([question])[0]), kind="stable")
        return [Found(self._texts[project][number]) for number in order[:most]]

    def close(self) -> None:
        self._rows.clear()
