"""Whether an entry may still be served: a person may have decided while the filter did."""

from __future__ import annotations

from dataclasses import dataclass, field

from memsieve.config import FilterSettings
from memsieve.ingress.checks import tombstone
from memsieve.ingress.checks.candidate import Candidate
from memsieve.model import Entry, Scope
from memsieve.ports import AuditLog, QuarantineStore, TombstoneStore, WorkingStore
from memsieve.runtime.lru_cache import ProjectCache
from memsieve.text.tokenize import tokenize

NEAREST_TOMBSTONES = 10


@dataclass(frozen=True, kw_only=True)
class AdmissionRecheck:
    """Checks again after an entry was put into working memory.

    A person decides and then removes; the filter adds and then checks. The second of the two sees what the first did,
    also where they are two processes.
    """

    quarantine: QuarantineStore
    working: WorkingStore
    tombstones: TombstoneStore
    audit: AuditLog
    settings: FilterSettings
    _audit_heads: ProjectCache[int] = field(default_factory=ProjectCache)

    def known_audit_head(self, scope: Scope) -> int:
        """Return the head of the audit log that was last seen; to be read before the checks run."""
        return self._audit_heads.get(scope.project_id) or 0

    async def recheck(self, scope: Scope, entry: Entry, audit_head: int) -> None:
        """Remove an entry that may not be served any more; nothing is read where no person has done anything since."""
        now = await self.audit.head(scope)
        if now != audit_head:
            self._audit_heads.set(scope.project_id, now)
            await self.remove_unless_valid(scope, entry)

    async def remove_unless_valid(self, scope: Scope, entry: Entry) -> None:
        """Remove an entry from working memory that was deleted or decided on, or whose content a person rejected."""
        known = await self.quarantine.get(scope, entry.id)
        if known is None or known.review is not None or await self.is_rejected(scope, entry):
            await self.working.forget(scope, [entry.id])

    async def is_rejected(self, scope: Scope, entry: Entry) -> bool:
        """Return whether a person rejected or retired what an entry says."""
        words = tokenize(entry.content)
        tombstones = await self.tombstones.nearest(scope, entry.embedding, words, NEAREST_TOMBSTONES)
        candidate = Candidate(entry=entry, words=words, vector=entry.embedding, tombstones=tombstones)
        return not tombstone.check(candidate, self.settings).passed
