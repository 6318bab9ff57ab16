"""What `ports.Census` promises."""

import dataclasses
from dataclasses import replace
from datetime import timedelta

from memsieve.model import Check, DateRange, Decision, Reason, TombstoneKind
from memsieve.testing.factories import (
    NOW,
    admission,
    agent,
    answer,
    approval,
    chunks,
    digest,
    entry,
    insight,
    item,
    person,
    system,
    tombstone,
)


def record(run, stores, clock, text, decision, shadow=None, project="apollo"):
    said = entry(text, project_id=project)
    run(stores.quarantine.add(agent(project), said))
    run(stores.quarantine.decide(system(project), said.id, replace(admission(decision), shadow=shadow), None))
    if decision is Decision.ADMITTED:
        run(stores.working.put(system(project), said, admission()))


def failing(name):
    return Check(name=name, passed=False, score=None, reason=Reason.text("It failed."))


def test_projects_are_sorted_and_each_is_named_once(stores, run, clock):
    assert run(stores.statistics.projects()) == []
    for project in ("gemini", "apollo", "gemini"):
        record(run, stores, clock, "one", Decision.REFUSED, project=project)
    yes = approval("one", person("mercury"))
    run(stores.longterm.add(person("mercury"), yes, chunks(yes)))
    assert run(stores.statistics.projects()) == ["apollo", "gemini", "mercury"]


def test_a_project_nobody_used_counts_nothing(stores, run):
    stats = run(stores.statistics.stats(agent()))
    counts = dataclasses.asdict(stats)
    assert counts.pop("project_id") == "apollo"
    assert counts.pop("oldest_waiting") is None
    assert set(map(str, counts.values())) == {"0", "{}"}


def test_every_count_is_of_this_project_alone(stores, run, clock):
    record(run, stores, clock, "one", Decision.ADMITTED, Decision.REFUSED)
    record(run, stores, clock, "two", Decision.REFUSED, Decision.ADMITTED)
    record(run, stores, clock, "three", Decision.REFUSED, Decision.REFUSED)
    record(run, stores, clock, "four", Decision.PENDING)
    run(stores.quarantine.add(agent(), entry("five")))
    for text in ("alpha", "beta " * 150):
        yes = approval(text)
        memory = run(stores.longterm.add(person(), yes, chunks(yes)))
    grave = tombstone("beta", memory.chunks[0].id, TombstoneKind.RETIRED)
    run(stores.longterm.retire(person(), memory.id, "wrong", [grave]))
    run(stores.servings.log_answer(agent(), answer([item("x", "alpha")])))
    record(run, stores, clock, "elsewhere", Decision.ADMITTED, project="gemini")

    stats = run(stores.statistics.stats(agent()))
    assert (stats.recorded, stats.admitted, stats.refused, stats.pending) == (5, 1, 2, 2)
    assert stats.refused_by == {"length": 2}
    assert (stats.shadow_admitted, stats.shadow_refused) == (1, 1)
    assert (stats.working, stats.memories, stats.chunks) == (1, 1, 1)
    assert (stats.tombstones, stats.answers) == (1, 1)


def test_expired_entries_are_not_counted_as_working(stores, run, clock):
    record(run, stores, clock, "one", Decision.ADMITTED)
    clock.advance(hours=24)
    assert run(stores.statistics.stats(agent())).working == 0


def test_projects_with_pending_entries_are_waiting(stores, run, clock):
    record(run, stores, clock, "one", Decision.PENDING, project="gemini")
    record(run, stores, clock, "two", Decision.REFUSED, project="apollo")
    run(stores.quarantine.add(agent("mercury"), entry("three")))
    assert run(stores.statistics.waiting()) == ["gemini", "mercury"]


def test_insights_that_wait_are_counted_and_the_oldest_is_dated(stores, run):
    said = [entry(f"one {number}") for number in range(3)]
    for one in said:
        run(stores.quarantine.add(agent(), one))
    made = [insight([one], made_at=NOW + timedelta(days=day)) for one, day in zip(said, (0, 2, 1), strict=True)]
    run(stores.digests.save(system(), digest(*made)))
    run(stores.tombstones.add(person(), tombstone("one", made[0].id)))
    stats = run(stores.statistics.stats(agent()))
    assert (stats.insights_waiting, stats.oldest_waiting) == (2, NOW + timedelta(days=1))
    assert run(stores.statistics.stats(agent("gemini"))).insights_waiting == 0


