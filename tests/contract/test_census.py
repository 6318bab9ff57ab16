"""What `ports.Census` promises."""

import dataclasses
from dataclasses import replace
from datetime import timedelta

from memsieve.model import Check, Decision, TombstoneKind
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
    return Check(name=name, passed=False, score=None, reason="It failed.")


def test_projects_are_sorted_and_each_is_named_once(stores, run, clock):
    assert run(stores.census.projects()) == []
    for project in ("gemini", "apollo", "gemini"):
        record(run, stores, clock, "one", Decision.REFUSED, project=project)
    yes = approval("one", person("mercury"))
    run(stores.longterm.add(person("mercury"), yes, chunks(yes)))
    assert run(stores.census.projects()) == ["apollo", "gemini", "mercury"]


def test_a_project_nobody_used_counts_nothing(stores, run):
    stats = run(stores.census.stats(agent()))
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
    run(stores.ledger.serve(agent(), answer([item("x", "alpha")])))
    record(run, stores, clock, "elsewhere", Decision.ADMITTED, project="gemini")

    stats = run(stores.census.stats(agent()))
    assert (stats.recorded, stats.admitted, stats.refused, stats.pending) == (5, 1, 2, 2)
    assert stats.refused_by == {"length": 2}
    assert (stats.shadow_admitted, stats.shadow_refused) == (1, 1)
    assert (stats.working, stats.memories, stats.chunks) == (1, 1, 1)
    assert (stats.tombstones, stats.answers) == (1, 1)


def test_expired_entries_are_not_counted_as_working(stores, run, clock):
    record(run, stores, clock, "one", Decision.ADMITTED)
    clock.advance(hours=24)
    assert run(stores.census.stats(agent())).working == 0


def test_projects_with_pending_entries_are_waiting(stores, run, clock):
    record(run, stores, clock, "one", Decision.PENDING, project="gemini")
    record(run, stores, clock, "two", Decision.REFUSED, project="apollo")
    run(stores.quarantine.add(agent("mercury"), entry("three")))
    assert run(stores.census.waiting()) == ["gemini", "mercury"]


def test_insights_that_wait_are_counted_and_the_oldest_is_dated(stores, run):
    said = [entry(f"one {number}") for number in range(3)]
    for one in said:
        run(stores.quarantine.add(agent(), one))
    made = [insight([one], made_at=NOW + timedelta(days=day)) for one, day in zip(said, (0, 2, 1), strict=True)]
    run(stores.digests.save(system(), digest(*made)))
    run(stores.ledger.bury(person(), tombstone("one", made[0].id)))
    stats = run(stores.census.stats(agent()))
    assert (stats.insights_waiting, stats.oldest_waiting) == (2, NOW + timedelta(days=1))
    assert run(stores.census.stats(agent("gemini"))).insights_waiting == 0


def test_without_projects_all_totals_are_nothing(stores, run):
    counts = dataclasses.asdict(run(stores.census.totals()))
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

    totals = run(stores.census.totals())
    assert totals.projects == 3
    assert (totals.recorded, totals.admitted, totals.refused, totals.pending) == (8, 2, 2, 4)
    assert totals.oldest_pending == early.created_at
    assert (totals.working, totals.promoted, totals.memories, totals.tombstones) == (2, 1, 3, 1)
    assert totals.retired == 1
    assert (totals.insights_waiting, totals.oldest_waiting) == (1, NOW)


def test_refusals_are_counted_by_check_over_all_projects_and_as_they_are_decided_now(stores, run, clock):
    assert run(stores.census.refusals()) == {}
    for project in ("apollo", "gemini"):
        record(run, stores, clock, "one", Decision.REFUSED, project=project)
        record(run, stores, clock, "two", Decision.ADMITTED, project=project)
    late = entry("three")
    run(stores.quarantine.add(agent(), late))
    assert run(stores.census.refusals()) == {"length": 2}
    failed = replace(admission(Decision.REFUSED), checks=tuple(map(failing, ("echo", "injection"))))
    run(stores.quarantine.decide(system(), late.id, failed, None))
    again = entry("four")
    run(stores.quarantine.add(agent(), again))
    run(stores.quarantine.decide(system(), again.id, replace(failed, checks=failed.checks[1:]), None))
    assert list(run(stores.census.refusals()).items()) == [("injection", 2), ("length", 2), ("echo", 1)]
