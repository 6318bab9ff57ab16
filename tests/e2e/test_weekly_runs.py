"""Weekly digests come once, however many schedulers there are and whatever the clock and the machine do.

What makes a digest is stood in for here, so that it can fail and hang; the stores are real.
"""

import asyncio
import logging
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from memsieve.config import Settings
from memsieve.errors import JudgeError, StoreUnavailable
from memsieve.jobs import schedule
from memsieve.jobs.weekly import FIRST_WINDOW, DigestRun, RunOutcome, WeeklyDigests
from memsieve.model import Digest
from memsieve.ports import RUN_LEASE
from memsieve.services.stores import open_stores
from memsieve.testing import WordEmbedder
from memsieve.testing.factories import agent, entry, system

MADE, THERE, BUSY, FAILED, NOTHING = RunOutcome
SLACK = timedelta(minutes=1)
DAY, HOUR, WEEK = timedelta(days=1), timedelta(hours=1), timedelta(days=7)
SOON = timedelta(milliseconds=10)
DUE = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)


class Maker:
    """Says that it made a digest, or fails or hangs in projects where it is told to."""

    def __init__(self, clock):
        self.clock = clock
        self.made = []
        self.errors = {}
        self.begun = asyncio.Event()
        self.may_end = asyncio.Event()
        self.may_end.set()

    async def digest(self, scope, *, days=7, progress=None):
        self.begun.set()
        await self.may_end.wait()
        if scope.project_id in self.errors:
            raise self.errors[scope.project_id]
        if progress is not None:
            progress(1, 2)
        since = self.clock() - timedelta(days=days)
        self.made.append((scope.project_id, since))
        return Digest(
            project_id=scope.project_id,
            made_at=self.clock(),
            since=since,
            entries=1,
            set_aside={},
            insights=(),
            waiting=0,
        )


@pytest.fixture
def maker(clock):
    return Maker(clock)


@pytest.fixture
def open_weekly(data, clock, run, maker):
    """Open the schedule on the test's file, each time as another process would."""
    stack = AsyncExitStack()

    def open_(day="monday"):
        stores = run(open_stores(Settings(data=data), WordEmbedder(), clock, stack))
        return WeeklyDigests(
            digester=maker,
            runs=stores.runs,
            statistics=stores.statistics,
            quarantine=stores.quarantine,
            clock=clock,
            day=day,
            hour=8,
            zone="UTC",
        )

    yield open_
    run(stack.aclose())


@pytest.fixture
def weekly(open_weekly):
    return open_weekly()


@pytest.fixture
def record(run, weekly):
    def record_(project, at):
        run(weekly.quarantine.add(agent(project), entry(project_id=project, created_at=at)))

    return record_


def outcomes(runs):
    return {one.project_id: one.outcome for one in runs}


def test_a_digest_is_made_once_its_hour_has_come_and_then_it_is_there(weekly, record, run, clock, maker):
    record("apollo", DUE - DAY)
    made = run(weekly.make_due())
    assert made == [DigestRun(project_id="apollo", due=DUE, outcome=MADE, digest=made[0].digest)]
    assert made[0].digest.project_id == "apollo"
    assert run(weekly.make_due()) == [DigestRun(project_id="apollo", due=DUE, outcome=THERE)]
    clock.now = DUE + WEEK - HOUR
    assert outcomes(run(weekly.make_due())) == {"apollo": THERE}
    clock.now = DUE + WEEK
    assert outcomes(run(weekly.make_due())) == {"apollo": MADE}
    assert len(maker.made) == 2


def test_without_projects_there_is_nothing_to_do(weekly, run):
    assert run(weekly.make_due()) == []


def test_of_two_schedulers_at_once_one_makes_it(weekly, open_weekly, record, run, maker):
    for project in ("apollo", "gemini"):
        record(project, DUE - DAY)
    other = open_weekly()

    async def both():
        return await asyncio.gather(*(one.make_due() for one in (weekly, other, weekly, other)))

    found = [one.outcome for runs in run(both()) for one in runs]
    assert found.count(MADE) == 2
    assert set(found) <= {MADE, BUSY, THERE}
    assert sorted(project for project, _ in maker.made) == ["apollo", "gemini"]


