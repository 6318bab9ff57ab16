"""Refuse what its own agent was not sure of."""

from __future__ import annotations

from memsieve.config import FilterSettings
from memsieve.ingress.checks.candidate import Candidate
from memsieve.model import Check, CheckName, Reason


def check(candidate: Candidate, settings: FilterSettings) -> Check:
    """Pass a confidence above the minimum; without one, pass unless a score is required."""
    score = candidate.entry.confidence
    if score is None:
        passed = not settings.require_confidence
        reason = Reason.of("confidence.none" if passed else "confidence.required")
    else:
        passed = score > settings.min_confidence
        reason = Reason.of("confidence.score", confidence=score, minimum=settings.min_confidence)
    return Check(name=CheckName.CONFIDENCE, passed=passed, score=score, reason=reason)
