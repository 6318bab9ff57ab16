"""What `ports.WorkingStore` promises."""

from datetime import timedelta

import pytest

from memsieve.errors import Conflict, Forbidden
from memsieve.model import Decision, Layer
from memsieve.ports import KEY_SHARE, SESSION_SHARE, WORKING_CAP, WORKING_LIFE
from memsieve.testing.factories import admission, agent, entry, person, system


def put(run, stores, clock, text, project="apollo", life=WORKING_LIFE, **fields):
    said = entry(text, created_at=clock(), project_id=project, **fields)
    run(stores.quarantine.add(agent(project), said))
    run(stores.quarantine.decide(system(project), said.id, admission(at=clock()), said.embedding))
    run(stores.working.put(system(project), said, admission(at=clock()), life))
    return said


def listed(run, stores, project="apollo"):
    return [one.content for one in run(stores.working.list(agent(project)))]


def test_an_entry_comes_back_with_its_vector_and_expiry(stores, run, clock):
    said = put(run, stores, clock, "one two", agent_id="cfo", node_id="n", confidence=0.9, metadata={"run": 1})
    [kept] = run(stores.working.list(agent()))
    assert kept.layer is Layer.WORKING
    assert kept.expires_at == clock() + WORKING_LIFE
    assert float(kept.embedding @ said.embedding) == pytest.approx(1, abs=1e-3)
    same = ("id", "project_id", "session_id", "content", "created_at", "agent_id", "node_id", "confidence", "metadata")
    assert [getattr(kept, name) for name in same] == [getattr(said, name) for name in same]


def test_the_newest_comes_first(stores, run, clock):
    for text in ("one", "two", "three"):
        put(run, stores, clock, text)
    assert listed(run, stores) == ["three", "two", "one"]


def test_an_entry_is_there_until_the_last_moment_and_not_after(stores, run, clock):
    put(run, stores, clock, "one")
    clock.advance(hours=24, seconds=-0.000001)
    assert listed(run, stores) == ["one"]
    clock.advance(seconds=0.000001)
    assert listed(run, stores) == []


def test_a_later_entry_prolongs_no_earlier_one(stores, run, clock):
    put(run, stores, clock, "one")
    clock.advance(hours=23)
    put(run, stores, clock, "two")
    clock.advance(hours=1)
    assert listed(run, stores) == ["two"]


def test_putting_twice_is_once_and_prolongs_nothing(stores, run, clock):
    said = put(run, stores, clock, "one")
    clock.advance(hours=12)
    run(stores.working.put(system(), said, admission(at=clock())))
    assert listed(run, stores) == ["one"]
    clock.advance(hours=12)
    assert listed(run, stores) == []


def test_the_store_counts_a_life_from_its_own_time(stores, run, clock):
    said = entry("one", created_at=clock())
    decided = admission(at=clock())
    run(stores.quarantine.add(agent(), said))
    run(stores.quarantine.decide(system(), said.id, decided, said.embedding))
    clock.advance(hours=2)
    run(stores.working.put(system(), said, decided))
    [kept] = run(stores.working.list(agent()))
    assert kept.expires_at == clock() + WORKING_LIFE


def test_an_entry_with_less_life_left_stands_where_it_stood_and_ends_when_it_would_have_ended(stores, run, clock):
    put(run, stores, clock, "new")
    put(run, stores, clock, "old", life=timedelta(hours=1))
    put(run, stores, clock, "older", life=timedelta(minutes=1))
    put(run, stores, clock, "newest")
    assert listed(run, stores) == ["newest", "new", "old", "older"]
    assert run(stores.working.list(agent()))[2].expires_at == clock() + timedelta(hours=1)
    clock.advance(hours=1)
    assert listed(run, stores) == ["newest", "new"]


def test_an_entry_admitted_earlier_pushes_out_no_newer_one(stores, run, clock):
    for number in range(WORKING_CAP):
        put(run, stores, clock, f"text {number}")
    put(run, stores, clock, "old", life=timedelta(hours=1))
    assert listed(run, stores) == [f"text {number}" for number in range(WORKING_CAP - 1, -1, -1)]


def test_an_entry_without_life_left_is_not_there(stores, run, clock):
    put(run, stores, clock, "over", life=timedelta())
    put(run, stores, clock, "long over", life=timedelta(hours=-30))
    assert listed(run, stores) == []


def test_nothing_is_kept_for_longer_than_a_whole_life(stores, run, clock):
    put(run, stores, clock, "one", life=timedelta(days=3))
    [kept] = run(stores.working.list(agent()))
    assert kept.expires_at == clock() + WORKING_LIFE


def test_an_entry_of_another_project_does_not_get_in(stores, run, clock):
    said = put(run, stores, clock, "one")
    with pytest.raises(Conflict, match="belongs to project 'apollo'"):
        run(stores.working.put(system("gemini"), said, admission()))
    assert listed(run, stores, "gemini") == []


def test_only_the_newest_fifty_stay(stores, run, clock):
    for number in range(WORKING_CAP + 5):
        put(run, stores, clock, f"text {number}")
    assert listed(run, stores) == [f"text {number}" for number in range(WORKING_CAP + 4, 4, -1)]


