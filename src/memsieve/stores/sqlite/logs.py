"""The three logs on SQLite: what people did, who was served what, and what happened."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from memsieve.model import Answer, AuditEvent, AuditNote, ContextItem, Event, Role, Scope, Serving
from memsieve.stores.audit import AuditDraft, audit_columns, audit_event_from, chained
from memsieve.stores.rows import BEYOND_ALL, event_from, json_text, numbers_of, position_of, served_from, serving_from
from memsieve.stores.sqlite.database import Database
from memsieve.stores.sqlite.rows import read, time_text, vector_from

_AUDIT_LAST = "SELECT sequence, digest FROM audit_log WHERE project_id = ? ORDER BY sequence DESC LIMIT 1"
_AUDIT_APPEND = """
INSERT INTO audit_log (project_id, sequence, at, actor, action, subject, reason, detail, previous, digest)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_AUDIT_PAGE = """
SELECT * FROM audit_log WHERE project_id = ? AND sequence > ? AND sequence < ? ORDER BY sequence LIMIT ?
"""
_AUDIT_NEWEST = _AUDIT_PAGE.replace("ORDER BY sequence", "ORDER BY sequence DESC")
_AUDIT_HEAD = "SELECT coalesce(max(sequence), 0) AS head FROM audit_log WHERE project_id = ?"


def append(
    connection: sqlite3.Connection,
    scope: Scope,
    action: str,
    subject: str,
    at: datetime,
    reason: str = "",
    detail: Mapping[str, Any] | None = None,
) -> None:
    """Add a line within the caller's transaction, so that an action and its line are one."""
    last = connection.execute(_AUDIT_LAST, (scope.project_id,)).fetchone()
    draft = AuditDraft(action=action, subject=subject, at=at, reason=reason, detail=detail or {})
    [event] = chained(scope, last, [draft])
    connection.execute(_AUDIT_APPEND, audit_columns(event, time_text(event.at)))


def _audit_event(row: sqlite3.Row) -> AuditEvent:
    """Return the line of a row; what somebody made unreadable shows by its digest."""
    try:
        values = read(row, times=("at",), values=("detail",))
    except ValueError:
        unreadable = {"unreadable": [row["at"], row["detail"]]}
        values = {**dict(row), "at": datetime.min.replace(tzinfo=UTC), "detail": unreadable}
    return audit_event_from(values)


class SqliteAuditLog:
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
        rows = await self._database.read(lambda connection: connection.execute(sql, values).fetchall())
        return [_audit_event(row) for row in rows]

    async def note(self, scope: Scope, note: AuditNote, subject: str, at: datetime) -> None:
        scope.require(Role.PERSON, Role.SYSTEM)
        await self._database.write(lambda connection: append(connection, scope, note, subject, at))

    async def head(self, scope: Scope) -> int:
        scope.require(Role.PERSON, Role.SYSTEM)
        values = (scope.project_id,)
        row = await self._database.read(
            lambda connection: connection.execute(_AUDIT_HEAD, values).fetchone(), short=True
        )
        return int(row["head"])


_ADD_ANSWER = "INSERT INTO answers (project_id, id, session_id, agent_id, query, at) VALUES (?, ?, ?, ?, ?, ?)"
_ADD_SERVED = """
INSERT INTO served (project_id, answer_id, session_id, item_id, source, score) VALUES (?, ?, ?, ?, ?, ?)
"""
# A session may be served for weeks: only its newest servings are read, so that recording stays quick.
_RECENTLY_SERVED = """
WITH recent AS (
    SELECT item_id, source, max(sequence) AS sequence FROM (
        SELECT item_id, source, sequence FROM served
        WHERE project_id = :project_id AND session_id = :session_id ORDER BY sequence DESC LIMIT 5 * :limit
    ) GROUP BY item_id, source
)
SELECT s.item_id, s.source, s.sequence, m.content, m.embedder, m.embedding, p.promoted_at AS at
FROM recent s JOIN memories m ON m.project_id = :project_id AND m.id = s.item_id
    JOIN approvals p ON p.project_id = :project_id AND p.id = m.approval_id
WHERE s.source = 'cold'
UNION ALL
SELECT s.item_id, s.source, s.sequence, q.content, q.embedder, q.embedding, q.created_at AS at
FROM recent s JOIN quarantine_logs q ON q.project_id = :project_id AND q.id = s.item_id
WHERE s.source = 'hot'
ORDER BY 3 DESC LIMIT :limit
"""
_SERVINGS = """
SELECT s.answer_id, s.item_id, a.session_id, a.agent_id, a.query, a.at
FROM served s JOIN answers a ON a.project_id = s.project_id AND a.id = s.answer_id
WHERE s.project_id = ? AND s.item_id IN (SELECT value FROM json_each(?)) ORDER BY s.sequence
"""


