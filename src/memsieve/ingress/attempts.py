"""How often a decision was begun without an end: an entry that kills the process each time is given up."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from memsieve.errors import NotFound
from memsieve.model import Admission, Decision, NotChecked, Reason, Receipt, Scope
from memsieve.ports import Clock, QuarantineStore
from memsieve.runtime.project_locks import ProjectLocks

MAX_ATTEMPTS = 5

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptCounter:
    """Counts attempts in the entry's admission, which every orderly end replaces: a decision, or what failed."""

    quarantine: QuarantineStore
    locks: ProjectLocks
    clock: Clock

    async def start(self, scope: Scope, entry_id: str) -> bool:
        """Count one attempt more; False if the entry was decided on meanwhile, or attempted too often."""
        return await self._count(scope, entry_id, 1)

    async def rollback(self, scope: Scope, entry_id: str) -> None:
        """Count one attempt less: it was cancelled."""
        await self._count(scope, entry_id, -1)

    async def _count(self, scope: Scope, entry_id: str, more: int) -> bool:
        async with self.locks.for_project(scope):
            known = await self.quarantine.get(scope, entry_id)
            if known is None or known.admission.decision is not Decision.PENDING or (more > 0 and gave_up(known)):
                return False
            attempts = max(0, _attempts(known) + more)
            if more > 0 and attempts == MAX_ATTEMPTS:
                _log.warning("Entry %s is tried for the last time: %d tries did not end.", entry_id, attempts - 1)
            try:
                await self.quarantine.decide(scope, entry_id, self._attempted(attempts), None)
            except NotFound:
                return False
            return True

    def _attempted(self, attempts: int) -> Admission:
        reason = Reason.of("pending.attempts", attempts=attempts, limit=MAX_ATTEMPTS)
        return Admission.without_checks(NotChecked.ATTEMPTED, reason, score=float(attempts), at=self.clock())


def gave_up(receipt: Receipt) -> bool:
    """Return whether an entry was attempted so often that only a person may have it tried again."""
    return _attempts(receipt) >= MAX_ATTEMPTS


def _attempts(receipt: Receipt) -> int:
    admission = receipt.admission
    return int(admission.checks[0].score or 0) if admission.not_checked is NotChecked.ATTEMPTED else 0
