"""Refuse what working memory holds already."""

from __future__ import annotations

from memsieve.claims import conflict
from memsieve.claims.resemblance import closeness, letters, quoted, words_of
from memsieve.config import FilterSettings
from memsieve.ingress.candidate import Candidate
from memsieve.model import Check, Entry

# Words alone cannot tell whether the one word that differs changes the claim, so where no vector can say more,
# only a copy is a duplicate, whatever share of words two texts have in common.
_MOST_BY_WORDS = 0.89


def check(candidate: Candidate, settings: FilterSettings) -> Check:
    """Pass when the similarity to every living entry of working memory is below the threshold."""
    scored = [(similarity(candidate, entry), entry) for entry in candidate.working]
    alike = [pair for pair in scored if pair[0] >= settings.duplicate_similarity]
    for score, entry in sorted(alike, key=lambda pair: pair[0], reverse=True):
        if conflict(candidate.entry.content, entry.content) is None:
            reason = f"Working memory holds {quoted(entry.content)} already (similarity {score:.2f})."
            return Check(name="duplicate", passed=False, score=score, reason=reason)
    return Check(name="duplicate", passed=True, score=_highest(scored), reason=_why_passed(scored, alike, settings))


def similarity(candidate: Candidate, entry: Entry) -> float:
    """Return how alike the candidate and an entry are; a copy is 1."""
    if letters(candidate.entry.content) == letters(entry.content):
        return 1.0
    close = closeness(candidate.words, candidate.vector, words_of(entry.content), entry.embedding)
    by_words = candidate.vector is None or entry.embedding is None
    return min(_MOST_BY_WORDS, close) if by_words else close


def _highest(scored: list[tuple[float, Entry]]) -> float:
    return max((score for score, _ in scored), default=0.0)


def _why_passed(scored: list[tuple[float, Entry]], alike: list[tuple[float, Entry]], settings: FilterSettings) -> str:
    if alike:
        return f"Close to {quoted(alike[0][1].content)}, but it makes another claim."
    if not scored:
        return "Working memory is empty."
    return f"The nearest entry of working memory is at {_highest(scored):.2f}, below {settings.duplicate_similarity:g}."
