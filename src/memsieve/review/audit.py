"""Lineage, and verification of the audit log."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass

from memsieve.errors import NotFound
from memsieve.model import AuditEvent, Lineage, LongTermMemory, Scope
from memsieve.ports import AuditLog, DigestStore, LongTermStore, QuarantineStore, ServingLog
from memsieve.review.lookup import entries_of

_PAGE = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """The state of a project's audit log; note the head elsewhere to notice a log cut short."""

    events: int
    head: str
    problems: tuple[str, ...]

    @property
    def whole(self) -> bool:
        return not self.problems


@dataclass(frozen=True, kw_only=True)
class Auditor:
    """Verifies a project's audit log and follows lineages, on a person's behalf."""

    quarantine: QuarantineStore
    longterm: LongTermStore
    servings: ServingLog
    audit: AuditLog
    digests: DigestStore

    async def verify(self, scope: Scope) -> Audit:
        """Check the hash chain line by line, and every living memory against the text that was approved."""
        head, expected, problems = AuditEvent.GENESIS, 1, []
        promoted: dict[str, object] = {}
        async for event in self._events(scope):
            problems += _faults(event, expected, head)
            head, expected = event.digest, event.sequence + 1
            if event.action == "promoted":
                promoted[event.subject] = event.detail.get("content")
        async for memory in self._memories(scope):
            problems += _changes(memory, promoted)
        return Audit(events=expected - 1, head=head, problems=tuple(problems))

    async def lineage(self, scope: Scope, any_id: str) -> Lineage:
        """Follow an entry, insight, memory or chunk back to its entries, and on to the sessions it was served to."""
        insight = await self.digests.get(scope, any_id)
        decided = insight.decision if insight is not None else None
        memory = await self.longterm.get(scope, decided.memory_id if decided and decided.memory_id else any_id)
        entry_ids = {any_id} if memory is None else {any_id, *memory.approval.entry_ids}
        entry_ids.update([] if insight is None else entries_of(insight))
        entries = tuple(await self.quarantine.get_many(scope, sorted(entry_ids)))
        if memory is None and insight is None and not entries:
            where = f"project {scope.project_id!r}"
            raise NotFound(f"Nothing has the id {any_id!r} in {where}. See `memsieve log`.", subject=any_id)
        item_ids = [receipt.entry.id for receipt in entries]
        subjects = {any_id, *item_ids}
        if memory is not None:
            item_ids += [chunk.id for chunk in memory.chunks]
            subjects.add(memory.id)
        return Lineage(
            entries=entries,
            memories=() if memory is None else (memory,),
            events=tuple([event async for event in self._events(scope) if event.subject in subjects]),
            served=tuple(await self.servings.servings_of(scope, item_ids)),
        )

    async def _events(self, scope: Scope) -> AsyncIterator[AuditEvent]:
        after = 0
        while page := await self.audit.events(scope, after, _PAGE):
            for event in page:
                yield event
            after = page[-1].sequence

    async def _memories(self, scope: Scope) -> AsyncIterator[LongTermMemory]:
        after: str | None = None
        while page := await self.longterm.find(scope, after, _PAGE):
            for memory in page:
                yield memory
            after = page[-1].id


def _changes(memory: LongTermMemory, promoted: Mapping[str, object]) -> list[str]:
    if memory.id not in promoted:
        return [f"Memory {memory.id} has no promotion in the audit log."]
    if promoted[memory.id] != memory.approval.digest:
        return [f"The text of memory {memory.id} was changed after a person approved it."]
    foreign = [chunk.id for chunk in memory.chunks if chunk.content not in memory.approval.content]
    return [f"Chunk {chunk_id} of memory {memory.id} is no part of the approved text." for chunk_id in foreign]


def _faults(event: AuditEvent, expected: int, head: str) -> list[str]:
    faults = []
    if event.sequence != expected:
        faults.append(f"Line {expected} is missing: line {event.sequence} follows.")
    if event.previous != head:
        faults.append(f"Line {event.sequence} does not follow the line before it.")
    if event.digest != event.expected_digest():
        faults.append(f"Line {event.sequence} ({event.action} {event.subject}) was changed after it was written.")
    return faults