def test_while_one_makes_it_the_other_says_so_and_leaves_it(weekly, open_weekly, record, run, maker):
    record("apollo", DUE - DAY)
    other = open_weekly()

    async def scenario():
        maker.may_end.clear()
        first = asyncio.create_task(weekly.make_due())
        await maker.begun.wait()
        second = await other.make_due()
        maker.may_end.set()
        return await first, second, await other.make_due()

    first, second, third = run(scenario())
    assert [outcomes(runs) for runs in (first, second, third)] == [{"apollo": one} for one in (MADE, BUSY, THERE)]


def test_three_missed_weeks_are_made_up_by_one_digest_of_everything_since_the_last(weekly, record, run, clock, maker):
    record("apollo", DUE - DAY)
    run(weekly.make_due())
    clock.now = DUE + 3 * WEEK + DAY
    assert outcomes(run(weekly.make_due())) == {"apollo": MADE}
    assert outcomes(run(weekly.make_due())) == {"apollo": THERE}
    assert maker.made[1] == ("apollo", pytest.approx(DUE - SLACK, abs=timedelta(seconds=1)))
    clock.now = DUE + 4 * WEEK
    assert outcomes(run(weekly.make_due())) == {"apollo": MADE}


def test_a_digest_that_is_made_late_leaves_no_gap_to_the_one_before(weekly, record, run, clock, maker):
    record("apollo", DUE - DAY)
    clock.now = DUE
    run(weekly.make_due())
    clock.now = DUE + WEEK + 5 * HOUR
    run(weekly.make_due())
    assert maker.made[1][1] <= DUE + timedelta(seconds=1)


def test_a_digest_looks_at_a_week_at_least(weekly, record, run, clock, maker):
    record("apollo", clock() - 2 * HOUR)
    run(weekly.make_due())
    assert maker.made == [("apollo", clock() - WEEK)]


def test_the_first_digest_begins_with_the_project_but_does_not_go_through_years(weekly, record, run, clock, maker):
    record("apollo", clock() - 20 * DAY)
    record("gemini", clock() - 700 * DAY)
    run(weekly.make_due())
    oldest = {"apollo": clock() - 20 * DAY - SLACK, "gemini": clock() - FIRST_WINDOW - SLACK}
    assert dict(maker.made) == pytest.approx(oldest, abs=timedelta(seconds=1))


def test_a_project_first_heard_of_after_the_hour_waits_for_the_next(weekly, record, run, clock, maker):
    record("apollo", DUE + HOUR)
    assert outcomes(run(weekly.make_due())) == {"apollo": NOTHING}
    clock.now = DUE + WEEK
    assert outcomes(run(weekly.make_due())) == {"apollo": MADE}


def test_first_entries_of_a_wrong_clock_do_not_end_the_digests(weekly, record, run, clock, maker):
    for at in (DUE + 300 * DAY, DUE - DAY, DUE - 3 * DAY):
        record("apollo", at)
    record("gemini", DUE + 300 * DAY)
    clock.now = DUE + 7 * DAY - HOUR
    assert outcomes(run(weekly.make_due())) == {"apollo": MADE, "gemini": NOTHING}
    assert dict(maker.made) == pytest.approx({"apollo": DUE - 3 * DAY - SLACK}, abs=timedelta(seconds=1))


def test_where_all_entries_that_are_looked_at_are_of_a_wrong_clock_the_digest_is_made(
    weekly, record, run, clock, maker, monkeypatch
):
    monkeypatch.setattr("memsieve.jobs.weekly._FIRST_ENTRIES", 2)
    record("apollo", DUE + 300 * DAY)
    assert outcomes(run(weekly.make_due())) == {"apollo": NOTHING}
    record("apollo", DUE + 301 * DAY)
    assert outcomes(run(weekly.make_due())) == {"apollo": MADE}
    assert dict(maker.made) == pytest.approx({"apollo": clock() - FIRST_WINDOW - SLACK}, abs=timedelta(seconds=1))


