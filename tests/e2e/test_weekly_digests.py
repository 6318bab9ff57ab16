"""A memory makes its weekly digests, by itself or when it is told to: once, and with nothing left out."""

import asyncio
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

from memsieve.config import Settings
from memsieve.errors import EmbedderError
from memsieve.jobs import schedule
from memsieve.jobs.weekly import RunOutcome
from memsieve.ports import RUN_LEASE
from memsieve.services.container import open_services
from memsieve.testing import WordEmbedder

MADE, THERE, BUSY, FAILED, NOTHING = RunOutcome
DAY, WEEK = timedelta(days=1), timedelta(days=7)
SOON = timedelta(milliseconds=10)
DUE = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
LEDGER = "The ledger is kept in PostgreSQL, because it needs real transactions."
NIGHT = "The staging cluster is rebuilt from the newest backup every Sunday night."


class Obstinate(WordEmbedder):
    """Fails at texts with a certain word in them, or hangs."""

    fails_at = "\0"
    hangs = False

    def __init__(self):
        self.hanging = asyncio.Event()

    async def embed(self, texts):
        if any(self.fails_at in text for text in texts):
            raise EmbedderError("The model is not there. Start it.")
        if self.hangs:
            self.hanging.set()
            await asyncio.Event().wait()
        return await super().embed(texts)


@pytest.fixture(autouse=True)
def embedder(monkeypatch):
    embedder = Obstinate()
    monkeypatch.setattr("memsieve.services.embedder.choose_embedder", lambda _settings, _stack: embedder)
    return embedder


@pytest.fixture
def say(memory, clock):
    """Let three sessions say something at a certain time, so that it is worth a digest."""

    def say_(project, at, text=LEDGER):
        before, clock.now = clock.now, at
        for number in range(3):
            memory.project(project).record(text, session_id=f"{at:%d-%H}-{number}", confidence=0.9)
        clock.now = before

    return say_


def outcomes(runs):
    return {one.project_id: one.outcome for one in runs}


def count(data, table):
    with closing(sqlite3.connect(data / "memsieve.db")) as connection:
        return connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]


async def until(true):
    while not true():  # noqa: ASYNC110 - what makes it so is another task of memsieve's own
        await asyncio.sleep(0.01)


def test_what_was_said_in_the_week_is_in_its_digest(memory, say, clock):
    say("apollo", DUE - DAY)
    told = []
    [made] = memory.make_due_digests(lambda *progress: told.append(progress))
    assert (made.project_id, made.due, made.outcome, made.error) == ("apollo", DUE, MADE, None)
    assert [insight.summary for insight in made.digest.insights] == [LEDGER]
    assert told[-1] == (100, 100)
    assert told == sorted(told)
    assert memory.project("apollo").review(by="ada@example.org").last_digest().insights == made.digest.insights
    assert outcomes(memory.make_due_digests()) == {"apollo": THERE}


def test_two_memories_on_one_file_make_one_digest(memory, open_memory, say, data):
    say("apollo", DUE - DAY)
    with ThreadPoolExecutor(4) as threads:
        made = [*threads.map(lambda one: one.make_due_digests(), [memory, open_memory(), memory, open_memory()])]
    assert [one.outcome for runs in made for one in runs].count(MADE) == 1
    assert count(data, "digests") == 1


def test_after_three_weeks_off_one_digest_holds_what_was_said_before(memory, say, clock, data):
    say("apollo", DUE - DAY)
    memory.make_due_digests()
    say("apollo", DUE + DAY, NIGHT)
    clock.now = DUE + 3 * WEEK + DAY
    [made] = memory.make_due_digests()
    assert made.outcome is MADE
    assert NIGHT in [insight.summary for insight in made.digest.insights]
    assert outcomes(memory.make_due_digests()) == {"apollo": THERE}
    assert count(data, "digests") == 2


def test_a_project_that_fails_leaves_the_others_their_digest_and_is_made_later(memory, say, embedder, data, caplog):
    say("apollo", DUE - DAY)
    say("gemini", DUE - DAY, NIGHT)
    embedder.fails_at = "PostgreSQL"
    runs = memory.make_due_digests()
    assert outcomes(runs) == {"apollo": FAILED, "gemini": MADE}
    assert runs[0].error == "The model is not there. Start it."
    assert "memsieve digest --project apollo" in caplog.text
    assert count(data, "digests") == 1
    embedder.fails_at = "\0"
    assert outcomes(memory.make_due_digests()) == {"apollo": MADE, "gemini": THERE}


