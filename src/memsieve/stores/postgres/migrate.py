"""Bring a PostgreSQL database's schema up to date with the numbered SQL files, when a person asks for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import psycopg

from memsieve.errors import SchemaOutdated
from memsieve.stores.migrations import Migration, numbered, require_known
from memsieve.stores.postgres.address import conninfo
from memsieve.stores.postgres.errors import translated
from memsieve.stores.postgres.unsearched import make_searchable

# So that two who migrate at once do it one after the other.
_LOCK = "SELECT pg_advisory_lock(hashtextextended('memsieve migrate', 0))"
_RECORD = """
CREATE TABLE IF NOT EXISTS schema_migrations (
    number     integer PRIMARY KEY,
    name       text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
)
"""
_KNOWN = "SELECT to_regclass('schema_migrations') IS NOT NULL"
_APPLIED = "SELECT number FROM schema_migrations"
_DONE = "INSERT INTO schema_migrations (number, name) VALUES (%s, %s)"

Connection = psycopg.AsyncConnection[Any]


def released() -> list[Migration]:
    """Return the migrations of this version, in order."""
    return numbered("memsieve.stores.postgres")


async def migrate(url: str, migrations: Sequence[Migration] | None = None) -> list[str]:
    """Apply what is missing, each step together with its record, and return the names of what was applied."""
    with translated():
        async with await psycopg.AsyncConnection.connect(conninfo(url), autocommit=True) as connection:
            await connection.execute(_LOCK)
            waiting = await missing(connection, released() if migrations is None else migrations)
            for migration in waiting:
                await _apply(connection, migration)
    return [migration.name for migration in waiting]


async def outstanding(url: str) -> list[str]:
    """Return the names of the migrations that a database lacks; nothing is changed."""
    with translated():
        async with await psycopg.AsyncConnection.connect(conninfo(url), autocommit=True) as connection:
            return [migration.name for migration in await missing(connection, released())]


async def missing(connection: Connection, migrations: Sequence[Migration]) -> list[Migration]:
    """Return what is not applied yet; a database of a later version is refused."""
    applied: set[int] = set()
    if await _value(connection, _KNOWN):
        applied = {row[0] for row in await (await _cursor(connection, _APPLIED)).fetchall()}
    require_known(max(applied, default=0), migrations)
    return [migration for migration in migrations if migration.number not in applied]


async def require_current(connection: Connection) -> None:
    """Refuse to work on a schema that is not this version's."""
    lacking = await missing(connection, released())
    if lacking:
        names = ", ".join(migration.name for migration in lacking)
        raise SchemaOutdated(
            f"The database lacks {len(lacking)} of this version's migrations: {names}. Nothing was changed. "
            "Make a backup and run: memsieve migrate"
        )


async def _apply(connection: Connection, migration: Migration) -> None:
    async with connection.transaction():
        await connection.execute(_RECORD)
        await connection.execute(migration.sql.encode())
        await connection.execute(_DONE, (migration.number, migration.name))
        await make_searchable(connection)


async def _value(connection: Connection, sql: str) -> Any:
    row = await (await _cursor(connection, sql)).fetchone()
    return None if row is None else row[0]


async def _cursor(connection: Connection, sql: str) -> psycopg.AsyncCursor[tuple[Any, ...]]:
    # Rows as tuples, whatever the connection makes of them for others.
    cursor = connection.cursor(row_factory=psycopg.rows.tuple_row)
    await cursor.execute(sql.encode())
    return cursor
