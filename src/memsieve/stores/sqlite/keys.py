"""API keys on SQLite."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from datetime import datetime

from memsieve.model import ApiKey
from memsieve.stores.audit import keeping, key_detail
from memsieve.stores.rows import key_from
from memsieve.stores.sqlite import logs
from memsieve.stores.sqlite.database import Database
from memsieve.stores.sqlite.rows import text_time, time_text

_ADD = """
INSERT INTO api_keys (id, name, role, project_id, secret_hash, made_at, made_by) VALUES (?, ?, ?, ?, ?, ?, ?)
"""
_GET = "SELECT * FROM api_keys WHERE id = ?"
_LIST = """
SELECT * FROM api_keys WHERE :project_id IS NULL OR project_id = :project_id ORDER BY made_at DESC, id
"""
_REVOKE = "UPDATE api_keys SET revoked_at = ?, revoked_by = ? WHERE id = ?"
_USED = "UPDATE api_keys SET last_used_at = :at WHERE id = :id AND (last_used_at IS NULL OR last_used_at < :at)"


class SqliteKeys:
    """Implements `ports.KeyStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, key: ApiKey, secret_hash: bytes) -> None:
        values = (key.id, key.name, key.role, key.project_id, secret_hash, time_text(key.made_at), key.made_by)

        def work(connection: sqlite3.Connection) -> None:
            scope = keeping(key, key.made_by)
            logs.append(connection, scope, "key made", key.id, key.made_at, detail=key_detail(key))
            connection.execute(_ADD, values)

        await self._database.write(work)

    async def get(self, key_id: str) -> tuple[ApiKey, bytes] | None:
        row = await self._database.read(lambda connection: connection.execute(_GET, (key_id,)).fetchone(), short=True)
        return None if row is None else (_key_from(row), row["secret_hash"])

    async def revoke(self, key_id: str, by: str, at: datetime) -> ApiKey | None:
        def work(connection: sqlite3.Connection) -> ApiKey | None:
            row = connection.execute(_GET, (key_id,)).fetchone()
            key = None if row is None else _key_from(row)
            if key is None or key.revoked_at is not None:
                return key
            scope = keeping(key, by)
            logs.append(connection, scope, "key revoked", key.id, at, detail=key_detail(key))
            connection.execute(_REVOKE, (time_text(at), scope.actor, key.id))
            return replace(key, revoked_at=at, revoked_by=scope.actor)

        return await self._database.write(work)

    async def used(self, key_id: str, at: datetime) -> None:
        values = {"id": key_id, "at": time_text(at)}
        await self._database.write(lambda connection: connection.execute(_USED, values), durable=False)

    async def list(self, project_id: str | None = None) -> list[ApiKey]:
        values = {"project_id": project_id}
        rows = await self._database.read(lambda connection: connection.execute(_LIST, values).fetchall())
        return [_key_from(row) for row in rows]


def _key_from(row: sqlite3.Row) -> ApiKey:
    times = {name: row[name] for name in ("made_at", "last_used_at", "revoked_at")}
    return key_from({**dict(row), **{name: text and text_time(text) for name, text in times.items()}})
