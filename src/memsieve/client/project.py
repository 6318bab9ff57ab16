"""The two faces of a project on a server: each method is a request or a few."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Unpack
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
    EntryFields,
    EntryFilter,
    Insight,
    Lineage,
    LongTermMemory,
    Proposal,
    Receipt,
    Retirement,
    Stats,
    Tombstone,
    caller_fields,
    checked_fields,
)
from memsieve.ports import Progress
from memsieve.project import AsyncProject, AsyncReview, VerifiedReads
from memsieve.review.audit import Audit

# A digest of a busy week takes its time.
DIGEST_SECONDS = 600.0
# The server enforces its own limit.
MOST_METADATA_BYTES = 2**31
_IDEMPOTENCY_KEY = re.compile(r"[!-~]{1,128}")


class _Remote(VerifiedReads):
    """A project, and the connection to the server that has it."""

    def __init__(self, connection: Connection, project_id: str) -> None:
        self._connection = connection
        self._project_id = validate.project_name(project_id)

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
        query = {
            "after_id": None if after_id is None else _id(after_id),
            "search": text,
            "retired": "true" if retired else None,
            "newest_first": "true" if newest_first else None,
        }
        return [one.record() for one in await self._listed("/memory/longterm", query, limit, documents.MemoryPage)]

    async def memory(self, any_id: str) -> LongTermMemory | None:
        if _id(any_id).startswith(Insight.PREFIX):
            return None
        traced = await self._found(self._call("GET", any_id, "/lineage"), documents.Lineage)
        return None if traced is None or not traced.memories else traced.memories[0]

    async def stats(self) -> Stats:
        call = Call(method="GET", path="/stats", query={"project_id": self._project_id})
        return read(documents.Stats, await self._connection.send(call))

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
            query={"project_id": self._project_id, **(query or {})},
            repeatable=repeatable,
            subject=checked,
        )

    async def _post(self, path: str, **body: Any) -> bytes:
        call = Call(
            method="POST", path=path, body={"project_id": self._project_id, **body}, subject=str(body.get("id", ""))
        )
        return await self._connection.send(call)

    async def _found(self, call: Call, kind: type[RecordDocument[R]]) -> R | None:
        try:
            return read(kind, await self._connection.send(call))
        except NotFound:
            return None

    async def _listed(
        self, path: str, query: Mapping[str, str | int | None], limit: int, page: type[Page[D]]
    ) -> list[D]:
        """Read at most `limit` items of a list, page by page."""
        found: list[D] = []
        if limit:
            async for one in self._connection.pages(path, {"project_id": self._project_id, **query}, page, limit):
                found.append(one)
                if len(found) == limit:
                    break
        return found


class RemoteProject(_Remote, AsyncProject):
    """The agent's face. A recording is sent again if the connection breaks, and stored once.

    Give your own `idempotency_key` to be able to try again later yourself.
    """

    def __init__(self, connection: Connection, project_id: str, agent: str | None = None) -> None:
        named = connection if agent is None else connection.acting_as(validate.name(agent, field="agent"))
        super().__init__(named, project_id)

    @property
    def id(self) -> str:
        return self._project_id

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
        later = validate.decides_later(decide, wait=wait)
        key = str(uuid.uuid4()) if idempotency_key is None else _idempotency_key(idempotency_key)
        sent: dict[str, Any] = {
            "session_id": validate.name(session_id, field="session_id"),
            "content": content,
            **checked_fields(caller_fields(fields), max_bytes=MOST_METADATA_BYTES),
        }
        call = Call(
            method="POST",
            path="/memory/quarantine",
            query={"wait": "true" if wait else None, "decide": decide if later else None},
            body={"project_id": self._project_id, **sent},
            headers={"Idempotency-Key": key},
        )
        try:
            written = await self._connection.send(call)
        except StoreUnavailable as exc:
            raise StoreUnavailable(f"{exc} Whether it was recorded is not known: idempotency_key={key!r}.") from exc
        kept = parsed(documents.Recorded, written)
        entry = Entry(id=kept.entry_id, project_id=kept.project_id, created_at=kept.created_at, **sent)
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
        session_id, agent_id = _name(session_id, "session_id"), _name(agent_id, "agent_id")
        body = {
            "project_id": self._project_id,
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

    async def working(self) -> list[Entry]:
        call = Call(method="GET", path="/memory/working", query={"project_id": self._project_id})
        return [one.record() for one in parsed(documents.EntryPage, await self._connection.send(call)).items]

    async def admission(self, entry_id: str) -> Admission | None:
        return await self._found(self._call("GET", entry_id, "/admission"), documents.EntryAdmission)

    async def propose(self, entry_id: str, *, reason: str) -> Proposal:
        return read(documents.Proposal, await self._post("/memory/propose", id=_id(entry_id), reason=reason))

    def review(self, *, by: str) -> AsyncReview:
        return RemoteReview(self._connection, self._project_id, by)


class RemoteReview(_Remote, AsyncReview):
    """The person's face: each request names the person, and the server refuses one that is not the key's."""

    def __init__(self, connection: Connection, project_id: str, by: str) -> None:
        self._by = validate.name(by, field="by")
        super().__init__(connection.acting_as(self._by), project_id)

    @property
    def project_id(self) -> str:
        return self._project_id

    @property
    def by(self) -> str:
        return self._by

    async def digest(self, *, days: float = 7, progress: Progress | None = None) -> Digest:
        if progress is not None:
            progress(0, 1)
        body = {"project_id": self._project_id, "days": days}
        call = Call(method="POST", path="/memory/digest", body=body, seconds=DIGEST_SECONDS)
        made = read(documents.Digest, await self._connection.send(call))
        if progress is not None:
            progress(1, 1)
        return made

    async def last_digest(self) -> Digest | None:
        call = Call(
            method="GET", path="/memory/digest", query={"project_id": self._project_id}, subject=self._project_id
        )
        return await self._found(call, documents.Digest)

    async def insights(
        self, *, decided: bool = False, after_id: str | None = None, limit: int | None = None
    ) -> list[Insight]:
        query = {
            "decided": "true" if decided else "false",
            "after_id": None if after_id is None else _id(after_id),
        }
        if limit is None:
            pages = self._connection.pages(
                "/memory/insights", {"project_id": self._project_id, **query}, documents.InsightPage
            )
            return [one.record() async for one in pages]
        validate.whole_number(limit, field="limit", most=MAX_LISTED)
        return [one.record() for one in await self._listed("/memory/insights", query, limit, documents.InsightPage)]

    async def insight(self, insight_id: str) -> Insight | None:
        return await self._found(self._call("GET", insight_id, of="insights"), documents.Insight)

    async def promote(self, any_id: str, *, text: str | None = None) -> LongTermMemory:
        return read(documents.LongTermMemory, await self._post("/memory/promote", id=_id(any_id), text=text))

    async def promote_text(self, text: str, *, atom: str | None = None) -> LongTermMemory:
        # A server of another version need not know what is not used.
        named = {} if atom is None else {"atom": atom}
        return read(documents.LongTermMemory, await self._post("/memory/ingest", content=text, **named))

    async def dismiss(self, any_id: str, *, reason: str) -> Tombstone:
        return read(documents.Tombstone, await self._post("/memory/dismiss", id=_id(any_id), reason=reason))

    async def retire(self, memory_id: str, *, reason: str, superseded: bool = False) -> Retirement:
        meant = {"superseded": True} if superseded else {}
        written = await self._post("/memory/retire", id=_id(memory_id), reason=reason, **meant)
        return read(documents.Retirement, written)

    async def delete(self, entry_id: str, *, reason: str) -> None:
        # The second time there would be nothing to delete.
        call = self._call("DELETE", entry_id, query={"reason": reason}, repeatable=False)
        await self._connection.send(call)

    async def log(self, wanted: EntryFilter | None = None) -> list[Receipt]:
        wanted = EntryFilter.given(wanted)
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
        return await self._found(self._call("GET", entry_id), documents.Receipt)

    async def lineage(self, any_id: str) -> Lineage:
        return read(documents.Lineage, await self._connection.send(self._call("GET", any_id, "/lineage")))

    async def audit_log(
        self, *, after: int = 0, before: int | None = None, limit: int = 1000, newest_first: bool = False
    ) -> list[AuditEvent]:
        validate.line_range(after=after, before=before, limit=limit, most=MAX_LISTED)
        query = {"after": after or None, "before": before, "newest_first": "true" if newest_first else None}
        return [one.record() for one in await self._listed("/audit", query, limit, documents.AuditPage)]

    async def verify_audit(self) -> Audit:
        call = Call(method="GET", path="/audit/verification", query={"project_id": self._project_id})
        return read(documents.Verification, await self._connection.send(call))

    async def flow(self, *, days: int = 30, offset: timedelta = timedelta(0)) -> DailyCounts:
        span = DateRange(now=datetime.now(UTC), days=days, offset=offset)
        minutes = round(span.offset.total_seconds() / 60)
        query: dict[str, str | int | None] = {"days": span.days, "offset_minutes": minutes}
        call = Call(method="GET", path="/flow", query={"project_id": self._project_id, **query})
        return read(documents.Flow, await self._connection.send(call))


def _id(value: object) -> str:
    return validate.name(value, field="id")


def _name(value: str | None, field: str) -> str | None:
    return None if value is None else validate.name(value, field=field)


def _idempotency_key(value: object) -> str:
    key = validate.name(value, field="idempotency_key")
    if not _IDEMPOTENCY_KEY.fullmatch(key):
        raise InvalidInput(
            "idempotency_key goes into a header: use ASCII letters, digits and signs without spaces.",
            field="idempotency_key",
        )
    return key
