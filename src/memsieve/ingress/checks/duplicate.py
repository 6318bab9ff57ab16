"""Refuse copies of entries in working memory."""

from __future__ import annotations

from heapq import nlargest

import numpy as np

from memsieve.claims import find_conflict
from memsieve.claims.restatement import cached_tokens, closeness, excerpt
from memsieve.config import FilterSettings
from memsieve.ingress.checks.candidate import Candidate
from memsieve.model import Check, CheckName, Entry, Reason
from memsieve.text.normalize import normalized

# Words alone cannot tell whether the one word that differs changes the claim, so where no vector can say more,
# only a copy is a duplicate, whatever share of words two texts have in common.
_MOST_BY_WORDS = 0.89
# Below this cosine two texts are no copies, and how many words they share makes no difference.
_WORTH_A_LOOK = 0.7
# How many of the nearest are compared, at milliseconds each: a copy is the nearest of all.
_MOST_COMPARED = 10


def check(candidate: Candidate, settings: FilterSettings) -> Check:
    """Pass when the similarity to every living entry of working memory is below the threshold."""
    scored = [(_similarity(candidate, entry, cosine), entry) for entry, cosine in _cosines(candidate)]
    alike = [pair for pair in scored if pair[0] >= settings.duplicate_similarity]
    for score, entry in nlargest(_MOST_COMPARED, alike, key=lambda pair: pair[0]):
        if find_conflict(candidate.excerpt, entry.content) is None:
            reason = Reason.of("duplicate.known", quote=excerpt(entry.content), similarity=round(score, 2))
            return Check(name=CheckName.DUPLICATE, passed=False, score=score, reason=reason)
    return Check(
        name=CheckName.DUPLICATE, passed=True, score=_highest(scored), reason=_why_passed(scored, alike, settings)
    )


def _cosines(candidate: Candidate) -> list[tuple[Entry, float | None]]:
    """Return every entry with its cosine, or None where one of the two has no vector."""
    vectors = [entry.embedding for entry in candidate.working if entry.embedding is not None]
    if candidate.vector is None or not vectors:
        return [(entry, None) for entry in candidate.working]
    cosines = iter((np.stack(vectors) @ candidate.vector).tolist())
    return [(entry, None if entry.embedding is None else next(cosines)) for entry in candidate.working]


def _similarity(candidate: Candidate, entry: Entry, cosine: float | None) -> float:
    """Return how alike the candidate and an entry are; a copy is 1."""
    if cosine is not None and cosine < _WORTH_A_LOOK:
        return max(0.0, cosine)
    if normalized(candidate.excerpt) == normalized(entry.content):
        return 1.0
    close = closeness(candidate.words, candidate.vector, cached_tokens(entry.content), entry.embedding)
    return min(_MOST_BY_WORDS, close) if cosine is None else close


def _highest(scored: list[tuple[float, Entry]]) -> float:
    return max((score for score, _ in scored), default=0.0)


def _why_passed(
    scored: list[tuple[float, Entry]], alike: list[tuple[float, Entry]], settings: FilterSettings
) -> Reason:
    if alike:
        return Reason.of("duplicate.other_claim", quote=excerpt(alike[0][1].content))
    if not scored:
        return Reason.of("duplicate.empty")
    nearest = round(_highest(scored), 2)
    return Reason.of("duplicate.none", similarity=nearest, threshold=settings.duplicate_similarity)
