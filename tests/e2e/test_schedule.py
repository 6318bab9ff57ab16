"""What waits for a judge is tried again by itself, and old news is dropped."""

import asyncio
import math
import sqlite3
from contextlib import closing, suppress
from datetime import timedelta

from memsieve.config import Settings
from memsieve.embedded import EmbeddedProject
from memsieve.jobs import schedule
from memsieve.model import Decision, EntryFilter, Scope
from memsieve.services.container import open_services
from memsieve.services.stores import utc_now
from memsieve.testing import OpenAIServer, Reply

CONTENT = "The ledger is kept in PostgreSQL, because it needs real transactions."
SYSTEM = Scope.system("apollo")
LONG_AGO = "UPDATE happenings SET at = strftime('%Y-%m-%dT%H:%M:%f000Z', 'now', '-1 day') WHERE subject <> ?"


def settings_for(server, data):
    return Settings(data=data, llm_base_url=server.base_url, llm_model="judge", llm_timeout=5)


async def until_admitted(project):
    while not await project.working():  # noqa: ASYNC110 - what admits it is another task of memsieve's own
        await asyncio.sleep(0.02)


def test_an_entry_whose_judge_failed_is_tried_again_while_the_memory_is_open(data, small_embedder):
    async def scenario(server):
        async with open_services(settings_for(server, data)) as opened:
            apollo = EmbeddedProject(opened, "apollo")
            server.script(*[Reply(status=500, headers={"Retry-After": "0"})] * 3)
            receipt = await apollo.record(CONTENT, session_id="s1", wait=True)
            assert receipt.admission.decision is Decision.PENDING
            async with schedule.running(opened.ingress, opened.statistics, *[timedelta(milliseconds=20)] * 2):
                await asyncio.wait_for(until_admitted(apollo), timeout=20)
            return (await apollo.review(by="ada@example.org").log())[0].admission.decision

    with OpenAIServer() as server:
        assert asyncio.run(scenario(server)) is Decision.ADMITTED


def test_an_entry_that_is_being_judged_is_not_judged_a_second_time(data, small_embedder):
    async def scenario(server):
        async with open_services(settings_for(server, data)) as opened:
            await EmbeddedProject(opened, "apollo").record(CONTENT, session_id="s1")
            system = Scope.system("apollo")
            assert await opened.ingress.retry(system, waiting_since=timedelta(minutes=1)) == []
            pending = await opened.quarantine.find(system, EntryFilter(decision=Decision.PENDING))
            return [utc_now() - receipt.admission.decided_at < timedelta(minutes=1) for receipt in pending]

    with OpenAIServer() as server:
        server.script(Reply(delay=math.inf))
        assert asyncio.run(scenario(server)) == [True]


def test_a_job_that_misses_its_cancellation_is_told_again(run):
    async def deaf():
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(3600)
        await asyncio.sleep(3600)

    async def scenario():
        async with schedule._beside(deaf()):
            await asyncio.sleep(0)

    run(asyncio.wait_for(scenario(), 30))


def test_what_happened_longer_than_a_day_ago_is_dropped_by_itself(data, small_embedder):
    async def scenario():
        async with open_services(Settings(data=data), jobs=False) as opened:
            apollo = EmbeddedProject(opened, "apollo")
            for number in range(2):
                await apollo.record(f"{CONTENT} It was said {number} times.", session_id="s1")
            kept = (await opened.events.since(await opened.events.oldest()))[-1]
            with closing(sqlite3.connect(data / "memsieve.db")) as connection, connection:
                connection.execute(LONG_AGO, (kept.subject,))
            async with asyncio.timeout(20), schedule.forgetting(opened.events, *[timedelta(milliseconds=5)] * 2):
                while len(left := await opened.events.of(SYSTEM, None, 10)) > 2:  # noqa: ASYNC110 - as above
                    await asyncio.sleep(0.02)
            return {one.subject for one in left} == {kept.subject}

    assert asyncio.run(scenario())
