"""What the ledger and the census do on PostgreSQL and Redis beyond what the ports promise."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest

from memsieve.errors import Conflict
from memsieve.model import AuditEvent
from memsieve.stores.audit import AuditDraft
from memsieve.stores.postgres import logs
from memsieve.stores.postgres.database import Database, DbRole
from memsieve.stores.postgres.logs import PostgresAuditLog
from memsieve.stores.postgres.psycopg_internals import send_all
from memsieve.stores.postgres.quarantine import PostgresQuarantine
from memsieve.stores.postgres.statistics import PostgresStatistics
from memsieve.stores.postgres.tombstones import PostgresTombstones
from memsieve.stores.redis.client import open_client
from memsieve.stores.redis.working import RedisWorking
from memsieve.testing.factories import NOW, agent, entry, person, tombstone


@dataclass(frozen=True, kw_only=True)
class Opened:
    database: Database
    quarantine: PostgresQuarantine
    tombstones: PostgresTombstones
    audit: PostgresAuditLog
    statistics: PostgresStatistics


@asynccontextmanager
async def opened(server_engine, clock) -> AsyncIterator[Opened]:
    database = Database(server_engine.database_url)
    redis = open_client(server_engine.redis_url)
    await database.open()
    yield Opened(
        database=database,
        quarantine=PostgresQuarantine(database, "words", clock),
        tombstones=PostgresTombstones(database, "words"),
        audit=PostgresAuditLog(database),
        statistics=PostgresStatistics(database, RedisWorking(redis, "words", clock)),
    )
    await redis.close()
    await database.close()


@pytest.fixture
def stores(server_engine, clock, run):
    context = opened(server_engine, clock)
    yield run(context.__aenter__())
    run(context.__aexit__(None, None, None))


def append_all(run, stores, scope, deeds):
    async def work(connection):
        await send_all(connection, await logs.lines(connection, scope, iter(deeds)), rows=len(deeds))

    run(stores.database.write(DbRole.REVIEWER, scope, work, exclusive=True))


def deeds(*subjects):
    return [
        AuditDraft(action="promoted", subject=one, at=NOW, reason="预算\t\\N", detail={"n": [1.5, None]})
        for one in subjects
    ]


def test_many_lines_go_on_with_the_chain_in_their_order(stores, run):
    append_all(run, stores, person(), deeds("a", "b"))
    run(stores.tombstones.add(person(), tombstone("alpha", "c")))
    append_all(run, stores, person(), deeds("d", "e", "f"))
    append_all(run, stores, person(), [])
    events = run(stores.audit.events(person()))
    assert [(event.sequence, event.subject) for event in events] == [*enumerate("abcdef", 1)]
    heads = [AuditEvent.GENESIS, *(event.digest for event in events)]
    assert [event.previous for event in events] == heads[:-1]
    assert [event.expected_digest() for event in events] == heads[1:]
    assert events[0].detail == {"n": [1.5, None]}


def test_a_line_that_does_not_follow_the_last_is_refused_among_many(stores, run, monkeypatch):
    append_all(run, stores, person(), deeds("a"))

    async def nothing_before(_connection, _scope):
        return None

    monkeypatch.setattr(logs, "_last", nothing_before)
    with pytest.raises(Conflict):
        append_all(run, stores, person(), deeds("b", "c"))
    assert [event.subject for event in run(stores.audit.events(person()))] == ["a"]


def test_a_project_is_counted_while_redis_is_down_but_for_its_working_memory(stores, server_engine, run):
    run(stores.quarantine.add(agent(), entry("one")))
    assert run(stores.statistics.stats(agent())).working == 0
    server_engine.redis.stop()
    stats = run(stores.statistics.stats(agent()))
    assert (stats.recorded, stats.pending, stats.working) == (1, 1, None)
