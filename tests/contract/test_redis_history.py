"""Redis and SQLite side by side: whatever happens, they hold the same working memory."""

import uuid
from datetime import timedelta

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from memsieve.ports import WORKING_CAP
from memsieve.stores.redis.working import RedisWorking
from memsieve.stores.sqlite.database import Database
from memsieve.stores.sqlite.quarantine import SqliteQuarantine
from memsieve.stores.sqlite.working import SqliteWorking
from memsieve.testing.factories import admission, agent, entry, system

STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), st.sampled_from([24.0, 24.0, 24.0, 23.5, 12.0, 0.25, 0.0])),
        st.tuples(st.just("again"), st.integers(0, 60)),
        st.tuples(st.just("forget"), st.integers(0, 60)),
        st.tuples(st.just("later"), st.sampled_from([0.001, 1.0, 600.0, 3600.0, 43_200.0, 86_400.0])),
        st.tuples(st.just("many"), st.integers(1, WORKING_CAP + 5)),
    ),
    max_size=25,
)


class Pair:
    """One project on both engines."""

    def __init__(self, redis, database, clock):
        self.project = f"p{uuid.uuid4().hex}"
        self.quarantine = SqliteQuarantine(database, "words", clock)
        self.stores = (redis, SqliteWorking(database, "words", clock))
        self.clock = clock
        self.said = []

    async def do(self, step, number):
        match step:
            case "put":
                await self.say(number)
            case "many":
                for _ in range(number):
                    await self.say(24.0)
            case "again" if number < len(self.said):
                await self.keep(self.said[number], 24.0)
            case "forget" if number < len(self.said):
                for store in self.stores:
                    await store.forget(system(self.project), [self.said[number].id])
            case "later":
                self.clock.advance(seconds=number)

    async def say(self, hours):
        one = entry(f"text {len(self.said)}", project_id=self.project)
        self.said.append(one)
        await self.quarantine.add(agent(self.project), one)
        await self.quarantine.decide(system(self.project), one.id, admission(), one.embedding)
        await self.keep(one, hours)

    async def keep(self, one, hours):
        for store in self.stores:
            await store.put(system(self.project), one, admission(), timedelta(hours=hours))

    async def listed(self):
        return [[(one.id, one.expires_at) for one in await store.list(agent(self.project))] for store in self.stores]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
@example(steps=[("many", 2), ("forget", 0), ("later", 43_200.0), ("put", 12.0)])
def test_redis_holds_what_sqlite_would_hold_after_any_history(redis_server, connect, run, clock, tmp_path, steps):
    redis = RedisWorking(connect(redis_server.url), "words", clock)

    async def live():
        database = Database(tmp_path / "memory")
        await database.open()
        try:
            pair = Pair(redis, database, clock)
            for step in steps:
                await pair.do(*step)
                on_redis, on_sqlite = await pair.listed()
                assert on_redis == on_sqlite
                assert await redis.count(agent(pair.project)) == len(on_redis)
        finally:
            await database.close()

    run(live())
