"""The ingress filter: a list of checks, cheapest first, and the decision they add up to."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from memsieve.config import FilterSettings
from memsieve.ingress.checks import confidence, consistency, duplicate, echo, length, tombstone
from memsieve.ingress.checks.candidate import Candidate, CheckFunction
from memsieve.ingress.checks.injection import check as injection
from memsieve.model import Admission, CheckName, Decision

CHECKS: Mapping[CheckName, CheckFunction] = {
    CheckName.LENGTH: length.check,
    CheckName.CONFIDENCE: confidence.check,
    CheckName.TOMBSTONE: tombstone.check,
    CheckName.ECHO: echo.check,
    CheckName.INJECTION: injection.check,
    CheckName.DUPLICATE: duplicate.check,
    CheckName.CONSISTENCY: consistency.check,
}


def evaluate(candidate: Candidate, settings: FilterSettings, at: datetime) -> Admission:
    """Run every check that is on; an entry that passes all but for a missing verdict waits for it."""
    checks = tuple(check(candidate, settings) for name, check in CHECKS.items() if name not in settings.disabled_checks)
    failed = {check.name for check in checks if not check.passed}
    if not failed:
        decision = Decision.ADMITTED
    elif candidate.verdict is None and failed == {CheckName.CONSISTENCY}:
        decision = Decision.PENDING
    else:
        decision = Decision.REFUSED
        checks = tuple(check for check in checks if candidate.verdict or check.name != CheckName.CONSISTENCY)
    return Admission(decision=decision, checks=checks, decided_at=at)