def said(run, stores, at, decision=None, *checks, project="apollo"):
    one = entry("one", project_id=project, created_at=at)
    run(stores.quarantine.add(agent(project), one))
    if decision is not None:
        decided = admission(decision)
        decided = replace(decided, checks=tuple(map(failing, checks))) if checks else decided
        run(stores.quarantine.decide(system(project), one.id, decided, None))
    return one


def by_day(flow, *names):
    return [tuple(getattr(day, name) for name in names) for day in flow.days]


def test_every_day_of_a_span_is_counted_also_where_nothing_happened(stores, run):
    flow = run(stores.statistics.flow(agent(), DateRange(now=NOW, days=3)))
    assert [str(day.day) for day in flow.days] == ["2026-02-28", "2026-03-01", "2026-03-02"]
    assert {value for day in by_day(flow, "recorded", "admitted", "refused", "pending") for value in day} == {0}
    assert [day.refused_by for day in flow.days] == [{}, {}, {}]
    assert {one.count for one in (*flow.memory_ages, *flow.insight_ages)} == {0}
    assert (flow.project_id, flow.oldest_insight, flow.oldest_pending) == ("apollo", None, None)


def test_entries_count_on_the_day_they_were_said_as_they_are_decided_now(stores, run):
    said(run, stores, NOW - timedelta(days=3), Decision.ADMITTED)
    early = said(run, stores, NOW - timedelta(days=2), Decision.PENDING)
    said(run, stores, NOW - timedelta(days=2), Decision.REFUSED, "length", "echo")
    said(run, stores, NOW - timedelta(days=2, hours=2), Decision.REFUSED, "echo")
    said(run, stores, NOW, Decision.ADMITTED)
    said(run, stores, NOW)
    said(run, stores, NOW, Decision.REFUSED, project="gemini")

    flow = run(stores.statistics.flow(agent(), DateRange(now=NOW, days=3)))
    assert by_day(flow, "recorded", "admitted", "refused", "pending") == [(3, 0, 2, 1), (0, 0, 0, 0), (2, 1, 0, 1)]
    assert [list(day.refused_by.items()) for day in flow.days] == [[("echo", 2), ("length", 1)], [], []]
    assert flow.oldest_pending == early.created_at


def test_a_day_begins_where_clocks_are_ahead_or_behind(stores, run):
    midnight = NOW.replace(hour=0)
    for minutes in (-1, 0, 16 * 60 - 1):
        said(run, stores, midnight + timedelta(minutes=minutes), Decision.ADMITTED)
    late = midnight + timedelta(hours=16)
    said(run, stores, late, Decision.ADMITTED)

    def recorded(now, **hours):
        flow = run(stores.statistics.flow(agent(), DateRange(now=now, days=2, offset=timedelta(**hours))))
        return [(str(day.day)[5:], day.recorded) for day in flow.days]

    assert recorded(late) == [("03-01", 1), ("03-02", 3)]
    # In Beijing it is the third of March from 16:00 on.
    assert recorded(late, hours=8) == [("03-02", 3), ("03-03", 1)]
    assert recorded(midnight, hours=-5) == [("02-28", 0), ("03-01", 2)]
    assert recorded(midnight, hours=5, minutes=30) == [("03-01", 0), ("03-02", 4)]


def test_deeds_count_on_the_day_they_were_done(stores, run, clock):
    for text, day in (("alpha", 2), ("beta", 0), ("gamma", 9)):
        yes = approval(text, at=NOW - timedelta(days=day))
        memory = run(stores.longterm.add(person(), yes, chunks(yes)))
    run(stores.longterm.retire(person(), memory.id, "wrong", [tombstone("gamma", "x", TombstoneKind.RETIRED)]))
    run(stores.tombstones.add(person(), replace(tombstone("delta", "e1"), at=NOW - timedelta(days=1))))
    elsewhere = approval("alpha", person("gemini"))
    run(stores.longterm.add(person("gemini"), elsewhere, chunks(elsewhere)))

    flow = run(stores.statistics.flow(agent(), DateRange(now=clock(), days=3)))
    assert by_day(flow, "promoted", "dismissed", "retired") == [(1, 0, 0), (0, 1, 0), (1, 0, 1)]


