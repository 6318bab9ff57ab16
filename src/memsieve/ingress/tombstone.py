"""Refuse what a person rejected or retired before, in these or other words."""

from __future__ import annotations

from memsieve.claims import conflict
from memsieve.claims.resemblance import said_again
from memsieve.config import FilterSettings
from memsieve.ingress.candidate import Candidate
from memsieve.model import Check, Tombstone


def check(candidate: Candidate, settings: FilterSettings) -> Check:
    """Pass when no tombstone says the same."""
    highest = 0.0
    for tombstone in candidate.tombstones:
        score = said_again(candidate.entry.content, candidate.vector, tombstone)
        highest = max(highest, score)
        if score >= settings.tombstone_similarity and conflict(candidate.entry.content, tombstone.content) is None:
            return Check(name="tombstone", passed=False, score=score, reason=_why(tombstone, score))
    return Check(name="tombstone", passed=True, score=highest, reason="Nothing like it was dismissed or retired here.")


def _why(tombstone: Tombstone, score: float) -> str:
    """Say when it was rejected, and where a person finds more: whoever recorded this is not told what was rejected."""
    deed = f"A person {tombstone.kind} something like it on {tombstone.at:%Y-%m-%d}"
    return f"{deed} (similarity {score:.2f}). The lineage of {tombstone.source_id} tells what, and why."
