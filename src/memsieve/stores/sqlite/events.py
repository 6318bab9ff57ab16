"""What happened, on SQLite: written by triggers, read and forgotten here."""

from __future__ import annotations

import sqlite3
from datetime import datetime
from typing import Any

from memsieve.model import Event, Scope
from memsieve.stores.event_rows import event_from, numbers_of, position_of
from memsieve.stores.sqlite.database import Database
from memsieve.stores.sqlite.rows import read, time_text

# Also when all were forgotten.
_NEWEST = "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'happenings'), 0) AS sequence"
_OLDEST = f"SELECT coalesce((SELECT min(sequence) - 1 FROM happenings), ({_NEWEST})) AS sequence"  # noqa: S608
_SINCE = "SELECT * FROM happenings WHERE sequence > :sequence ORDER BY sequence LIMIT :limit"
_OF = """
SELECT * FROM happenings WHERE project_id = :project_id AND sequence > :sequence ORDER BY sequence LIMIT :limit
"""
_FORGET = "DELETE FROM happenings WHERE at < ?"
_TOGETHER = "INSERT INTO deeds_together (project_id) VALUES (?)"
_TOLD = "UPDATE deeds_together SET newest = ? WHERE project_id = ?"


class SqliteEventLog:
    """Implements `ports.Happenings`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def newest(self) -> str:
        return await self._position(_NEWEST)

    async def oldest(self) -> str:
        return await self._position(_OLDEST)

    async def since(self, position: str, limit: int = 1000) -> list[Event]:
        [sequence] = numbers_of(position, 1)
        return await self._read(_SINCE, sequence=sequence, limit=limit)

    async def of(self, scope: Scope, position: str | None, limit: int) -> list[Event]:
        [sequence] = [0] if position is None else numbers_of(position, 1)
        return await self._read(_OF, project_id=scope.project_id, sequence=sequence, limit=limit)

    async def forget(self, before: datetime) -> int:
        values = (time_text(before),)
        return await self._database.write(lambda connection: connection.execute(_FORGET, values).rowcount)

    async def _position(self, sql: str) -> str:
        row = await self._database.read(lambda connection: connection.execute(sql).fetchone(), short=True)
        return position_of(row["sequence"])

    async def _read(self, sql: str, **values: Any) -> list[Event]:
        rows = await self._database.read(lambda connection: connection.execute(sql, values).fetchall(), short=True)
        return [event_from(read(row, times=("at",)), row["sequence"]) for row in rows]


def begin_together(connection: sqlite3.Connection, scope: Scope) -> None:
    """Let the deeds that follow in this transaction be one piece of news."""
    connection.execute(_TOGETHER, (scope.project_id,))


def end_together(connection: sqlite3.Connection, scope: Scope, newest: str) -> None:
    """Tell of the deeds since `begin_together`, of which this was the last."""
    connection.execute(_TOLD, (newest, scope.project_id))
