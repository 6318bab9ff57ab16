"""Dismiss an entry: out of later digests, out of working memory, and it must not come back."""

from __future__ import annotations

from dataclasses import dataclass

from memsieve import validate
from memsieve.errors import Conflict
from memsieve.model import Review, Scope, Tombstone, TombstoneKind
from memsieve.ports import Clock, Embedder, Ledger, QuarantineStore, WorkingStore
from memsieve.promotion.burial import Grave, forget_alike, tombstone_of
from memsieve.promotion.lookup import MAX_REASON_BYTES, entry_of
from memsieve.turns import Turns


@dataclass(frozen=True, kw_only=True)
class Dismisser:
    """Takes an entry out on a person's behalf."""

    quarantine: QuarantineStore
    working: WorkingStore
    ledger: Ledger
    embedder: Embedder
    clock: Clock
    turns: Turns
    tombstone_similarity: float

    async def dismiss(self, scope: Scope, entry_id: str, reason: str) -> Tombstone:
        """Dismiss an entry; a second time changes nothing and returns what stands."""
        reason = validate.text(reason, field="reason", max_bytes=MAX_REASON_BYTES)
        receipt = await entry_of(self.quarantine, scope, entry_id)
        if receipt.review is Review.PROMOTED:
            raise Conflict(f"Entry {entry_id} is verified memory. Retire that memory instead: `memsieve retire`.")
        entry = receipt.entry
        grave = Grave(kind=TombstoneKind.DISMISSED, source_id=entry.id, content=entry.content, vector=entry.embedding)
        tombstone = await tombstone_of(scope, grave, self.embedder, reason=reason, at=self.clock())
        async with self.turns.of(scope):
            tombstone = await self.ledger.bury(scope, tombstone)
            await self.working.forget(scope, [entry.id])
            await forget_alike(scope, self.working, [tombstone], self.tombstone_similarity)
        return tombstone
