"""What a user holds in the hand: one project, each method one call into a room below."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

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
)
from memsieve.ports import Progress
from memsieve.retrieval.prompt import history_context
from memsieve.retrieval.retriever import Query
from memsieve.review.audit import Audit
from memsieve.review.lookup import retired_among
from memsieve.services.container import Services


class AsyncProject:
    """One project's memory: record, retrieve, and, in a person's name, promote, dismiss and retire."""

    def __init__(self, services: Services, project_id: str) -> None:
        self._services = services
        self._agent = Scope.agent(project_id)
        self.id = self._agent.project_id

    async def record(
        self,
        content: str,
        *,
        session_id: str,
        agent_id: str | None = None,
        node_id: str | None = None,
        confidence: float | None = None,
        metadata: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
        wait: bool = False,
        decide: str = "now",
    ) -> Receipt:
        """Record an output. It is on disk before this returns; the receipt says whether the filter admitted it.

        With an LLM as judge the decision is pending and follows in the background, unless you `wait` for it. With
        `decide="later"` it always does: nothing but the durable write holds the caller up.
        """
        later = validate.decides_later(decide, wait=wait)
        entry = Entry(
            id=str(uuid.uuid4()),
            project_id=self.id,
            session_id=session_id,
            content=content,
            created_at=self._services.ingress.clock(),
            agent_id=agent_id,
            node_id=node_id,
            confidence=confidence,
            metadata={} if metadata is None else metadata,
        )
        if later:
            return await self._services.ingress.record_deferred(self._agent, entry, idempotency_key=idempotency_key)
        return await self._services.ingress.record(self._agent, entry, idempotency_key=idempotency_key, wait=wait)

    async def bring(self, entry: Entry) -> Receipt:
        """Record an entry that another memory exported, with its own id and time."""
        return await self._services.ingress.record(self._agent, entry, wait=True)

    async def bring_history(self, entries: Sequence[Entry]) -> list[bool | InvalidInput | Conflict]:
        """Bring many entries that are older than 24 hours; say of each whether it is new, or what is wrong with it.

        One that is wrong does not keep the others out.
        """
        return await self._services.ingress.import_history(self._agent, entries)

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
        """Return the most relevant verified memories and temporary context, each with its label.

        Name the session that asks: what it is served cannot come back from it as new evidence.
        """
        wanted = Query(
            text=query,
            max_results=max_results,
            max_unverified=max_unverified,
            time_range_days=time_range_days,
            relevance_threshold=relevance_threshold,
            session_id=session_id,
            agent_id=agent_id,
        )
        return await self._services.retriever.retrieve(self._agent, wanted)

    async def history_context(
        self,
        query: str,
        *,
        session_id: str | None = None,
        agent_id: str | None = None,
        max_tokens: int | None = None,
    ) -> str:
        """Return the Markdown block for a prompt: memories as fenced data, verified apart from unverified.

        `max_tokens` is how long it may be, about: whole items are left out, and it says how many.
        """
        answer = await self.retrieve(query, session_id=session_id, agent_id=agent_id)
        return history_context(answer, max_tokens=max_tokens)

    async def promote(self, any_id: str, *, by: str, text: str | None = None) -> LongTermMemory:
        """Promote an insight or an entry into long-term memory in a person's name. Twice changes nothing.

        Give a `text` to approve it in other words than its own. An insight that somebody else has decided on otherwise
        raises Conflict, which says who was first.
        """
        return await self._services.promoter.promote(self._person(by), _id(any_id), text)

    async def promote_text(self, text: str, *, by: str, atom: str | None = None) -> LongTermMemory:
        """Promote a person's own text into long-term memory. Twice changes nothing.

        `atom` names the atom of a knowledge base that the text is, as `KB_ID:ATOM_ID`: its lineage tells it.
        """
        return await self._services.promoter.promote_text(self._person(by), text, atom)

    async def promote_texts(self, texts: Sequence[str], *, by: str) -> list[bool | InvalidInput]:
        """Promote many texts of a person's own; say of each whether it is new, or what is wrong with it."""
        return await self._services.promoter.promote_texts(self._person(by), texts)

    async def dismiss(self, any_id: str, *, by: str, reason: str) -> Tombstone:
        """Dismiss an insight or an entry in a person's name: it leaves working memory and must not come back.

        An insight decides all entries behind it. What was promoted raises Conflict: retire that memory instead.
        """
        return await self._services.dismisser.dismiss(self._person(by), _id(any_id), reason)

    async def digest(self, *, days: float = 7, progress: Progress | None = None, by: str = "auditor") -> Digest:
        """Make a digest now: the last days, and all that still waits, as at most ten insights to decide on.

        `progress` is called with how much is done, and of how much. The same input gives the same digest.
        """
        return await self._services.digester.digest(self._person(by), days=days, progress=progress)

    async def last_digest(self, *, by: str = "auditor") -> Digest | None:
        """Return the newest digest with what waits now, or None; nothing is made."""
        return await self._services.digester.last(self._person(by))

    async def insights(self, *, decided: bool = False, by: str = "auditor") -> list[Insight]:
        """List all insights that wait, first to be decided on first, or those that are decided, newest first."""
        return await self._services.digester.insights(self._person(by), decided=decided)

    async def insight(self, insight_id: str, *, by: str = "auditor") -> Insight | None:
        """Return one insight with all its sources and what was decided, or None."""
        return await self._services.digester.digests.get(self._person(by), _id(insight_id))

    async def retire(self, memory_id: str, *, by: str, reason: str, superseded: bool = False) -> Retirement:
        """Retire a long-term memory in a person's name; the result names everyone who was served it.

        Its content must not come back. Of one that others have `superseded`, what they still say may.
        """
        return await self._services.retirer.retire(self._person(by), _id(memory_id), reason, superseded=superseded)

    async def retired(self, memory_ids: Sequence[str]) -> set[str]:
        """Return those of these ids that are the ids of retired memories."""
        return await retired_among(self._services.longterm, self._agent, [_id(memory_id) for memory_id in memory_ids])

    async def delete(self, entry_id: str, *, by: str, reason: str) -> None:
        """Delete an entry from quarantine, and from working memory with it, in a person's name; it is audited."""
        await self._services.deleter.delete(self._person(by), _id(entry_id), reason)

    async def log(self, wanted: EntryFilter | None = None, *, by: str = "auditor") -> list[Receipt]:
        """List quarantine for a person's audit, newest first; nothing of this is for agents."""
        wanted = EntryFilter() if wanted is None else wanted
        if not isinstance(wanted, EntryFilter):
            raise InvalidInput(f"log takes an EntryFilter, not {type(wanted).__name__}.", field="wanted")
        return await self._services.quarantine.find(self._person(by), wanted)

    async def entry(self, entry_id: str, *, by: str = "auditor") -> Receipt | None:
        """Return one quarantine entry for a person's audit, or None."""
        return await self._services.quarantine.get(self._person(by), _id(entry_id))

    async def admission(self, entry_id: str) -> Admission | None:
        """Return what the filter decided on an entry, or None; nothing of what it says, so that agents may ask."""
        system = Scope.system(self.id)
        receipt = await self._services.quarantine.get(system, _id(entry_id))
        return None if receipt is None else receipt.admission

    async def propose(self, entry_id: str, *, reason: str, by: str = "agent") -> Proposal:
        """Put an admitted entry before a person, among the insights that wait, with who proposes it and why.

        It is no more trusted for it, and nothing is promoted. One that waits already is left as it is.
        """
        scope = Scope(project_id=self.id, actor=validate.name(by, field="by"), role=Role.SYSTEM)
        return await self._services.proposer.propose(scope, _id(entry_id), reason)

    async def note(self, note: AuditNote, subject: str, *, by: str) -> None:
        """Write into the audit log what somebody tried, in their name; nothing else changes."""
        scope = Scope(project_id=self.id, actor=validate.name(by, field="by"), role=Role.SYSTEM)
        await self._services.auditor.audit.note(scope, note, subject, self._services.ingress.clock())

    async def audit_log(
        self,
        *,
        after: int = 0,
        before: int | None = None,
        limit: int = 1000,
        newest_first: bool = False,
        by: str = "auditor",
    ) -> list[AuditEvent]:
        """List the audit log in order, or the newest lines first, between two lines."""
        validate.whole_number(after, field="after", most=2**62)
        validate.whole_number(limit, field="limit", most=MAX_LISTED)
        if before is not None:
            validate.whole_number(before, field="before", most=2**62)
        return await self._services.auditor.audit.events(
            self._person(by), after, limit, before=before, newest_first=newest_first
        )

    async def working(self) -> list[Entry]:
        """List working memory, newest first."""
        return await self._services.working.list(self._agent)

    async def restore_working(self) -> int:
        """Put back into working memory what was admitted within 24 hours and is missing there; return how much was."""
        return await self._services.restorer.restore(self._agent)

    async def missing_from_working(self) -> int:
        """Count what was admitted within 24 hours and is missing in working memory, as after a restart of Redis."""
        return len(await self._services.restorer.missing(self._agent))

    async def memories(
        self,
        *,
        after_id: str | None = None,
        limit: int = 100,
        text: str | None = None,
        retired: bool = False,
        newest_first: bool = False,
    ) -> list[LongTermMemory]:
        """List verified memories in the order they were approved, or retired ones; those that hold a text."""
        validate.whole_number(limit, field="limit", most=MAX_LISTED)
        if text is not None:
            validate.text(text, field="text", max_bytes=MAX_SEARCH_BYTES)
        after = None if after_id is None else _id(after_id)
        return await self._services.longterm.find(
            self._agent, after, limit, text=text, retired=retired, newest_first=newest_first
        )

    async def memory(self, any_id: str) -> LongTermMemory | None:
        """Return the memory with this id, or with a chunk or a source entry of this id; the living one first."""
        return await self._services.longterm.get(self._agent, _id(any_id))

    async def lineage(self, any_id: str, *, by: str = "auditor") -> Lineage:
        """Say where a memory, an insight or an entry came from, what people decided, and who was served it."""
        return await self._services.auditor.lineage(self._person(by), _id(any_id))

    async def stats(self) -> Stats:
        """Count what the project holds and what the filter refused."""
        return await self._services.statistics.stats(self._agent)

    async def flow(self, *, days: int = 30, offset: timedelta = timedelta(0)) -> DailyCounts:
        """Count what was recorded, admitted, refused and decided on each of the last days, and how old it all is.

        A day begins where clocks are `offset` ahead of UTC.
        """
        span = DateRange(now=self._services.ingress.clock(), days=days, offset=offset)
        return await self._services.statistics.flow(self._agent, span)

    async def retry(self) -> Sequence[Receipt]:
        """Decide on entries that are still undecided, after a judge or an embedder failed."""
        return await self._services.ingress.retry(self._agent)

    async def replay(self, changes: Mapping[str, Any], *, since: datetime | None = None) -> Replay:
        """Say what the filter would have admitted with these settings changed; nothing is changed by it."""
        if not isinstance(changes, Mapping):
            raise InvalidInput(f"changes must be a mapping of settings, not {type(changes).__name__}.", field="changes")
        return await self._services.ingress.replay(self._agent, changes, since)

    async def verify_audit(self, *, by: str = "auditor") -> Audit:
        """Check the audit log's hash chain, and that every memory has its line in it."""
        return await self._services.auditor.verify(self._person(by))

    def _person(self, by: str) -> Scope:
        return Scope.person(self.id, validate.name(by, field="by"))


def _id(value: object) -> str:
    return validate.name(value, field="id")
