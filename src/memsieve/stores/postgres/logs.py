"""The three logs on PostgreSQL: what people did, who was served what, and what happened."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import Any

from memsieve.model import Answer, AuditEvent, AuditNote, ContextItem, Event, Role, Scope, Serving
from memsieve.stores.audit import AuditDraft, audit_columns, audit_event_from, chained
from memsieve.stores.postgres.database import Connection, Database, DbRole, enter
from memsieve.stores.postgres.psycopg_internals import BinaryArrayEncoder, ManyRows
from memsieve.stores.postgres.rows import array_text, fetch, sent_vector
from memsieve.stores.rows import BEYOND_ALL, event_from, json_text, numbers_of, position_of, served_from, serving_from

_AUDIT_LAST = "SELECT sequence, digest FROM audit_log WHERE project_id = %s ORDER BY sequence DESC LIMIT 1"
_AUDIT_APPEND = """
INSERT INTO audit_log (project_id, sequence, at, actor, action, subject, reason, detail, previous, digest)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
"""
_AUDIT_APPEND_ALL = """
INSERT INTO audit_log (project_id, actor, sequence, at, action, subject, reason, detail, previous, digest)
SELECT %(project_id)s::text, %(actor)s::text, unnest(%(numbers)s::int8[]), unnest(%(moments)s::timestamptz[]),
    unnest(%(actions)s::text[]), unnest(%(subjects)s::text[]), unnest(%(reasons)s::text[]), unnest(%(details)s::json[]),
    unnest(%(before)s::text[]), unnest(%(digests)s::text[])
"""
# Lines per statement: the next are chained while the server takes in those before.
_CHAINED_AT_ONCE = 250
_AUDIT_PAGE = """
SELECT * FROM audit_log WHERE project_id = %s AND sequence > %s AND sequence < %s ORDER BY sequence LIMIT %s
"""
_AUDIT_NEWEST = _AUDIT_PAGE.replace("ORDER BY sequence", "ORDER BY sequence DESC")
_AUDIT_HEAD = "SELECT coalesce(max(sequence), 0) AS head FROM audit_log WHERE project_id = %s"


async def append(
    connection: Connection,
    scope: Scope,
    action: str,
    subject: str,
    at: datetime,
    reason: str = "",
    detail: Mapping[str, Any] | None = None,
) -> None:
    """Add a line within the caller's transaction, which holds the project's lock: an action and its line are one."""
    draft = AuditDraft(action=action, subject=subject, at=at, reason=reason, detail=detail or {})
    [event] = chained(scope, await _last(connection, scope), [draft])
    await connection.execute(_AUDIT_APPEND, audit_columns(event, event.at))


async def lines(connection: Connection, scope: Scope, drafts: Iterator[AuditDraft]) -> Iterator[ManyRows]:
    """Return what adds many lines within the caller's transaction, which holds the project's lock, in their order."""
    return _lines(BinaryArrayEncoder(connection), scope, await _last(connection, scope), drafts)


def _lines(
    arrays: BinaryArrayEncoder, scope: Scope, last: Mapping[str, Any] | None, drafts: Iterator[AuditDraft]
) -> Iterator[ManyRows]:
    while events := chained(scope, last, islice(drafts, _CHAINED_AT_ONCE)):
        last = {"sequence": events[-1].sequence, "digest": events[-1].digest}
        yield _many_lines(arrays, scope, events)


def _many_lines(arrays: BinaryArrayEncoder, scope: Scope, events: Sequence[AuditEvent]) -> ManyRows:
    return _AUDIT_APPEND_ALL, {
        "project_id": scope.project_id,
        "actor": scope.actor,
        "numbers": arrays.bigints([event.sequence for event in events]),
        "moments": arrays.moments(event.at for event in events),
        "actions": arrays.texts(event.action for event in events),
        "subjects": arrays.texts(event.subject for event in events),
        "reasons": arrays.texts(event.reason for event in events),
        "details": arrays.texts((json_text(event.detail) for event in events), "json"),
        "before": arrays.texts(event.previous for event in events),
        "digests": arrays.texts(event.digest for event in events),
    }


async def _last(connection: Connection, scope: Scope) -> dict[str, Any] | None:
    return await (await connection.execute(_AUDIT_LAST, (scope.project_id,))).fetchone()


class PostgresAuditLog:
    """Implements `ports.AuditLog`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def events(
        self,
        scope: Scope,
        after: int = 0,
        limit: int = 1000,
        *,
        before: int | None = None,
        newest_first: bool = False,
    ) -> list[AuditEvent]:
        scope.require(Role.PERSON, Role.SYSTEM)
        sql = _AUDIT_NEWEST if newest_first else _AUDIT_PAGE
        values = (scope.project_id, after, BEYOND_ALL if before is None else before, limit)
        return [audit_event_from(row) for row in await self._database.fetch(DbRole.FILTER, scope, sql, values)]

    async def note(self, scope: Scope, note: AuditNote, subject: str, at: datetime) -> None:
        scope.require(Role.PERSON, Role.SYSTEM)

        async def work(connection: Connection) -> None:
            await append(connection, scope, note, subject, at)

        await self._database.write(DbRole.REVIEWER, scope, work, exclusive=True)

    async def head(self, scope: Scope) -> int:
        scope.require(Role.PERSON, Role.SYSTEM)
        [row] = await self._database.fetch(DbRole.FILTER, scope, _AUDIT_HEAD, (scope.project_id,))
        return int(row["head"])


