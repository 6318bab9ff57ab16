"""The ledger on PostgreSQL: audit events, tombstones, and what was served to whom."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from memsieve.model import Answer, AuditEvent, ContextItem, Note, Role, Scope, Serving, Tombstone, Vector
from memsieve.stores.postgres import audit, graves, settling
from memsieve.stores.postgres.database import Connection, Database, Door
from memsieve.stores.postgres.rows import array_text, fetch, sent_vector
from memsieve.stores.records import BEYOND_ALL, event_from, served_from, serving_from

_SERVE = """
CALL serve(
    %(id)s, %(session_id)s, %(agent_id)s, %(query)s, %(at)s, %(items)s::text[], %(sources)s::text[],
    %(scores)s::double precision[]
)
"""
# A session may be served for weeks: only its newest servings are looked at, so that recording stays quick.
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
_EVENTS = """
SELECT * FROM audit_log WHERE project_id = %s AND sequence > %s AND sequence < %s ORDER BY sequence LIMIT %s
"""
_NEWEST_EVENTS = _EVENTS.replace("ORDER BY sequence", "ORDER BY sequence DESC")
_HEAD = "SELECT coalesce(max(sequence), 0) AS head FROM audit_log WHERE project_id = %s"
_SERVINGS = """
SELECT s.answer_id, s.item_id, a.session_id, a.agent_id, a.query, a.at
FROM served s JOIN answers a ON a.project_id = s.project_id AND a.id = s.answer_id
WHERE s.project_id = %s AND s.item_id = ANY(%s) ORDER BY s.sequence
"""


class PostgresLedger:
    """Implements `ports.Ledger`."""

    def __init__(self, database: Database, embedder: str) -> None:
        self._database = database
        self._embedder = embedder
        self._graves = graves.Graves(embedder)

    async def bury(self, scope: Scope, tombstone: Tombstone) -> Tombstone:
        scope.require(Role.PERSON)

        async def work(connection: Connection) -> Tombstone:
            source_id, at, reason = tombstone.source_id, tombstone.at, tombstone.reason
            settles = await settling.may_dismiss(connection, scope, source_id)
            if await graves.add(connection, scope, tombstone, self._embedder) or settles:
                detail = await settling.detail(connection, scope, source_id, tombstone.content)
                await audit.append(connection, scope, tombstone.kind, source_id, at, reason, detail)
            if settles:
                await settling.dismiss(connection, scope, source_id, at, reason)
            return await graves.standing(connection, scope, source_id, self._embedder)

        # Done twice, it finds what stands.
        return await self._database.write(Door.REVIEWER, scope, work, in_turn=True, repeatable=True)

    async def tombstones(
        self, scope: Scope, vector: Vector | None, words: Sequence[str], limit: int
    ) -> list[Tombstone]:
        return await self._graves.nearest(self._database, scope, vector, words, limit)

    async def serve(self, scope: Scope, answer: Answer) -> None:
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

    async def served(self, scope: Scope, *, session_id: str, limit: int) -> list[ContextItem]:
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
        return [event_from(row) for row in await self._database.ask(Door.FILTER, scope, sql, values)]

    async def note(self, scope: Scope, note: Note, subject: str, at: datetime) -> None:
        scope.require(Role.PERSON, Role.SYSTEM)

        async def work(connection: Connection) -> None:
            await audit.append(connection, scope, note, subject, at)

        await self._database.write(Door.REVIEWER, scope, work, in_turn=True)

    async def head(self, scope: Scope) -> int:
        scope.require(Role.PERSON, Role.SYSTEM)
        [row] = await self._database.ask(Door.FILTER, scope, _HEAD, (scope.project_id,))
        return int(row["head"])

    async def servings(self, scope: Scope, item_ids: Sequence[str]) -> list[Serving]:
        scope.require(Role.PERSON, Role.SYSTEM)
        values = (scope.project_id, list(item_ids))
        rows = await self._database.read(Door.FILTER, scope, lambda connection: fetch(connection, _SERVINGS, values))
        return [serving_from(row) for row in rows]
