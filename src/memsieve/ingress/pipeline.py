"""The ingress filter: a list of checks, cheapest first, and the decision they add up to."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from memsieve.config import FilterSettings
from memsieve.ingress.checks import confidence, consistency, duplicate, echo, length, substance, tombstone
from memsieve.ingress.checks.candidate import Candidate, CheckFunction
from memsieve.ingress.checks.injection import check as injection
from memsieve.model import Admission, Check, CheckName, Decision

CHECKS: Mapping[CheckName, CheckFunction] = {
    CheckName.LENGTH: length.check,
    CheckName.CONFIDENCE: confidence.check,
    CheckName.SUBSTANCE: substance.check,
    CheckName.TOMBSTONE: tombstone.check,
    CheckName.ECHO: echo.check,
    CheckName.INJECTION: injection.check,
    CheckName.DUPLICATE: duplicate.check,
    CheckName.CONSISTENCY: consistency.check,
}

# These look at nothing but the entry itself.
_OF_CONTENT = frozenset(
    {CheckName.LENGTH, CheckName.CONFIDENCE, CheckName.SUBSTANCE, CheckName.INJECTION, CheckName.CONSISTENCY}
)


def evaluate_history(candidate: Candidate, settings: FilterSettings) -> tuple[Check, ...]:
    """Run the checks that are on and need no present: what is said of an old entry is never served, but digested."""
    skipped = settings.disabled_checks if candidate.verdict else settings.disabled_checks | {CheckName.CONSISTENCY}
    return tuple(CHECKS[name](candidate, settings) for name in CHECKS if name in _OF_CONTENT - skipped)


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
    passages = candidate.substance.passages if candidate.substance and decision is Decision.ADMITTED else None
    return Admission(decision=decision, checks=checks, decided_at=at, passages=passages)
