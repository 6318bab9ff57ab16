"""The two faces over services in this process, and the maintenance that operators do."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Unpack

from memsieve import validate
from memsieve.errors import Conflict, InvalidInput
from memsieve.ingress.replay import Replay
from memsieve.model import (
    MAX_LISTED,
    MAX_SEARCH_BYTES,
    Admission,
    Answer,
    AuditEvent,
    AuditNote,
    DailyCounts,
    DateRange,
    Digest,
    Entry,
    EntryFields,
    EntryFilter,
    Insight,
    Lineage,
    LongTermMemory,
    Proposal,
    Receipt,
    Retirement,
    Role,
    Scope,
    Stats,
    Tombstone,
    caller_fields,
)
from memsieve.ports import Progress
from memsieve.project import AsyncProject, AsyncReview, VerifiedReads
from memsieve.retrieval.retriever import Query
from memsieve.review.audit import Audit
from memsieve.review.lookup import retired_among
from memsieve.runtime.event_loop import Front, blocking
from memsieve.services.container import Services

AGENT = "agent"


class _Embedded(VerifiedReads):
    """Services, and the scope in which they are asked."""

    def __init__(self, services: Services, scope: Scope) -> None:
        self._services = services
        self._scope = scope

    async def memories(
        self,
        *,
        after_id: str | None = None,
        limit: int = 100,
        text: str | None = None,
        retired: bool = False,
        newest_first: bool = False,
    ) -> list[LongTermMemory]:
        validate.whole_number(limit, field="limit", most=MAX_LISTED)
        if text is not None:
            validate.text(text, field="text", max_bytes=MAX_SEARCH_BYTES)
        after = None if after_id is None else _id(after_id)
        return await self._services.longterm.find(
            self._scope, after, limit, text=text, retired=retired, newest_first=newest_first
        )

    async def memory(self, any_id: str) -> LongTermMemory | None:
        return await self._services.longterm.get(self._scope, _id(any_id))

    async def stats(self) -> Stats:
        return await self._services.statistics.stats(self._scope)


class EmbeddedProject(_Embedded, AsyncProject):
    """The agent's face; what the agent proposes is proposed in its name."""

    def __init__(self, services: Services, project_id: str, agent: str | None = None) -> None:
        super().__init__(services, Scope.agent(project_id))
        self._agent = None if agent is None else validate.name(agent, field="agent")

    @property
    def id(self) -> str:
        return self._scope.project_id

    async def record(
        self,
        content: str,
        *,
        session_id: str,
        idempotency_key: str | None = None,
        wait: bool = False,
        decide: str = "now",
        **fields: Unpack[EntryFields],
    ) -> Receipt:
        later, ingress = validate.decides_later(decide, wait=wait), self._services.ingress
        entry = Entry(
            id=str(uuid.uuid4()),
            project_id=self.id,
            session_id=session_id,
            content=content,
            created_at=ingress.clock(),
            recorded_by=self._agent,
            **caller_fields(fields),
        )
        if later:
            return await ingress.record_deferred(self._scope, entry, idempotency_key=idempotency_key)
        return await ingress.record(self._scope, entry, idempotency_key=idempotency_key, wait=wait)

    async def retrieve(
        self,
        query: str,
        *,
        max_results: int = 5,
        max_unverified: int = 10,
        time_range_days: float | None = None,
        relevance_threshold: float = 0.0,
        session_id: str | None = None,
        agent_id: str | None = None,
    ) -> Answer:
        wanted = Query(
            text=query,
            max_results=max_results,
            max_unverified=max_unverified,
            time_range_days=time_range_days,
            relevance_threshold=relevance_threshold,
            session_id=session_id,
            agent_id=agent_id,
        )
        return await self._services.retriever.retrieve(self._scope, wanted)

    async def working(self) -> list[Entry]:
        return await self._services.working.list(self._scope)

    async def admission(self, entry_id: str) -> Admission | None:
        receipt = await self._services.quarantine.get(Scope.system(self.id), _id(entry_id))
        return None if receipt is None else receipt.admission

    async def propose(self, entry_id: str, *, reason: str) -> Proposal:
        scope = Scope(project_id=self.id, actor=self._agent or AGENT, role=Role.SYSTEM)
        return await self._services.proposer.propose(scope, _id(entry_id), reason)

    def review(self, *, by: str) -> AsyncReview:
        return EmbeddedReview(self._services, self.id, by)


