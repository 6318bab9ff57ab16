"""Cluster similar statements, by Leiden communities in a graph of nearest neighbours.

Each statement is a point: the vector of its entry, beside its own words, weighted by how rare they are and
projected to a fixed number of dimensions. The groups stay small however many statements there are, because a community
must be as dense as the resolution says.
"""

from __future__ import annotations

import hashlib
import math
import threading
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from memsieve.model import Vector

Points: TypeAlias = npt.NDArray[np.float32]
Numbers: TypeAlias = npt.NDArray[np.float64]

_SEED = 20261
# Statements with a closeness of less than this have nothing to do with each other.
_NO_EDGE = 0.3
# An edge has full weight from this much above `_NO_EDGE`.
_NEAR = 0.3
_RESOLUTION = 0.02
_NEIGHBOURS = 15
_WORD_DIMENSIONS = 384
# The share of what all entries of a window have in common, their tone and subject, that is taken out of each vector.
_COMMON_SHARE = 0.8
# Added to the number of texts in idf: a window of few statements says little about how rare a word is.
_OTHERS = 1000
# Up to this many points, each is compared with each; beyond, only with those near the same pivots.
_ALL_PAIRS = 6000
_PER_CELL = 600
_CELLS_EACH = 3
_BLOCK = 1024
# Among fewer statements none is more central than the others.
_FEW = 8


def idf(texts: Sequence[tuple[str, ...]]) -> dict[str, float]:
    """Return the inverse document frequency of each word."""
    holders = Counter(word for words in texts for word in set(words))
    return {word: math.log((len(texts) + _OTHERS) / (count + 1)) for word, count in holders.items()}


def tfidf(words: Sequence[str], weights: Mapping[str, float]) -> dict[str, float]:
    """Return the idf weights of a text's distinct words, as a vector of length one."""
    weighted = {word: weights[word] for word in sorted(set(words))}
    length = math.sqrt(sum(weight * weight for weight in weighted.values())) or 1.0
    return {word: weight / length for word, weight in weighted.items()}


def points(vectors: Sequence[Vector | None], weighted: Sequence[Mapping[str, float]]) -> Points:
    """Return one point of length one for each statement, half of it by vectors and half by words."""
    half = np.float32(math.sqrt(0.5))
    made = np.hstack([_centred(vectors) * half, _projected(weighted) * half])
    return _of_length_one(made)


@dataclass(frozen=True, slots=True)
class Graph:
    """Pairs of near points, each once and the lower number first, and how near they are beyond `_NO_EDGE`."""

    low: npt.NDArray[np.int64]
    high: npt.NDArray[np.int64]
    weights: npt.NDArray[np.float64]
    count: int

    def company(self) -> npt.NDArray[np.float64]:
        """Return for each point the total closeness of its neighbours."""
        both = np.concatenate([self.low, self.high])
        each = np.minimum(np.concatenate([self.weights, self.weights]) / _NEAR, 1.0)
        return np.bincount(both, each, self.count).astype(np.float64)


