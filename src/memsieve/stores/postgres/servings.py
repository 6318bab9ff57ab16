"""What was served to whom, on PostgreSQL."""

from __future__ import annotations

from collections.abc import Sequence

from memsieve.model import Answer, ContextItem, Role, Scope, Serving
from memsieve.stores.postgres.database import Database, Door
from memsieve.stores.postgres.rows import array_text, fetch, sent_vector
from memsieve.stores.records import served_from, serving_from

_SERVE = """
CALL serve(
    %(id)s, %(session_id)s, %(agent_id)s, %(query)s, %(at)s, %(items)s::text[], %(sources)s::text[],
    %(scores)s::double precision[]
)
"""
# A session may be served for weeks: only its newest servings are read, so that recording stays quick.
_SERVED = """
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
        await self._database.once(Door.AGENT, scope, _SERVE, values, durable=False)

    async def recently_served(self, scope: Scope, *, session_id: str, limit: int) -> list[ContextItem]:
        values = {
            "project_id": scope.project_id,
            "session_id": session_id,
            "limit": limit,
            "embedder": self._embedder,
        }
        rows = await self._database.ask(Door.FILTER, scope, _SERVED, values)
        return [
            served_from(row, sent_vector(row["sent"]) if row["embedder"] == self._embedder else None) for row in rows
        ]

    async def servings_of(self, scope: Scope, item_ids: Sequence[str]) -> list[Serving]:
        scope.require(Role.PERSON, Role.SYSTEM)
        values = (scope.project_id, list(item_ids))
        rows = await self._database.read(Door.FILTER, scope, lambda connection: fetch(connection, _SERVINGS, values))
        return [serving_from(row) for row in rows]
