"""A PostgreSQL and a Redis of the benchmark's own, and a memory on them whose embedder and judge take no time."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace

import numpy as np
import psutil
import psycopg
from benchmarks.invented import DIMENSIONS, Text
from pgvector.psycopg import register_vector_async
from psycopg import sql

from memsieve.config import Settings
from memsieve.embedded import EmbeddedProject
from memsieve.model import Reason, Scope, Vector
from memsieve.models.embedders import LocalEmbedder
from memsieve.ports import Verdict
from memsieve.services import stores as engines
from memsieve.services.container import Services, open_services
from memsieve.testing import PostgresServer, RedisServer

# As an administrator would, for a machine of a few gigabytes; what is committed is on disk, as always.
SETTINGS = {"shared_buffers": "1GB", "max_wal_size": "4GB", "maintenance_work_mem": "1GB"}


class ReadyVectors:
    """Knows the vectors of all texts beforehand: how long a model takes is no matter of the engine."""

    name = LocalEmbedder().name
    dimensions = DIMENSIONS

    def __init__(self) -> None:
        self._known: dict[str, Vector] = {}
        self._else = np.full(DIMENSIONS, DIMENSIONS**-0.5, np.float32)

    def learn(self, texts: Sequence[Text]) -> None:
        self._known.update((text.content, text.vector) for text in texts)

    async def embed(self, texts: Sequence[str]) -> list[Vector | None]:
        return [self._known.get(text, self._else) for text in texts]


class Agreeing:
    """Finds nothing wrong, at once."""

    quick = True

    async def consistent(self, content: str) -> Verdict:
        return Verdict(consistent=bool(content), reason=Reason.of("consistency.none"))


@dataclass
class Engine:
    """Both servers, and what they have worked so far."""

    postgres: PostgresServer
    redis: RedisServer
    url: str
    embedder: ReadyVectors = field(default_factory=ReadyVectors)

    @asynccontextmanager
    async def services(self) -> AsyncIterator[Services]:
        """Open a memory on the servers, with ready vectors and a judge that agrees."""
        settings = Settings(database_url=self.url, redis_url=self.redis.url)
        async with open_services(settings, embedder=self.embedder, jobs=False) as real:
            decider = replace(real.ingress.decider, judge=Agreeing())
            yield replace(real, ingress=replace(real.ingress, decider=decider))

    @asynccontextmanager
    async def raw(self, *, durable: bool = True) -> AsyncIterator[psycopg.AsyncConnection]:
        """Open a connection as the superuser, whom no wall holds up."""
        connection = await psycopg.AsyncConnection.connect(self.url, autocommit=True)
        async with connection:
            await register_vector_async(connection)
            await connection.execute(f"SET synchronous_commit = {'on' if durable else 'off'}")
            connection.prepare_threshold = 0
            yield connection

    async def another(self, name: str) -> Engine:
        """Make another database on the same servers."""
        async with await psycopg.AsyncConnection.connect(self.url, autocommit=True) as connection:
            await connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        return replace(self, url=self.postgres.database_url(name))

    def worked(self) -> Worked:
        """Return the processor seconds that each has used up so far."""
        return Worked(
            serving=_seconds(psutil.Process()),
            postgres=_with_children(self.postgres.pid),
            redis=_with_children(self.redis.pid),
        )


@dataclass(frozen=True, slots=True)
class Worked:
    """Processor seconds of this process, of PostgreSQL and of Redis."""

    serving: float
    postgres: float
    redis: float

    def since(self, before: Worked, deeds: int) -> Worked:
        """Return what each deed took."""
        return Worked(
            (self.serving - before.serving) / deeds,
            (self.postgres - before.postgres) / deeds,
            (self.redis - before.redis) / deeds,
        )


@contextmanager
def started() -> Iterator[Engine]:
    """Start both servers, for as long as they are needed."""
    with PostgresServer("18", fsync=True, settings=SETTINGS) as postgres, RedisServer() as redis:
        yield Engine(postgres, redis, postgres.database_url("postgres"))


async def prepare(engine: Engine) -> None:
    """Bring the database up to date."""
    await engines.migrate(Settings(database_url=engine.url, redis_url=engine.redis.url))


def project(services: Services, name: str) -> EmbeddedProject:
    return EmbeddedProject(services, name)


def person(name: str) -> Scope:
    return Scope.person(name, "benchmark")


def agent(name: str) -> Scope:
    return Scope.agent(name)


def _seconds(process: psutil.Process) -> float:
    times = process.cpu_times()
    return times.user + times.system


def _with_children(pid: int) -> float:
    whole = psutil.Process(pid)
    times = whole.cpu_times()
    gone = times.children_user + times.children_system
    return gone + sum(map(_seconds, [whole, *whole.children(recursive=True)]))
