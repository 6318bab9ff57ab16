"""One score out of two: how near a text is by vectors, and how many of the query's words it has."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from memsieve.model import ContextItem, SearchHit
from memsieve.retrieval.index import Match

# Chosen on LoCoMo and VCSum, where recall at 10 stays within two points from 0.3 to 0.6. A sum of scores standardised
# in each question, tried on them and on QMSum, ranks alike, and could not say how relevant an answer is.
VECTOR_WEIGHT = 0.45
# A hot item goes before the verified ones if it is at least this relevant, and more so than all of them; else after.
HIGHLY_RELEVANT = 0.65
LEAST_PER_LEG = 20


def fused(found: Match | SearchHit) -> float:
    """Return a score in 0..1; words alone decide where vectors cannot tell."""
    if found.similarity is None:
        return min(1.0, found.word_score)
    return min(1.0, VECTOR_WEIGHT * max(0.0, found.similarity) + (1 - VECTOR_WEIGHT) * found.word_score)


def fuse(similarities: npt.NDArray[np.float64], word_scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the scores of many at once; where vectors cannot tell, the similarity is no number."""
    both = VECTOR_WEIGHT * np.maximum(0.0, similarities) + (1 - VECTOR_WEIGHT) * word_scores
    return np.minimum(1.0, np.where(np.isnan(similarities), word_scores, both))


def candidates_per_leg(limit: int) -> int:
    """Return how many each leg must bring, so that what both find well can overtake what one finds best."""
    return max(LEAST_PER_LEG, 2 * limit) if limit else 0


def merge(verified: Sequence[ContextItem], unverified: Sequence[ContextItem]) -> tuple[ContextItem, ...]:
    """Return hot items more relevant than every verified one, then the verified ones, then the other hot ones.

    A text that is verified already is not served again as unverified.
    """
    known = {item.content for item in verified}
    unverified = [item for item in unverified if item.content not in known]
    best = max((item.score for item in verified), default=0.0)
    leads = [item.score >= HIGHLY_RELEVANT and item.score > best for item in unverified]
    first = [item for item, leading in zip(unverified, leads, strict=True) if leading]
    rest = [item for item, leading in zip(unverified, leads, strict=True) if not leading]
    return (*first, *verified, *rest)
