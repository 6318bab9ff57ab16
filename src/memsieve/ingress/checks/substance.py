"""Refuse what says nothing worth remembering; of a mixed text, the passages that do are admitted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memsieve.config import FilterSettings
from memsieve.ingress.checks.candidate import Candidate
from memsieve.model import Check, CheckName, Reason, excerpt

if TYPE_CHECKING:
    from memsieve.worth.weigh import WeighedText


def check(candidate: Candidate, settings: FilterSettings) -> Check:
    """Pass when something is worth remembering; what is left of a mixed text must be as long as any entry."""
    weighed, content = candidate.weighed, candidate.entry.content
    worthy = excerpt(content, weighed.spans(settings.min_worth))
    enough = worthy == content.strip() or len(worthy.encode()) >= settings.min_length
    passed = bool(worthy) and enough
    reason = _why(weighed, settings.min_worth, passed=passed)
    return Check(name=CheckName.SUBSTANCE, passed=passed, score=round(weighed.score, 3), reason=reason)


def _why(weighed: WeighedText, least: float, *, passed: bool) -> Reason:
    kind = Reason.of(f"worth.{weighed.kind(least)}")
    kept = sum(worth.score >= least for worth in weighed.worths)
    if not kept:
        return Reason.of("substance.noise", kind=kind, score=round(weighed.score, 2), minimum=least)
    if not passed:
        return Reason.of("substance.little", kind=kind)
    if kept == len(weighed.worths):
        return Reason.of("substance.statement", kind=kind)
    return Reason.of("substance.passages", kind=kind, kept=kept, passages=len(weighed.worths))