def test_a_new_project_gets_its_first_digest_on_the_next_day_of_digests(memory, say, clock):
    say("apollo", clock())
    assert outcomes(memory.make_due_digests()) == {"apollo": NOTHING}
    clock.now = DUE + WEEK
    assert outcomes(memory.make_due_digests()) == {"apollo": MADE}


def test_a_project_of_memories_alone_has_nothing_to_digest(memory):
    memory.project("apollo").review(by="ada").promote_text(LEDGER)
    assert outcomes(memory.make_due_digests()) == {"apollo": NOTHING}


def test_the_hour_is_that_of_the_time_zone_in_the_settings(memory, open_memory, say, clock):
    say("apollo", DUE - DAY)
    there = open_memory(settings=Settings(digest_day="monday", digest_hour=8, time_zone="America/New_York"))
    [made] = there.make_due_digests()
    assert (made.outcome, made.due) == (NOTHING, DUE - WEEK + timedelta(hours=5))
    clock.now = DUE + timedelta(hours=5)
    assert outcomes(there.make_due_digests()) == {"apollo": MADE}


def test_with_never_a_digest_is_made_when_asked_for_and_once_a_day(memory, open_memory, say, clock):
    say("apollo", clock())
    never = open_memory(settings=Settings(digest_day="never"))
    assert outcomes(never.make_due_digests()) == {"apollo": MADE}
    assert outcomes(never.make_due_digests()) == {"apollo": THERE}
    clock.now += DAY
    assert outcomes(never.make_due_digests()) == {"apollo": MADE}


def test_every_open_memory_has_it_going_and_together_they_make_one(say, data, clock, monkeypatch):
    say("apollo", DUE - DAY)
    monkeypatch.setattr(schedule, "digesting", partial(schedule.digesting, after=SOON, every=SOON))

    async def scenario():
        async with (
            open_services(Settings(data=data), clock) as first,
            open_services(Settings(data=data), clock) as second,
        ):
            await asyncio.wait_for(until(lambda: count(data, "digests")), timeout=30)
            return [outcomes(await one.weekly.make_due()) for one in (first, second)]

    assert asyncio.run(scenario())[0].keys() == {"apollo"}
    assert count(data, "digests") == 1


def test_with_never_no_memory_makes_any_by_itself(data, clock, monkeypatch):
    begun = []
    monkeypatch.setattr(schedule, "_digest_for_ever", lambda *_: begun.append(1) or asyncio.sleep(0))

    async def opened(day):
        async with open_services(Settings(data=data, digest_day=day), clock):
            return len(begun)

    assert [asyncio.run(opened(day)) for day in ("never", "monday")] == [0, 1]


def test_a_memory_closes_in_the_midst_of_a_digest_and_nothing_is_left_of_it(say, data, clock, embedder, monkeypatch):
    say("apollo", DUE - DAY)
    monkeypatch.setattr(schedule, "digesting", partial(schedule.digesting, after=SOON, every=SOON))

    async def interrupted():
        embedder.hangs = True
        async with open_services(Settings(data=data), clock):
            await asyncio.wait_for(embedder.hanging.wait(), timeout=30)
        embedder.hangs = False

    asyncio.run(interrupted())
    assert [count(data, table) for table in ("digests", "insights", "insight_sources")] == [0, 0, 0]

    async def next_one():
        async with open_services(Settings(data=data), clock, jobs=False) as opened:
            return outcomes(await opened.weekly.make_due())

    assert asyncio.run(next_one()) == {"apollo": MADE}


def test_who_was_killed_in_the_midst_of_a_digest_is_followed_after_the_lease(memory, say, data, clock):
    say("apollo", DUE - DAY)
    with closing(sqlite3.connect(data / "memsieve.db")) as connection, connection:
        taken = ("apollo", f"{DUE:%Y-%m-%dT%H:%M:%S.%fZ}", f"{clock():%Y-%m-%dT%H:%M:%S.%fZ}")
        connection.execute("INSERT INTO digest_runs (project_id, due, taken_at) VALUES (?, ?, ?)", taken)
    assert outcomes(memory.make_due_digests()) == {"apollo": BUSY}
    clock.now += RUN_LEASE
    assert outcomes(memory.make_due_digests()) == {"apollo": MADE}
