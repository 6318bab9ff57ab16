"""One PostgreSQL database: its pool, its transactions, and the least role for each."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import ClassVar, Generic, Protocol, TypeVar
from weakref import WeakSet

from pgvector.psycopg import register_vector_async
from psycopg import AsyncConnection, OperationalError, sql
from psycopg import Error as PsycopgError
from psycopg.abc import Params
from psycopg.pq import TransactionStatus
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from memsieve.model import Scope
from memsieve.stores.postgres.connection import answer_seconds, conninfo, translated
from memsieve.stores.postgres.migrate import require_current
from memsieve.stores.postgres.psycopg_internals import Columns, LifoPool, LocalSettings, PreparedPipeline

POOL_SIZE = 10
# How long callers after the first wait for a server that is down.
IMPATIENT_SECONDS = 0.2
# The statement and lock time-outs: agents get an error soon, while a digest or an import of a whole file has its time.
AGENT_SECONDS = 15
PATIENT_SECONDS = 900
LOCK_SECONDS = 30

# Local to the transaction: with it the role is laid down again, and nothing of one project stays for the next.
_BEGIN = "BEGIN;"
_BEGIN_READING = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY;"
_ONLY_READING = (("transaction_read_only", "on"),)
_SETTINGS = sql.SQL("SELECT {}")
_SETTING = sql.SQL("set_config({name}, {value}, true)")
# One lock per project, in whatever process: the audit log is one chain.
_LOCK_PROJECT = sql.SQL("; SELECT pg_advisory_xact_lock(hashtextextended('memsieve project ' || {project}, 0))")
# It is written to the write-ahead log and to no table.
_MESSAGE = "SELECT pg_logical_emit_message(true, 'memsieve', 'ready?')"
_ENTER = "SELECT set_config('app.project', %s, true)"
# What holds for agents, and for others where they do not say otherwise.
_AT_FIRST = f"""
SET synchronous_commit = on; SET statement_timeout = '{AGENT_SECONDS}s'; SET lock_timeout = '{AGENT_SECONDS}s';
SET app.across = ''
"""

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
Connection = AsyncConnection[DictRow]
Work = Callable[[Connection], Awaitable[T]]


class DbRole(StrEnum):
    """The database roles that transactions take on."""

    AGENT = "memsieve_agent"
    FILTER = "memsieve_filter"
    REVIEWER = "memsieve_reviewer"
    KEEPER = "memsieve_keeper"


class Database:
    """Runs work in transactions, each as the least role that it needs and for one project."""

    def __init__(self, url: str) -> None:
        self._answer_seconds = answer_seconds(url)
        self._pool: AsyncConnectionPool[Connection] = LifoPool(
            conninfo(url),
            connection_class=AsyncConnection[DictRow],
            kwargs={"row_factory": dict_row, "autocommit": True},
            min_size=1,
            max_size=POOL_SIZE,
            timeout=self._answer_seconds,
            open=False,
        )
        # What the pool notes of a server that is down is for those who keep a log; others get our own error.
        logging.getLogger("psycopg.pool").addHandler(logging.NullHandler())
        self._ready: WeakSet[Connection] = WeakSet()
        self._answering = True
        self._pipeline = PreparedPipeline()
        self._ending: set[asyncio.Task[None]] = set()

    async def open(self) -> None:
        """Begin to connect. A server that is down now is found when it comes."""
        await self._pool.open()

    async def close(self) -> None:
        """Let go of all connections."""
        await asyncio.gather(*self._ending, return_exceptions=True)
        await self._pool.close()

    async def read(self, role: DbRole, scope: Scope, work: Work[T]) -> T:
        """Run work that only reads one project, as it is at one moment."""
        reading = _Reading(f"{_BEGIN_READING}{_settings(role, scope.project_id)}", work)
        return await self._run(reading, repeatable=True)

    async def fetch(self, role: DbRole, scope: Scope, statement: str, values: Params) -> list[DictRow]:
        """Read one project by one statement, prepared and in one round trip."""
        under = _sent(role, scope.project_id, more=_ONLY_READING)
        return await self._run(_Statement(self._pipeline.rows, under, statement, values), repeatable=True)

    async def fetch_columns(
        self, role: DbRole, scope: Scope, statement: str, values: Params, settings: Sequence[tuple[str, str]]
    ) -> Columns:
        """Read many rows as `ask` does, by their columns."""
        under = _sent(role, scope.project_id, more=(*_ONLY_READING, *settings))
        return await self._run(_Statement(self._pipeline.columns, under, statement, values), repeatable=True)

    async def write(
        self,
        role: DbRole,
        scope: Scope,
        work: Work[T],
        *,
        durable: bool = True,
        exclusive: bool = False,
        repeatable: bool = False,
    ) -> T:
        """Run work in one transaction, on disk before this returns.

        Without `durable` a crash of the database server may take the last moments of it. `exclusive` takes the
        project's lock. What is `repeatable` has the same effect when it is done twice: it is done again if nobody can
        tell whether it was done, because the server went down at the very end.
        """
        settings = _settings(role, scope.project_id, durable=durable, exclusive=exclusive)
        return await self._run(_Transaction(f"{_BEGIN}{settings}", work), repeatable=repeatable)

    async def execute(
        self,
        role: DbRole,
        scope: Scope,
        statement: str,
        values: Params,
        *,
        durable: bool = True,
        repeatable: bool = False,
    ) -> int:
        """Run one statement in a transaction of its own, as `write` does; return how many rows it wrote.

        It takes one round trip in place of three.
        """
        under = _sent(role, scope.project_id, durable=durable)
        operation = _Statement(self._pipeline.written, under, statement, values)
        return await self._run(operation, repeatable=repeatable)

    async def cross_project(self, work: Work[T]) -> T:
        """Run work of the jobs, which read all projects; to write they `enter` one after the other."""
        begin = f"{_BEGIN}{_settings(DbRole.FILTER, '', across=True)}"
        return await self._run(_Transaction(begin, work), repeatable=False)

    async def probe(self) -> None:
        """Write a little into the server's log, so that one which takes no writes is noticed."""
        begin = f"{_BEGIN}{_settings(DbRole.AGENT, '')}"
        await self._run(_Transaction(begin, _write_a_message), repeatable=True)

    async def _run(self, operation: _Operation[T], *, repeatable: bool) -> T:
        give_up = time.monotonic() + (self._answer_seconds if self._answering else IMPATIENT_SECONDS)
        with translated():
            while True:
                connection = await self._borrowed(give_up)
                try:
                    if connection not in self._ready:
                        await self._prepare(connection)
                    return await operation.do(connection)
                except OperationalError:
                    # A server that was restarted is asked again, unless the operation may have been done already.
                    again = connection.closed and (repeatable or not operation.ending) and time.monotonic() < give_up
                    if not again:
                        raise
                finally:
                    await self._give_back(connection, operation)

    async def _borrowed(self, give_up: float) -> Connection:
        """Lend a connection; while the server is down, not everybody waits for it as long as the first."""
        try:
            connection = await self._pool.getconn(max(IMPATIENT_SECONDS, give_up - time.monotonic()))
        except PoolTimeout:
            self._answering = False
            raise
        self._answering = True
        return connection

    async def _give_back(self, connection: Connection, operation: _Operation[object]) -> None:
        """Put a connection back at once, so that it is there for what the same task does next."""
        if connection.pgconn.transaction_status == TransactionStatus.IDLE:
            await self._pool.putconn(connection)
        else:
            ending = asyncio.create_task(self._end(connection, operation))
            self._ending.add(ending)
            ending.add_done_callback(self._ending.discard)

    async def _end(self, connection: Connection, operation: _Operation[object]) -> None:
        """End a transaction that was left open, in the background: no caller waits for it."""
        try:
            # With a rollback a connection forgets the statements it has prepared.
            await (connection.commit() if operation.only_reads else connection.rollback())
        except PsycopgError:
            # It is lost, and the pool sees that.
            pass
        finally:
            await self._pool.putconn(connection)

    async def _prepare(self, connection: Connection) -> None:
        await require_current(connection)
        await register_vector_async(connection)
        await connection.execute(_AT_FIRST)
        self._ready.add(connection)


