"""Plain k-means, and how well groups match known ones: what the digest's grouping is held against."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import comb

import numpy as np
import numpy.typing as npt

_ROUNDS = 100


def kmeans(points: npt.NDArray[np.float32], count: int, seed: int = 0, tries: int = 3) -> npt.NDArray[np.intp]:
    """Return a label for each point: Lloyd's algorithm from k-means++ seeds, the tightest of some tries."""
    found = [_lloyd(points, count, np.random.default_rng(seed + number)) for number in range(tries)]
    return min(found, key=lambda each: each[0])[1]


def _lloyd(
    points: npt.NDArray[np.float32], count: int, random: np.random.Generator
) -> tuple[float, npt.NDArray[np.intp]]:
    centres = _seeds(points, count, random)
    labels = np.full(len(points), -1)
    for _ in range(_ROUNDS):
        apart = _apart(points, centres)
        nearest = apart.argmin(axis=1)
        if (nearest == labels).all():
            break
        labels = nearest
        for number in np.unique(labels):
            centres[number] = points[labels == number].mean(axis=0)
    return float(_apart(points, centres).min(axis=1).sum()), labels


def _seeds(points: npt.NDArray[np.float32], count: int, random: np.random.Generator) -> npt.NDArray[np.float32]:
    chosen = [int(random.integers(len(points)))]
    apart = _apart(points, points[chosen])[:, 0]
    while len(chosen) < count:
        chosen.append(int(random.choice(len(points), p=apart / apart.sum())))
        apart = np.minimum(apart, _apart(points, points[chosen[-1:]])[:, 0])
    return points[chosen].copy()


def _apart(points: npt.NDArray[np.float32], centres: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    squares = (points**2).sum(axis=1)[:, None] + (centres**2).sum(axis=1)[None] - 2 * points @ centres.T
    return np.maximum(squares, 0).astype(np.float64)


def purity(labels: Sequence[int], known: Sequence[str]) -> float:
    """Return the share of points that belong to the commonest known group of theirs."""
    together: dict[int, Counter[str]] = {}
    for label, group in zip(labels, known, strict=True):
        together.setdefault(label, Counter())[group] += 1
    return sum(max(counts.values()) for counts in together.values()) / len(known)


def adjusted_rand(labels: Sequence[int], known: Sequence[str]) -> float:
    """Return how far pairs are together in both groupings, beyond chance: 0 by chance, 1 when the same."""
    both = _pairs(Counter(zip(labels, known, strict=True)))
    ours, theirs, every = _pairs(Counter(labels)), _pairs(Counter(known)), comb(len(known), 2)
    chance = ours * theirs / every
    return (both - chance) / ((ours + theirs) / 2 - chance)


def _pairs(counts: Counter[object] | Counter[int] | Counter[str] | Counter[tuple[int, str]]) -> int:
    return sum(comb(count, 2) for count in counts.values())