def test_memories_that_are_served_and_insights_that_wait_are_counted_by_age(stores, run):
    for number, days in enumerate((0, 0.9, 1, 6.5, 7, 89, 400, 401)):
        yes = approval(f"text {number}", at=NOW - timedelta(days=days))
        memory = run(stores.longterm.add(person(), yes, chunks(yes)))
    run(stores.longterm.retire(person(), memory.id, "wrong", []))
    ones = [entry(f"one {number}") for number in range(4)]
    for one in ones:
        run(stores.quarantine.add(agent(), one))
    ages = (0, 8, 15, 31)
    made = [insight([one], made_at=NOW - timedelta(days=age)) for one, age in zip(ones, ages, strict=True)]
    run(stores.digests.save(system(), digest(*made)))
    run(stores.tombstones.add(person(), tombstone("one", made[3].id)))

    flow = run(stores.statistics.flow(agent(), DateRange(now=NOW)))
    assert [(one.up_to_days, one.count) for one in flow.memory_ages] == [
        (1, 2), (7, 2), (30, 1), (90, 1), (365, 0), (None, 1)
    ]  # fmt: skip
    assert [(one.up_to_days, one.count) for one in flow.insight_ages] == [(1, 1), (7, 0), (14, 1), (30, 1), (None, 0)]
    assert flow.oldest_insight == NOW - timedelta(days=15)


def test_without_projects_all_totals_are_nothing(stores, run):
    counts = dataclasses.asdict(run(stores.statistics.totals()))
    assert (counts.pop("oldest_pending"), counts.pop("oldest_waiting")) == (None, None)
    assert set(counts.values()) == {0}


def test_totals_are_of_all_projects_together(stores, run, clock):
    for project in ("apollo", "gemini"):
        record(run, stores, clock, "one", Decision.ADMITTED, project=project)
        record(run, stores, clock, "two", Decision.REFUSED, project=project)
        record(run, stores, clock, "three", Decision.PENDING, project=project)
    early = replace(entry("four"), created_at=NOW - timedelta(hours=2))
    said = entry("five")
    for one in (early, said):
        run(stores.quarantine.add(agent(), one))
    for text in ("alpha", "beta"):
        yes = approval(text, person("mercury"))
        memory = run(stores.longterm.add(person("mercury"), yes, chunks(yes)))
    grave = tombstone("beta", memory.chunks[0].id, TombstoneKind.RETIRED, person("mercury"))
    run(stores.longterm.retire(person("mercury"), memory.id, "wrong", [grave]))
    yes = approval("four", person(), entry_ids=(early.id, "an entry that was deleted"))
    run(stores.longterm.add(person(), yes, chunks(yes)))
    yes = approval("four again", person(), entry_ids=(early.id,))
    run(stores.longterm.add(person(), yes, chunks(yes)))
    run(stores.digests.save(system(), digest(insight([said], made_at=NOW))))

    totals = run(stores.statistics.totals())
    assert totals.projects == 3
    assert (totals.recorded, totals.admitted, totals.refused, totals.pending) == (8, 2, 2, 4)
    assert totals.oldest_pending == early.created_at
    assert (totals.working, totals.promoted, totals.memories, totals.tombstones) == (2, 1, 3, 1)
    assert totals.retired == 1
    assert (totals.insights_waiting, totals.oldest_waiting) == (1, NOW)


def test_refusals_are_counted_by_check_over_all_projects_and_as_they_are_decided_now(stores, run, clock):
    assert run(stores.statistics.refusals()) == {}
    for project in ("apollo", "gemini"):
        record(run, stores, clock, "one", Decision.REFUSED, project=project)
        record(run, stores, clock, "two", Decision.ADMITTED, project=project)
    late = entry("three")
    run(stores.quarantine.add(agent(), late))
    assert run(stores.statistics.refusals()) == {"length": 2}
    failed = replace(admission(Decision.REFUSED), checks=tuple(map(failing, ("echo", "injection"))))
    run(stores.quarantine.decide(system(), late.id, failed, None))
    again = entry("four")
    run(stores.quarantine.add(agent(), again))
    run(stores.quarantine.decide(system(), again.id, replace(failed, checks=failed.checks[1:]), None))
    assert list(run(stores.statistics.refusals()).items()) == [("injection", 2), ("length", 2), ("echo", 1)]
