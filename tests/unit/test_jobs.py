"""The rules of the queue, on a real PostgreSQL: what is put into it, what is tried again, and who may touch it.

The memory itself lies in SQLite here; what makes a digest is stood in for, so that it can fail.
"""

import asyncio
import sqlite3
from contextlib import AsyncExitStack, closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
import pytest
from procrastinate.schema import SchemaManager

from memsieve.config import Settings
from memsieve.errors import ConfigError, Conflict, EmbedderError, JudgeError, SchemaOutdated, StoreUnavailable
from memsieve.jobs import queue
from memsieve.jobs.queue import FIRST_DELAY, LONGEST_DELAY, RetryLater, retry_delay
from memsieve.jobs.tasks import MAX_ATTEMPTS, JobTasks, WorkerIntervals
from memsieve.jobs.worker import Worker
from memsieve.model import Decision, Digest, EntryFilter
from memsieve.services.container import open_services
from memsieve.testing import WordEmbedder
from memsieve.testing.factories import NOW, agent, entry, system

DAY, WEEK = timedelta(days=1), timedelta(days=7)


class Maker:
    """Says that it made a digest, or fails in projects where it is told to."""

    def __init__(self):
        self.made, self.errors = [], {}

    async def digest(self, scope, *, days=7, progress=None):
        if scope.project_id in self.errors:
            raise self.errors[scope.project_id]
        self.made.append(scope.project_id)
        return Digest(
            project_id=scope.project_id, made_at=NOW, since=NOW - WEEK, entries=1, set_aside={}, insights=(), waiting=0
        )


@pytest.fixture
def maker():
    return Maker()


@pytest.fixture
def bare_url(databases_18):
    with databases_18.copy() as address:
        yield address


@pytest.fixture
def url(bare_url):
    asyncio.run(queue.apply_schema(bare_url))
    return bare_url


@pytest.fixture
def reopen(data, clock, run, maker, small_embedder):
    stack = AsyncExitStack()

    def open_():
        services = run(stack.enter_async_context(open_services(Settings(data=data), clock, jobs=False)))
        return replace(services, weekly=replace(services.weekly, digester=maker))

    yield open_
    run(stack.aclose())


@pytest.fixture
def services(reopen):
    return reopen()


@pytest.fixture
def work(url, services, run):
    """Let a worker do what is due, and return what became of it."""

    def work_(others=None, **options):
        done = []
        run(Worker(url, others or services, report=done.append, **options).run_once())
        return done

    return work_


@pytest.fixture
def record(services, run):
    def record_(project="apollo", at=NOW - DAY):
        said = entry(project_id=project, created_at=at)
        run(services.quarantine.add(agent(project), said))
        return said

    return record_


@pytest.fixture
def sql(url):
    """Ask the queue's tables, as memsieve_owner."""

    def sql_(statement, *values):
        with psycopg.connect(url, options=f"-c role=memsieve_owner -c search_path={queue.SCHEMA}") as connection:
            cursor = connection.execute(statement, values)
            return cursor.fetchall() if cursor.description else []

    return sql_


def told(done, job):
    return {one.project_id: one.outcome for one in done if one.job == job}


@pytest.mark.parametrize("error", [StoreUnavailable("down"), EmbedderError("down"), JudgeError("down")])
def test_what_did_not_answer_is_tried_again_after_longer_and_longer_waits(error):
    waits = [retry_delay(error, attempts) for attempts in range(12)]
    assert waits[:3] == [FIRST_DELAY, FIRST_DELAY * 2, FIRST_DELAY * 4]
    assert waits[-2:] == [LONGEST_DELAY, LONGEST_DELAY]
    assert waits == sorted(waits)


@pytest.mark.parametrize("error", [Conflict("no"), ValueError("a fault")])
def test_what_would_fail_again_is_not_tried_again(error):
    assert retry_delay(error, 0) is None


def test_a_job_that_was_broken_off_is_tried_again_at_once():
    assert retry_delay(asyncio.CancelledError(), 5) == timedelta()
    assert retry_delay(RetryLater("Wait.", DAY), 5) == DAY


def test_the_queue_is_made_once_however_often_it_is_asked_for(bare_url, run):
    assert not run(queue.schema_is_there(bare_url))
    for _ in range(2):
        run(queue.apply_schema(bare_url))
        assert run(queue.schema_is_there(bare_url))


def test_two_who_make_the_queue_at_once_do_it_one_after_the_other(bare_url, run):
    async def both():
        await asyncio.gather(queue.apply_schema(bare_url), queue.apply_schema(bare_url))

    run(both())
    assert run(queue.schema_is_there(bare_url))


