"""Every engine's stores behind one fixture: a contract test runs on each of them."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from memsieve.config import Settings
from memsieve.services.stores import Stores, open_stores
from memsieve.stores.redis.client import RedisClient, open_client
from memsieve.testing import Clock


@dataclass(frozen=True)
class Named:
    """An embedder as stores know it."""

    name: str


ENGINES = ["sqlite", "postgres-18+redis", "postgres-16+redis-cluster"]


@pytest.fixture(params=ENGINES)
def engine(request, data):
    """Open the stores of an engine, as often as a test wants, with a clock and an embedder's name."""
    settings = Settings(data=data)
    if request.param != "sqlite":
        server = request.getfixturevalue("start_engine")(request.param)
        settings = Settings(data=data, database_url=server.database_url, redis_url=server.redis_url)

    @asynccontextmanager
    async def open_(_data: Path, clock: Clock, embedder: str = "words") -> AsyncIterator[Stores]:
        async with AsyncExitStack() as stack:
            yield await open_stores(settings, Named(embedder), clock, stack)

    return open_


@pytest.fixture
def stores(engine, data, clock, run) -> Iterator[Stores]:
    opened = engine(data, clock)
    yield run(opened.__aenter__())
    run(opened.__aexit__(None, None, None))


@pytest.fixture
def other_process(engine, data, clock, run, stores) -> Iterator[Stores]:
    """Open the same data a second time, as another process would."""
    opened = engine(data, clock)
    yield run(opened.__aenter__())
    run(opened.__aexit__(None, None, None))


@pytest.fixture
def changed(engine, data, clock, run, stores) -> Iterator[Stores]:
    """Open the same data with another embedder."""
    opened = engine(data, clock, "others")
    yield run(opened.__aenter__())
    run(opened.__aexit__(None, None, None))


@pytest.fixture
def changed_too(engine, data, clock, run, stores) -> Iterator[Stores]:
    """Open the same data with another embedder a second time, as another process would."""
    opened = engine(data, clock, "others")
    yield run(opened.__aenter__())
    run(opened.__aexit__(None, None, None))


@pytest.fixture(params=["redis_server", "redis_cluster"])
def redis(request):
    """A Redis and a Redis Cluster, empty."""
    return request.getfixturevalue(request.param)


@pytest.fixture
def connect(run) -> Iterator[Callable[[str], RedisClient]]:
    """Open clients of Redis by a URL, and close them in the end."""
    clients: list[RedisClient] = []

    def open_(url: str) -> RedisClient:
        clients.append(open_client(url))
        return clients[-1]

    yield open_
    for client in clients:
        run(client.close())
