"""Dismiss, retire and delete: out of retrieval at once, and what was dismissed or retired must not come back."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memsieve import validate
from memsieve.claims import find_conflict
from memsieve.claims.restatement import restatement_score
from memsieve.errors import Conflict, NotFound
from memsieve.model import (
    Insight,
    LongTermMemory,
    Receipt,
    Retirement,
    ReviewStatus,
    Scope,
    Tombstone,
    TombstoneKind,
    Vector,
)
from memsieve.ports import (
    Clock,
    DigestStore,
    Embedder,
    LongTermStore,
    QuarantineStore,
    ServingLog,
    TombstoneStore,
    WorkingStore,
)
from memsieve.review.lookup import (
    MAX_REASON_BYTES,
    ensure_working_available,
    entries_of,
    insight_or_entry,
    no_such_entry,
)
from memsieve.runtime.project_locks import ProjectLocks
from memsieve.text.tokenize import tokenize


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
        """Dismiss an insight or an entry; a second time changes nothing and returns the first tombstone."""
        reason = validate.text(reason, field="reason", max_bytes=MAX_REASON_BYTES)
        found = await insight_or_entry(self.digests, self.quarantine, scope, any_id)
        _refuse_verified(found)
        draft, entry_ids = _draft(found)
        tombstone = await tombstone_of(scope, draft, self.embedder, reason=reason, at=self.clock())
        async with self.locks.for_project(scope):
            await ensure_working_available(self.working, scope)
            tombstone = await self._add(scope, tombstone)
            await self.working.forget(scope, entry_ids)
            await forget_alike(scope, self.working, [tombstone], self.tombstone_similarity)
        return tombstone

    async def _add(self, scope: Scope, tombstone: Tombstone) -> Tombstone:
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
            raise Conflict(f"{decided.sentence(found.id)} Nothing was changed. {instead}")
    elif found.review is ReviewStatus.PROMOTED:
        raise Conflict(f"Entry {found.entry.id} is verified memory. {instead}")


def _draft(found: Insight | Receipt) -> tuple[TombstoneDraft, list[str]]:
    """Return what gets a tombstone, and the entries that leave working memory with it."""
    kind = TombstoneKind.DISMISSED
    if isinstance(found, Insight):
        draft = TombstoneDraft(kind=kind, source_id=found.id, content=found.summary, vector=found.embedding)
        return draft, entries_of(found)
    entry = found.entry
    return TombstoneDraft(kind=kind, source_id=entry.id, content=entry.content, vector=entry.embedding), [entry.id]


# The memory itself is among these, with all its chunks.
_NEAREST = 20


@dataclass(frozen=True, kw_only=True)
class Retirer:
    """Takes a memory out on a person's behalf."""

    working: WorkingStore
    longterm: LongTermStore
    servings: ServingLog
    embedder: Embedder
    clock: Clock
    locks: ProjectLocks
    tombstone_similarity: float

    async def retire(self, scope: Scope, memory_id: str, reason: str, *, superseded: bool = False) -> Retirement:
        """Retire the memory with this id, or with a chunk of this id; a second time changes nothing.

        Of one that others have `superseded`, nothing gets a tombstone that a living memory still says.
        """
        reason = validate.text(reason, field="reason", max_bytes=MAX_REASON_BYTES)
        memory = await self._memory(scope, memory_id)
        drafts = [
            TombstoneDraft(
                kind=TombstoneKind.RETIRED, source_id=chunk.id, content=chunk.content, vector=chunk.embedding
            )
            for chunk in memory.chunks
        ]
        now = self.clock()
        tombstones = [await tombstone_of(scope, draft, self.embedder, reason=reason, at=now) for draft in drafts]
        if superseded:
            tombstones = [one for one in tombstones if not await self._still_restated(scope, memory.id, one)]
        async with self.locks.for_project(scope):
            await ensure_working_available(self.working, scope)
            await self.longterm.retire(scope, memory.id, reason, tombstones)
            await forget_alike(scope, self.working, tombstones, self.tombstone_similarity)
        served = await self.servings.servings_of(scope, [chunk.id for chunk in memory.chunks])
        return Retirement(memory=await self._memory(scope, memory.id), served=tuple(served))

    async def _still_restated(self, scope: Scope, memory_id: str, tombstone: Tombstone) -> bool:
        """Say whether the filter would take another living memory's text for that of the tombstone."""
        hits = await self.longterm.search(scope, tombstone.embedding, tombstone.words, _NEAREST)
        others = [hit.content for hit in hits if hit.memory_id != memory_id]
        vectors = await self.embedder.embed(others)
        return any(
            restatement_score(content, vector, tombstone) >= self.tombstone_similarity
            and find_conflict(content, tombstone.content) is None
            for content, vector in zip(others, vectors, strict=True)
        )

    async def _memory(self, scope: Scope, memory_id: str) -> LongTermMemory:
        memory = await self.longterm.get(scope, memory_id)
        if memory is None:
            raise NotFound(
                f"No memory {memory_id!r} in project {scope.project_id!r}. `memsieve query` shows the ids.",
                subject=memory_id,
            )
        return memory


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


@dataclass(frozen=True, kw_only=True)
class TombstoneDraft:
    """What a tombstone is to be made of, with its vector if the embedder in use made one before."""

    kind: TombstoneKind
    source_id: str
    content: str
    vector: Vector | None


async def tombstone_of(
    scope: Scope, draft: TombstoneDraft, embedder: Embedder, *, reason: str, at: datetime
) -> Tombstone:
    """Make the tombstone of a content; a vector that is missing is made, so that a paraphrase is known by it."""
    vector = draft.vector
    if vector is None:
        [vector] = await embedder.embed([draft.content])
    return Tombstone(
        id=str(uuid.uuid4()),
        project_id=scope.project_id,
        kind=draft.kind,
        source_id=draft.source_id,
        content=draft.content,
        words=tokenize(draft.content),
        by=scope.actor,
        at=at,
        reason=reason,
        embedding=vector,
    )


async def forget_alike(scope: Scope, working: WorkingStore, tombstones: Sequence[Tombstone], threshold: float) -> None:
    """Take every entry out of working memory that restates a tombstone."""
    alike = [
        entry.id
        for entry in await working.list(scope)
        for tombstone in tombstones
        if restatement_score(entry.content, entry.embedding, tombstone) >= threshold
        and find_conflict(entry.content, tombstone.content) is None
    ]
    await working.forget(scope, alike)