def test_a_worker_refuses_to_work_without_its_queue(bare_url, services, run):
    with pytest.raises(SchemaOutdated, match="memsieve migrate"):
        run(Worker(bare_url, services, report=print).run())


def test_steps_of_a_later_procrastinate_are_applied_when_asked_for(url, run, sql, tmp_path, monkeypatch):
    steps = tmp_path / "steps"
    steps.mkdir()
    for step in Path(SchemaManager.get_migrations_path()).glob("*.sql"):
        (steps / step.name).write_bytes(step.read_bytes())
    later = steps / "99.00.00_01_later.sql"
    later.write_text("CREATE TABLE procrastinate_later (id int); SELECT '100 %';")
    with monkeypatch.context() as patch:
        patch.setattr(SchemaManager, "get_migrations_path", staticmethod(lambda: str(steps)))
        assert not run(queue.schema_is_there(url))
        run(queue.apply_schema(url))
        assert run(queue.schema_is_there(url))
    assert sql("SELECT has_table_privilege('memsieve_filter', 'procrastinate_later', 'INSERT')") == [(True,)]
    with pytest.raises(SchemaOutdated, match="later procrastinate: it has 99"):
        run(queue.schema_is_there(url))


@pytest.mark.parametrize("table", ["procrastinate_jobs", "procrastinate_events", "procrastinate_workers", "migrations"])
def test_an_agent_has_no_right_to_the_queue(url, table):
    with (
        psycopg.connect(url, options="-c role=memsieve_agent") as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        connection.execute(f"SELECT * FROM {queue.SCHEMA}.{table}")


def test_an_agent_may_put_nothing_into_the_queue(url):
    with (
        psycopg.connect(url, options="-c role=memsieve_agent") as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        connection.execute(f"SELECT {queue.SCHEMA}.procrastinate_register_worker_v1()")


def test_workers_take_on_the_least_role(url, run):
    async def asked():
        connector = queue.connector(url, 1)
        await connector.open_async()
        try:
            return await connector.execute_query_one_async("SELECT current_user::text AS who")
        finally:
            await connector.close_async()

    assert run(asked()) == {"who": "memsieve_filter"}


def test_what_is_no_address_is_said_to_be_none(run):
    with pytest.raises(ConfigError, match="database_url is no address"):
        run(queue.schema_is_there("nonsense"))


def test_due_digests_are_made_once(work, record, maker, clock):
    record("apollo")
    record("gemini")
    assert told(work(), "digest") == {"apollo": "made", "gemini": "made"}
    assert told(work(), "digest") == {}
    clock.now += WEEK
    assert told(work(), "digest") == {"apollo": "made", "gemini": "made"}
    assert sorted(maker.made) == ["apollo", "apollo", "gemini", "gemini"]


def test_a_digest_that_was_made_without_the_queue_is_not_made_again(work, record, services, run, maker):
    record()
    run(services.weekly.make_due())
    assert told(work(), "digest") == {"apollo": "there"}
    assert maker.made == ["apollo"]


def test_a_digest_that_fails_by_a_fault_is_left_until_the_next_is_due(work, record, maker, clock, caplog):
    record("apollo")
    record("gemini")
    maker.errors["apollo"] = ValueError("a fault")
    assert told(work(), "digest") == {"apollo": "failed", "gemini": "made"}
    assert "ValueError: a fault" in caplog.text
    assert told(work(), "digest") == {}
    maker.errors.clear()
    clock.now += WEEK
    assert told(work(), "digest") == {"apollo": "made", "gemini": "made"}


def test_a_digest_whose_judge_does_not_answer_is_put_off_and_then_made(work, record, maker, sql):
    record()
    maker.errors["apollo"] = JudgeError("No answer.")
    [done] = [one for one in work() if one.job == "digest"]
    assert (done.outcome, done.error, done.retry_in) == ("put off", "No answer.", FIRST_DELAY.total_seconds())
    assert told(work(), "digest") == {}
    maker.errors.clear()
    sql("UPDATE procrastinate_jobs SET scheduled_at = now() WHERE task_name = 'digest'")
    assert told(work(), "digest") == {"apollo": "made"}


def test_a_digest_that_waits_for_its_next_try_holds_up_no_retry(work, record, maker, services, run, clock):
    said = record()
    maker.errors["apollo"] = JudgeError("No answer.")
    clock.now += timedelta(minutes=2)
    assert told(work(), "retry") == {"apollo": "done"}
    assert run(services.quarantine.get(system(), said.id)).admission.decision is not Decision.PENDING


def test_entries_without_a_decision_are_decided_in_every_project(work, record, services, run, clock):
    record("apollo", NOW)
    record("gemini", NOW)
    clock.now += timedelta(minutes=2)
    assert [one.detail for one in work() if one.job == "retry"] == [{"decided": 1}, {"decided": 1}]
    for project in ("apollo", "gemini"):
        [receipt] = run(services.quarantine.find(system(project), EntryFilter()))
        assert receipt.admission.decision is Decision.REFUSED
    assert told(work(), "retry") == {}


class Former(WordEmbedder):
    name = "former words"


@pytest.fixture
def two_embedders(reopen, record, services, work, monkeypatch, run):
    """Return the house of a former embedder, which has seen 70 entries, and that of its successor."""
    monkeypatch.setattr("memsieve.services.embedder.choose_embedder", lambda _settings, _stack: Former())
    former = reopen()
    for _ in range(70):
        record(at=NOW - DAY)
    run(former.ingress.retry(system()))
    return former, services


def test_vectors_of_a_former_embedder_are_made_again_slice_by_slice(two_embedders, work, run):
    former, services = two_embedders
    assert run(services.reembedder.needed())
    slices = [one.detail for one in work(intervals=WorkerIntervals(slice=timedelta())) if one.job == "reembed"]
    assert [one.get("embedded", 0) for one in slices] == [32, 32, 6, 0]
    assert not run(services.reembedder.needed())
    assert run(former.reembedder.needed())


def test_workers_of_a_former_embedder_undo_the_work_only_when_they_are_started_anew(two_embedders, work, run, url):
    former, _ = two_embedders
    work()
    tasks = JobTasks(services=former, connector=queue.connector(url, 2), intervals=WorkerIntervals())

    async def hourly():
        async with tasks.app.open_async():
            return await tasks.reembed_if_needed(taking_over=False)

    assert not run(hourly())
    assert "reembed" in {one.job for one in work(former)}


def test_a_worker_leaves_the_vectors_of_another_embedder_to_the_workers_that_have_it(
    two_embedders, work, run, url, sql
):
    former, services = two_embedders
    tasks = JobTasks(services=services, connector=queue.connector(url, 2), intervals=WorkerIntervals())

    async def begin():
        async with tasks.app.open_async():
            return await tasks.reembed_if_needed(taking_over=True)

    assert run(begin())
    work(former)
    assert sql("SELECT status::text FROM procrastinate_jobs WHERE task_name = 'reembed'") == [("todo",)]


def test_jobs_that_ended_more_than_a_week_ago_are_removed(work, record, sql):
    record()
    work()
    sql("UPDATE procrastinate_events SET at = at - interval '8 days'")
    work()
    assert sql("SELECT count(*) FROM procrastinate_events WHERE at < now() - interval '7 days'") == [(0,)]


def test_a_sweep_does_the_upkeep(work, services):
    kept = []

    async def upkeep():
        kept.append("index")

    work(services, upkeep=[upkeep])
    # Soon after one was due there are two.
    assert kept in (["index"], ["index"] * 2)


def test_a_sweep_drops_what_happened_longer_than_a_day_ago(services, data, record, work):
    for _ in range(2):
        record(at=datetime.now(UTC))
    with closing(sqlite3.connect(data / "memsieve.db")) as connection, connection:
        connection.execute("UPDATE happenings SET at = '2026-03-01T00:00:00.000000Z' WHERE sequence = 1")
    assert {"forgotten": 1} in [one.detail for one in work() if one.job == "sweep"]


def left_doing(sql, attempts=0):
    """Leave the newest job of each kind as a worker that died would; soon after one was due there are two sweeps."""
    newest = [number for (number,) in sql("SELECT max(id) FROM procrastinate_jobs GROUP BY task_name")]
    change = "UPDATE procrastinate_jobs SET status = 'doing', worker_id = NULL, attempts = %s WHERE id = ANY(%s)"
    sql(change, attempts, newest)
    return newest


def test_what_a_dead_worker_was_doing_is_put_back_and_its_looks_are_ended(work, record, sql):
    record()
    work()
    doing = left_doing(sql)
    [look] = [one for one in work() if one.job == "look"]
    assert look.detail["stalled"] == len(doing)
    ended = sql("SELECT task_name, status::text FROM procrastinate_jobs WHERE id = ANY(%s)", doing)
    assert set(ended) == {("look", "aborted"), ("sweep", "aborted"), ("digest", "succeeded"), ("retry", "succeeded")}


def test_a_job_that_is_begun_again_and_again_and_never_ends_is_given_up(work, record, sql, caplog):
    record()
    work()
    left_doing(sql, attempts=MAX_ATTEMPTS)
    work()
    assert sql("SELECT status::text FROM procrastinate_jobs WHERE task_name = 'digest'") == [("failed",)]
    assert "never ended: given up" in caplog.text
