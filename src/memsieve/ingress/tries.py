"""How often an entry was begun without an end: one that takes the process with it each time is left alone."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from memsieve.errors import NotFound
from memsieve.model import Admission, Check, Decision, Reason, Receipt, Scope
from memsieve.ports import Clock, QuarantineStore
from memsieve.runtime.project_locks import ProjectLocks

# The name of the check that stands for a decision which was begun, with how often as its score.
BEGUN = "begun"
MOST_TRIES = 5

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tries:
    """Counts in the entry's own admission, which every orderly end replaces: with a decision, or with what failed."""

    quarantine: QuarantineStore
    locks: ProjectLocks
    clock: Clock

    async def begin(self, scope: Scope, entry_id: str) -> bool:
        """Count one more; False if the entry was decided on meanwhile, or begun too often."""
        return await self._count(scope, entry_id, 1)

    async def take_back(self, scope: Scope, entry_id: str) -> None:
        """Count one less: whoever began was told to stop."""
        await self._count(scope, entry_id, -1)

    async def _count(self, scope: Scope, entry_id: str, more: int) -> bool:
        async with self.locks.for_project(scope):
            known = await self.quarantine.get(scope, entry_id)
            if known is None or known.admission.decision is not Decision.PENDING or (more > 0 and left_alone(known)):
                return False
            times = max(0, _times(known) + more)
            if more > 0 and times == MOST_TRIES:
                _log.warning("Entry %s is tried for the last time: %d tries did not end.", entry_id, times - 1)
            try:
                await self.quarantine.decide(scope, entry_id, self._begun(times), None)
            except NotFound:
                return False
            return True

    def _begun(self, times: int) -> Admission:
        reason = Reason.of("pending.attempts", attempts=times, limit=MOST_TRIES)
        check = Check(name=BEGUN, passed=False, score=float(times), reason=reason)
        return Admission(decision=Decision.PENDING, checks=(check,), decided_at=self.clock())


def left_alone(receipt: Receipt) -> bool:
    """Tell whether an entry was begun so often that only a person may have it tried again."""
    return _times(receipt) >= MOST_TRIES


def _times(receipt: Receipt) -> int:
    return next((int(check.score or 0) for check in receipt.admission.checks if check.name == BEGUN), 0)
