"""The least work for the same rows and answers: plain SQL by psycopg, without walls, triggers and rules."""

from __future__ import annotations

import time
import uuid
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import psycopg
from psycopg import sql
from psycopg.rows import tuple_row

from memsieve.stores.postgres.psycopg_internals import PreparedPipeline
from memsieve.stores.postgres.search.vector_plan import SETTINGS

ENTRIES = ("quarantine_logs", "admissions")
MEMORIES = ("audit_log", "approvals", "memories", "memory_words", "memory_vectors")

_LIKE = sql.SQL("CREATE TABLE {raw} (LIKE {table} INCLUDING ALL)")
_COLUMNS = "SELECT attname, format_type(atttypid, NULL) FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0"
_NEW = sql.SQL("""
SELECT {columns} FROM {table} WHERE project_id = %s
    AND sequence > (SELECT coalesce(max(sequence), 0) FROM {raw} WHERE project_id = %s) ORDER BY sequence
""")
_SOME = sql.SQL("SELECT {columns} FROM {table} WHERE project_id = %s ORDER BY sequence DESC LIMIT %s")
_COPY = sql.SQL("COPY {raw} ({columns}) FROM STDIN (FORMAT BINARY)")
_INSERT = sql.SQL("INSERT INTO {raw} ({columns}) OVERRIDING SYSTEM VALUE VALUES ({values})")

Statement = tuple[Any, Any, bool]
Rows = dict[str, list[tuple[Any, ...]]]


@dataclass(frozen=True, slots=True)
class Shape:
    """A table's columns and their types; JSON travels as the text that it is."""

    columns: tuple[str, ...]
    types: tuple[str, ...]

    def read(self) -> sql.Composed:
        """Return the columns as they are selected."""
        return sql.SQL(", ").join(
            sql.SQL("{}::text" if kind == "json" else "{}").format(sql.Identifier(name))
            for name, kind in zip(self.columns, self.types, strict=True)
        )

    def names(self) -> sql.Composed:
        return sql.SQL(", ").join(map(sql.Identifier, self.columns))

    def copied(self) -> list[str]:
        return ["text" if kind == "json" else kind for kind in self.types]


class RawTables:
    """Tables like memsieve's, with the same indexes and checks, and without keys to others, triggers and walls."""

    def __init__(self, connection: psycopg.AsyncConnection) -> None:
        self._connection = connection
        self._shapes: dict[str, Shape] = {}

    async def make(self, *tables: str) -> None:
        for table in tables:
            await self._connection.execute(_LIKE.format(raw=_raw(table), table=sql.Identifier(table)))
            found = await (await self._connection.execute(_COLUMNS, (table,))).fetchall()
            self._shapes[table] = Shape(tuple(name for name, _ in found), tuple(kind for _, kind in found))

    async def drop(self) -> None:
        for table in self._shapes:
            await self._connection.execute(sql.SQL("DROP TABLE {}").format(_raw(table)))
        self._shapes.clear()

    async def new(self, project: str, *tables: str) -> Rows:
        """Return the rows of a project that memsieve has written and these tables lack."""
        return {table: await self._fetch(_NEW, table, (project, project)) for table in tables}

    async def newest(self, project: str, count: int, *tables: str) -> Rows:
        """Return the newest rows of a project."""
        return {table: await self._fetch(_SOME, table, (project, count)) for table in tables}

    async def copy(self, rows: Rows) -> float:
        """Write rows by COPY in one transaction; return the seconds."""
        began = time.perf_counter()
        async with self._connection.transaction():
            for table, some in rows.items():
                await self._copy(table, some)
        return time.perf_counter() - began

    def insert(self, table: str) -> sql.Composed:
        """Return the statement that writes one row."""
        shape = self._shapes[table]
        values = sql.SQL(", ").join(sql.SQL("%s::json" if kind == "json" else "%s") for kind in shape.types)
        return _INSERT.format(raw=_raw(table), columns=shape.names(), values=values)

    async def _copy(self, table: str, rows: Sequence[tuple[Any, ...]]) -> None:
        shape = self._shapes[table]
        async with self._connection.cursor().copy(_COPY.format(raw=_raw(table), columns=shape.names())) as copy:
            copy.set_types(shape.copied())
            for row in rows:
                await copy.write_row(row)

    async def _fetch(self, query: sql.SQL, table: str, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        columns = self._shapes[table].read()
        cursor = self._connection.cursor(binary=True, row_factory=tuple_row)
        statement = query.format(columns=columns, table=sql.Identifier(table), raw=_raw(table))
        return await (await cursor.execute(statement, values)).fetchall()


@contextmanager
def overheard() -> Iterator[list[Statement]]:
    """Note every statement with values that goes to PostgreSQL, and whether the answer is binary."""
    heard: list[Statement] = []
    execute, sent = psycopg.AsyncCursor.execute, PreparedPipeline.sent

    async def executed(self: Any, query: Any, params: Any = None, **options: Any) -> Any:
        if params is not None:
            heard.append((query, params, self.format == psycopg.pq.Format.BINARY))
        return await execute(self, query, params, **options)

    async def flushed(self: Any, connection: Any, settings: str, statement: str, values: Any) -> Any:
        heard.append((statement, values, True))
        return await sent(self, connection, settings, statement, values)

    with (
        patch.object(PreparedPipeline, "sent", flushed),
        patch.object(psycopg.AsyncCursor, "execute", executed),
    ):
        yield heard


@asynccontextmanager
async def in_project(connection: psycopg.AsyncConnection, project: str) -> AsyncIterator[psycopg.AsyncConnection]:
    """Let the function that searches words know the project, and plan as memsieve has it planned."""
    for setting in SETTINGS:
        await connection.execute("SELECT set_config(%s, %s, false)", setting)
    await connection.execute("SELECT set_config('app.project', %s, false)", (project,))
    yield connection


async def send(connection: psycopg.AsyncConnection, statements: Sequence[Statement]) -> None:
    """Send statements in one transaction and fetch what they bring."""
    await connection.execute("BEGIN", prepare=True)
    for query, values, binary in statements:
        cursor = connection.cursor(binary=binary)
        await cursor.execute(query, _as_new(values), prepare=True)
        if cursor.description is not None:
            await cursor.fetchall()
    await connection.execute("COMMIT", prepare=True)


def _as_new(values: Any) -> Any:
    """Give the record of an answer an id of its own."""
    return {**values, "id": str(uuid.uuid4())} if isinstance(values, Mapping) and "sources" in values else values


def _raw(table: str) -> sql.Identifier:
    return sql.Identifier(f"raw_{table}")
