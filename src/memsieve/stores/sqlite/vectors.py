"""Vectors that another embedder made, on SQLite: how many, the next ones, and others in their place."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from memsieve.model import Vector
from memsieve.ports import StaleText
from memsieve.stores.rows import BEYOND_ALL, vector_blob
from memsieve.stores.sqlite.database import Database

# By these two ranges an index finds what `<>` would look for in every row. An entry without a decision has no embedder.
_COUNT = """
SELECT (SELECT count(*) FROM {table} WHERE embedder < :name) + (SELECT count(*) FROM {table} WHERE embedder > :name)
"""
_NAMES = """
WITH RECURSIVE names (name) AS (
    SELECT min(embedder) FROM {table} WHERE embedder IS NOT NULL
    UNION ALL
    SELECT (SELECT min(embedder) FROM {table} WHERE embedder > name) FROM names WHERE name IS NOT NULL
)
SELECT name FROM names WHERE name <> :name
"""
# Project by project where an index in memory waits for the last vector of its project; else what is newest first.
_BY_PROJECT = """
SELECT project_id, sequence, embedder, content FROM {table}
WHERE embedder = :other AND (project_id, sequence) > (:project_id, :sequence)
ORDER BY project_id, sequence LIMIT :limit
"""
_NEWEST = """
SELECT project_id, sequence, embedder, content FROM {table}
WHERE embedder = :other AND sequence < :sequence ORDER BY sequence DESC LIMIT :limit
"""
_PUT = "UPDATE {table} SET embedder = ?, embedding = ? WHERE sequence = ? AND project_id = ? AND embedder = ?"

_ORDER = {
    "memories": _BY_PROJECT,
    "tombstones": _BY_PROJECT,
    "insights": _NEWEST,
    "working": _NEWEST,
    "quarantine_logs": _NEWEST,
}
_KINDS = tuple(_ORDER)


class SqliteVectors:
    """Implements `ports.VectorStore`."""

    def __init__(self, database: Database, embedder: str) -> None:
        self._database = database
        self._embedder = embedder

    async def stale(self) -> int:
        return await self._database.read(lambda connection: count_stale(connection, self._embedder))

    async def next_stale(self, after: StaleText | None, limit: int) -> list[StaleText]:
        def work(connection: sqlite3.Connection) -> list[StaleText]:
            found: list[StaleText] = []
            for kind in _KINDS if after is None else _KINDS[_KINDS.index(after.kind) :]:
                begin = after if after is not None and after.kind == kind else None
                found += self._next(connection, kind, begin, limit - len(found))
                if len(found) == limit:
                    break
            return found

        return await self._database.read(work)

    async def put(self, made: Sequence[tuple[StaleText, Vector | None]]) -> list[StaleText]:
        def work(connection: sqlite3.Connection) -> list[StaleText]:
            return [text for text, vector in made if self._put(connection, text, vector)]

        return await self._database.write(work)

    async def forget(self, embedder: str) -> int:  # noqa: ARG002 - a text has one vector here, and the new took its place
        return 0

    def _next(self, connection: sqlite3.Connection, kind: str, after: StaleText | None, limit: int) -> list[StaleText]:
        first = ("", 0) if _ORDER[kind] is _BY_PROJECT else ("", BEYOND_ALL)
        project_id, sequence = first if after is None else (after.project_id, after.sequence)
        values = {"project_id": project_id, "sequence": sequence, "limit": limit}
        names = connection.execute(_of(kind, _NAMES), {"name": self._embedder}).fetchall()
        found = [
            StaleText(kind=kind, **row)
            for name in names
            for row in connection.execute(_of(kind, _ORDER[kind]), {**values, "other": name["name"]})
        ]
        return sorted(found, key=_place)[:limit]

    def _put(self, connection: sqlite3.Connection, text: StaleText, vector: Vector | None) -> bool:
        # A text that was deleted or embedded anew while its vector was made stays as it is.
        values = (self._embedder, vector_blob(vector), text.sequence, text.project_id, text.embedder)
        return connection.execute(_of(text.kind, _PUT), values).rowcount > 0


def count_stale(connection: sqlite3.Connection, embedder: str) -> int:
    """Return how many texts, in all tiers, were embedded by another embedder than this."""
    return sum(connection.execute(_of(kind, _COUNT), {"name": embedder}).fetchone()[0] for kind in _KINDS)


def _of(kind: str, sql: str) -> str:
    return sql.replace("{table}", kind)


def _place(text: StaleText) -> tuple[str, int]:
    return (text.project_id, text.sequence) if _ORDER[text.kind] is _BY_PROJECT else ("", -text.sequence)