async def _write_a_message(connection: Connection) -> None:
    await connection.execute(_MESSAGE)


async def enter(connection: Connection, project_id: str) -> None:
    """Go on in one project, within a transaction that looked across all of them."""
    await connection.execute(_ENTER, (project_id,))


class _Operation(Protocol[T_co]):
    """What is done on a connection; `ending` from when on it may have been done."""

    only_reads: ClassVar[bool]
    ending: bool

    async def do(self, connection: Connection) -> T_co: ...


@dataclass(slots=True)
class _Transaction(Generic[T]):
    """Work between the beginning of a transaction and its end."""

    only_reads: ClassVar[bool] = False
    begin: str
    work: Work[T]
    ending: bool = False

    async def do(self, connection: Connection) -> T:
        self.ending = False
        await connection.execute(self.begin.encode())
        result = await self.work(connection)
        self.ending = True
        await connection.commit()
        return result


@dataclass(slots=True)
class _Reading(Generic[T]):
    """Read-only transaction, ended in the background."""

    only_reads: ClassVar[bool] = True
    begin: str
    work: Work[T]
    ending: bool = False

    async def do(self, connection: Connection) -> T:
        await connection.execute(self.begin.encode())
        return await self.work(connection)


@dataclass(slots=True)
class _Statement(Generic[T]):
    """One statement, sent together with its settings: PostgreSQL makes one transaction of both."""

    only_reads: ClassVar[bool] = False
    send: Callable[[Connection, LocalSettings, str, Params], Awaitable[T]]
    settings: LocalSettings
    statement: str
    values: Params
    ending: bool = False

    async def do(self, connection: Connection) -> T:
        self.ending = True
        return await self.send(connection, self.settings, self.statement, self.values)


@lru_cache(maxsize=4096)
def _sent(role: DbRole, project: str, *, durable: bool = True, more: tuple[tuple[str, str], ...] = ()) -> LocalSettings:
    """Return the settings that are sent together with one statement."""
    return LocalSettings.of(_values(role, project, durable=durable) | dict(more))


@lru_cache(maxsize=4096)
def _settings(
    role: DbRole, project: str, *, across: bool = False, durable: bool = True, exclusive: bool = False
) -> str:
    """Return the settings that a transaction of more than one statement begins with."""
    values = _values(role, project, across=across, durable=durable)
    settings = [_SETTING.format(name=sql.Literal(name), value=sql.Literal(value)) for name, value in values.items()]
    lock = _LOCK_PROJECT.format(project=sql.Literal(project)) if exclusive else sql.SQL("")
    return (_SETTINGS.format(sql.SQL(", ").join(settings)) + lock).as_string()


def _values(role: DbRole, project: str, *, across: bool = False, durable: bool = True) -> dict[str, str]:
    """Return the role and the project, and where it differs from what every connection begins with, more."""
    values = {"role": str(role), "app.project": project}
    if across:
        values["app.across"] = "on"
    if not durable:
        values["synchronous_commit"] = "off"
    if role not in {DbRole.AGENT, DbRole.KEEPER}:
        values |= {"statement_timeout": f"{PATIENT_SECONDS}s", "lock_timeout": f"{LOCK_SECONDS}s"}
    return values
