"""Look a PostgreSQL database over without changing it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg.rows import dict_row

from memsieve.stores.postgres.connection import conninfo, translated
from memsieve.stores.postgres.database import DbRole
from memsieve.stores.postgres.migrate import missing, released

_VERSIONS = """
SELECT current_setting('server_version') AS server, current_user AS "user",
    (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS pgvector
"""
_ROLES = """
SELECT rolname FROM pg_roles WHERE rolname = ANY(%s) AND pg_has_role(current_user, oid, 'MEMBER')
"""
_AS = "SELECT set_config('role', %s, true)"
_INDEXES = "SELECT embedder, recall, ef_search IS NOT NULL AS used FROM vector_indexes ORDER BY embedder, dimensions"

Connection = psycopg.AsyncConnection[dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexHealth:
    """What share of the nearest vectors an index was found to find, and whether that is enough for it to be used."""

    embedder: str
    recall: float
    used: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseHealth:
    """What was found: versions, missing migrations, roles that the user cannot take on, and what indexes are worth."""

    server: str
    pgvector: str | None
    user: str
    missing: tuple[str, ...]
    without_roles: tuple[str, ...]
    indexes: tuple[IndexHealth, ...]


async def examine(url: str) -> DatabaseHealth:
    """Ask a database for all that a memory needs of it."""
    with translated():
        async with await psycopg.AsyncConnection.connect(
            conninfo(url), autocommit=True, row_factory=dict_row
        ) as connection:
            [versions] = await (await connection.execute(_VERSIONS)).fetchall()
            roles = {row["rolname"] for row in await (await connection.execute(_ROLES, ([*DbRole],))).fetchall()}
            lacking = await missing(connection, released())
            # Any of the roles will do, but for the one that keeps keys.
            readers = roles - {DbRole.KEEPER}
            indexes = [] if lacking or not readers else await _indexes(connection, min(readers))
    return DatabaseHealth(
        **versions,
        missing=tuple(migration.name for migration in lacking),
        without_roles=tuple(str(role) for role in DbRole if role not in roles),
        indexes=tuple(indexes),
    )


async def _indexes(connection: Connection, role: str) -> list[IndexHealth]:
    async with connection.transaction():
        await connection.execute(_AS, (role,))
        return [IndexHealth(**row) for row in await (await connection.execute(_INDEXES)).fetchall()]
