"""Bring a PostgreSQL database's schema up to date with the numbered SQL files, when a person asks for it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

import psycopg
from pgvector import SparseVector
from pgvector.psycopg import register_vector_async
from psycopg.rows import dict_row

from memsieve.errors import SchemaOutdated
from memsieve.stores.migrations import Migration, numbered, require_known
from memsieve.stores.postgres.connection import conninfo, translated
from memsieve.stores.postgres.search.terms import NUMBERS, hash_terms
from memsieve.text.tokenize import is_chinese, tokenize

# Advisory lock: two migrations at once run one after the other.
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


_BATCH = 1000
_WORDS_KEPT = "SELECT to_regclass('memory_words') IS NOT NULL AS there"
_AS = "SELECT set_config('role', %s, true), set_config('app.project', %s, true), set_config('app.across', %s, true)"
_UNSEARCHED = """
SELECT m.project_id, m.sequence, m.content, p.promoted_at
FROM memories m JOIN approvals p ON p.project_id = m.project_id AND p.id = m.approval_id
WHERE NOT EXISTS (SELECT FROM retirements r WHERE r.project_id = m.project_id AND r.approval_id = m.approval_id)
    AND NOT EXISTS (SELECT FROM memory_words w WHERE w.project_id = m.project_id AND w.sequence = m.sequence)
ORDER BY m.project_id, m.sequence LIMIT %s
"""
_ADD_WORDS = """
INSERT INTO memory_words (project_id, sequence, at, chinese, length, words, counts) VALUES (%s, %s, %s, %s, %s, %s, %s)
ON CONFLICT DO NOTHING
"""
# They have no vector either: for every embedder they are another's, and `memsieve reembed` reads them.
_UNREAD = "UPDATE memories SET embedder = '' WHERE project_id = %s AND sequence = ANY(%s)"


async def make_searchable(connection: Connection) -> int:
    """Keep the words of all living memories that have none yet, and return how many that were."""
    cursor = connection.cursor(row_factory=dict_row)
    there = await (await cursor.execute(_WORDS_KEPT)).fetchone()
    if there is None or not there["there"]:
        return 0
    await register_vector_async(connection)
    done = 0
    while found := await _next_unsearched(connection):
        done += found
    return done


async def _next_unsearched(connection: Connection) -> int:
    async with connection.transaction(), connection.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(_AS, ("memsieve_filter", "", "on"))
        found = await (await cursor.execute(_UNSEARCHED, (_BATCH,))).fetchall()
        for project_id, group in groupby(found, key=lambda row: row["project_id"]):
            rows = list(group)
            await cursor.execute(_AS, ("memsieve_reviewer", project_id, ""))
            await cursor.executemany(_ADD_WORDS, [_words(row) for row in rows])
            await cursor.execute(_UNREAD, (project_id, [row["sequence"] for row in rows]))
    return len(found)


def _words(row: dict[str, Any]) -> tuple[Any, ...]:
    words = tokenize(row["content"])
    found = hash_terms(row["project_id"], [words])
    numbers = found.words.tolist()
    counts = SparseVector(dict(zip(numbers, found.reached.tolist(), strict=True)), NUMBERS)
    key = (row["project_id"], row["sequence"], row["promoted_at"])
    return (*key, is_chinese(words), len(words), numbers, counts)
