"""Delete an entry from quarantine, and from working memory with it."""

from __future__ import annotations

from dataclasses import dataclass

from memsieve import validate
from memsieve.model import Scope
from memsieve.ports import QuarantineStore, WorkingStore
from memsieve.review.lookup import MAX_REASON_BYTES, no_such_entry
from memsieve.runtime.project_locks import ProjectLocks


@dataclass(frozen=True, kw_only=True)
class Deleter:
    """Removes an entry on a person's behalf; the audit log keeps that it did."""

    quarantine: QuarantineStore
    working: WorkingStore
    locks: ProjectLocks

    async def delete(self, scope: Scope, entry_id: str, reason: str) -> None:
        """Delete an entry for good."""
        reason = validate.text(reason, field="reason", max_bytes=MAX_REASON_BYTES)
        async with self.locks.for_project(scope):
            # First of all, so that nothing is served of what is gone, also if the rest must be tried again.
            await self.working.forget(scope, [entry_id])
            if not await self.quarantine.delete(scope, entry_id, reason):
                raise no_such_entry(scope, entry_id)
            # Again, for the filter of another process may have put it in meanwhile.
            await self.working.forget(scope, [entry_id])