def test_a_session_that_floods_pushes_out_none_but_its_own(stores, run, clock):
    kept = [put(run, stores, clock, f"kept {number}", session_id=f"s{number % 4}").content for number in range(40)]
    for number in range(60):
        put(run, stores, clock, f"flood {number}", session_id="loud")
    assert listed(run, stores) == [f"flood {number}" for number in range(59, 49, -1)] + kept[::-1]


def test_a_full_memory_makes_room_for_a_newcomer_from_the_session_that_holds_most(stores, run, clock):
    for number in range(WORKING_CAP):
        put(run, stores, clock, f"text {number}", session_id="large" if number < 30 else f"small {number}")
    for number in range(3 * SESSION_SHARE):
        put(run, stores, clock, f"new {number}", session_id="new")
    there = listed(run, stores)
    assert len(there) == WORKING_CAP
    assert there[:SESSION_SHARE] == [f"new {number}" for number in range(29, 19, -1)]
    assert [text for text in there if text.startswith("text")] == [f"text {number}" for number in range(49, 9, -1)]


def test_a_key_with_many_sessions_pushes_out_none_but_its_own_beyond_its_share(stores, run, clock):
    for number in range(WORKING_CAP):
        put(run, stores, clock, f"kept {number}", session_id=f"s{number % 10}", recorded_by="team")
    for number in range(100):
        put(run, stores, clock, f"flood {number}", session_id=f"of its own {number}", recorded_by="loud")
    there = listed(run, stores)
    assert there[:KEY_SHARE] == [f"flood {number}" for number in range(99, 74, -1)]
    assert there[KEY_SHARE:] == [f"kept {number}" for number in range(49, 24, -1)]


def test_a_session_that_another_key_names_too_is_not_the_same(stores, run, clock):
    for number in range(WORKING_CAP):
        put(run, stores, clock, f"kept {number}", session_id="s", recorded_by="team")
    for number in range(3 * SESSION_SHARE):
        put(run, stores, clock, f"other {number}", session_id="s", recorded_by="other")
    assert [text for text in listed(run, stores) if text.startswith("kept")] == [
        f"kept {number}" for number in range(49, 9, -1)
    ]


def test_the_cap_is_each_projects_own(stores, run, clock):
    put(run, stores, clock, "kept", project="gemini")
    for number in range(WORKING_CAP + 1):
        put(run, stores, clock, f"text {number}")
    assert listed(run, stores, "gemini") == ["kept"]


def test_another_project_sees_and_forgets_nothing(stores, run, clock):
    said = put(run, stores, clock, "one")
    assert listed(run, stores, "gemini") == []
    assert run(stores.working.forget(system("gemini"), [said.id])) == 0
    assert listed(run, stores) == ["one"]


def test_forgetting_counts_what_was_there(stores, run, clock):
    one, two = (put(run, stores, clock, text) for text in ("one", "two"))
    assert run(stores.working.forget(system(), [one.id, "nobody"])) == 1
    assert run(stores.working.forget(system(), [one.id])) == 0
    assert run(stores.working.forget(system(), [])) == 0
    assert [kept.id for kept in run(stores.working.list(agent()))] == [two.id]


@pytest.mark.parametrize("scope", [agent(), person()])
def test_only_the_filter_puts(stores, run, clock, scope):
    said = entry("one")
    run(stores.quarantine.add(agent(), said))
    run(stores.quarantine.decide(system(), said.id, admission(), None))
    with pytest.raises(Forbidden):
        run(stores.working.put(scope, said, admission()))


@pytest.mark.parametrize("decision", [Decision.PENDING, Decision.REFUSED])
def test_what_was_not_admitted_does_not_get_in(stores, run, clock, decision):
    said = entry("one")
    run(stores.quarantine.add(agent(), said))
    run(stores.quarantine.decide(system(), said.id, admission(decision), None))
    with pytest.raises(Conflict, match="only what the filter admits"):
        run(stores.working.put(system(), said, admission(decision)))
    assert listed(run, stores) == []


def test_an_entry_admitted_by_a_clock_that_ran_ahead_is_not_shown_for_longer_than_its_life(stores, run, clock):
    clock.advance(hours=100)
    put(run, stores, clock, "from the future")
    clock.advance(hours=-100)
    put(run, stores, clock, "of today")
    assert listed(run, stores) == ["of today"]
    assert all(
        one.expires_at - clock() <= WORKING_LIFE + timedelta(minutes=5) for one in run(stores.working.list(agent()))
    )


def test_another_process_sees_the_same(stores, other_process, run, clock):
    put(run, stores, clock, "one")
    assert listed(run, other_process) == ["one"]


def test_another_process_sees_every_change_at_once(stores, other_process, run, clock):
    one, two = (put(run, stores, clock, text) for text in ("one", "two"))
    assert listed(run, other_process) == ["two", "one"]
    run(stores.working.forget(system(), [one.id]))
    assert listed(run, other_process) == ["two"]
    put(run, other_process, clock, "three")
    assert listed(run, stores) == ["three", "two"]
    run(other_process.quarantine.delete(person(), two.id, "private"))
    run(other_process.working.forget(system(), [two.id]))
    assert listed(run, stores) == listed(run, other_process) == ["three"]
    clock.advance(hours=24)
    assert listed(run, stores) == listed(run, other_process) == []
