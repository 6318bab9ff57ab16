"""Refuse what contradicts itself or is an obvious hallucination, by a judge's verdict."""

from __future__ import annotations

from memsieve.config import FilterSettings
from memsieve.ingress.checks.candidate import Candidate
from memsieve.model import Check, CheckName, Reason


def check(candidate: Candidate, _: FilterSettings) -> Check:
    """Pass on a judge's clear verdict; without one the entry waits."""
    verdict = candidate.verdict
    if verdict is None:
        return Check(name=CheckName.CONSISTENCY, passed=False, score=None, reason=Reason.of("consistency.pending"))
    return Check(
        name=CheckName.CONSISTENCY, passed=verdict.consistent, score=float(verdict.consistent), reason=verdict.reason
    )
