"""Retire a long-term memory: out of retrieval at once, with a tombstone, and who was served it."""

from __future__ import annotations

from dataclasses import dataclass

from memsieve import validate
from memsieve.claims import find_conflict
from memsieve.claims.resemblance import said_again
from memsieve.errors import NotFound
from memsieve.model import LongTermMemory, Retirement, Scope, Tombstone, TombstoneKind
from memsieve.ports import Clock, Embedder, LongTermStore, ServingLog, WorkingStore
from memsieve.review.lookup import MAX_REASON_BYTES
from memsieve.review.preconditions import require_reach
from memsieve.review.tombstones import TombstoneDraft, forget_alike, tombstone_of
from memsieve.runtime.project_locks import ProjectLocks

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

        Of one that others have `superseded`, nothing is buried that a living memory still says.
        """
        reason = validate.text(reason, field="reason", max_bytes=MAX_REASON_BYTES)
        memory = await self._memory(scope, memory_id)
        graves = [
            TombstoneDraft(
                kind=TombstoneKind.RETIRED, source_id=chunk.id, content=chunk.content, vector=chunk.embedding
            )
            for chunk in memory.chunks
        ]
        now = self.clock()
        tombstones = [await tombstone_of(scope, grave, self.embedder, reason=reason, at=now) for grave in graves]
        if superseded:
            tombstones = [one for one in tombstones if not await self._still_said(scope, memory.id, one)]
        async with self.locks.for_project(scope):
            await require_reach(self.working, scope)
            await self.longterm.retire(scope, memory.id, reason, tombstones)
            await forget_alike(scope, self.working, tombstones, self.tombstone_similarity)
        served = await self.servings.servings_of(scope, [chunk.id for chunk in memory.chunks])
        return Retirement(memory=await self._memory(scope, memory.id), served=tuple(served))

    async def _still_said(self, scope: Scope, memory_id: str, tombstone: Tombstone) -> bool:
        """Tell that the filter would take what another living memory says for the buried content."""
        hits = await self.longterm.search(scope, tombstone.embedding, tombstone.words, _NEAREST)
        others = [hit.content for hit in hits if hit.memory_id != memory_id]
        vectors = await self.embedder.embed(others)
        return any(
            said_again(content, vector, tombstone) >= self.tombstone_similarity
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
