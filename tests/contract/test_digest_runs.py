"""What `ports.DigestRuns` promises."""

import asyncio
from datetime import timedelta

import pytest

from memsieve.errors import Forbidden
from memsieve.ports import CLOCK_SKEW, RUN_AHEAD, RUN_LEASE
from memsieve.testing.factories import NOW, agent, person, system

WEEK = timedelta(days=7)
MINUTE = timedelta(minutes=1)


def take(run, stores, due=NOW, project="apollo"):
    return run(stores.runs.take(system(project), due))


def done(run, stores, due=NOW, project="apollo"):
    run(stores.runs.done(system(project), due))


def newest(run, stores, project="apollo"):
    return run(stores.runs.newest(system(project)))


def test_a_digest_is_taken_once(stores, other_process, run):
    assert take(run, stores)
    assert not take(run, stores)
    assert not take(run, other_process)


def test_of_many_schedulers_at_once_one_takes_it(stores, other_process, run):
    async def all_at_once():
        takers = (stores, other_process) * 5
        return await asyncio.gather(*(taker.runs.take(system(), NOW) for taker in takers))

    assert sum(run(all_at_once())) == 1


def test_a_digest_that_was_made_is_not_taken_again_however_late(stores, run, clock):
    take(run, stores)
    done(run, stores)
    clock.now += 2 * RUN_LEASE
    assert not take(run, stores)


def test_who_takes_one_and_dies_holds_it_for_the_lease_only(stores, other_process, run, clock):
    take(run, stores)
    clock.now += RUN_LEASE - MINUTE
    assert not take(run, other_process)
    clock.now += MINUTE
    assert take(run, other_process)
    assert not take(run, stores)


def test_who_took_one_by_a_clock_far_ahead_does_not_hold_it_for_that_long(stores, run, clock):
    clock.now += WEEK
    take(run, stores)
    clock.now -= WEEK
    assert take(run, stores)


def test_who_took_one_by_a_clock_a_little_ahead_holds_it(stores, run, clock):
    clock.now += CLOCK_SKEW
    take(run, stores)
    clock.now -= CLOCK_SKEW
    assert not take(run, stores)


def test_the_next_digest_can_be_taken(stores, run):
    take(run, stores)
    done(run, stores)
    assert take(run, stores, NOW + WEEK)


def test_one_is_not_taken_while_a_later_one_is_being_made_or_was_made(stores, run, clock):
    take(run, stores, NOW + WEEK)
    assert not take(run, stores)
    done(run, stores, NOW + WEEK)
    clock.now += 2 * RUN_LEASE
    assert not take(run, stores)


def test_the_newest_is_the_last_that_was_made_and_not_one_that_was_taken(stores, other_process, run):
    assert newest(run, stores) is None
    take(run, stores)
    assert newest(run, stores) is None
    done(run, stores)
    take(run, stores, NOW + WEEK)
    assert newest(run, stores) == newest(run, other_process) == NOW


def test_one_that_was_made_by_a_clock_far_ahead_does_not_keep_others_from_theirs(stores, other_process, run, clock):
    clock.now += 52 * WEEK
    done(run, stores, NOW + 52 * WEEK)
    clock.now -= 52 * WEEK
    assert newest(run, stores) is None
    assert take(run, stores)
    assert not take(run, other_process)
    done(run, stores)
    assert newest(run, stores) == NOW
    assert not take(run, stores)


def test_one_that_was_made_by_a_clock_a_little_ahead_counts(stores, run):
    done(run, stores, NOW + RUN_AHEAD)
    assert newest(run, stores) == NOW + RUN_AHEAD
    assert not take(run, stores)
    done(run, stores)
    assert newest(run, stores) == NOW + RUN_AHEAD


def test_one_that_is_given_back_can_be_taken_at_once(stores, other_process, run):
    take(run, stores)
    run(stores.runs.release(system(), NOW))
    assert newest(run, stores) is None
    assert take(run, other_process)
    assert not take(run, stores)


def test_giving_back_what_was_made_or_never_taken_changes_nothing(stores, run):
    run(stores.runs.release(system(), NOW))
    assert take(run, stores)
    done(run, stores)
    run(stores.runs.release(system(), NOW))
    assert newest(run, stores) == NOW
    assert not take(run, stores)


def test_giving_one_back_does_not_touch_a_later_one_or_another_project(stores, run):
    take(run, stores, NOW + WEEK)
    take(run, stores, project="gemini")
    run(stores.runs.release(system(), NOW))
    assert not take(run, stores, NOW + WEEK)
    assert not take(run, stores, project="gemini")


def test_one_that_is_done_late_does_not_hide_a_later_one(stores, run):
    take(run, stores)
    take(run, stores, NOW + WEEK)
    done(run, stores, NOW + WEEK)
    done(run, stores)
    assert newest(run, stores) == NOW + WEEK


def test_one_that_nobody_took_can_be_done(stores, run):
    done(run, stores)
    assert newest(run, stores) == NOW
    assert not take(run, stores)


def test_the_lapse_of_a_later_one_leaves_the_newest_as_it_was(stores, run, clock):
    done(run, stores)
    take(run, stores, NOW + WEEK)
    clock.now += RUN_LEASE
    assert take(run, stores, NOW + WEEK)
    assert newest(run, stores) == NOW


def test_projects_do_not_wait_for_each_other(stores, run):
    assert take(run, stores)
    assert take(run, stores, project="gemini")
    done(run, stores)
    assert newest(run, stores, "gemini") is None


def test_agents_are_refused_and_persons_are_not(stores, run):
    runs = stores.runs
    for refused in (runs.take(agent(), NOW), runs.done(agent(), NOW), runs.release(agent(), NOW), runs.newest(agent())):
        with pytest.raises(Forbidden):
            run(refused)
    assert run(stores.runs.take(person(), NOW))
