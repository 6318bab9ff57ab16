"""What was served to whom, on SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from memsieve.model import Answer, ContextItem, Role, Scope, Serving
from memsieve.stores.records import json_text, served_from, serving_from
from memsieve.stores.sqlite.database import Database
from memsieve.stores.sqlite.rows import read, time_text, vector_from

_ADD_ANSWER = "INSERT INTO answers (project_id, id, session_id, agent_id, query, at) VALUES (?, ?, ?, ?, ?, ?)"
_ADD_SERVED = """
INSERT INTO served (project_id, answer_id, session_id, item_id, source, score) VALUES (?, ?, ?, ?, ?, ?)
"""
# A session may be served for weeks: only its newest servings are read, so that recording stays quick.
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
        rows = await self._database.read(lambda connection: connection.execute(_SERVED, values).fetchall(), short=True)
        return [served_from(read(row, times=("at",)), vector_from(row, self._embedder)) for row in rows]

    async def servings_of(self, scope: Scope, item_ids: Sequence[str]) -> list[Serving]:
        scope.require(Role.PERSON, Role.SYSTEM)
        values = (scope.project_id, json_text(list(item_ids)))
        rows = await self._database.read(lambda connection: connection.execute(_SERVINGS, values).fetchall())
        return [serving_from(read(row, times=("at",))) for row in rows]
