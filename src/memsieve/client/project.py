"""One project on a server: the methods of the embedded one, each a request or a few."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote

from memsieve import documents, validate
from memsieve.client.connection import Call, Connection, parsed, read
from memsieve.documents import D, Page, R, RecordDocument
from memsieve.errors import InvalidInput, NotFound, StoreUnavailable
from memsieve.model import (
    MAX_LISTED,
    Admission,
    Answer,
    AuditEvent,
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
    Stats,
    Tombstone,
)
from memsieve.ports import Progress
from memsieve.retrieval.prompt import history_context
from memsieve.review.audit import Audit

# A digest of a busy week takes its time.
DIGEST_SECONDS = 600.0
_IDEMPOTENCY_KEY = re.compile(r"[!-~]{1,128}")


class AsyncClientProject:
    """One project's memory on a server. What a person does is done in the name of the key: nothing takes a `by`."""

    def __init__(self, connection: Connection, project_id: str) -> None:
        self._connection = connection
        self.id = validate.project_name(project_id)

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
        """Record an output. It is on the server's disk before this returns; the receipt says whether it was admitted.

        It is sent again if the connection breaks, and stored once. Give your own `idempotency_key` to be able to try
        again later yourself. With `decide="later"` the answer does not wait for the filter.
        """
        later = validate.decides_later(decide, wait=wait)
        key = str(uuid.uuid4()) if idempotency_key is None else _idempotency_key(idempotency_key)
        said: dict[str, Any] = {
            "session_id": validate.name(session_id, field="session_id"),
            "content": content,
            "agent_id": _name(agent_id, "agent_id"),
            "node_id": _name(node_id, "node_id"),
            "confidence": confidence,
            "metadata": {} if metadata is None else _mapping(metadata),
        }
        call = Call(
            method="POST",
            path="/memory/quarantine",
            query={"wait": "true" if wait else None, "decide": decide if later else None},
            body={"project_id": self.id, **said},
            headers={"Idempotency-Key": key},
        )
        try:
            written = await self._connection.send(call)
        except StoreUnavailable as exc:
            raise StoreUnavailable(f"{exc} Whether it was recorded is not known: idempotency_key={key!r}.") from exc
        kept = parsed(documents.Recorded, written)
        entry = Entry(id=kept.entry_id, project_id=kept.project_id, created_at=kept.created_at, **said)
        return Receipt(entry=entry, admission=kept.record())

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
        session_id, agent_id = _name(session_id, "session_id"), _name(agent_id, "agent_id")
        body = {
            "project_id": self.id,
            "query": query,
            "max_results": max_results,
            "max_unverified": max_unverified,
            "time_range_days": time_range_days,
            "relevance_threshold": relevance_threshold,
            "session_id": session_id,
            "agent_id": agent_id,
        }
        written, headers = await self._connection.exchange(Call(method="POST", path="/memory/query", body=body))
        asked = {"query": query, "at": datetime.now(UTC), "session_id": session_id, "agent_id": agent_id}
        return parsed(documents.Answer, written).record(id=headers.get("x-answer-id", ""), **asked)

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

    async def promote(self, any_id: str, *, text: str | None = None) -> LongTermMemory:
        """Promote an insight or an entry into long-term memory in the name of the key. Twice changes nothing.

        Give a `text` to approve it in other words than its own. An insight that somebody else has decided on otherwise
        raises Conflict, which says who was first.
        """
        return read(documents.Memory, await self._post("/memory/promote", id=_id(any_id), text=text))

    async def promote_text(self, text: str, *, atom: str | None = None) -> LongTermMemory:
        """Promote a person's own text into long-term memory. Twice changes nothing.

        `atom` names the atom of a knowledge base that the text is, as `KB_ID:ATOM_ID`: its lineage tells it.
        """
        # A server of another version need not know what is not used.
        named = {} if atom is None else {"atom": atom}
        return read(documents.Memory, await self._post("/memory/ingest", content=text, **named))

    async def propose(self, entry_id: str, *, reason: str) -> Proposal:
        """Put an admitted entry before a person, among the insights that wait, with who proposes it and why.

        It is no more trusted for it, and nothing is promoted. One that waits already is left as it is.
        """
        return read(documents.Proposal, await self._post("/memory/propose", id=_id(entry_id), reason=reason))

    async def dismiss(self, any_id: str, *, reason: str) -> Tombstone:
        """Dismiss an insight or an entry: it leaves working memory and must not come back.

        An insight decides all entries behind it. What was promoted raises Conflict: retire that memory instead.
        """
        return read(documents.Tombstone, await self._post("/memory/dismiss", id=_id(any_id), reason=reason))

    async def retire(self, memory_id: str, *, reason: str, superseded: bool = False) -> Retirement:
        """Retire a long-term memory; the result names everyone who was served it.

        Its content must not come back. Of one that others have `superseded`, what they still say may.
        """
        meant = {"superseded": True} if superseded else {}
        written = await self._post("/memory/retire", id=_id(memory_id), reason=reason, **meant)
        return read(documents.Retirement, written)

    async def delete(self, entry_id: str, *, reason: str) -> None:
        """Delete an entry from quarantine, and from working memory with it; it is audited.

        It is not sent again if the connection breaks: the second time there would be nothing to delete.
        """
        call = self._call("DELETE", entry_id, query={"reason": reason}, repeatable=False)
        await self._connection.send(call)

    async def digest(self, *, days: float = 7, progress: Progress | None = None) -> Digest:
        """Make a digest now: the last days, and all that still waits, as at most ten insights to decide on.

        `progress` is called when the server begins and when it is done; in between it does not tell.
        """
        if progress is not None:
            progress(0, 1)
        body = {"project_id": self.id, "days": days}
        call = Call(method="POST", path="/memory/digest", body=body, seconds=DIGEST_SECONDS)
        made = read(documents.Digest, await self._connection.send(call))
        if progress is not None:
            progress(1, 1)
        return made

    async def last_digest(self) -> Digest | None:
        """Return the newest digest with what waits now, or None; nothing is made."""
        call = Call(method="GET", path="/memory/digest", query={"project_id": self.id}, subject=self.id)
        return await self._found(call, documents.Digest)

    async def insights(self, *, decided: bool = False) -> list[Insight]:
        """List all insights that wait, first to be decided on first, or those that are decided, newest first."""
        query = {"project_id": self.id, "decided": "true" if decided else "false"}
        pages = self._connection.pages("/memory/insights", query, documents.InsightPage)
        return [one.record() async for one in pages]

    async def insight(self, insight_id: str) -> Insight | None:
        """Return one insight with all its sources and what was decided, or None."""
        return await self._found(self._call("GET", insight_id, of="insights"), documents.Insight)

    async def log(self, wanted: EntryFilter | None = None) -> list[Receipt]:
        """List quarantine for a person's audit, newest first unless asked otherwise."""
        wanted = EntryFilter() if wanted is None else wanted
        if not isinstance(wanted, EntryFilter):
            raise InvalidInput(f"log takes an EntryFilter, not {type(wanted).__name__}.", field="wanted")
        query = {
            "session_id": wanted.session_id,
            "agent_id": wanted.agent_id,
            "decision": wanted.decision,
            "review": wanted.review,
            "check": wanted.check,
            "search": wanted.text,
            "since": None if wanted.since is None else wanted.since.isoformat(),
            "until": None if wanted.until is None else wanted.until.isoformat(),
            "beyond_id": wanted.beyond_id,
            "oldest_first": "true" if wanted.oldest_first else None,
        }
        return [
            one.record() for one in await self._listed("/memory/quarantine", query, wanted.limit, documents.ReceiptPage)
        ]

    async def entry(self, entry_id: str) -> Receipt | None:
        """Return one quarantine entry for a person's audit, or None."""
        return await self._found(self._call("GET", entry_id), documents.Receipt)

    async def admission(self, entry_id: str) -> Admission | None:
        """Return what the filter decided on an entry, or None; nothing of what it says, so that agents may ask."""
        return await self._found(self._call("GET", entry_id, "/admission"), documents.EntryAdmission)

    async def audit_log(
        self, *, after: int = 0, before: int | None = None, limit: int = 1000, newest_first: bool = False
    ) -> list[AuditEvent]:
        """List the audit log in order, or the newest lines first, between two lines."""
        validate.whole_number(after, field="after", most=2**62)
        validate.whole_number(limit, field="limit", most=MAX_LISTED)
        if before is not None:
            validate.whole_number(before, field="before", most=2**62)
        query = {"after": after or None, "before": before, "newest_first": "true" if newest_first else None}
        return [one.record() for one in await self._listed("/audit", query, limit, documents.AuditPage)]

    async def working(self) -> list[Entry]:
        """List working memory, newest first."""
        call = Call(method="GET", path="/memory/working", query={"project_id": self.id})
        return [one.record() for one in parsed(documents.EntryPage, await self._connection.send(call)).items]

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
        query = {
            "after_id": None if after_id is None else _id(after_id),
            "search": text,
            "retired": "true" if retired else None,
            "newest_first": "true" if newest_first else None,
        }
        return [one.record() for one in await self._listed("/memory/longterm", query, limit, documents.MemoryPage)]

    async def memory(self, any_id: str) -> LongTermMemory | None:
        """Return the memory with this id, or with a chunk or a source entry of this id; the living one first."""
        if _id(any_id).startswith(Insight.PREFIX):
            return None
        traced = await self._found(self._call("GET", any_id, "/lineage"), documents.Lineage)
        return None if traced is None or not traced.memories else traced.memories[0]

    async def lineage(self, any_id: str) -> Lineage:
        """Say where a memory, an insight or an entry came from, what people decided, and who was served it."""
        return read(documents.Lineage, await self._connection.send(self._call("GET", any_id, "/lineage")))

    async def stats(self) -> Stats:
        """Count what the project holds and what the filter refused."""
        call = Call(method="GET", path="/stats", query={"project_id": self.id})
        return read(documents.Stats, await self._connection.send(call))

    async def flow(self, *, days: int = 30, offset: timedelta = timedelta(0)) -> DailyCounts:
        """Count what was recorded, admitted, refused and decided on each of the last days, and how old it all is.

        A day begins where clocks are `offset` ahead of UTC.
        """
        span = DateRange(now=datetime.now(UTC), days=days, offset=offset)
        minutes = round(span.offset.total_seconds() / 60)
        query: dict[str, str | int | None] = {"days": span.days, "offset_minutes": minutes}
        call = Call(method="GET", path="/flow", query={"project_id": self.id, **query})
        return read(documents.Flow, await self._connection.send(call))

    async def verify_audit(self) -> Audit:
        """Let the server check the audit log's hash chain, and that every memory has its line in it."""
        call = Call(method="GET", path="/audit/verification", query={"project_id": self.id})
        return read(documents.Verification, await self._connection.send(call))

    def _call(
        self,
        method: str,
        any_id: str,
        rest: str = "",
        *,
        of: str = "entries",
        query: Mapping[str, str | int | None] | None = None,
        repeatable: bool = True,
    ) -> Call:
        checked = _id(any_id)
        return Call(
            method=method,
            path=f"/memory/{of}/{quote(checked, safe='')}{rest}",
            query={"project_id": self.id, **(query or {})},
            repeatable=repeatable,
            subject=checked,
        )

    async def _post(self, path: str, **body: Any) -> bytes:
        call = Call(method="POST", path=path, body={"project_id": self.id, **body}, subject=str(body.get("id", "")))
        return await self._connection.send(call)

    async def _found(self, call: Call, kind: type[RecordDocument[R]]) -> R | None:
        try:
            return read(kind, await self._connection.send(call))
        except NotFound:
            return None

    async def _listed(
        self, path: str, query: Mapping[str, str | int | None], limit: int, page: type[Page[D]]
    ) -> list[D]:
        """Read so many of a list, page by page."""
        found: list[D] = []
        if limit:
            async for one in self._connection.pages(path, {"project_id": self.id, **query}, page, limit):
                found.append(one)
                if len(found) == limit:
                    break
        return found


def _id(value: object) -> str:
    return validate.name(value, field="id")


def _name(value: str | None, field: str) -> str | None:
    return None if value is None else validate.name(value, field=field)


def _mapping(value: object) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise InvalidInput(f"metadata must be a mapping, not {type(value).__name__}.", field="metadata")
    return dict(value)


def _idempotency_key(value: object) -> str:
    key = validate.name(value, field="idempotency_key")
    if not _IDEMPOTENCY_KEY.fullmatch(key):
        raise InvalidInput(
            "idempotency_key goes into a header: use ASCII letters, digits and signs without spaces.",
            field="idempotency_key",
        )
    return key
