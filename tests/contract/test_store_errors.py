"""What PostgreSQL and Redis refuse, in memsieve's words: what happened, and what to do next."""

import pytest

from memsieve.errors import StoreUnavailable
from memsieve.stores.postgres.database import Database
from memsieve.stores.postgres.quarantine import PostgresQuarantine
from memsieve.stores.redis.working import RedisWorking
from memsieve.testing import Clock, RedisServer
from memsieve.testing.factories import admission, agent, entry, system


def test_a_standby_is_said_to_be_one(databases_18, run):
    with databases_18.copy() as url:
        database = Database(f"{url}{'&' if '?' in url else '?'}options=-c%20default_transaction_read_only%3Don")
        run(database.open())
        with pytest.raises(StoreUnavailable, match=r"standby.*nothing was written.*target_session_attrs=read-write"):
            run(PostgresQuarantine(database, "words", Clock()).add(agent(), entry()))
        run(database.close())


def test_a_full_redis_is_said_to_be_full(connect, run):
    with RedisServer("--maxmemory", "500kb") as server:
        working = RedisWorking(connect(server.url), "words")
        with pytest.raises(StoreUnavailable, match=r"is full\. Nothing was written: raise its maxmemory"):
            run(working.put(system(), entry(), admission()))
