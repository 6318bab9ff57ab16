"""Restore working memory from admitted entries, after its engine has lost them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace

from memsieve.ingress.admission import served_entry
from memsieve.ingress.recheck import AdmissionRecheck
from memsieve.model import Decision, EntryFilter, Receipt, Scope
from memsieve.ports import WORKING_CAP, WORKING_LIFE, Clock, QuarantineStore, WorkingStore
from memsieve.runtime.project_locks import ProjectLocks

_PAGE = 200


@dataclass(frozen=True, kw_only=True)
class Restorer:
    """Puts back what the filter admitted within 24 hours and no person has decided on; none lives longer for it."""

    quarantine: QuarantineStore
    working: WorkingStore
    recheck: AdmissionRecheck
    clock: Clock
    locks: ProjectLocks

    async def restore(self, scope: Scope) -> int:
        """Put back what is missing, and return how many entries that were."""
        system = Scope.system(scope.project_id)
        async with self.locks.for_project(scope):
            missing = await self.missing(scope)
            for receipt in missing:
                hot = served_entry(receipt)
                left = WORKING_LIFE - (self.clock() - receipt.admission.decided_at)
                await self.working.put(system, hot, receipt.admission, left)
                await self.recheck.remove_unless_valid(system, hot)
        return len(missing)

    async def missing(self, scope: Scope) -> list[Receipt]:
        """Return what should be in working memory and is not, in the order of its admission."""
        system = Scope.system(scope.project_id)
        there = {entry.id for entry in await self.working.list(system)}
        living = [receipt async for receipt in self._living(system) if receipt.entry.id not in there]
        living.reverse()
        return sorted(living, key=lambda receipt: receipt.admission.decided_at)

    async def _living(self, scope: Scope) -> AsyncIterator[Receipt]:
        """Yield the newest that may be there, as many as there is room for."""
        oldest, room = self.clock() - WORKING_LIFE, WORKING_CAP
        # An entry is admitted a day after it was recorded at the latest.
        wanted = EntryFilter(decision=Decision.ADMITTED, since=oldest - WORKING_LIFE, limit=_PAGE)
        while room and (page := await self.quarantine.find(scope, wanted)):
            for receipt in page:
                admitted_today = receipt.admission.decided_at > oldest and receipt.review is None
                if room and admitted_today and not await self.recheck.is_rejected(scope, served_entry(receipt)):
                    room -= 1
                    yield receipt
            wanted = replace(wanted, beyond_id=page[-1].entry.id)
