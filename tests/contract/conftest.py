"""Every engine's stores behind one fixture: a contract test runs on each of them."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from memsieve.ports import (
    Census,
    DigestRuns,
    DigestStore,
    Ledger,
    LongTermStore,
    QuarantineStore,
    VectorStore,
    WorkingStore,
)
from memsieve.stores.sqlite.census import SqliteCensus
from memsieve.stores.sqlite.database import Database
from memsieve.stores.sqlite.digests import SqliteDigests
from memsieve.stores.sqlite.ledger import SqliteLedger
from memsieve.stores.sqlite.longterm import SqliteLongTerm
from memsieve.stores.sqlite.quarantine import SqliteQuarantine
from memsieve.stores.sqlite.runs import SqliteDigestRuns
from memsieve.stores.sqlite.vectors import SqliteVectors
from memsieve.stores.sqlite.working import SqliteWorking


@dataclass(frozen=True, kw_only=True)
class Stores:
    quarantine: QuarantineStore
    working: WorkingStore
    longterm: LongTermStore
    ledger: Ledger
    digests: DigestStore
    runs: DigestRuns
    census: Census
    vectors: VectorStore


@asynccontextmanager
async def sqlite(folder: Path, clock, embedder: str = "words") -> AsyncIterator[Stores]:
    database = Database(folder)
    await database.open()
    yield Stores(
        quarantine=SqliteQuarantine(database, embedder, clock),
        working=SqliteWorking(database, embedder, clock),
        longterm=SqliteLongTerm(database, embedder, clock),
        ledger=SqliteLedger(database, embedder),
        digests=SqliteDigests(database, embedder),
        runs=SqliteDigestRuns(database, clock),
        census=SqliteCensus(database, clock),
        vectors=SqliteVectors(database, embedder),
    )
    await database.close()


ENGINES = {"sqlite": sqlite}


@pytest.fixture(params=sorted(ENGINES))
def engine(request):
    return ENGINES[request.param]


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
