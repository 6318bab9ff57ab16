"""Refuse instructions aimed at whoever reads the memory later."""

from __future__ import annotations

from memsieve.config import FilterSettings
from memsieve.ingress.checks.candidate import Candidate
from memsieve.model import Check, CheckName, Reason


def check(candidate: Candidate, _: FilterSettings) -> Check:
    """Pass a text that gives its reader no instruction."""
    # Imported on first use: a command that records nothing need not wait for the phrases.
    from memsieve.ingress.checks.injection.find import find_injection

    found = find_injection(candidate.entry.content)
    if found is None and candidate.excerpt != candidate.entry.content:
        # What is left without its noise may say what the whole did not.
        found = find_injection(candidate.excerpt)
    if found is None:
        return Check(name=CheckName.INJECTION, passed=True, score=0.0, reason=Reason.of("injection.none"))
    reason = Reason.of("injection.found", kind=found.reason, quote=found.quote)
    return Check(name=CheckName.INJECTION, passed=False, score=1.0, reason=reason)