def graph(made: Points, owners: Sequence[int], given_up: threading.Event | None = None) -> Graph:
    """Return the graph of near points; points of one owner are not joined. Once `given_up`, the rest is left out."""
    of = np.asarray(owners)
    keys, weights = [np.empty(0, np.int64)], [np.empty(0, np.float32)]
    for cell in _cells(made):
        if given_up is not None and given_up.is_set():
            break
        first, second, near = _nearest(made[cell])
        a, b = cell[first], cell[second]
        kept = (near > _NO_EDGE) & (of[a] != of[b])
        a, b = a[kept], b[kept]
        keys.append(np.minimum(a, b) * len(made) + np.maximum(a, b))
        weights.append(near[kept] - _NO_EDGE)
    found, places = np.unique(np.concatenate(keys), return_index=True)
    found = found.astype(np.int64)
    return Graph(found // len(made), found % len(made), np.concatenate(weights)[places].astype(np.float64), len(made))


def centrality(made: Points, sessions: npt.NDArray[np.intp]) -> Numbers:
    """Return how near each point is to the others of its session, in that session's deviations; 0 among few."""
    sums = np.zeros((sessions.max(initial=-1) + 1, made.shape[1]))
    np.add.at(sums, sessions, made)
    counts = np.bincount(sessions)[sessions]
    near = ((made * sums[sessions]).sum(axis=1) - 1) / np.maximum(counts - 1, 1)
    means = (np.bincount(sessions, near) / np.bincount(sessions))[sessions]
    spread = np.sqrt(np.bincount(sessions, (near - means) ** 2) / np.bincount(sessions))[sessions]
    return np.where(counts >= _FEW, (near - means) / np.maximum(spread, 1e-6), 0.0)


def groups(near: Graph) -> list[list[int]]:
    """Return groups of two points or more that are joined more than others, largest first."""
    members: dict[int, list[int]] = defaultdict(list)
    for point, label in enumerate(_communities(near)):
        members[label].append(point)
    found = [group for group in members.values() if len(group) > 1]
    return sorted(found, key=lambda group: (-len(group), group))


def rows(vectors: Sequence[Vector | None]) -> Points:
    """Return vectors as the rows of one matrix, zeros where there is none."""
    dimensions = next((len(vector) for vector in vectors if vector is not None), 1)
    made = np.zeros((len(vectors), dimensions), np.float32)
    for number, vector in enumerate(vectors):
        if vector is not None:
            made[number] = vector
    return made


def _centred(vectors: Sequence[Vector | None]) -> Points:
    made = rows(vectors)
    known = made.any(axis=1)
    if known.any():
        # In a small window the mean is mostly what the few texts say, and not their tone.
        weight = _COMMON_SHARE * known.sum() / (known.sum() + _OTHERS)
        made[known] -= np.float32(weight) * made[known].mean(axis=0)
    return _of_length_one(made)


def _projected(weighted: Sequence[Mapping[str, float]]) -> Points:
    directions = _Directions()
    rows = np.zeros((len(weighted), _WORD_DIMENSIONS), np.float32)
    for number, weights in enumerate(weighted):
        if weights:
            signs = np.array([directions[word] for word in weights])
            rows[number] = np.fromiter(weights.values(), np.float32) @ signs
    return _of_length_one(rows)


class _Directions(dict[str, npt.NDArray[np.int8]]):
    """A direction for each word, the same in every run: words that differ lie nearly at right angles."""

    def __missing__(self, word: str) -> npt.NDArray[np.int8]:
        bits = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=_WORD_DIMENSIONS // 8).digest()
        self[word] = np.unpackbits(np.frombuffer(bits, np.uint8)).astype(np.int8) * 2 - 1
        return self[word]


def _of_length_one(rows: Points) -> Points:
    lengths: Points = np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    return rows / lengths


def _cells(made: Points) -> Iterator[npt.NDArray[np.intp]]:
    """Give sets of points within which neighbours are looked for; near points share one of theirs."""
    if len(made) <= _ALL_PAIRS:
        yield np.arange(len(made))
        return
    chosen = np.random.default_rng(_SEED).choice(len(made), len(made) * _CELLS_EACH // _PER_CELL, replace=False)
    pivots = made[np.sort(chosen)]
    nearest = np.vstack(
        [np.argsort(-(block @ pivots.T), axis=1, kind="stable")[:, :_CELLS_EACH] for block in _blocks(made)]
    )
    for pivot in range(len(pivots)):
        yield np.flatnonzero((nearest == pivot).any(axis=1))


def _nearest(cell: Points) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp], npt.NDArray[np.float32]]:
    """Return the nearest neighbours of each point of a cell: from, to, closeness."""
    count = min(_NEIGHBOURS, len(cell) - 1)
    if count < 1:
        return np.empty(0, np.intp), np.empty(0, np.intp), np.empty(0, np.float32)
    second, near = [], []
    for start, block in zip(range(0, len(cell), _BLOCK), _blocks(cell), strict=True):
        closeness = block @ cell.T
        closeness[np.arange(len(block)), np.arange(start, start + len(block))] = -1
        best = np.argpartition(-closeness, count - 1, axis=1)[:, :count]
        second.append(best)
        near.append(np.take_along_axis(closeness, best, axis=1))
    return np.repeat(np.arange(len(cell)), count), np.vstack(second).ravel(), np.vstack(near).ravel()


def _blocks(rows: Points) -> Iterator[Points]:
    return (rows[start : start + _BLOCK] for start in range(0, len(rows), _BLOCK))


def _communities(near: Graph) -> list[int]:
    """Return a label for each point; one without a neighbour has one of its own."""
    if not len(near.low):
        return list(range(near.count))
    from graspologic_native import leiden_csr

    rows, columns = np.concatenate([near.low, near.high]), np.concatenate([near.high, near.low])
    order = np.lexsort((columns, rows))
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=near.count))]).astype(np.int64)
    _, labels = leiden_csr(
        starts,
        columns[order].astype(np.int32),
        np.concatenate([near.weights, near.weights])[order],
        near.count,
        resolution=_RESOLUTION,
        use_modularity=False,
        iterations=2,
        seed=_SEED,
    )
    return [labels.get(point, near.count + point) for point in range(near.count)]
