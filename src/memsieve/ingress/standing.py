"""Whether an entry may still be served: a person may have decided while the filter did."""

from __future__ import annotations

from dataclasses import dataclass, field

from memsieve.config import FilterSettings
from memsieve.ingress import tombstone
from memsieve.ingress.candidate import Candidate
from memsieve.model import Entry, Scope
from memsieve.ports import AuditLog, QuarantineStore, TombstoneStore, WorkingStore
from memsieve.runtime.lru_cache import ProjectCache
from memsieve.text.tokenize import tokenize

NEAREST_TOMBSTONES = 10


@dataclass(frozen=True, kw_only=True)
class Standing:
    """Looks again after an entry was put into working memory.

    A person decides and then takes out; the filter puts in and then looks. Whoever is second sees the first, also where
    they are in two processes.
    """

    quarantine: QuarantineStore
    working: WorkingStore
    tombstones: TombstoneStore
    audit: AuditLog
    settings: FilterSettings
    _deeds: ProjectCache[int] = field(default_factory=ProjectCache)

    def deeds(self, scope: Scope) -> int:
        """Return how many deeds of persons were known when last looked; to be asked before the filter looks."""
        return self._deeds.get(scope.project_id) or 0

    async def look_again(self, scope: Scope, entry: Entry, deeds: int) -> None:
        """Take an entry out again if it does not stand any more; nothing is asked where no person did anything."""
        now = await self.audit.head(scope)
        if now != deeds:
            self._deeds.set(scope.project_id, now)
            await self.forget_unless_standing(scope, entry)

    async def forget_unless_standing(self, scope: Scope, entry: Entry) -> None:
        """Take an entry out again that was deleted or decided on, or of which a person rejected what it says."""
        known = await self.quarantine.get(scope, entry.id)
        if known is None or known.review is not None or await self.buried(scope, entry):
            await self.working.forget(scope, [entry.id])

    async def buried(self, scope: Scope, entry: Entry) -> bool:
        """Tell whether a person rejected or retired what an entry says."""
        words = tokenize(entry.content)
        tombstones = await self.tombstones.nearest(scope, entry.embedding, words, NEAREST_TOMBSTONES)
        candidate = Candidate(entry=entry, words=words, vector=entry.embedding, tombstones=tombstones)
        return not tombstone.check(candidate, self.settings).passed
