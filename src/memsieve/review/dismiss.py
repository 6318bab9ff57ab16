"""Dismiss an insight or an entry: out of later digests, out of working memory, and it must not come back."""

from __future__ import annotations

from dataclasses import dataclass

from memsieve import validate
from memsieve.errors import Conflict
from memsieve.model import Insight, Receipt, ReviewStatus, Scope, Tombstone, TombstoneKind
from memsieve.ports import Clock, DigestStore, Embedder, QuarantineStore, TombstoneStore, WorkingStore
from memsieve.review.lookup import MAX_REASON_BYTES, entries_of, insight_or_entry
from memsieve.review.preconditions import require_reach
from memsieve.review.tombstones import TombstoneDraft, forget_alike, tombstone_of
from memsieve.runtime.project_locks import ProjectLocks


@dataclass(frozen=True, kw_only=True)
class Dismisser:
    """Takes an insight or an entry out on a person's behalf."""

    quarantine: QuarantineStore
    working: WorkingStore
    digests: DigestStore
    tombstones: TombstoneStore
    embedder: Embedder
    clock: Clock
    locks: ProjectLocks
    tombstone_similarity: float

    async def dismiss(self, scope: Scope, any_id: str, reason: str) -> Tombstone:
        """Dismiss an insight or an entry; a second time changes nothing and returns what stands."""
        reason = validate.text(reason, field="reason", max_bytes=MAX_REASON_BYTES)
        found = await insight_or_entry(self.digests, self.quarantine, scope, any_id)
        _refuse_verified(found)
        grave, entry_ids = _grave(found)
        tombstone = await tombstone_of(scope, grave, self.embedder, reason=reason, at=self.clock())
        async with self.locks.for_project(scope):
            await require_reach(self.working, scope)
            tombstone = await self._bury(scope, tombstone)
            await self.working.forget(scope, entry_ids)
            await forget_alike(scope, self.working, [tombstone], self.tombstone_similarity)
        return tombstone

    async def _bury(self, scope: Scope, tombstone: Tombstone) -> Tombstone:
        try:
            return await self.tombstones.add(scope, tombstone)
        except Conflict:
            insight = await self.digests.get(scope, tombstone.source_id)
            if insight is not None:
                _refuse_verified(insight)
            raise


def _refuse_verified(found: Insight | Receipt) -> None:
    instead = "Retire that memory instead: `memsieve retire`."
    if isinstance(found, Insight):
        decided = found.decision
        if decided is not None and decided.review is ReviewStatus.PROMOTED:
            raise Conflict(f"{decided.told(found.id)} Nothing was changed. {instead}")
    elif found.review is ReviewStatus.PROMOTED:
        raise Conflict(f"Entry {found.entry.id} is verified memory. {instead}")


def _grave(found: Insight | Receipt) -> tuple[TombstoneDraft, list[str]]:
    """Return what is to be buried, and the entries that leave working memory with it."""
    kind = TombstoneKind.DISMISSED
    if isinstance(found, Insight):
        grave = TombstoneDraft(kind=kind, source_id=found.id, content=found.summary, vector=found.embedding)
        return grave, entries_of(found)
    entry = found.entry
    return TombstoneDraft(kind=kind, source_id=entry.id, content=entry.content, vector=entry.embedding), [entry.id]
