"""Tombstones on SQLite, written within the transaction of the dismissal or retirement."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import datetime

from memsieve.model import Approval, Chunk, Role, Scope, Tombstone, Vector
from memsieve.stores import rows
from memsieve.stores.insights import dismissal_detail, dismissed, may_dismiss
from memsieve.stores.rows import content_hash, json_text, tombstone_columns, vector_blob
from memsieve.stores.sqlite import logs
from memsieve.stores.sqlite.database import Database
from memsieve.stores.sqlite.digests import decide_insight, insight_decision
from memsieve.stores.sqlite.indexes import Indexes
from memsieve.stores.sqlite.rows import read, time_text, vector_from

LIVING_ROWS = """
SELECT sequence, words, embedder, embedding, buried_at AS at, NULL AS session_id FROM tombstones
WHERE project_id = ? AND sequence > ? AND lifted_at IS NULL ORDER BY sequence
"""
_ADD = """
INSERT INTO tombstones
    (project_id, id, kind, source_id, content, content_hash, words, embedder, embedding, buried_by, buried_at, reason)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT DO NOTHING
"""
_LIVING = "SELECT * FROM tombstones WHERE project_id = ? AND source_id = ? AND lifted_at IS NULL"
_NEAREST = """
SELECT t.* FROM json_each(:found) f CROSS JOIN tombstones t ON t.sequence = f.value WHERE t.project_id = :project_id
"""
_LIFT = """
UPDATE tombstones SET lifted_at = ?
WHERE project_id = ? AND lifted_at IS NULL AND (
    content_hash IN (SELECT value FROM json_each(?)) OR source_id IN (SELECT value FROM json_each(?))
)
"""


def insert(connection: sqlite3.Connection, scope: Scope, tombstone: Tombstone, embedder: str) -> bool:
    """Write a tombstone; False if its source has one."""
    row = tombstone_columns(scope, tombstone, embedder, vector_blob(tombstone.embedding), time_text(tombstone.at))
    return connection.execute(_ADD, row).rowcount > 0


def living(connection: sqlite3.Connection, scope: Scope, source_id: str, embedder: str) -> Tombstone:
    """Return the living tombstone of a source."""
    return tombstone_from(connection.execute(_LIVING, (scope.project_id, source_id)).fetchone(), embedder)


def lift(
    connection: sqlite3.Connection, scope: Scope, approval: Approval, chunks: Sequence[Chunk], at: datetime
) -> None:
    """Lift the tombstones of what a person now approves."""
    hashes = [content_hash(text) for text in (approval.content, *(chunk.content for chunk in chunks))]
    values = (time_text(at), scope.project_id, json_text(hashes), json_text(list(approval.entry_ids)))
    connection.execute(_LIFT, values)


def tombstone_from(row: sqlite3.Row, embedder: str) -> Tombstone:
    """Return the tombstone of a row."""
    return rows.tombstone_from(read(row, times=("buried_at",)), vector_from(row, embedder))


class SqliteTombstones:
    """Implements `ports.TombstoneStore`."""

    def __init__(self, database: Database, embedder: str) -> None:
        self._database = database
        self._embedder = embedder
        self._indexes = Indexes("tombstones", LIVING_ROWS, embedder)

    async def add(self, scope: Scope, tombstone: Tombstone) -> Tombstone:
        scope.require(Role.PERSON)

        def work(connection: sqlite3.Connection) -> Tombstone:
            source_id, at, reason = tombstone.source_id, tombstone.at, tombstone.reason
            insight = insight_decision(connection, scope, source_id)
            decides = may_dismiss(source_id, insight)
            if insert(connection, scope, tombstone, self._embedder) or decides:
                detail = {} if insight is None else dismissal_detail(source_id, tombstone.content)
                logs.append(connection, scope, tombstone.kind, source_id, at, reason, detail)
            if decides:
                decide_insight(connection, scope, source_id, dismissed(scope, at, reason))
            return living(connection, scope, source_id, self._embedder)

        return await self._database.write(work)

    async def nearest(self, scope: Scope, vector: Vector | None, words: Sequence[str], limit: int) -> list[Tombstone]:
        def work(connection: sqlite3.Connection) -> list[Tombstone]:
            found = self._indexes.search(connection, scope, vector, words, limit)
            values = {"project_id": scope.project_id, "found": json_text(list(found))}
            return [tombstone_from(row, self._embedder) for row in connection.execute(_NEAREST, values)]

        ready = await self._database.read(lambda connection: self._indexes.ready(connection, scope), short=True)
        return await self._database.read(work, short=ready)
