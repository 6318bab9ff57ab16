"""The ledger on SQLite: audit events, tombstones, and what was served to whom."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import datetime

from memsieve.model import Answer, AuditEvent, ContextItem, Note, Role, Scope, Serving, Tombstone, Vector
from memsieve.stores.records import BEYOND_ALL, json_text, served_from, serving_from
from memsieve.stores.sqlite import audit, graves, settling
from memsieve.stores.sqlite.database import Database
from memsieve.stores.sqlite.indexes import Indexes
from memsieve.stores.sqlite.rows import read, time_text, vector_from

_NEAREST = """
SELECT t.* FROM json_each(:found) f CROSS JOIN tombstones t ON t.sequence = f.value WHERE t.project_id = :project_id
"""
_ADD_ANSWER = "INSERT INTO answers (project_id, id, session_id, agent_id, query, at) VALUES (?, ?, ?, ?, ?, ?)"
_ADD_SERVED = """
INSERT INTO served (project_id, answer_id, session_id, item_id, source, score) VALUES (?, ?, ?, ?, ?, ?)
"""
# A session may be served for weeks: only its newest servings are looked at, so that recording stays quick.
_SERVED = """
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
_EVENTS = """
SELECT * FROM audit_log WHERE project_id = ? AND sequence > ? AND sequence < ? ORDER BY sequence LIMIT ?
"""
_NEWEST_EVENTS = _EVENTS.replace("ORDER BY sequence", "ORDER BY sequence DESC")
_HEAD = "SELECT coalesce(max(sequence), 0) AS head FROM audit_log WHERE project_id = ?"
_SERVINGS = """
SELECT s.answer_id, s.item_id, a.session_id, a.agent_id, a.query, a.at
FROM served s JOIN answers a ON a.project_id = s.project_id AND a.id = s.answer_id
WHERE s.project_id = ? AND s.item_id IN (SELECT value FROM json_each(?)) ORDER BY s.sequence
"""


class SqliteLedger:
    """Implements `ports.Ledger`."""

    def __init__(self, database: Database, embedder: str) -> None:
        self._database = database
        self._embedder = embedder
        self._indexes = Indexes("tombstones", graves.LIVING_ROWS, embedder)

    async def bury(self, scope: Scope, tombstone: Tombstone) -> Tombstone:
        scope.require(Role.PERSON)

        def work(connection: sqlite3.Connection) -> Tombstone:
            source_id, at, reason = tombstone.source_id, tombstone.at, tombstone.reason
            settles = settling.may_dismiss(connection, scope, source_id)
            if graves.add(connection, scope, tombstone, self._embedder) or settles:
                detail = settling.detail(connection, scope, source_id, tombstone.content)
                audit.append(connection, scope, tombstone.kind, source_id, at, reason, detail)
            if settles:
                settling.dismiss(connection, scope, source_id, at, reason)
            return graves.standing(connection, scope, source_id, self._embedder)

        return await self._database.write(work)

    async def tombstones(
        self, scope: Scope, vector: Vector | None, words: Sequence[str], limit: int
    ) -> list[Tombstone]:
        def work(connection: sqlite3.Connection) -> list[Tombstone]:
            found = self._indexes.search(connection, scope, vector, words, limit)
            values = {"project_id": scope.project_id, "found": json_text(list(found))}
            return [graves.tombstone_from(row, self._embedder) for row in connection.execute(_NEAREST, values)]

        ready = await self._database.read(lambda connection: self._indexes.ready(connection, scope), short=True)
        return await self._database.read(work, short=ready)

    async def serve(self, scope: Scope, answer: Answer) -> None:
        project, session = scope.project_id, answer.session_id
        row = (project, answer.id, session, answer.agent_id, answer.query, time_text(answer.at))
        served = [(project, answer.id, session, item.id, item.source, item.score) for item in answer.items]

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(_ADD_ANSWER, row)
            connection.executemany(_ADD_SERVED, served)

        await self._database.write(work, durable=False)

    async def served(self, scope: Scope, *, session_id: str, limit: int) -> list[ContextItem]:
        values = {"project_id": scope.project_id, "session_id": session_id, "limit": limit}
        rows = await self._database.read(lambda connection: connection.execute(_SERVED, values).fetchall(), short=True)
        return [served_from(read(row, times=("at",)), vector_from(row, self._embedder)) for row in rows]

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
        sql = _NEWEST_EVENTS if newest_first else _EVENTS
        values = (scope.project_id, after, BEYOND_ALL if before is None else before, limit)
        rows = await self._database.read(lambda connection: connection.execute(sql, values).fetchall())
        return [audit.event_from(row) for row in rows]

    async def note(self, scope: Scope, note: Note, subject: str, at: datetime) -> None:
        scope.require(Role.PERSON, Role.SYSTEM)
        await self._database.write(lambda connection: audit.append(connection, scope, note, subject, at))

    async def head(self, scope: Scope) -> int:
        scope.require(Role.PERSON, Role.SYSTEM)
        values = (scope.project_id,)
        row = await self._database.read(lambda connection: connection.execute(_HEAD, values).fetchone(), short=True)
        return int(row["head"])

    async def servings(self, scope: Scope, item_ids: Sequence[str]) -> list[Serving]:
        scope.require(Role.PERSON, Role.SYSTEM)
        values = (scope.project_id, json_text(list(item_ids)))
        rows = await self._database.read(lambda connection: connection.execute(_SERVINGS, values).fetchall())
        return [serving_from(read(row, times=("at",))) for row in rows]
