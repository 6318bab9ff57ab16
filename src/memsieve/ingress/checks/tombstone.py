"""Refuse what a person rejected or retired before, in these or other words."""

from __future__ import annotations

from memsieve.claims import find_conflict
from memsieve.claims.restatement import restatement_score
from memsieve.config import FilterSettings
from memsieve.ingress.checks.candidate import Candidate
from memsieve.model import Check, CheckName, Reason, Tombstone


def check(candidate: Candidate, settings: FilterSettings) -> Check:
    """Pass when no tombstone says the same."""
    highest = 0.0
    for tombstone in candidate.tombstones:
        score = restatement_score(candidate.excerpt, candidate.vector, tombstone)
        highest = max(highest, score)
        if score >= settings.tombstone_similarity and find_conflict(candidate.excerpt, tombstone.content) is None:
            return Check(name=CheckName.TOMBSTONE, passed=False, score=score, reason=_why(tombstone, score))
    return Check(name=CheckName.TOMBSTONE, passed=True, score=highest, reason=Reason.of("tombstone.none"))


def _why(tombstone: Tombstone, score: float) -> Reason:
    """Return when it was rejected and where a person finds more; the caller is not shown the rejected text."""
    return Reason.of(
        f"tombstone.{tombstone.kind}",
        date=f"{tombstone.at:%Y-%m-%d}",
        similarity=round(score, 2),
        source_id=tombstone.source_id,
    )
