"""The stores of a memory: one SQLite file, or PostgreSQL and Redis."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

from memsieve.config import Settings
from memsieve.errors import ConfigError, Forbidden
from memsieve.ports import (
    AuditLog,
    Clock,
    DigestRuns,
    DigestStore,
    Embedder,
    EventLog,
    KeyStore,
    LongTermStore,
    QuarantineStore,
    ServingLog,
    Statistics,
    TombstoneStore,
    VectorStore,
    WorkingStore,
)
from memsieve.stores.sqlite.database import Database
from memsieve.stores.sqlite.digests import SqliteDigestRuns, SqliteDigests
from memsieve.stores.sqlite.keys import SqliteKeys
from memsieve.stores.sqlite.logs import SqliteAuditLog, SqliteEventLog, SqliteServingLog
from memsieve.stores.sqlite.longterm import SqliteLongTerm
from memsieve.stores.sqlite.quarantine import SqliteQuarantine
from memsieve.stores.sqlite.statistics import SqliteStatistics
from memsieve.stores.sqlite.tombstones import SqliteTombstones
from memsieve.stores.sqlite.vectors import SqliteVectors
from memsieve.stores.sqlite.working import SqliteWorking

_log = logging.getLogger(__name__)


def utc_now() -> datetime:
    """Return the time of this machine, in UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True, kw_only=True)
class Stores:
    """The stores of one engine."""

    quarantine: QuarantineStore
    working: WorkingStore
    longterm: LongTermStore
    tombstones: TombstoneStore
    servings: ServingLog
    audit: AuditLog
    digests: DigestStore
    runs: DigestRuns
    statistics: Statistics
    vectors: VectorStore
    keys: KeyStore
    events: EventLog
    # How many entries wait on the local disk for a store that is down.
    spooled: Callable[[], int]
    # Writes a little, or says why nothing can be written.
    probe: Callable[[], Awaitable[None]]


async def open_stores(settings: Settings, embedder: Embedder, clock: Clock, stack: AsyncExitStack) -> Stores:
    """Open the stores that the settings name; the stack closes them."""
    engine = _server if settings.database_url else _sqlite
    return await engine(settings, embedder, clock, stack)


async def _sqlite(settings: Settings, embedder: Embedder, clock: Clock, stack: AsyncExitStack) -> Stores:
    database = Database(settings.data)
    stack.push_async_callback(database.close)
    await database.open()
    return Stores(
        quarantine=SqliteQuarantine(database, embedder.name, clock),
        working=SqliteWorking(database, embedder.name, clock),
        longterm=SqliteLongTerm(database, embedder.name, clock),
        tombstones=SqliteTombstones(database, embedder.name),
        servings=SqliteServingLog(database, embedder.name),
        audit=SqliteAuditLog(database),
        digests=SqliteDigests(database, embedder.name),
        runs=SqliteDigestRuns(database, clock),
        statistics=SqliteStatistics(database, clock),
        vectors=SqliteVectors(database, embedder.name),
        keys=SqliteKeys(database),
        events=SqliteEventLog(database),
        spooled=_nothing,
        probe=database.probe,
    )


async def _server(settings: Settings, embedder: Embedder, clock: Clock, stack: AsyncExitStack) -> Stores:
    """Open PostgreSQL and Redis, of which either may be down now and come later."""
    with _server_packages():
        from memsieve.stores.postgres.database import Database as Postgres
        from memsieve.stores.postgres.digests import PostgresDigestRuns, PostgresDigests
        from memsieve.stores.postgres.keys import PostgresKeys
        from memsieve.stores.postgres.logs import PostgresAuditLog, PostgresEventLog, PostgresServingLog
        from memsieve.stores.postgres.longterm import PostgresLongTerm
        from memsieve.stores.postgres.quarantine import PostgresQuarantine
        from memsieve.stores.postgres.statistics import PostgresStatistics
        from memsieve.stores.postgres.tombstones import PostgresTombstones
        from memsieve.stores.postgres.vectors import PostgresVectors
        from memsieve.stores.redis.client import open_client
        from memsieve.stores.redis.working import RedisVectors, RedisWorking
        from memsieve.stores.spool.quarantine import SpoolingQuarantine
    assert settings.database_url and settings.redis_url  # noqa: PT018, S101 - the settings have both or neither
    database = Postgres(settings.database_url)
    stack.push_async_callback(database.close)
    await database.open()
    redis = open_client(settings.redis_url)
    stack.push_async_callback(redis.close)
    # Redis goes by its own time, which is the same for all who ask it; another clock is a test's.
    working = RedisWorking(redis, embedder.name, None if clock is utc_now else clock)
    quarantine: QuarantineStore = PostgresQuarantine(database, embedder.name, clock)
    spooled = _nothing
    if settings.spool:
        spool = await stack.enter_async_context(SpoolingQuarantine(quarantine, settings.data / "spool"))
        quarantine, spooled = spool, lambda: spool.waiting
    return Stores(
        quarantine=quarantine,
        working=working,
        longterm=PostgresLongTerm(database, embedder.name, clock),
        tombstones=PostgresTombstones(database, embedder.name),
        servings=PostgresServingLog(database, embedder.name),
        audit=PostgresAuditLog(database),
        digests=PostgresDigests(database, embedder.name),
        runs=PostgresDigestRuns(database, clock),
        statistics=PostgresStatistics(database, working),
        vectors=PostgresVectors(database, embedder.name, RedisVectors(redis, embedder.name)),
        keys=PostgresKeys(database),
        events=PostgresEventLog(database),
        spooled=spooled,
        probe=database.probe,
    )


async def migrate(settings: Settings) -> list[str]:
    """Bring a PostgreSQL database up to date and return what was applied; a SQLite file is when it is opened."""
    if settings.database_url is None:
        return []
    with _server_packages():
        from memsieve.jobs import queue
        from memsieve.stores.postgres import migrate as postgres
    applied = await postgres.migrate(settings.database_url)
    if not await queue.schema_is_there(settings.database_url):
        await queue.apply_schema(settings.database_url)
        applied.append(queue.SCHEMA)
    return [*applied, *(f"index of {embedder}" for embedder in await build_indexes(settings))]


async def outstanding(settings: Settings) -> list[str]:
    """Return what a PostgreSQL database lacks; nothing is changed."""
    if settings.database_url is None:
        return []
    with _server_packages():
        from memsieve.jobs import queue
        from memsieve.stores.postgres import migrate as postgres
    lacking = await postgres.outstanding(settings.database_url)
    return lacking if await queue.schema_is_there(settings.database_url) else [*lacking, queue.SCHEMA]


async def build_indexes(settings: Settings) -> list[str]:
    """Make the vector indexes that large projects on PostgreSQL lack; return the embedders that have them now."""
    if settings.database_url is None:
        return []
    from memsieve.stores.postgres.search import hnsw

    try:
        return await hnsw.build_indexes(settings.database_url)
    except Forbidden:
        _log.warning(
            "The database user may not make indexes. Large projects are searched without, which takes longer: "
            "run `memsieve migrate` as a user who may."
        )
        return []


def _nothing() -> int:
    return 0


@contextmanager
def _server_packages() -> Iterator[None]:
    """Say how to install what a memory on servers needs, where it is not there."""
    try:
        yield
    except ImportError as exc:
        raise ConfigError(
            f"database_url and redis_url need more packages ({exc}). Install them: pip install 'memsieve[server]'"
        ) from exc