_SERVE = """
CALL serve(
    %(id)s, %(session_id)s, %(agent_id)s, %(query)s, %(at)s, %(items)s::text[], %(sources)s::text[],
    %(scores)s::double precision[]
)
"""
# A session may be served for weeks: only its newest servings are read, so that recording stays quick.
_RECENTLY_SERVED = """
WITH recent AS MATERIALIZED (
    SELECT item_id, source, max(sequence) AS sequence FROM (
        SELECT item_id, source, sequence FROM served
        WHERE project_id = %(project_id)s AND session_id = %(session_id)s ORDER BY sequence DESC LIMIT 5 * %(limit)s
    ) newest GROUP BY item_id, source
)
SELECT s.item_id, s.source, s.sequence, m.content, v.embedder, halfvec_send(v.embedding) AS sent, p.promoted_at AS at
FROM recent s JOIN memories m ON m.project_id = %(project_id)s AND m.id = s.item_id
    JOIN approvals p ON p.project_id = %(project_id)s AND p.id = m.approval_id
    LEFT JOIN memory_vectors v
        ON v.project_id = %(project_id)s AND v.embedder = %(embedder)s AND v.sequence = m.sequence
WHERE s.source = 'cold'
UNION ALL
SELECT s.item_id, s.source, s.sequence, q.content, a.embedder, halfvec_send(a.embedding) AS sent, q.created_at AS at
FROM recent s JOIN quarantine_logs q ON q.project_id = %(project_id)s AND q.id = s.item_id
    JOIN admissions a ON a.project_id = %(project_id)s AND a.entry_id = q.id
WHERE s.source = 'hot'
ORDER BY 3 DESC LIMIT %(limit)s
"""
_SERVINGS = """
SELECT s.answer_id, s.item_id, a.session_id, a.agent_id, a.query, a.at
FROM served s JOIN answers a ON a.project_id = s.project_id AND a.id = s.answer_id
WHERE s.project_id = %s AND s.item_id = ANY(%s) ORDER BY s.sequence
"""


class PostgresServingLog:
    """Implements `ports.ServingLog`."""

    def __init__(self, database: Database, embedder: str) -> None:
        self._database = database
        self._embedder = embedder

    async def log_answer(self, scope: Scope, answer: Answer) -> None:
        values = {
            "id": answer.id,
            "session_id": answer.session_id,
            "agent_id": answer.agent_id,
            "query": answer.query,
            "at": answer.at,
            "items": array_text(item.id for item in answer.items),
            "sources": array_text(item.source for item in answer.items),
            "scores": array_text(item.score for item in answer.items),
        }
        await self._database.execute(DbRole.AGENT, scope, _SERVE, values, durable=False)

    async def recently_served(self, scope: Scope, *, session_id: str, limit: int) -> list[ContextItem]:
        values = {
            "project_id": scope.project_id,
            "session_id": session_id,
            "limit": limit,
            "embedder": self._embedder,
        }
        rows = await self._database.fetch(DbRole.FILTER, scope, _RECENTLY_SERVED, values)
        return [
            served_from(row, sent_vector(row["sent"]) if row["embedder"] == self._embedder else None) for row in rows
        ]

    async def servings_of(self, scope: Scope, item_ids: Sequence[str]) -> list[Serving]:
        scope.require(Role.PERSON, Role.SYSTEM)
        values = (scope.project_id, list(item_ids))
        rows = await self._database.read(DbRole.FILTER, scope, lambda connection: fetch(connection, _SERVINGS, values))
        return [serving_from(row) for row in rows]


