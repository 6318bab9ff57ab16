"""Refuse what is too short to mean anything on its own."""

from __future__ import annotations

from memsieve.config import FilterSettings
from memsieve.ingress.checks.candidate import Candidate
from memsieve.model import Check, CheckName, Reason


def check(candidate: Candidate, settings: FilterSettings) -> Check:
    """Pass a text of at least the minimum of UTF-8 bytes."""
    size = len(candidate.entry.content.encode())
    passed = size >= settings.min_length
    return Check(
        name=CheckName.LENGTH,
        passed=passed,
        score=size,
        reason=Reason.of("length.bytes", bytes=size, minimum=settings.min_length),
    )
