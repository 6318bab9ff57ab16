"""What people write first when they want both legs: the ranks by words and by vectors, added up."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks import scores
from benchmarks.systems.base import Embed, Found, Said
from benchmarks.systems.bm25 import BM25
from benchmarks.systems.dense import Dense

# So many of each leg are fused.
DEPTH = 100


class Fusion:
    """Reciprocal rank fusion of BM25 and exact cosines, unweighted."""

    name = "naive fusion (RRF)"

    def __init__(self, folder: Path, embed: Embed) -> None:
        self._legs = (BM25(folder, embed), Dense(folder, embed))

    def record(self, project: str, said: Sequence[Said]) -> None:
        for leg in self._legs:
            leg.record(project, said)

    def ask(self, project: str, question: str, most: int) -> list[Found]:
        ranked = [[found.text for found in leg.ask(project, question, DEPTH)] for leg in self._legs]
        return [Found(text) for text in scores.fused([list(dict.fromkeys(one)) for one in ranked])[:most]]

    def close(self) -> None:
        for leg in self._legs:
            leg.close()
