"""Tier 3 on SQLite: exact search in memory over rows that a person approved."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from datetime import datetime

from memsieve.model import Approval, Chunk, LongTermMemory, Role, Scope, SearchHit, Tombstone, Vector
from memsieve.ports import Clock
from memsieve.retrieval.fusion import candidates_per_leg, fused
from memsieve.stores.audit import Approved, promotion_detail, unverified, without_insights
from memsieve.stores.insights import promoted, require_waiting
from memsieve.stores.rows import BEYOND_ALL, content_hash, json_text, memory_from, text_words, vector_blob, words_text
from memsieve.stores.sqlite import logs
from memsieve.stores.sqlite import tombstones as tombstones_table
from memsieve.stores.sqlite.database import Database
from memsieve.stores.sqlite.digests import decide_insight, insight_decision
from memsieve.stores.sqlite.indexes import Indexes
from memsieve.stores.sqlite.rows import read, text_time, time_text, vector_from

_LIVING_ROWS = """
SELECT m.sequence, m.words, m.embedder, m.embedding, p.promoted_at AS at, w.session_id, w.said_at
FROM memories m JOIN reviewed p ON p.project_id = m.project_id AND p.id = m.approval_id
    LEFT JOIN memory_places w ON w.sequence = m.sequence
WHERE m.project_id = ? AND m.sequence > ? AND p.retired_at IS NULL
ORDER BY m.sequence
"""
# CROSS JOIN keeps the order: from the few rows that were found to their table, not through the whole project.
_HITS = """
SELECT m.sequence, m.id, m.approval_id, m.content, p.promoted_by, p.promoted_at
FROM json_each(:found) f CROSS JOIN memories m ON m.sequence = f.value
    CROSS JOIN reviewed p ON p.project_id = m.project_id AND p.id = m.approval_id
WHERE m.project_id = :project_id AND p.retired_at IS NULL
"""
_ADD_APPROVAL = """
INSERT INTO approvals (project_id, id, content, content_hash, promoted_by, promoted_at) VALUES (?, ?, ?, ?, ?, ?)
"""
_ADD_SOURCE = "INSERT INTO approval_sources (project_id, approval_id, entry_id) VALUES (?, ?, ?)"
_ADD_CHUNK = """
INSERT INTO memories (project_id, id, approval_id, position, content, words, embedder, embedding)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""
_ADD_PLACE = "INSERT INTO memory_places (project_id, sequence, session_id, said_at) VALUES (?, ?, ?, ?)"
_RETIRE = """
INSERT INTO retirements (project_id, approval_id, retired_by, retired_at, reason) VALUES (?, ?, ?, ?, ?)
ON CONFLICT DO NOTHING
"""
_BY_CONTENT = "SELECT * FROM reviewed WHERE project_id = :project_id AND content_hash = :hash AND retired_at IS NULL"
_VERIFIED = """
SELECT content_hash FROM reviewed
WHERE project_id = ? AND content_hash IN (SELECT value FROM json_each(?)) AND retired_at IS NULL
"""
_BY_ANY_ID = """
SELECT * FROM reviewed WHERE project_id = :project_id AND id IN (
    SELECT :id
    UNION SELECT approval_id FROM memories WHERE project_id = :project_id AND id = :id
    UNION SELECT approval_id FROM approval_sources WHERE project_id = :project_id AND entry_id = :id
)
ORDER BY retired_at IS NOT NULL, sequence DESC LIMIT 1
"""
_STANDING = """
SELECT * FROM reviewed WHERE project_id = :project_id AND (retired_at IS NOT NULL) = :retired
    AND (:text IS NULL OR instr(lower(content), lower(:text)) > 0)
"""
_PLACE = "(SELECT sequence FROM approvals WHERE project_id = :project_id AND id = :after_id)"
_IN_ORDER = f"{_STANDING} AND sequence > coalesce({_PLACE}, 0) ORDER BY sequence LIMIT :limit"
_NEWEST_FIRST = f"{_STANDING} AND sequence < coalesce({_PLACE}, {BEYOND_ALL}) ORDER BY sequence DESC LIMIT :limit"
_SOURCES = "SELECT entry_id FROM approval_sources WHERE project_id = ? AND approval_id = ? ORDER BY entry_id"
_CHUNKS = "SELECT * FROM memories WHERE project_id = ? AND approval_id = ? ORDER BY position"


