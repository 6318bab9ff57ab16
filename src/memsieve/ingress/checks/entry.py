"""The checks that need nothing but the entry: its length, confidence, instructions in it, and a judge's verdict."""

from __future__ import annotations

from memsieve.config import FilterSettings
from memsieve.ingress.checks.candidate import Candidate
from memsieve.model import Check, CheckName, Reason


def check_length(candidate: Candidate, settings: FilterSettings) -> Check:
    """Refuse what is too short to mean anything on its own, in bytes of UTF-8."""
    size = len(candidate.entry.content.encode())
    reason = Reason.of("length.bytes", bytes=size, minimum=settings.min_length)
    return Check(name=CheckName.LENGTH, passed=size >= settings.min_length, score=size, reason=reason)


def check_confidence(candidate: Candidate, settings: FilterSettings) -> Check:
    """Refuse what its own agent was not sure of; without a confidence, pass unless one is required."""
    score = candidate.entry.confidence
    if score is None:
        passed = not settings.require_confidence
        reason = Reason.of("confidence.none" if passed else "confidence.required")
    else:
        passed = score > settings.min_confidence
        reason = Reason.of("confidence.score", confidence=score, minimum=settings.min_confidence)
    return Check(name=CheckName.CONFIDENCE, passed=passed, score=score, reason=reason)


def check_injection(candidate: Candidate, _: FilterSettings) -> Check:
    """Refuse instructions aimed at whoever reads the memory later."""
    # Imported on first use: a command that records nothing need not wait for the phrases.
    from memsieve.ingress.checks.injection.find import find_injection

    found = find_injection(candidate.entry.content)
    if found is None:
        return Check(name=CheckName.INJECTION, passed=True, score=0.0, reason=Reason.of("injection.none"))
    reason = Reason.of("injection.found", kind=found.reason, quote=found.quote)
    return Check(name=CheckName.INJECTION, passed=False, score=1.0, reason=reason)


def check_consistency(candidate: Candidate, _: FilterSettings) -> Check:
    """Refuse what contradicts itself or is an obvious hallucination; without a judge's verdict the entry waits."""
    verdict = candidate.verdict
    if verdict is None:
        return Check(name=CheckName.CONSISTENCY, passed=False, score=None, reason=Reason.of("consistency.pending"))
    return Check(
        name=CheckName.CONSISTENCY, passed=verdict.consistent, score=float(verdict.consistent), reason=verdict.reason
    )
