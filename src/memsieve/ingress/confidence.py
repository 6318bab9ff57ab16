"""Refuse what its own agent was not sure of."""

from __future__ import annotations

from memsieve.config import FilterSettings
from memsieve.ingress.candidate import Candidate
from memsieve.model import Check


def check(candidate: Candidate, settings: FilterSettings) -> Check:
    """Pass a confidence above the minimum; without one, pass unless a score is required."""
    score = candidate.entry.confidence
    if score is None:
        passed = not settings.require_confidence
        reason = "No confidence was given" + ("." if passed else ", and the settings require one.")
    else:
        passed = score > settings.min_confidence
        reason = f"The agent's confidence is {score:g}; it must be above {settings.min_confidence:g}."
    return Check(name="confidence", passed=passed, score=score, reason=reason)