# Of transactions before these all is committed or never will be.
_ENDED = "pg_snapshot_xmin(pg_current_snapshot())"
_NEWEST_EVENT = f"SELECT {_ENDED}::text AS transaction_id, 0 AS sequence"
_OLDEST_EVENT = f"""
SELECT coalesce(h.transaction_id, {_ENDED})::text AS transaction_id, coalesce(h.sequence - 1, 0) AS sequence
FROM (VALUES (1)) always LEFT JOIN (
    SELECT transaction_id, sequence FROM happenings ORDER BY transaction_id, sequence LIMIT 1
) h ON true
"""  # noqa: S608 - made of constants
_EVENTS_AFTER = f"""
(h.transaction_id, h.sequence) > (%(transaction_id)s::text::xid8, %(sequence)s) AND h.transaction_id < {_ENDED}
ORDER BY h.transaction_id, h.sequence LIMIT %(limit)s
"""
_EVENT_COLUMNS = "SELECT project_id, transaction_id::text, sequence, kind, subject, at FROM happenings h"
_EVENTS_SINCE = f"{_EVENT_COLUMNS} WHERE {_EVENTS_AFTER}"
_EVENTS_OF = f"{_EVENT_COLUMNS} WHERE h.project_id = %(project_id)s AND {_EVENTS_AFTER}"
_PROJECTS_OF_OLD = "SELECT DISTINCT project_id FROM happenings WHERE at < %s ORDER BY 1"
_FORGET_EVENTS = "DELETE FROM happenings WHERE project_id = %s AND at < %s"


class PostgresEventLog:
    """Implements `ports.EventLog`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def newest(self) -> str:
        return await self._position(_NEWEST_EVENT)

    async def oldest(self) -> str:
        return await self._position(_OLDEST_EVENT)

    async def since(self, position: str, limit: int = 1000) -> list[Event]:
        values = {**_place(position), "limit": limit}

        async def work(connection: Connection) -> list[dict[str, Any]]:
            return await (await connection.execute(_EVENTS_SINCE.encode(), values)).fetchall()

        return _events(await self._database.cross_project(work))

    async def of(self, scope: Scope, position: str | None, limit: int) -> list[Event]:
        place = _place(position_of(0, 0) if position is None else position)
        values = {"project_id": scope.project_id, **place, "limit": limit}
        return _events(await self._database.fetch(DbRole.AGENT, scope, _EVENTS_OF, values))

    async def forget(self, before: datetime) -> int:
        async def work(connection: Connection) -> int:
            forgotten = 0
            for row in await (await connection.execute(_PROJECTS_OF_OLD, (before,))).fetchall():
                await enter(connection, row["project_id"])
                forgotten += (await connection.execute(_FORGET_EVENTS, (row["project_id"], before))).rowcount
            return forgotten

        return await self._database.cross_project(work)

    async def _position(self, query: str) -> str:
        async def work(connection: Connection) -> dict[str, Any] | None:
            return await (await connection.execute(query.encode())).fetchone()

        row = await self._database.cross_project(work)
        assert row is not None  # noqa: S101 - each of the queries ends in a row without a table
        return position_of(int(row["transaction_id"]), row["sequence"])


def _place(position: str) -> dict[str, Any]:
    transaction_id, sequence = numbers_of(position, 2)
    return {"transaction_id": str(transaction_id), "sequence": sequence}


def _events(rows: Iterable[Mapping[str, Any]]) -> list[Event]:
    return [event_from(row, int(row["transaction_id"]), row["sequence"]) for row in rows]
