"""Tier 3 on PostgreSQL: rows that a person approved, searched by the database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from memsieve.model import Approval, Chunk, LongTermMemory, Role, Scope, SearchHit, Tombstone, Vector
from memsieve.ports import Clock
from memsieve.stores.postgres import approvals, audit, insight_decisions
from memsieve.stores.postgres import tombstones as tombstones_table
from memsieve.stores.postgres.database import Connection, Database, Door
from memsieve.stores.postgres.rows import array_text, fetch, vector_of
from memsieve.stores.postgres.search import Question, Searcher
from memsieve.stores.promotions import Approved, deed, detail, unverified, without_insights
from memsieve.stores.records import BEYOND_ALL, content_hash
from memsieve.text.tokenize import tokenize

_RETIRE = """
INSERT INTO retirements (project_id, approval_id, retired_by, retired_at, reason) VALUES (%s, %s, %s, %s, %s)
ON CONFLICT DO NOTHING
"""
_VERIFIED = """
SELECT content_hash FROM reviewed WHERE project_id = %s AND content_hash = ANY(%s::text[]) AND retired_at IS NULL
"""
_WITH_SOURCES = """
SELECT r.*, ARRAY(
    SELECT entry_id FROM approval_sources s WHERE s.project_id = r.project_id AND s.approval_id = r.id ORDER BY entry_id
) AS entry_ids
FROM reviewed r WHERE r.project_id = (SELECT asking_project())
"""
_BY_CONTENT = f"{_WITH_SOURCES} AND r.content_hash = %(hash)s AND r.retired_at IS NULL"
_BY_ANY_ID = f"""{_WITH_SOURCES} AND r.id = ANY(ARRAY(
    SELECT %(id)s
    UNION SELECT approval_id FROM memories WHERE project_id = (SELECT asking_project()) AND id = %(id)s
    UNION SELECT approval_id FROM approval_sources WHERE project_id = (SELECT asking_project()) AND entry_id = %(id)s
))
ORDER BY r.retired_at IS NOT NULL, r.sequence DESC LIMIT 1
"""  # noqa: S608 - made of constants
_PLACE = "(SELECT sequence FROM approvals WHERE project_id = (SELECT asking_project()) AND id = %(after_id)s)"
_STANDING = f"{_WITH_SOURCES} AND (r.retired_at IS NOT NULL) = %(retired)s"
_HOLDING = "AND strpos(lower(r.content), lower(%(text)s)) > 0"
_IN_ORDER = f"AND r.sequence > coalesce({_PLACE}, 0) ORDER BY r.sequence LIMIT %(limit)s"
_NEWEST_FIRST = f"AND r.sequence < coalesce({_PLACE}, {BEYOND_ALL}) ORDER BY r.sequence DESC LIMIT %(limit)s"
_CHUNKS = """
SELECT m.approval_id, m.id, m.position, m.content, v.embedding FROM memories m
LEFT JOIN memory_vectors v ON v.project_id = m.project_id AND v.sequence = m.sequence AND v.embedder = %(embedder)s
WHERE m.project_id = (SELECT asking_project()) AND m.approval_id = ANY(%(approvals)s)
ORDER BY m.position
"""


class PostgresLongTerm:
    """Implements `ports.LongTermStore`."""

    def __init__(self, database: Database, embedder: str, clock: Clock) -> None:
        self._database = database
        self._embedder = embedder
        self._clock = clock
        self._searcher = Searcher(database)

    async def add(self, scope: Scope, approval: Approval, chunks: Sequence[Chunk]) -> LongTermMemory:
        scope.require(Role.PERSON)

        async def work(connection: Connection) -> LongTermMemory:
            insight_id = approval.insight_id
            if insight_id is not None:
                await insight_decisions.require_waiting(connection, scope, insight_id)
            living = await self._read(connection, _BY_CONTENT, hash=content_hash(approval.content))
            standing = living[0].approval if living else approval
            new_sources = set(approval.entry_ids) - set(standing.entry_ids if living else ())
            if not living or new_sources or insight_id is not None:
                await tombstones_table.lift(connection, scope, approval, chunks, self._clock())
                kept = detail(approval, standing)
                await audit.append(connection, scope, "promoted", standing.id, approval.at, detail=kept)
            if not living:
                await approvals.write(connection, scope, self._embedder, [(approval, chunks)])
            else:
                await approvals.add_sources(connection, scope, [(standing.id, one) for one in sorted(new_sources)])
            if insight_id is not None:
                await insight_decisions.promote(connection, scope, insight_id, approval.at, standing.id)
            [memory] = await self._read(connection, _BY_ANY_ID, id=standing.id)
            return memory

        return await self._database.write(Door.REVIEWER, scope, work, in_turn=True)

    async def add_all(self, scope: Scope, approved: Sequence[Approved]) -> int:
        scope.require(Role.PERSON)
        plain = without_insights(approved)

        async def work(connection: Connection) -> int:
            verified = await fetch(connection, _VERIFIED, (scope.project_id, array_text(plain)))
            fresh = unverified(plain, {row["content_hash"] for row in verified})
            if fresh:
                await tombstones_table.lift_all(connection, scope, fresh, self._clock())
                lines = await audit.lines(connection, scope, (deed(approval) for approval, _ in fresh))
                await approvals.write(connection, scope, self._embedder, fresh, lines)
            return len(fresh)

        return await self._database.write(Door.REVIEWER, scope, work, in_turn=True)

    async def search(
        self, scope: Scope, vector: Vector | None, words: Sequence[str], limit: int, since: datetime | None = None
    ) -> list[SearchHit]:
        asked = Question(scope=scope, embedder=self._embedder, vector=vector, words=words, limit=limit, since=since)
        return await self._searcher.search(asked)

    async def get(self, scope: Scope, any_id: str) -> LongTermMemory | None:
        found = await self._database.read(
            Door.AGENT, scope, lambda connection: self._read(connection, _BY_ANY_ID, id=any_id)
        )
        return found[0] if found else None

    async def find(
        self,
        scope: Scope,
        after_id: str | None,
        limit: int,
        *,
        text: str | None = None,
        retired: bool = False,
        newest_first: bool = False,
    ) -> list[LongTermMemory]:
        holding = [] if text is None else [_HOLDING]
        sql = "\n".join([_STANDING, *holding, _NEWEST_FIRST if newest_first else _IN_ORDER])
        values = {"after_id": after_id, "limit": limit, "text": text, "retired": retired}
        return await self._database.read(Door.AGENT, scope, lambda connection: self._read(connection, sql, **values))

    async def retire(self, scope: Scope, memory_id: str, reason: str, tombstones: Sequence[Tombstone]) -> bool:
        scope.require(Role.PERSON)
        now = self._clock()

        async def work(connection: Connection) -> bool:
            row = (scope.project_id, memory_id, scope.actor, now, reason)
            if not (await connection.execute(_RETIRE, row)).rowcount:
                return False
            for tombstone in tombstones:
                await tombstones_table.insert(connection, scope, tombstone, self._embedder)
            await audit.append(connection, scope, "retired", memory_id, now, reason)
            return True

        return await self._database.write(Door.REVIEWER, scope, work, in_turn=True)

    async def _read(self, connection: Connection, sql: str, **values: Any) -> list[LongTermMemory]:
        rows = await fetch(connection, sql, values)
        wanted = {
            "embedder": self._embedder,
            "approvals": [row["id"] for row in rows],
        }
        chunks: dict[str, list[Chunk]] = {}
        for chunk in await fetch(connection, _CHUNKS, wanted) if rows else ():
            chunks.setdefault(chunk["approval_id"], []).append(_chunk(chunk))
        return [_memory(row, chunks.get(row["id"], ())) for row in rows]


def _memory(row: Mapping[str, Any], chunks: Sequence[Chunk]) -> LongTermMemory:
    return LongTermMemory(
        approval=Approval(
            id=row["id"],
            project_id=row["project_id"],
            content=row["content"],
            by=row["promoted_by"],
            at=row["promoted_at"],
            entry_ids=tuple(row["entry_ids"]),
        ),
        chunks=tuple(chunks),
        retired_at=row["retired_at"],
        retired_by=row["retired_by"],
        retired_reason=row["retired_reason"],
    )


def _chunk(row: Mapping[str, Any]) -> Chunk:
    return Chunk(
        id=row["id"],
        position=row["position"],
        content=row["content"],
        words=tokenize(row["content"]),
        embedding=vector_of(row["embedding"]),
    )