def test_a_failure_does_not_stop_the_others_and_is_tried_again(weekly, open_weekly, record, run, maker, caplog):
    for project in ("apollo", "gemini", "mercury", "soyuz"):
        record(project, DUE - DAY)
    maker.errors = {"apollo": JudgeError("The model is away. Start it."), "mercury": ZeroDivisionError("by zero")}
    runs = run(weekly.make_due())
    assert outcomes(runs) == {"apollo": FAILED, "gemini": MADE, "mercury": FAILED, "soyuz": MADE}
    assert [one.error for one in runs] == ["The model is away. Start it.", None, "ZeroDivisionError: by zero.", None]
    warnings = [one for one in caplog.records if one.levelno == logging.WARNING]
    assert ["memsieve digest --project" in one.getMessage() for one in warnings] == [True, True]
    assert [bool(one.exc_info) for one in warnings] == [False, True]
    maker.errors = {}
    again = outcomes(run(open_weekly().make_due()))
    assert again == {"apollo": MADE, "gemini": THERE, "mercury": MADE, "soyuz": THERE}


def test_who_fails_after_the_lease_does_not_give_back_what_another_has_taken(
    weekly, open_weekly, record, run, clock, maker
):
    record("apollo", DUE - DAY)
    other = open_weekly()

    async def scenario():
        maker.may_end.clear()
        first = asyncio.create_task(weekly.make_due())
        await maker.begun.wait()
        clock.now += RUN_LEASE
        assert await other.runs.take(system(), DUE)
        maker.errors = {"apollo": JudgeError("The model is away.")}
        maker.may_end.set()
        assert outcomes(await first) == {"apollo": FAILED}
        return await weekly.runs.take(system(), DUE)

    assert run(scenario()) is False


def test_a_store_that_fails_leaves_the_digest_to_the_lease(weekly, record, run, clock, maker, monkeypatch):
    record("apollo", DUE - DAY)

    async def not_done(scope, due):
        raise StoreUnavailable("The disk is full.")

    async def not_released(scope, due):
        raise StoreUnavailable("The disk is still full.")

    monkeypatch.setattr(weekly.runs, "done", not_done)
    monkeypatch.setattr(weekly.runs, "release", not_released)
    assert [one.error for one in run(weekly.make_due())] == ["The disk is full."]
    monkeypatch.undo()
    assert outcomes(run(weekly.make_due())) == {"apollo": BUSY}
    clock.now += RUN_LEASE
    assert outcomes(run(weekly.make_due())) == {"apollo": MADE}


def test_a_clock_that_goes_back_makes_none_a_second_time(weekly, record, run, clock, maker):
    record("apollo", DUE - 30 * DAY)
    run(weekly.make_due())
    clock.now -= 4 * HOUR
    assert outcomes(run(weekly.make_due())) == {"apollo": THERE}
    assert len(maker.made) == 1


def test_a_clock_that_was_years_ahead_for_a_moment_does_not_end_the_digests(weekly, record, run, clock, maker):
    record("apollo", DUE - DAY)
    clock.now += 200 * WEEK
    run(weekly.make_due())
    clock.now -= 200 * WEEK
    assert [outcomes(run(weekly.make_due())) for _ in range(2)] == [{"apollo": MADE}, {"apollo": THERE}]


def test_another_day_in_the_settings_makes_no_second_digest_of_this_week(weekly, record, run, clock, maker):
    record("apollo", DUE - DAY)
    run(weekly.make_due())
    moved = replace(weekly, day="friday")
    assert outcomes(run(moved.make_due())) == {"apollo": THERE}
    clock.now = DUE + 4 * DAY
    assert outcomes(run(moved.make_due())) == {"apollo": MADE}


def test_with_never_each_call_makes_what_was_not_made_today(open_weekly, record, run, clock, maker):
    never = open_weekly("never")
    record("apollo", clock() - timedelta(minutes=1))
    assert outcomes(run(never.make_due())) == {"apollo": MADE}
    clock.now += HOUR
    assert outcomes(run(never.make_due())) == {"apollo": THERE}
    # A cron is not exact: it may come a little earlier on the next day.
    clock.now += 22 * HOUR
    assert outcomes(run(never.make_due())) == {"apollo": MADE}


