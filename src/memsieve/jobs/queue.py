"""The queue of jobs: procrastinate's tables in a PostgreSQL schema of their own, and when a failed job is retried."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
from procrastinate import BaseRetryStrategy, PsycopgConnector, RetryDecision
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import Job
from procrastinate.schema import SchemaManager
from psycopg import errors
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from memsieve.errors import (
    ConfigError,
    EmbedderError,
    Forbidden,
    JudgeError,
    MemsieveError,
    SchemaOutdated,
    StoreUnavailable,
)
from memsieve.runtime.backoff import delay_after

SCHEMA = "memsieve_jobs"
# Time-out for a connection of a server that is down.
ANSWER_SECONDS = 5.0
_CONNECTION = {"application_name": "memsieve worker", "connect_timeout": 5, "tcp_user_timeout": 5000}
_OPTIONS = f"-c role=memsieve_filter -c search_path={SCHEMA} -c timezone=UTC"

# Advisory lock: two migrations at once run one after the other.
_LOCK = "SELECT pg_advisory_lock(hashtextextended('memsieve jobs', 0))"
_KNOWN = "SELECT FROM pg_namespace WHERE nspname = 'memsieve_jobs'"
_MAKE = "CREATE SCHEMA memsieve_jobs AUTHORIZATION memsieve_owner"
_AS_OWNER = "SET LOCAL ROLE memsieve_owner; SET LOCAL search_path = memsieve_jobs"
# A user who migrates need not be a worker, nor the reverse.
_AS_READER = """
SELECT
    set_config(
        'role', CASE WHEN pg_has_role('memsieve_owner', 'MEMBER') THEN 'memsieve_owner' ELSE 'memsieve_filter' END, true
    ),
    set_config('search_path', 'memsieve_jobs', true)
"""
_RECORD = "CREATE TABLE migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())"
_APPLIED = "SELECT name FROM migrations"
_DONE = "INSERT INTO migrations (name) SELECT unnest(%s::text[])"
_GRANT = """
GRANT USAGE ON SCHEMA memsieve_jobs TO memsieve_filter;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA memsieve_jobs TO memsieve_filter;
REVOKE INSERT, UPDATE, DELETE ON migrations FROM memsieve_filter;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA memsieve_jobs TO memsieve_filter;
REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA memsieve_jobs FROM PUBLIC;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA memsieve_jobs TO memsieve_filter;
"""

Connection = psycopg.AsyncConnection[Any]


async def apply_schema(url: str) -> None:
    """Make the queue's tables, or bring them up to what the installed procrastinate needs; twice is once.

    The roles must be there already: the numbered migrations of the stores make them.
    """
    with translated():
        async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
            await connection.execute(_LOCK)
            if await _known(connection):
                await _upgrade(connection)
            else:
                await _install(connection)


async def schema_is_there(url: str) -> bool:
    """Say whether the queue has all tables and functions that the installed procrastinate needs."""
    with translated():
        async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
            return await _known(connection) and not await _missing(connection)


async def require_schema(url: str) -> None:
    """Refuse to work on a queue that is not there, or not of this version."""
    if not await schema_is_there(url):
        raise SchemaOutdated(
            "The database has no queue for jobs, or one of a former version. Nothing was changed. "
            "Stop the workers, make a backup and run: memsieve migrate"
        )


def connector(url: str, most: int) -> PsycopgConnector:
    """Return a connector to the queue with the least role and at most `most` connections."""
    try:
        given = conninfo_to_dict(url)
    except psycopg.ProgrammingError as exc:
        # Without its cause, which quotes the URL with its password.
        raise in_our_words(exc) from None
    options = f"{given.pop('options', '')} {_OPTIONS}".strip()
    parameters: dict[str, Any] = {**_CONNECTION, **given, "options": options}
    conninfo = make_conninfo(**parameters)
    return PsycopgConnector(conninfo=conninfo, min_size=1, max_size=most, timeout=ANSWER_SECONDS)


@contextmanager
def translated() -> Iterator[None]:
    """Raise whatever the driver or procrastinate raises within as one of memsieve's errors."""
    try:
        yield
    except (psycopg.Error, ConnectorException) as exc:
        raise in_our_words(exc) from exc


