"""Tombstones on PostgreSQL, written within the transaction of the dismissal or retirement, and searched in memory."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from memsieve.model import Approval, Chunk, Role, Scope, Tombstone, Vector
from memsieve.retrieval.index import Row
from memsieve.stores import rows as shared_rows
from memsieve.stores.indexes import Loaded, LoadedIndexes, Revision
from memsieve.stores.insights import dismissal_detail, dismissed, may_dismiss
from memsieve.stores.postgres import logs
from memsieve.stores.postgres.database import Connection, Database, DbRole
from memsieve.stores.postgres.digests import decide_insight, insight_decision
from memsieve.stores.postgres.rows import fetch, half, vector_from
from memsieve.stores.rows import content_hash, text_words, tombstone_columns

_REVISION = "SELECT added, removed FROM revisions WHERE project_id = %s"
_LIVING_ROWS = """
SELECT sequence, words, embedder, embedding, buried_at AS at FROM tombstones
WHERE project_id = %s AND sequence > %s AND lifted_at IS NULL ORDER BY sequence
"""
_NEAREST = """
SELECT * FROM tombstones
WHERE project_id = %s AND sequence = ANY(%s) AND lifted_at IS NULL ORDER BY sequence
"""
_ADD = """
INSERT INTO tombstones
    (project_id, id, kind, source_id, content, content_hash, words, embedder, embedding, buried_by, buried_at, reason)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
ON CONFLICT DO NOTHING
"""
_LIVING = "SELECT * FROM tombstones WHERE project_id = %s AND source_id = %s AND lifted_at IS NULL"
_ANY = "SELECT FROM tombstones WHERE project_id = %s AND lifted_at IS NULL LIMIT 1"
# Each of the two by its own index.
_LIFT = """
UPDATE tombstones SET lifted_at = %(at)s
WHERE project_id = %(project_id)s AND lifted_at IS NULL
    AND (content_hash = ANY(%(hashes)s) OR source_id = ANY(%(sources)s))
"""


async def insert(connection: Connection, scope: Scope, tombstone: Tombstone, embedder: str) -> bool:
    """Write a tombstone; False if its source has one."""
    row = tombstone_columns(scope, tombstone, embedder, half(tombstone.embedding), tombstone.at)
    return (await connection.execute(_ADD, row)).rowcount > 0


async def living(connection: Connection, scope: Scope, source_id: str, embedder: str) -> Tombstone:
    """Return the living tombstone of a source."""
    [row] = await fetch(connection, _LIVING, (scope.project_id, source_id))
    return tombstone_from(row, embedder)


async def lift(connection: Connection, scope: Scope, approval: Approval, chunks: Sequence[Chunk], at: datetime) -> None:
    """Lift the tombstones of what a person now approves."""
    await _lift(connection, scope, [(approval, chunks)], at)


async def lift_all(
    connection: Connection, scope: Scope, approved: Sequence[tuple[Approval, Sequence[Chunk]]], at: datetime
) -> None:
    """Lift the tombstones of many approved texts, of their chunks and of their source entries, if there are any."""
    if await fetch(connection, _ANY, (scope.project_id,)):
        await _lift(connection, scope, approved, at)


async def _lift(
    connection: Connection, scope: Scope, approved: Sequence[tuple[Approval, Sequence[Chunk]]], at: datetime
) -> None:
    texts = {text for approval, chunks in approved for text in (approval.content, *(one.content for one in chunks))}
    sources = {entry_id for approval, _ in approved for entry_id in approval.entry_ids}
    hashes = [content_hash(text) for text in texts]
    values = {"project_id": scope.project_id, "at": at, "hashes": hashes, "sources": list(sources)}
    await connection.execute(_LIFT, values)


def tombstone_from(row: Mapping[str, Any], embedder: str) -> Tombstone:
    """Return the tombstone of a row."""
    return shared_rows.tombstone_from(row, vector_from(row, embedder))


async def _read(database: Database, scope: Scope, sql: str, value: object) -> list[dict[str, Any]]:
    values = (scope.project_id, value)
    return await database.read(DbRole.FILTER, scope, lambda connection: fetch(connection, sql, values))


class PostgresTombstones:
    """Implements `ports.TombstoneStore`."""

    def __init__(self, database: Database, embedder: str) -> None:
        self._database = database
        self._embedder = embedder
        self._loaded = LoadedIndexes(asyncio.Lock)

    async def add(self, scope: Scope, tombstone: Tombstone) -> Tombstone:
        scope.require(Role.PERSON)

        async def work(connection: Connection) -> Tombstone:
            source_id, at, reason = tombstone.source_id, tombstone.at, tombstone.reason
            insight = await insight_decision(connection, scope, source_id)
            decides = may_dismiss(source_id, insight)
            if await insert(connection, scope, tombstone, self._embedder) or decides:
                detail = {} if insight is None else dismissal_detail(source_id, tombstone.content)
                await logs.append(connection, scope, tombstone.kind, source_id, at, reason, detail)
            if decides:
                await decide_insight(connection, scope, source_id, dismissed(scope, at, reason))
            return await living(connection, scope, source_id, self._embedder)

        # Idempotent: done twice, it finds the first.
        return await self._database.write(DbRole.REVIEWER, scope, work, exclusive=True, repeatable=True)

    async def nearest(self, scope: Scope, vector: Vector | None, words: Sequence[str], limit: int) -> list[Tombstone]:
        revisions = await self._database.fetch(DbRole.FILTER, scope, _REVISION, (scope.project_id,))
        if not revisions:
            return []
        loaded, revision = self._loaded.use(scope), Revision(**revisions[0])
        async with loaded.lock:
            if not loaded.in_step(revision):
                await self._refresh(scope, loaded, revision)
            found = list(loaded.search(vector, words, limit))
        rows = await _read(self._database, scope, _NEAREST, found) if found else []
        return [tombstone_from(row, self._embedder) for row in rows]

    async def _refresh(self, scope: Scope, loaded: Loaded[asyncio.Lock], revision: Revision) -> None:
        rows = await _read(self._database, scope, _LIVING_ROWS, loaded.begin(revision))
        # In a thread only what changes nothing: the caller may be cancelled before it ends.
        made = await asyncio.to_thread(lambda: [(row["sequence"], self._row(row)) for row in rows])
        loaded.extend(revision, made)
        self._loaded.make_room()

    def _row(self, row: Mapping[str, Any]) -> Row:
        return Row(words=text_words(row["words"]), vector=vector_from(row, self._embedder), at=row["at"])
