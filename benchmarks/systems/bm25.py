"""The simplest memory by words: textbook BM25 over the words that memsieve cuts, Chinese included."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import log
from pathlib import Path

from benchmarks.systems.base import Embed, Found, Said

from memsieve.text.tokenize import tokenize

# As in the textbooks.
K1 = 1.2
B = 0.75


@dataclass
class _Texts:
    texts: list[str] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    postings: dict[str, list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))


class BM25:
    """Postings by project, in memory."""

    name = "words alone (BM25)"

    def __init__(self, _folder: Path, _embed: Embed) -> None:
        self._projects: dict[str, _Texts] = defaultdict(_Texts)

    def record(self, project: str, said: Sequence[Said]) -> None:
        kept = self._projects[project]
        for one in said:
            words = tokenize(one.text)
            for word, count in Counter(words).items():
                kept.postings[word].append((len(kept.texts), count))
            kept.texts.append(one.text)
            kept.lengths.append(len(words))

    def ask(self, project: str, question: str, most: int) -> list[Found]:
        kept = self._projects[project]
        mean = sum(kept.lengths) / len(kept.lengths)
        scores: dict[int, float] = defaultdict(float)
        for word in set(tokenize(question)):
            there = kept.postings.get(word, ())
            weight = log(1 + (len(kept.texts) - len(there) + 0.5) / (len(there) + 0.5))
            for number, count in there:
                scores[number] += weight * count * (K1 + 1) / (count + K1 * (1 - B + B * kept.lengths[number] / mean))
        return [Found(kept.texts[number]) for number in sorted(scores, key=lambda one: -scores[one])[:most]]

    def close(self) -> None:
        self._projects.clear()