def in_our_words(exc: psycopg.Error | ConnectorException) -> MemsieveError:
    """Return the error that tells what happened to the queue and what to do next."""
    cause = exc.__cause__ if isinstance(exc, ConnectorException) and exc.__cause__ else exc
    message = (str(cause).strip() or type(cause).__name__).splitlines()[0].rstrip(".")
    match cause:
        case errors.InsufficientPrivilege():
            return Forbidden(
                f"PostgreSQL refused: {message}. Workers need GRANT memsieve_filter, and `memsieve migrate` needs "
                "memsieve_owner and the right to make a schema."
            )
        case errors.UndefinedTable() | errors.UndefinedFunction() | errors.UndefinedObject():
            return SchemaOutdated(f"The queue of jobs is not this version's: {message}. Run: memsieve migrate")
        case psycopg.ProgrammingError() if cause.sqlstate is None:
            return ConfigError(
                "database_url is no address of a PostgreSQL database. Write it like "
                "postgresql://user:password@host:5432/name."
            )
    return StoreUnavailable(
        f"The queue of jobs in PostgreSQL did not answer ({message}). Try again.",
        public="The queue of jobs does not answer now.",
    )


async def _install(connection: Connection) -> None:
    async with connection.transaction():
        await connection.execute(_MAKE)
        await connection.execute(_AS_OWNER)
        await connection.execute(_RECORD)
        await connection.execute(SchemaManager.get_schema())
        await connection.execute(_DONE, ([step.name for step in _steps()],))
        await connection.execute(_GRANT)


async def _upgrade(connection: Connection) -> None:
    for step in await _missing(connection):
        async with connection.transaction():
            await connection.execute(_AS_OWNER)
            await connection.execute(step.read_bytes())
            await connection.execute(_DONE, ([step.name],))
            await connection.execute(_GRANT)


async def _known(connection: Connection) -> bool:
    return (await connection.execute(_KNOWN)).rowcount > 0


async def _missing(connection: Connection) -> Sequence[Path]:
    """Return procrastinate's own steps that this queue has not been through, in order."""
    async with connection.transaction():
        await connection.execute(_AS_READER)
        applied = {row[0] for row in await (await connection.execute(_APPLIED)).fetchall()}
    steps = _steps()
    unknown = applied - {step.name for step in steps}
    if unknown:
        raise SchemaOutdated(
            f"The queue of jobs was made by a later procrastinate: it has {max(unknown)}. Nothing was changed. "
            "Upgrade: pip install --upgrade 'memsieve[server]'"
        )
    return [step for step in steps if step.name not in applied]


def _steps() -> list[Path]:
    return sorted(Path(SchemaManager.get_migrations_path()).glob("*.sql"))


FIRST_DELAY = timedelta(seconds=30)
LONGEST_DELAY = timedelta(hours=1)
# Errors that a retry may mend: something outside did not answer.
TRANSIENT = (StoreUnavailable, EmbedderError, JudgeError)


class RetryLater(Exception):
    """Nothing is wrong, but a job cannot be done before a delay."""

    def __init__(self, message: str, delay: timedelta) -> None:
        super().__init__(message)
        self.delay = delay


def retry_delay(error: BaseException, attempts: int) -> timedelta | None:
    """Return how long to wait after an error, longer each time; None for what would fail again."""
    match error:
        case RetryLater():
            return error.delay
        case asyncio.CancelledError():
            return timedelta()
        case _ if isinstance(error, TRANSIENT):
            return timedelta(seconds=delay_after(attempts, FIRST_DELAY.total_seconds(), LONGEST_DELAY.total_seconds()))
    return None


class JobRetryStrategy(BaseRetryStrategy):
    """Tells procrastinate when to retry a job."""

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        """Return when, or None for never."""
        delay = retry_delay(exception, job.attempts)
        return None if delay is None else RetryDecision(retry_at=datetime.now(UTC) + delay)