class SqliteLongTerm:
    """Implements `ports.LongTermStore`."""

    def __init__(self, database: Database, embedder: str, clock: Clock) -> None:
        self._database = database
        self._embedder = embedder
        self._clock = clock
        self._indexes = Indexes("memories", _LIVING_ROWS, embedder)

    async def add(self, scope: Scope, approval: Approval, chunks: Sequence[Chunk]) -> LongTermMemory:
        scope.require(Role.PERSON)

        def work(connection: sqlite3.Connection) -> LongTermMemory:
            insight_id = approval.insight_id
            if insight_id is not None:
                require_waiting(insight_id, insight_decision(connection, scope, insight_id))
            living = self._one(connection, _BY_CONTENT, scope, hash=content_hash(approval.content))
            standing = approval if living is None else living.approval
            new_sources = set(approval.entry_ids) - set(() if living is None else standing.entry_ids)
            if living is None or new_sources or insight_id is not None:
                tombstones_table.lift(connection, scope, approval, chunks, self._clock())
                kept = promotion_detail(approval, standing)
                logs.append(connection, scope, "promoted", standing.id, approval.at, detail=kept)
            if living is None:
                self._write(connection, scope, approval, chunks)
            _add_sources(connection, scope, standing.id, new_sources)
            if insight_id is not None:
                decide_insight(connection, scope, insight_id, promoted(scope, approval.at, standing.id))
            memory = self._one(connection, _BY_ANY_ID, scope, id=standing.id)
            assert memory is not None  # noqa: S101 - it was found or written above, in this transaction
            return memory

        return await self._database.write(work)

    async def add_all(self, scope: Scope, approved: Sequence[Approved]) -> int:
        scope.require(Role.PERSON)
        plain = without_insights(approved)

        def work(connection: sqlite3.Connection) -> int:
            values = (scope.project_id, json_text(list(plain)))
            fresh = unverified(plain, {row["content_hash"] for row in connection.execute(_VERIFIED, values)})
            if len(fresh) > 1:
                logs.begin_together(connection, scope)
            for approval, chunks in fresh:
                tombstones_table.lift(connection, scope, approval, chunks, self._clock())
                kept = promotion_detail(approval, approval)
                logs.append(connection, scope, "promoted", approval.id, approval.at, detail=kept)
                self._write(connection, scope, approval, chunks)
                _add_sources(connection, scope, approval.id, approval.entry_ids)
            if len(fresh) > 1:
                logs.end_together(connection, scope, fresh[-1][0].id)
            return len(fresh)

        return await self._database.write(work)

    async def search(
        self, scope: Scope, vector: Vector | None, words: Sequence[str], limit: int, since: datetime | None = None
    ) -> list[SearchHit]:
        def work(connection: sqlite3.Connection) -> list[SearchHit]:
            found = self._indexes.search(connection, scope, vector, words, candidates_per_leg(limit), since)
            best = sorted(found, key=lambda sequence: fused(found[sequence]), reverse=True)[:limit]
            values = {"project_id": scope.project_id, "found": json_text(best)}
            return [
                SearchHit(
                    chunk_id=row["id"],
                    memory_id=row["approval_id"],
                    content=row["content"],
                    promoted_by=row["promoted_by"],
                    promoted_at=text_time(row["promoted_at"]),
                    similarity=found[row["sequence"]].similarity,
                    word_score=found[row["sequence"]].word_score,
                )
                for row in connection.execute(_HITS, values)
            ]

        ready = await self._database.read(lambda connection: self._indexes.ready(connection, scope), short=True)
        return await self._database.read(work, short=ready)

    async def get(self, scope: Scope, any_id: str) -> LongTermMemory | None:
        return await self._database.read(lambda connection: self._one(connection, _BY_ANY_ID, scope, id=any_id))

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
        values = {
            "project_id": scope.project_id,
            "after_id": after_id,
            "limit": limit,
            "text": text,
            "retired": retired,
        }
        sql = _NEWEST_FIRST if newest_first else _IN_ORDER
        return await self._database.read(
            lambda connection: [self._memory(connection, row) for row in connection.execute(sql, values)]
        )

    async def retire(self, scope: Scope, memory_id: str, reason: str, tombstones: Sequence[Tombstone]) -> bool:
        scope.require(Role.PERSON)
        now = self._clock()

        def work(connection: sqlite3.Connection) -> bool:
            row = (scope.project_id, memory_id, scope.actor, time_text(now), reason)
            if not connection.execute(_RETIRE, row).rowcount:
                return False
            for tombstone in tombstones:
                tombstones_table.insert(connection, scope, tombstone, self._embedder)
            logs.append(connection, scope, "retired", memory_id, now, reason)
            return True

        return await self._database.write(work)

    def _write(self, connection: sqlite3.Connection, scope: Scope, approval: Approval, chunks: Sequence[Chunk]) -> None:
        key = (scope.project_id, approval.id)
        hashed = content_hash(approval.content)
        connection.execute(_ADD_APPROVAL, (*key, approval.content, hashed, scope.actor, time_text(approval.at)))
        for chunk in chunks:
            row = (chunk.position, chunk.content, words_text(chunk.words), self._embedder, vector_blob(chunk.embedding))
            sequence = connection.execute(_ADD_CHUNK, (scope.project_id, chunk.id, approval.id, *row)).lastrowid
            if approval.origin is not None:
                place = (approval.origin.session_id, time_text(approval.origin.at))
                connection.execute(_ADD_PLACE, (scope.project_id, sequence, *place))

    def _one(self, connection: sqlite3.Connection, sql: str, scope: Scope, **values: str) -> LongTermMemory | None:
        row = connection.execute(sql, {"project_id": scope.project_id, **values}).fetchone()
        return None if row is None else self._memory(connection, row)

    def _memory(self, connection: sqlite3.Connection, row: sqlite3.Row) -> LongTermMemory:
        key = (row["project_id"], row["id"])
        retired_at = None if row["retired_at"] is None else text_time(row["retired_at"])
        return memory_from(
            {**read(row, times=("promoted_at",)), "retired_at": retired_at},
            (source["entry_id"] for source in connection.execute(_SOURCES, key)),
            (self._chunk(chunk) for chunk in connection.execute(_CHUNKS, key)),
        )

    def _chunk(self, row: sqlite3.Row) -> Chunk:
        return Chunk(
            id=row["id"],
            position=row["position"],
            content=row["content"],
            words=text_words(row["words"]),
            embedding=vector_from(row, self._embedder),
        )


def _add_sources(connection: sqlite3.Connection, scope: Scope, approval_id: str, entry_ids: Iterable[str]) -> None:
    connection.executemany(_ADD_SOURCE, [(scope.project_id, approval_id, entry_id) for entry_id in sorted(entry_ids)])
