"""Promote an insight, an entry, or a person's own text into long-term memory, by an approval in that person's name."""

from __future__ import annotations

import unicodedata
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memsieve import validate
from memsieve.errors import ApprovalRequired, Conflict, InvalidInput
from memsieve.model import (
    Approval,
    Chunk,
    Entry,
    Insight,
    InsightDecision,
    LongTermMemory,
    Origin,
    Receipt,
    ReviewStatus,
    Role,
    Scope,
    excerpt,
    require_project,
)
from memsieve.ports import Clock, DigestStore, Embedder, LongTermStore, QuarantineStore, WorkingStore
from memsieve.review.chunking import split
from memsieve.review.lookup import atom_source, ensure_working_available, entries_of, insight_or_entry
from memsieve.runtime.project_locks import ProjectLocks
from memsieve.text.tokenize import tokenize

_REJECTED = (ReviewStatus.DISMISSED, ReviewStatus.RETIRED)


def approve(
    scope: Scope,
    content: str,
    at: datetime,
    entry_ids: tuple[str, ...] = (),
    insight_id: str | None = None,
    origin: Origin | None = None,
) -> Approval:
    """Make an approval on behalf of the person who asks: the only maker of one."""
    if scope.role is not Role.PERSON:
        raise ApprovalRequired(
            f"{scope.actor!r} asks as {scope.role}. Long-term memory is written by a person's promotion alone: "
            "promote with the name of the person who checked it."
        )
    require_project(scope.project_id)
    return Approval(
        id=str(uuid.uuid4()),
        project_id=scope.project_id,
        content=content.strip(),
        by=scope.actor,
        at=at,
        entry_ids=entry_ids,
        insight_id=insight_id,
        origin=origin,
    )