class EmbeddedReview(_Embedded, AsyncReview):
    """The person's face."""

    def __init__(self, services: Services, project_id: str, by: str) -> None:
        super().__init__(services, _person(project_id, by))

    @property
    def project_id(self) -> str:
        return self._scope.project_id

    @property
    def by(self) -> str:
        return self._scope.actor

    async def digest(self, *, days: float = 7, progress: Progress | None = None) -> Digest:
        return await self._services.digester.digest(self._scope, days=days, progress=progress)

    async def last_digest(self) -> Digest | None:
        return await self._services.digester.last(self._scope)

    async def insights(
        self, *, decided: bool = False, after_id: str | None = None, limit: int | None = None
    ) -> list[Insight]:
        after_id = None if after_id is None else _id(after_id)
        if limit is not None:
            validate.whole_number(limit, field="limit", most=MAX_LISTED)
        return await self._services.digester.insights(self._scope, decided=decided, after_id=after_id, limit=limit)

    async def insight(self, insight_id: str) -> Insight | None:
        return await self._services.digester.digests.get(self._scope, _id(insight_id))

    async def promote(self, any_id: str, *, text: str | None = None) -> LongTermMemory:
        return await self._services.promoter.promote(self._scope, _id(any_id), text)

    async def promote_text(self, text: str, *, atom: str | None = None) -> LongTermMemory:
        return await self._services.promoter.promote_text(self._scope, text, atom)

    async def dismiss(self, any_id: str, *, reason: str) -> Tombstone:
        return await self._services.dismisser.dismiss(self._scope, _id(any_id), reason)

    async def retire(self, memory_id: str, *, reason: str, superseded: bool = False) -> Retirement:
        return await self._services.retirer.retire(self._scope, _id(memory_id), reason, superseded=superseded)

    async def delete(self, entry_id: str, *, reason: str) -> None:
        await self._services.deleter.delete(self._scope, _id(entry_id), reason)

    async def log(self, wanted: EntryFilter | None = None) -> list[Receipt]:
        return await self._services.quarantine.find(self._scope, EntryFilter.given(wanted))

    async def entry(self, entry_id: str) -> Receipt | None:
        return await self._services.quarantine.get(self._scope, _id(entry_id))

    async def lineage(self, any_id: str) -> Lineage:
        return await self._services.auditor.lineage(self._scope, _id(any_id))

    async def audit_log(
        self, *, after: int = 0, before: int | None = None, limit: int = 1000, newest_first: bool = False
    ) -> list[AuditEvent]:
        validate.line_range(after=after, before=before, limit=limit, most=MAX_LISTED)
        return await self._services.auditor.audit.events(
            self._scope, after, limit, before=before, newest_first=newest_first
        )

    async def verify_audit(self) -> Audit:
        return await self._services.auditor.verify(self._scope)

    async def flow(self, *, days: int = 30, offset: timedelta = timedelta(0)) -> DailyCounts:
        span = DateRange(now=self._services.ingress.clock(), days=days, offset=offset)
        return await self._services.statistics.flow(self._scope, span)


class AsyncMaintenance:
    """Maintenance of one project: import data, repair, try settings. Only in the process that holds the data."""

    def __init__(self, services: Services, project_id: str) -> None:
        self._services = services
        self._agent = Scope.agent(project_id)

    @property
    def project_id(self) -> str:
        """The project's name."""
        return self._agent.project_id

    async def import_entry(self, entry: Entry) -> Receipt:
        """Record an entry that another memory exported, with its own id and time."""
        return await self._services.ingress.record(self._agent, entry, wait=True)

    async def import_history(self, entries: Sequence[Entry]) -> list[bool | InvalidInput | Conflict]:
        """Record many entries that are older than 24 hours; say of each whether it is new, or what is wrong with it.

        One that is wrong does not keep the others out.
        """
        return await self._services.ingress.import_history(self._agent, entries)

    async def import_texts(self, texts: Sequence[str], *, by: str) -> list[bool | InvalidInput]:
        """Promote many texts in a person's name; say of each whether it is new, or what is wrong with it."""
        return await self._services.promoter.promote_texts(_person(self.project_id, by), texts)

    async def retired(self, memory_ids: Sequence[str]) -> set[str]:
        """Return those of these ids that are the ids of retired memories."""
        return await retired_among(self._services.longterm, self._agent, [_id(memory_id) for memory_id in memory_ids])

    async def retry(self) -> Sequence[Receipt]:
        """Decide on entries that are still undecided, after a judge or an embedder failed."""
        return await self._services.ingress.retry(self._agent)

    async def replay(self, changes: Mapping[str, Any], *, since: datetime | None = None) -> Replay:
        """Say what the filter would have admitted with these settings changed; nothing is changed by it."""
        if not isinstance(changes, Mapping):
            raise InvalidInput(f"changes must be a mapping of settings, not {type(changes).__name__}.", field="changes")
        return await self._services.ingress.replay(self._agent, changes, since)

    async def restore_working(self) -> int:
        """Put back into working memory what was admitted within 24 hours and is missing there; return how much was."""
        return await self._services.restorer.restore(self._agent)

    async def missing_from_working(self) -> int:
        """Count what was admitted within 24 hours and is missing in working memory, as after a restart of Redis."""
        return len(await self._services.restorer.missing(self._agent))

    async def note(self, note: AuditNote, subject: str, *, by: str) -> None:
        """Write into the audit log what somebody tried, in their name; nothing else changes."""
        scope = Scope(project_id=self.project_id, actor=validate.name(by, field="by"), role=Role.SYSTEM)
        await self._services.auditor.audit.note(scope, note, subject, self._services.ingress.clock())


class Maintenance(Front[AsyncMaintenance]):
    """Maintenance of one project, for synchronous code; see `AsyncMaintenance`."""

    @property
    def project_id(self) -> str:
        """The project's name."""
        return self.inner.project_id

    import_entry = blocking(AsyncMaintenance.import_entry)
    import_history = blocking(AsyncMaintenance.import_history)
    import_texts = blocking(AsyncMaintenance.import_texts)
    retired = blocking(AsyncMaintenance.retired)
    retry = blocking(AsyncMaintenance.retry)
    replay = blocking(AsyncMaintenance.replay)
    restore_working = blocking(AsyncMaintenance.restore_working)
    missing_from_working = blocking(AsyncMaintenance.missing_from_working)
    note = blocking(AsyncMaintenance.note)


def _person(project_id: str, by: str) -> Scope:
    return Scope.person(project_id, validate.name(by, field="by"))


def _id(value: object) -> str:
    return validate.name(value, field="id")
