"""What `ports.QuarantineStore` promises."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from memsieve.errors import Conflict, Forbidden, NotFound
from memsieve.model import (
    Admission,
    Check,
    Decision,
    EntryFilter,
    Layer,
    Reason,
    ReviewStatus,
    SourceDoubt,
    TombstoneKind,
)
from memsieve.testing.factories import (
    NOW,
    admission,
    agent,
    approval,
    chunks,
    digest,
    entry,
    insight,
    person,
    source,
    system,
    tombstone,
)


def contents(receipts):
    return [receipt.entry.content for receipt in receipts]


def fill(run, stores, *texts, **fields):
    entries = [entry(text, **fields) for text in texts]
    for one in entries:
        run(stores.quarantine.add(agent(), one))
    return entries


def test_an_entry_comes_back_as_it_was_said(stores, run):
    said = entry(
        "数据库 runs.\n", agent_id="cfo", node_id="n1", confidence=0.9, metadata={"run": 7, "tags": ["a", "✅"]}
    )
    added = run(stores.quarantine.add(agent(), said, "key-1"))
    kept = run(stores.quarantine.get(person(), said.id))
    assert added.entry == kept.entry == said
    assert kept.entry.layer is Layer.QUARANTINE
    assert kept.review is None


def test_an_entry_is_pending_until_the_filter_decides(stores, run):
    [said] = fill(run, stores, "one")
    kept = run(stores.quarantine.get(person(), said.id))
    assert (kept.admission.decision, kept.admission.checks) == (Decision.PENDING, ())
    assert run(stores.quarantine.find(person(), EntryFilter(decision=Decision.PENDING))) == [kept]


def test_an_added_entry_is_there_for_another_process_at_once(stores, other_process, run):
    [said] = fill(run, stores, "one")
    assert run(other_process.quarantine.get(person(), said.id)).entry == said


def test_the_same_id_and_content_is_stored_once(stores, run):
    said = entry("one")
    first = run(stores.quarantine.add(agent(), said))
    assert run(stores.quarantine.add(agent(), said)) == first
    assert len(run(stores.quarantine.find(person(), EntryFilter()))) == 1


def test_the_same_key_and_content_gives_what_is_stored(stores, run):
    first = run(stores.quarantine.add(agent(), entry("one"), "key"))
    run(stores.quarantine.decide(system(), first.entry.id, admission(), None))
    again = run(stores.quarantine.add(agent(), entry("one"), "key"))
    assert again.entry.id == first.entry.id
    assert again.admission.decision is Decision.ADMITTED


def test_only_the_call_that_stores_an_entry_gives_a_new_receipt(stores, run):
    said, other = entry("one"), entry("two")
    calls = [(said, "key"), (replace(said), None), (entry("one"), "key"), (other, None)]
    assert [run(stores.quarantine.add(agent(), *call)).new for call in calls] == [True, False, False, True]
    fresh = entry("three")
    receipts = run(stores.quarantine.add_all(agent(), [fresh, other, replace(fresh)]))
    assert [one.new for one in receipts] == [True, False, False]
    assert not any(one.new for one in run(stores.quarantine.add_all(agent(), [fresh, other])))
    assert not any(one.new for one in run(stores.quarantine.find(person(), EntryFilter())))
    assert not run(stores.quarantine.get(person(), said.id)).new


@pytest.mark.parametrize("same", ["id", "key"])
def test_other_content_under_the_same_id_or_key_is_a_conflict_and_changes_nothing(stores, run, same):
    first = run(stores.quarantine.add(agent(), entry("one"), "key")).entry
    other = entry("two", id=first.id) if same == "id" else entry("two")
    with pytest.raises(Conflict):
        run(stores.quarantine.add(agent(), other, "key" if same == "key" else None))
    assert contents(run(stores.quarantine.find(person(), EntryFilter()))) == ["one"]


def test_the_same_key_recorded_by_many_at_once_is_stored_once(stores, other_process, run):
    async def all_at_once():
        writers = (stores, other_process) * 5
        return await asyncio.gather(*(writer.quarantine.add(agent(), entry("one"), "key") for writer in writers))

    receipts = run(all_at_once())
    [kept] = run(stores.quarantine.find(person(), EntryFilter()))
    assert {one.entry.id for one in receipts} == {kept.entry.id}


def test_ids_and_keys_of_another_project_are_no_conflict(stores, run):
    said = entry("one")
    run(stores.quarantine.add(agent("apollo"), said, "key"))
    run(stores.quarantine.add(agent("gemini"), entry("two", id=said.id, project_id="gemini"), "key"))
    assert contents(run(stores.quarantine.find(person("gemini"), EntryFilter()))) == ["two"]


def test_many_entries_are_stored_in_their_order_and_come_back_as_they_were_said(stores, other_process, run):
    said = [
        entry(f"text {number}\t\\N\n数据库", agent_id="cfo", metadata={"n": [number, None]}) for number in range(30)
    ]
    receipts = run(stores.quarantine.add_all(agent(), said))
    assert [(one.entry, one.admission.decision) for one in receipts] == [(one, Decision.PENDING) for one in said]
    found = run(other_process.quarantine.find(person(), EntryFilter(oldest_first=True)))
    assert [one.entry for one in found] == said
    assert found == receipts


def test_of_many_entries_those_that_are_known_are_stored_once_and_give_what_is_stored(stores, run):
    known, fresh = entry("known"), entry("fresh")
    run(stores.quarantine.add(agent(), known, "key"))
    run(stores.quarantine.decide(system(), known.id, admission(), None))
    receipts = run(stores.quarantine.add_all(agent(), [fresh, known, fresh]))
    assert [(one.entry.content, one.admission.decision) for one in receipts] == [
        ("fresh", Decision.PENDING),
        ("known", Decision.ADMITTED),
        ("fresh", Decision.PENDING),
    ]
    assert run(stores.quarantine.add_all(agent(), [fresh, known, fresh])) == receipts
    assert contents(run(stores.quarantine.find(person(), EntryFilter()))) == ["fresh", "known"]


@pytest.mark.parametrize("where", ["stored before", "among them"])
def test_of_many_entries_none_is_stored_if_one_has_a_known_id_with_other_content(stores, run, where):
    first = entry("one")
    if where == "stored before":
        run(stores.quarantine.add(agent(), first))
    rest = [entry("two"), entry("other", id=first.id), entry("three")]
    with pytest.raises(Conflict):
        run(stores.quarantine.add_all(agent(), rest if where == "stored before" else [first, *rest]))
    kept = contents(run(stores.quarantine.find(person(), EntryFilter())))
    assert kept == (["one"] if where == "stored before" else [])


def test_many_entries_of_one_project_are_nothing_to_another_and_none_are_none(stores, run):
    said = entry("one")
    run(stores.quarantine.add(agent("gemini"), replace(said, project_id="gemini", content="two")))
    assert run(stores.quarantine.add_all(agent(), [])) == []
    run(stores.quarantine.add_all(agent(), [said]))
    assert contents(run(stores.quarantine.find(person(), EntryFilter()))) == ["one"]
    assert contents(run(stores.quarantine.find(person("gemini"), EntryFilter()))) == ["two"]


def test_the_same_entries_stored_by_many_at_once_are_stored_once(stores, other_process, run):
    said = [entry(f"text {number}") for number in range(20)]

    async def all_at_once():
        writers = (stores, other_process) * 3
        return await asyncio.gather(*(writer.quarantine.add_all(agent(), said) for writer in writers))

    receipts = run(all_at_once())
    assert all([one.entry for one in each] == said for each in receipts)
    assert contents(run(stores.quarantine.find(person(), EntryFilter(oldest_first=True)))) == contents(receipts[0])


def test_a_decision_takes_the_place_of_the_earlier_one(stores, run):
    [said] = fill(run, stores, "one")
    check = Check(
        name="duplicate", passed=False, score=0.93, reason=Reason.of("duplicate.known", quote="x", similarity=0.93)
    )
    late = Admission(
        decision=Decision.REFUSED, checks=(check,), decided_at=NOW + timedelta(seconds=3), shadow=Decision.ADMITTED
    )
    run(stores.quarantine.decide(system(), said.id, admission(Decision.PENDING), None))
    run(stores.quarantine.decide(system(), said.id, late, None))
    assert run(stores.quarantine.get(person(), said.id)).admission == late
    assert run(stores.quarantine.find(person(), EntryFilter(decision=Decision.PENDING))) == []


def test_a_decision_brings_the_vector_and_a_later_one_without_vector_keeps_it(stores, run):
    [said] = fill(run, stores, "one two three")
    assert run(stores.quarantine.get(person(), said.id)).entry.embedding is None
    run(stores.quarantine.decide(system(), said.id, admission(), said.embedding))
    run(stores.quarantine.decide(system(), said.id, admission(), None))
    kept = run(stores.quarantine.get(person(), said.id)).entry.embedding
    assert float(kept @ said.embedding) == pytest.approx(1, abs=1e-3)


def test_a_decision_on_a_deleted_entry_says_that_it_is_gone(stores, run):
    with pytest.raises(NotFound):
        run(stores.quarantine.decide(system(), "nobody", admission(), None))


@pytest.mark.parametrize("scope", [agent(), person()])
def test_only_memsieve_itself_decides(stores, run, scope):
    [said] = fill(run, stores, "one")
    with pytest.raises(Forbidden):
        run(stores.quarantine.decide(scope, said.id, admission(), None))


def test_agents_can_read_nothing_of_quarantine(stores, run):
    [said] = fill(run, stores, "one")
    with pytest.raises(Forbidden):
        run(stores.quarantine.get(agent(), said.id))
    with pytest.raises(Forbidden):
        run(stores.quarantine.find(agent(), EntryFilter()))


def test_another_project_sees_nothing(stores, run):
    [said] = fill(run, stores, "one")
    assert run(stores.quarantine.get(person("gemini"), said.id)) is None
    assert run(stores.quarantine.find(person("gemini"), EntryFilter())) == []
    assert run(stores.quarantine.delete(person("gemini"), said.id, "not mine")) is False
    with pytest.raises(NotFound):
        run(stores.quarantine.decide(system("gemini"), said.id, admission(), None))
    assert run(stores.quarantine.get(person(), said.id)).admission.decision is Decision.PENDING


def test_a_missing_id_is_none(stores, run):
    assert run(stores.quarantine.get(person(), "nobody")) is None


def test_entries_are_found_newest_first_unless_asked_otherwise(stores, run):
    fill(run, stores, "one", "two", "three")
    assert contents(run(stores.quarantine.find(person(), EntryFilter()))) == ["three", "two", "one"]
    assert contents(run(stores.quarantine.find(person(), EntryFilter(oldest_first=True)))) == ["one", "two", "three"]


@pytest.mark.parametrize("oldest_first", [True, False])
def test_pages_beyond_an_id_cover_everything_once(stores, run, oldest_first):
    fill(run, stores, *(f"text {number}" for number in range(7)))
    wanted, seen = EntryFilter(limit=3, oldest_first=oldest_first), []
    while page := run(stores.quarantine.find(person(), wanted)):
        assert len(page) <= 3
        seen += contents(page)
        wanted = EntryFilter(limit=3, oldest_first=oldest_first, beyond_id=page[-1].entry.id)
    assert sorted(seen) == [f"text {number}" for number in range(7)]


def test_every_field_of_the_filter_narrows_the_list(stores, run):
    old = entry("Old Ledger", session_id="s0", agent_id="cto", created_at=NOW - timedelta(days=3))
    new = entry("new audit", session_id="s1", agent_id="cfo")
    for one in (old, new):
        run(stores.quarantine.add(agent(), one))
    run(stores.quarantine.decide(system(), old.id, admission(Decision.REFUSED), None))

    def found(**fields):
        return contents(run(stores.quarantine.find(person(), EntryFilter(**fields))))

    assert found(session_id="s1") == ["new audit"]
    assert found(agent_id="cto") == ["Old Ledger"]
    assert found(decision=Decision.REFUSED) == ["Old Ledger"]
    assert found(decision=Decision.PENDING) == ["new audit"]
    assert found(since=NOW) == ["new audit"]
    assert found(until=NOW) == ["Old Ledger"]
    assert found(since=NOW - timedelta(days=3), until=NOW - timedelta(days=3)) == []
    assert found(check="length") == ["Old Ledger"]
    assert found(check="echo") == []
    assert found(text="LEDGER") == ["Old Ledger"]
    assert found(text="100%") == found(text="_") == []
    assert found(session_id="s1", agent_id="cto") == []


def test_entries_are_found_by_a_check_that_they_failed_and_not_by_one_that_they_passed(stores, run):
    said = fill(run, stores, "one", "two", "three")
    length, echo = (
        Check(name=name, passed=True, score=1.0, reason=Reason.text("Fine.")) for name in ("length", "echo")
    )
    failed = [
        (length, replace(echo, passed=False)),
        (replace(length, passed=False), replace(echo, passed=False)),
        (replace(length, reason=Reason.text('It says ["echo",false,1].')), replace(echo, name="echoes", passed=False)),
    ]
    for one, checks in zip(said, failed, strict=True):
        decided = replace(admission(Decision.REFUSED), checks=checks)
        run(stores.quarantine.decide(system(), one.id, decided, None))

    def found(**fields):
        return contents(run(stores.quarantine.find(person(), EntryFilter(**fields))))

    assert found(check="echo") == ["two", "one"]
    assert found(check="length") == ["two"]
    assert found(check="echo", decision=Decision.REFUSED, limit=1, beyond_id=said[1].id) == ["one"]
    assert found(check="e' OR '1") == []


def test_chinese_text_is_found_by_a_part_of_it(stores, run):
    fill(run, stores, "项目最终决定采用微服务架构。", "预算在三月批准。")
    assert contents(run(stores.quarantine.find(person(), EntryFilter(text="微服务")))) == [
        "项目最终决定采用微服务架构。"
    ]


def test_reviews_are_shown_and_found(stores, run):
    promoted, dismissed, both, untouched = fill(run, stores, "one", "two", "three", "four")
    for one in (promoted, both):
        yes = approval(one.content, entry_ids=[one.id])
        run(stores.longterm.add(person(), yes, chunks(yes)))
    for one in (dismissed, both):
        run(stores.tombstones.add(person(), tombstone(one.content, one.id)))

    def found(review):
        return contents(run(stores.quarantine.find(person(), EntryFilter(review=review))))

    assert found(ReviewStatus.PROMOTED) == ["three", "one"]
    assert found(ReviewStatus.DISMISSED) == ["two"]
    assert run(stores.quarantine.get(person(), untouched.id)).review is None


def test_an_approved_entry_says_that_it_is_verified_and_since_when(stores, run):
    approved, rejected, waiting = fill(run, stores, "one", "two", "three")
    yes = approval("one", entry_ids=[approved.id], at=NOW)
    run(stores.longterm.add(person(), yes, chunks(yes)))
    later = approval("one in other words", entry_ids=[approved.id], at=NOW + timedelta(hours=1))
    memory = run(stores.longterm.add(person(), later, chunks(later)))
    run(stores.tombstones.add(person(), tombstone("two", rejected.id)))

    def kept(entry_id):
        one = run(stores.quarantine.get(person(), entry_id)).entry
        return one.verified, one.promoted_at, one.layer

    assert kept(approved.id) == (True, NOW, Layer.LONGTERM)
    for entry_id in (rejected.id, waiting.id):
        assert kept(entry_id) == (False, None, Layer.QUARANTINE)
    found = run(stores.quarantine.find(person(), EntryFilter(oldest_first=True)))
    assert [one.entry.promoted_at for one in found] == [NOW, None, None]
    run(stores.longterm.retire(person(), memory.id, "wrong", [tombstone("one", memory.chunks[0].id)]))
    assert kept(approved.id) == (True, NOW, Layer.LONGTERM)


def test_an_entry_whose_memory_was_retired_says_so(stores, run):
    [said] = fill(run, stores, "one")
    yes = approval("one", entry_ids=[said.id])
    memory = run(stores.longterm.add(person(), yes, chunks(yes)))
    grave = tombstone("one", memory.chunks[0].id, TombstoneKind.RETIRED)
    run(stores.longterm.retire(person(), memory.id, "wrong", [grave]))
    retired = run(stores.quarantine.get(person(), said.id))
    assert (retired.review, retired.entry.verified, retired.entry.promoted_at) == (ReviewStatus.RETIRED, False, None)
    assert contents(run(stores.quarantine.find(person(), EntryFilter(review=ReviewStatus.RETIRED)))) == ["one"]


def test_deleting_removes_the_entry_and_writes_who_and_why(stores, run):
    [said] = fill(run, stores, "one")
    assert run(stores.quarantine.delete(person(), said.id, "private"))
    assert run(stores.quarantine.get(person(), said.id)) is None
    [event] = run(stores.audit.events(person()))
    assert (event.actor, event.action, event.subject, event.reason) == (
        "ada@example.org",
        "deleted",
        said.id,
        "private",
    )


def test_deleting_takes_the_entry_out_of_working_memory_with_it(stores, run):
    [said] = fill(run, stores, "one")
    run(stores.quarantine.decide(system(), said.id, admission(), None))
    run(stores.working.put(system(), said, admission()))
    run(stores.quarantine.delete(person(), said.id, "private"))
    run(stores.working.forget(system(), [said.id]))
    assert run(stores.working.list(agent())) == []


def test_deleting_a_missing_entry_is_false_and_leaves_no_line(stores, run):
    assert run(stores.quarantine.delete(person(), "nobody", "private")) is False
    assert run(stores.audit.events(person())) == []


@pytest.mark.parametrize("scope", [agent(), system()])
def test_only_persons_delete(stores, run, scope):
    [said] = fill(run, stores, "one")
    with pytest.raises(Forbidden):
        run(stores.quarantine.delete(scope, said.id, "tidy"))
    assert run(stores.quarantine.get(person(), said.id)) is not None


def reviews(run, stores, *entries):
    return [run(stores.quarantine.get(person(), one.id)).review for one in entries]


def decided(run, stores, plain, doubted, later, decide):
    """Settle an insight with a plain and a doubted source, and let another join it later."""
    made = insight([source(plain), source(doubted, doubt=SourceDoubt.INJECTION)], "summary")
    run(stores.digests.save(system(), digest(made)))
    assert reviews(run, stores, plain, doubted, later) == [None, None, None]
    kept = decide(made)
    run(stores.digests.save(system(), digest(), later={made.id: [source(later)]}))
    return kept


def test_every_source_of_a_dismissed_insight_says_so_unless_it_was_promoted(stores, run):
    entries = fill(run, stores, "plain", "doubted", "later")
    decided(run, stores, *entries, lambda made: run(stores.tombstones.add(person(), tombstone("summary", made.id))))
    assert reviews(run, stores, *entries) == [ReviewStatus.DISMISSED] * 3
    found = run(stores.quarantine.find(person(), EntryFilter(review=ReviewStatus.DISMISSED)))
    assert contents(found) == ["later", "doubted", "plain"]
    yes = approval("plain", entry_ids=[entries[0].id])
    run(stores.longterm.add(person(), yes, chunks(yes)))
    assert reviews(run, stores, *entries) == [ReviewStatus.PROMOTED, ReviewStatus.DISMISSED, ReviewStatus.DISMISSED]


def promoting(run, stores, *entries):
    """Return what promotes an insight on the evidence of entries."""

    def promote(made):
        yes = approval("summary", entry_ids=[one.id for one in entries], insight_id=made.id)
        return run(stores.longterm.add(person(), yes, chunks(yes)))

    return promote


def test_every_source_that_counts_for_a_promoted_insight_says_so_until_its_memory_is_retired(stores, run):
    entries = fill(run, stores, "plain", "doubted", "later")
    memory = decided(run, stores, *entries, promoting(run, stores, entries[0]))
    assert reviews(run, stores, *entries) == [ReviewStatus.PROMOTED, ReviewStatus.COVERED, ReviewStatus.PROMOTED]
    kept = [run(stores.quarantine.get(person(), one.id)).entry.promoted_at for one in entries]
    assert kept == [memory.approval.at, None, memory.approval.at]
    grave = tombstone("summary", memory.chunks[0].id, TombstoneKind.RETIRED)
    run(stores.longterm.retire(person(), memory.id, "wrong", [grave]))
    assert reviews(run, stores, *entries) == [ReviewStatus.RETIRED, ReviewStatus.COVERED, ReviewStatus.RETIRED]


def test_a_source_in_doubt_is_settled_with_a_promoted_insight_and_not_digested_again(stores, run):
    plain, doubted, later = fill(run, stores, "plain", "doubted", "later")
    made = insight([source(plain), source(doubted, doubt=SourceDoubt.CONTRARY)], "summary")
    run(stores.digests.save(system(), digest(made)))
    promoting(run, stores, plain)(made)
    run(stores.digests.save(system(), digest(), later={made.id: [source(later, doubt=SourceDoubt.ECHO)]}))
    assert contents(run(stores.quarantine.find(person(), EntryFilter(review=ReviewStatus.COVERED)))) == [
        "later",
        "doubted",
    ]
    assert run(stores.digests.undecided(system(), NOW - timedelta(days=7))) == []


def test_what_was_decided_on_an_entry_itself_goes_before_what_was_decided_on_its_insight(stores, run):
    plain, doubted, later = fill(run, stores, "plain", "doubted", "later")
    kept = approval("later", entry_ids=[later.id])
    memory = run(stores.longterm.add(person(), kept, chunks(kept)))
    run(stores.longterm.retire(person(), memory.id, "wrong", []))
    made = insight([source(plain), source(doubted)], "summary")
    run(stores.digests.save(system(), digest(made)))
    run(stores.tombstones.add(person(), tombstone("doubted", doubted.id)))
    promoting(run, stores, plain)(made)
    run(stores.digests.save(system(), digest(), later={made.id: [source(later)]}))
    assert reviews(run, stores, plain, doubted, later) == [
        ReviewStatus.PROMOTED,
        ReviewStatus.DISMISSED,
        ReviewStatus.RETIRED,
    ]


def test_many_entries_are_read_at_once_in_the_order_of_their_ids_without_those_that_are_not_there(stores, run):
    first, second, third = (entry(f"The finding {number} is kept.") for number in range(3))
    for said in (first, second, third):
        run(stores.quarantine.add(agent(), said))
    wanted = [third.id, "unknown", first.id, third.id]
    assert [one.entry for one in run(stores.quarantine.get_many(person(), wanted))] == [third, first]
    assert run(stores.quarantine.get_many(person("gemini"), wanted)) == []
    assert run(stores.quarantine.get_many(person(), [])) == []
    with pytest.raises(Forbidden):
        run(stores.quarantine.get_many(agent(), wanted))
