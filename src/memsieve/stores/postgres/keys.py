"""API keys on PostgreSQL, behind a database role of their own."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

from memsieve.model import SERVER_PROJECT, ApiKey, Scope
from memsieve.stores.audit import keeping, key_detail
from memsieve.stores.postgres import logs
from memsieve.stores.postgres.database import Connection, Database, DbRole
from memsieve.stores.rows import key_from

_ADD = """
INSERT INTO api_keys (id, name, role, project_id, secret_hash, made_at, made_by)
VALUES (%s, %s, %s, %s, %s, %s, %s)
"""
_GET = "SELECT * FROM api_keys WHERE id = %s"
_LIST = """
SELECT * FROM api_keys WHERE %(project_id)s::text IS NULL OR project_id = %(project_id)s ORDER BY made_at DESC, id
"""
_REVOKE = "UPDATE api_keys SET revoked_at = %s, revoked_by = %s WHERE id = %s"
_USED = """
UPDATE api_keys SET last_used_at = %(at)s WHERE id = %(id)s AND (last_used_at IS NULL OR last_used_at < %(at)s)
"""
# Which project a key is for is known only when it has been read.
_ANY = Scope.system(SERVER_PROJECT)


class PostgresKeys:
    """Implements `ports.KeyStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, key: ApiKey, secret_hash: bytes) -> None:
        scope = keeping(key, key.made_by)
        values = (key.id, key.name, str(key.role), key.project_id, secret_hash, key.made_at, key.made_by)

        async def work(connection: Connection) -> None:
            await logs.append(connection, scope, "key made", key.id, key.made_at, detail=key_detail(key))
            await connection.execute(_ADD, values)

        await self._database.write(DbRole.KEEPER, scope, work, exclusive=True)

    async def get(self, key_id: str) -> tuple[ApiKey, bytes] | None:
        rows = await self._database.fetch(DbRole.KEEPER, _ANY, _GET, (key_id,))
        return (key_from(rows[0]), bytes(rows[0]["secret_hash"])) if rows else None

    async def revoke(self, key_id: str, by: str, at: datetime) -> ApiKey | None:
        found = await self.get(key_id)
        if found is None:
            return None
        scope = keeping(found[0], by)

        async def work(connection: Connection) -> ApiKey:
            # Read again under the lock: another process may have revoked it meanwhile.
            [row] = await _rows(connection, key_id)
            key = key_from(row)
            if key.revoked_at is not None:
                return key
            await logs.append(connection, scope, "key revoked", key.id, at, detail=key_detail(key))
            await connection.execute(_REVOKE, (at, scope.actor, key.id))
            return replace(key, revoked_at=at, revoked_by=scope.actor)

        return await self._database.write(DbRole.KEEPER, scope, work, exclusive=True, repeatable=True)

    async def used(self, key_id: str, at: datetime) -> None:
        values = {"id": key_id, "at": at}
        await self._database.execute(DbRole.KEEPER, _ANY, _USED, values, durable=False, repeatable=True)

    async def list(self, project_id: str | None = None) -> list[ApiKey]:
        rows = await self._database.fetch(DbRole.KEEPER, _ANY, _LIST, {"project_id": project_id})
        return [key_from(row) for row in rows]


async def _rows(connection: Connection, key_id: str) -> list[dict[str, Any]]:
    return await (await connection.execute(_GET, (key_id,))).fetchall()