@dataclass(frozen=True, kw_only=True)
class Promoter:
    """Writes long-term memory, always on a person's behalf."""

    quarantine: QuarantineStore
    working: WorkingStore
    longterm: LongTermStore
    digests: DigestStore
    embedder: Embedder
    clock: Clock
    locks: ProjectLocks
    max_content_bytes: int

    async def promote(self, scope: Scope, any_id: str, text: str | None = None) -> LongTermMemory:
        """Promote an insight or an entry, as it is or as the person words it; a second time changes nothing.

        The entries behind it leave working memory, where they would be served twice.
        """
        if text is not None:
            text = self._readable(text)
        found = await insight_or_entry(self.digests, self.quarantine, scope, any_id)
        if isinstance(found, Insight):
            return await self._promote_insight(scope, found, text)
        return await self._promote_entry(scope, found, text)

    async def promote_text(self, scope: Scope, text: str, atom: str | None = None) -> LongTermMemory:
        """Promote a text that a person wrote, as the atom of a knowledge base where one is named."""
        sources = () if atom is None else (atom_source(atom),)
        approval = approve(scope, self._readable(text), self.clock(), sources)
        return await self.longterm.add(scope, approval, await self._chunks_of(approval))

    async def promote_texts(self, scope: Scope, texts: Sequence[str]) -> list[bool | InvalidInput]:
        """Promote many texts that a person wrote, in one transaction; say of each whether it is new, or what is wrong.

        A text that is verified already, or comes a second time, is not new.
        """
        outcomes: list[bool | InvalidInput] = []
        approvals: dict[int, Approval] = {}
        for position, text in enumerate(texts):
            outcomes.append(False)
            try:
                approvals[position] = approve(scope, self._readable(text), self.clock())
            except InvalidInput as exc:
                outcomes[position] = exc
        written = await self._write_all(scope, list(approvals.values()))
        for position, approval in approvals.items():
            outcomes[position] = approval.id in written
        return outcomes

    async def _promote_entry(self, scope: Scope, receipt: Receipt, text: str | None) -> LongTermMemory:
        entry = receipt.entry
        if text is None and receipt.review is ReviewStatus.PROMOTED:
            standing = await self.longterm.get(scope, entry.id)
            if standing is not None:
                await self.working.forget(scope, [entry.id])
                return standing
        content = text or excerpt(entry.content, receipt.admission.passages)
        approval = approve(scope, content, self.clock(), (entry.id,), origin=_origin([entry]))
        chunks = await self._chunks_of(approval)
        async with self.locks.for_project(scope):
            await ensure_working_available(self.working, scope)
            memory = await self.longterm.add(scope, approval, chunks)
            await self.working.forget(scope, [entry.id])
        return memory

    async def _promote_insight(self, scope: Scope, insight: Insight, text: str | None) -> LongTermMemory:
        if insight.decision is not None:
            memory = await self._promoted_before(scope, insight.id, insight.decision, text)
            await self.working.forget(scope, entries_of(insight))
            return memory
        evidence = await self._evidence(scope, insight)
        ids = tuple(entry.id for entry in evidence)
        approval = approve(scope, text or insight.summary, self.clock(), ids, insight.id, _origin(evidence))
        chunks = await self._chunks_of(approval)
        async with self.locks.for_project(scope):
            await ensure_working_available(self.working, scope)
            try:
                memory = await self.longterm.add(scope, approval, chunks)
            except Conflict:
                now = await self.digests.get(scope, insight.id)
                if now is None or now.decision is None:
                    raise
                return await self._promoted_before(scope, now.id, now.decision, text)
            await self.working.forget(scope, entries_of(insight))
        return memory

    async def _evidence(self, scope: Scope, insight: Insight) -> list[Entry]:
        """Return the sources that count and are still valid: what was dismissed or retired is not brought back."""
        counting = [source.entry_id for source in insight.sources if source.doubt is None]
        found = await self.quarantine.get_many(scope, counting)
        standing = [one.entry for one in found if one.review not in _REJECTED]
        if counting and not standing:
            raise Conflict(
                f"The entries behind insight {insight.id} were decided on one by one or with another insight, and none "
                "of them stands. Nothing was changed: promote the text as your own if it is true, with "
                "`memsieve promote --text`."
            )
        return standing

    async def _promoted_before(
        self, scope: Scope, insight_id: str, decided: InsightDecision, text: str | None
    ) -> LongTermMemory:
        """Return what an insight was promoted to; refuse if another text, or nothing of it, was approved."""
        decision = decided.sentence(insight_id)
        if decided.memory_id is None:
            raise Conflict(f"{decision} Nothing was changed: write what is true with `memsieve promote --text`.")
        memory = await self.longterm.get(scope, decided.memory_id)
        if memory is None or memory.retired_at is not None:
            raise Conflict(f"{decision} That memory was retired since, and nothing was changed.")
        if text is not None and not _same(text, memory.approval.content):
            raise Conflict(f"{decision} The text that was approved is another, and nothing was changed.")
        return memory

    async def _chunks_of(self, approval: Approval) -> list[Chunk]:
        [chunks] = await self._chunks([approval])
        return chunks

    async def _chunks(self, approvals: Sequence[Approval]) -> list[list[Chunk]]:
        split_texts = [split(approval.content) for approval in approvals]
        vectors = iter(await self.embedder.embed([piece for pieces in split_texts for piece in pieces]))
        return [
            [
                Chunk(
                    id=str(uuid.uuid4()),
                    position=position,
                    content=piece,
                    words=tokenize(piece),
                    embedding=next(vectors),
                )
                for position, piece in enumerate(pieces)
            ]
            for pieces in split_texts
        ]

    async def _write_all(self, scope: Scope, approvals: Sequence[Approval]) -> set[str]:
        """Write approvals of texts, and return the ids of those that were not verified yet."""
        chunks = await self._chunks(approvals)
        count = await self.longterm.add_all(scope, list(zip(approvals, chunks, strict=True)))
        ids = [approval.id for approval in approvals] if count else []
        if count == len(ids):
            return set(ids)
        return {one for one in ids if await self.longterm.get(scope, one) is not None}

    def _readable(self, text: object) -> str:
        return validate.text(text, field="text", max_bytes=self.max_content_bytes)


def _origin(entries: Sequence[Entry]) -> Origin | None:
    """Return the origin of a text of one entry; None for a text of several entries."""
    return Origin(session_id=entries[0].session_id, at=entries[0].created_at) if len(entries) == 1 else None


def _same(one: str, other: str) -> bool:
    """Say whether two texts differ in white space and the encoding of accents at most."""
    return _plain(one) == _plain(other)


def _plain(text: str) -> list[str]:
    return unicodedata.normalize("NFC", text).split()
