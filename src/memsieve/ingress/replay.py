"""Replay past entries through the filter with other settings; nothing is changed."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from memsieve.config import FilterSettings
from memsieve.errors import JudgeError
from memsieve.ingress.checks.candidate import Candidate, read_substance
from memsieve.ingress.pipeline import CHECKS, evaluate
from memsieve.model import Admission, Check, CheckName, Decision, Entry, EntryFilter, Receipt, Scope
from memsieve.ports import WORKING_CAP, WORKING_LIFE, Judge, QuarantineStore, Verdict
from memsieve.text.tokenize import tokenize

_PAGE = 500
# What surrounded an entry when it was recorded is gone; its similarities were kept with its decision.
_REMEMBERED: Mapping[str, str] = {
    CheckName.TOMBSTONE: "tombstone_similarity",
    CheckName.ECHO: "echo_similarity",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """An entry that would have been decided otherwise."""

    entry: Entry
    before: Decision
    after: Admission


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """What other settings would have changed."""

    entries: int
    admitted_before: int
    admitted_after: int
    changes: tuple[Change, ...]


@dataclass(kw_only=True)
class Replayer:
    """Runs past entries through the filter again, with a working memory of its own."""

    quarantine: QuarantineStore
    judge: Judge
    before: FilterSettings
    after: FilterSettings
    _working: deque[Entry] = field(default_factory=lambda: deque(maxlen=WORKING_CAP))

    async def run(self, scope: Scope, since: datetime | None = None) -> Replay:
        """Decide on every past entry as the new settings would have."""
        entries, admitted_before, admitted_after, changes = 0, 0, 0, []
        async for receipt in self._past(scope, since):
            admission = await self._decide(receipt)
            before = receipt.admission.decision
            entries += 1
            admitted_before += before is Decision.ADMITTED
            admitted_after += admission.admitted
            if admission.decision is not before:
                changes.append(Change(entry=receipt.entry, before=before, after=admission))
        return Replay(
            entries=entries, admitted_before=admitted_before, admitted_after=admitted_after, changes=tuple(changes)
        )

    async def _past(self, scope: Scope, since: datetime | None) -> AsyncIterator[Receipt]:
        wanted = EntryFilter(since=since, oldest_first=True, limit=_PAGE)
        while page := await self.quarantine.find(scope, wanted):
            for receipt in page:
                yield receipt
            wanted = replace(wanted, beyond_id=page[-1].entry.id)

    async def _decide(self, receipt: Receipt) -> Admission:
        entry = receipt.entry
        at = receipt.admission.decided_at
        if at - entry.created_at >= WORKING_LIFE:
            return receipt.admission
        substance = await read_substance(entry.content, self.after)
        candidate = Candidate(
            entry=entry,
            substance=substance,
            words=tokenize(substance.excerpt),
            vector=entry.embedding,
            working=[other for other in self._working if other.created_at > at - WORKING_LIFE],
            verdict=await self._verdict(receipt, substance.excerpt),
        )
        live = replace(self.after, disabled_checks=self.after.disabled_checks | set(_REMEMBERED))
        admission = self._with_remembered(evaluate(candidate, live, at), receipt)
        if admission.admitted:
            self._working.append(replace(entry, created_at=at, content=substance.excerpt))
        return admission

    async def _verdict(self, receipt: Receipt, text: str) -> Verdict | None:
        known = _stored(receipt, CheckName.CONSISTENCY)
        if known is not None and known.score is not None:
            return Verdict(consistent=known.passed, reason=known.reason)
        try:
            return await self.judge.consistent(text)
        except JudgeError:
            return None

    def _with_remembered(self, admission: Admission, receipt: Receipt) -> Admission:
        stored = (_stored(receipt, name) for name in _REMEMBERED if name not in self.after.disabled_checks)
        checks = {check.name: check for check in admission.checks}
        checks |= {check.name: self._judged_again(check) for check in stored if check is not None}
        ordered = tuple(checks[name] for name in CHECKS if name in checks)
        refused = any(not check.passed for check in ordered if check.name in _REMEMBERED)
        return replace(admission, checks=ordered, decision=Decision.REFUSED if refused else admission.decision)

    def _judged_again(self, check: Check) -> Check:
        score, setting = check.score or 0.0, _REMEMBERED[check.name]
        another_claim = check.passed and score >= getattr(self.before, setting)
        return replace(check, passed=another_claim or score < getattr(self.after, setting))


def _stored(receipt: Receipt, name: str) -> Check | None:
    return next((check for check in receipt.admission.checks if check.name == name), None)
