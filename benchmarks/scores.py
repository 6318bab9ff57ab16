"""The arithmetic of the tables: what a ranking is worth, how two are fused, how a figure grows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from math import log, log2

import numpy as np

# The constant of reciprocal rank fusion as it was published, and as everybody copies it.
RRF = 60


def share(wanted: Collection[str], found: Sequence[str]) -> float:
    """Return how much of what was wanted was found."""
    return len(set(wanted).intersection(found)) / len(set(wanted))


def any_of(wanted: Collection[str], found: Sequence[str]) -> float:
    """Return 1 if anything that was wanted was found, else 0."""
    return float(not set(wanted).isdisjoint(found))


def ndcg(wanted: Collection[str], found: Sequence[str], most: int) -> float:
    """Return the discounted gain of the first of a ranking, of the best that could be."""
    gained = sum(_discount(rank) for rank, one in enumerate(found[:most]) if one in wanted)
    return gained / sum(_discount(rank) for rank in range(min(most, len(set(wanted)))))


def fused(rankings: Sequence[Sequence[str]]) -> list[str]:
    """Return rankings as one, by reciprocal ranks, whatever the scores were."""
    scores: dict[str, float] = defaultdict(float)
    for ranking in rankings:
        for rank, one in enumerate(ranking, 1):
            scores[one] += 1 / (RRF + rank)
    return sorted(scores, key=lambda one: scores[one], reverse=True)


def exponent(points: Sequence[tuple[float, float]]) -> float | None:
    """Return the power of the size that a figure grows by, from its first to its last point."""
    (small, before), (large, after) = points[0], points[-1]
    if large <= small or before <= 0 or after <= 0:
        return None
    return log(after / before) / log(large / small)


def percentiles(seconds: Sequence[float]) -> tuple[float, float, float]:
    """Return the median, the 95th and the 99th percentile."""
    return tuple(float(one) for one in np.percentile(seconds, (50, 95, 99)))


def _discount(rank: int) -> float:
    return 1 / log2(rank + 2)