class SqliteServingLog:
    """Implements `ports.ServingLog`."""

    def __init__(self, database: Database, embedder: str) -> None:
        self._database = database
        self._embedder = embedder

    async def log_answer(self, scope: Scope, answer: Answer) -> None:
        project, session = scope.project_id, answer.session_id
        row = (project, answer.id, session, answer.agent_id, answer.query, time_text(answer.at))
        served = [(project, answer.id, session, item.id, item.source, item.score) for item in answer.items]

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(_ADD_ANSWER, row)
            connection.executemany(_ADD_SERVED, served)

        await self._database.write(work, durable=False)

    async def recently_served(self, scope: Scope, *, session_id: str, limit: int) -> list[ContextItem]:
        values = {"project_id": scope.project_id, "session_id": session_id, "limit": limit}
        rows = await self._database.read(
            lambda connection: connection.execute(_RECENTLY_SERVED, values).fetchall(), short=True
        )
        return [served_from(read(row, times=("at",)), vector_from(row, self._embedder)) for row in rows]

    async def servings_of(self, scope: Scope, item_ids: Sequence[str]) -> list[Serving]:
        scope.require(Role.PERSON, Role.SYSTEM)
        values = (scope.project_id, json_text(list(item_ids)))
        rows = await self._database.read(lambda connection: connection.execute(_SERVINGS, values).fetchall())
        return [serving_from(read(row, times=("at",))) for row in rows]


# Also when all were forgotten.
_NEWEST_EVENT = "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'happenings'), 0) AS sequence"
_OLDEST_EVENT = f"SELECT coalesce((SELECT min(sequence) - 1 FROM happenings), ({_NEWEST_EVENT})) AS sequence"  # noqa: S608
_EVENTS_SINCE = "SELECT * FROM happenings WHERE sequence > :sequence ORDER BY sequence LIMIT :limit"
_EVENTS_OF = """
SELECT * FROM happenings WHERE project_id = :project_id AND sequence > :sequence ORDER BY sequence LIMIT :limit
"""
_FORGET_EVENTS = "DELETE FROM happenings WHERE at < ?"
_BEGIN_TOGETHER = "INSERT INTO deeds_together (project_id) VALUES (?)"
_END_TOGETHER = "UPDATE deeds_together SET newest = ? WHERE project_id = ?"


class SqliteEventLog:
    """Implements `ports.EventLog`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def newest(self) -> str:
        return await self._position(_NEWEST_EVENT)

    async def oldest(self) -> str:
        return await self._position(_OLDEST_EVENT)

    async def since(self, position: str, limit: int = 1000) -> list[Event]:
        [sequence] = numbers_of(position, 1)
        return await self._read(_EVENTS_SINCE, sequence=sequence, limit=limit)

    async def of(self, scope: Scope, position: str | None, limit: int) -> list[Event]:
        [sequence] = [0] if position is None else numbers_of(position, 1)
        return await self._read(_EVENTS_OF, project_id=scope.project_id, sequence=sequence, limit=limit)

    async def forget(self, before: datetime) -> int:
        values = (time_text(before),)
        return await self._database.write(lambda connection: connection.execute(_FORGET_EVENTS, values).rowcount)

    async def _position(self, sql: str) -> str:
        row = await self._database.read(lambda connection: connection.execute(sql).fetchone(), short=True)
        return position_of(row["sequence"])

    async def _read(self, sql: str, **values: Any) -> list[Event]:
        rows = await self._database.read(lambda connection: connection.execute(sql, values).fetchall(), short=True)
        return [event_from(read(row, times=("at",)), row["sequence"]) for row in rows]


def begin_together(connection: sqlite3.Connection, scope: Scope) -> None:
    """Let the changes that follow in this transaction be one event."""
    connection.execute(_BEGIN_TOGETHER, (scope.project_id,))


def end_together(connection: sqlite3.Connection, scope: Scope, newest: str) -> None:
    """Write the event of the changes since `begin_together`, of which this was the last."""
    connection.execute(_END_TOGETHER, (newest, scope.project_id))
