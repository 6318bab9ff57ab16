"""Promote an entry, or a person's own text, into long-term memory."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from memsieve import validate
from memsieve.model import Approval, Chunk, LongTermMemory, Scope
from memsieve.ports import Clock, Embedder, LongTermStore, QuarantineStore, WorkingStore
from memsieve.promotion.approve import approve
from memsieve.promotion.lookup import entry_of
from memsieve.promotion.splitter import split
from memsieve.retrieval.words import cut
from memsieve.turns import Turns


@dataclass(frozen=True, kw_only=True)
class Promoter:
    """Writes long-term memory, always on a person's behalf."""

    quarantine: QuarantineStore
    working: WorkingStore
    longterm: LongTermStore
    embedder: Embedder
    clock: Clock
    turns: Turns
    max_content_bytes: int

    async def promote(self, scope: Scope, entry_id: str) -> LongTermMemory:
        """Promote an entry as it was said; it leaves working memory, where it would be served twice."""
        receipt = await entry_of(self.quarantine, scope, entry_id)
        approval, chunks = await self._approved(scope, receipt.entry.content, (receipt.entry.id,))
        async with self.turns.of(scope):
            memory = await self.longterm.add(scope, approval, chunks)
            await self.working.forget(scope, [receipt.entry.id])
        return memory

    async def promote_text(self, scope: Scope, text: str) -> LongTermMemory:
        """Promote a text that a person wrote."""
        content = validate.text(text, field="text", max_bytes=self.max_content_bytes)
        return await self.longterm.add(scope, *await self._approved(scope, content))

    async def _approved(
        self, scope: Scope, content: str, entry_ids: tuple[str, ...] = ()
    ) -> tuple[Approval, list[Chunk]]:
        approval = approve(scope, content, self.clock(), entry_ids)
        pieces = split(approval.content)
        vectors = await self.embedder.embed(pieces)
        chunks = [
            Chunk(id=str(uuid.uuid4()), position=position, content=piece, words=cut(piece), embedding=vector)
            for position, (piece, vector) in enumerate(zip(pieces, vectors, strict=True))
        ]
        return approval, chunks