def test_progress_goes_on_over_all_projects_and_ends_at_the_end(weekly, record, run, maker):
    record("apollo", DUE - DAY)
    record("gemini", DUE + HOUR)
    record("mercury", DUE - DAY)
    told = []
    run(weekly.make_due(lambda *progress: told.append(progress)))
    assert told == [(50, 300), (100, 300), (200, 300), (250, 300), (300, 300)]


async def until(true):
    while not true():  # noqa: ASYNC110 - what makes it so is another task of memsieve's own
        await asyncio.sleep(0.01)


def test_it_goes_by_itself_week_after_week(weekly, record, run, clock, maker):
    record("apollo", DUE - DAY)

    async def scenario():
        async with schedule.digesting(weekly, SOON, SOON, SOON):
            for count in (1, 2, 3):
                await asyncio.wait_for(until(lambda count=count: len(maker.made) == count), timeout=20)
                clock.now += WEEK

    run(scenario())


def test_once_all_are_there_the_projects_are_left_alone_until_the_next_is_due(weekly, record, run, clock, maker):
    record("apollo", DUE - DAY)
    looks = []
    statistics, due = weekly.statistics.projects, type(weekly).due

    async def counted():
        looks.append(clock())
        return await statistics()

    async def scenario(patch):
        patch.setattr(weekly.statistics, "projects", counted)
        asked = []
        patch.setattr(WeeklyDigests, "due", lambda self: asked.append(1) or due(self))
        async with schedule.digesting(weekly, SOON, SOON, SOON):
            await asyncio.wait_for(until(lambda: maker.made and len(asked) > 10), timeout=20)

    with pytest.MonkeyPatch.context() as patch:
        run(scenario(patch))
    assert len(looks) == 1


def test_what_failed_and_what_another_died_over_is_tried_again_by_itself(weekly, record, run, clock, maker):
    for project in ("apollo", "gemini"):
        record(project, DUE - DAY)
    maker.errors = {"apollo": JudgeError("The model is away.")}

    async def scenario():
        assert await weekly.runs.take(system("gemini"), DUE)
        async with schedule.digesting(weekly, SOON, SOON, SOON):
            await asyncio.wait_for(maker.begun.wait(), timeout=20)
            maker.errors = {}
            await asyncio.wait_for(until(lambda: maker.made), timeout=20)
            clock.now += RUN_LEASE
            await asyncio.wait_for(until(lambda: len(maker.made) == 2), timeout=20)

    run(scenario())
    assert [project for project, _ in maker.made] == ["apollo", "gemini"]


@pytest.mark.parametrize(
    ("error", "traced"), [(StoreUnavailable("The file is busy. Try again."), False), (ValueError("a fault"), True)]
)
def test_whatever_fails_is_told_and_tried_again(weekly, record, run, maker, monkeypatch, caplog, error, traced):
    record("apollo", DUE - DAY)
    projects = weekly.statistics.projects

    async def fail_once():
        monkeypatch.setattr(weekly.statistics, "projects", projects)
        raise error

    async def scenario():
        monkeypatch.setattr(weekly.statistics, "projects", fail_once)
        async with schedule.digesting(weekly, SOON, SOON, SOON):
            await asyncio.wait_for(until(lambda: maker.made), timeout=20)

    run(scenario())
    [told] = caplog.records
    assert str(error) in told.getMessage()
    assert bool(told.exc_info) is traced


def test_closing_in_the_midst_gives_the_digest_back_for_the_next(weekly, open_weekly, record, run, maker):
    record("apollo", DUE - DAY)

    async def interrupted():
        maker.may_end.clear()
        async with schedule.digesting(weekly, SOON, SOON, SOON):
            await asyncio.wait_for(maker.begun.wait(), timeout=20)
        assert maker.made == []
        maker.may_end.set()

    run(interrupted())
    assert outcomes(run(open_weekly().make_due())) == {"apollo": MADE}


def test_with_never_nothing_goes_by_itself(open_weekly, record, run, maker, clock):
    record("apollo", DUE - DAY)

    async def tasks_beside(weekly):
        before = len(asyncio.all_tasks())
        async with schedule.digesting(weekly, SOON, SOON, SOON):
            return len(asyncio.all_tasks()) - before

    assert run(tasks_beside(open_weekly("never"))) == 0
    assert run(tasks_beside(open_weekly("monday"))) == 1
