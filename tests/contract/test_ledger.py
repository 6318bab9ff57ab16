"""What `ports.Ledger` promises."""

import hashlib
from datetime import timedelta

import pytest

from memsieve.errors import Conflict, Forbidden
from memsieve.model import AuditEvent, AuditNote, ReviewStatus, Source
from memsieve.testing import WordEmbedder
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


def nearest(run, stores, text, limit=10, project="apollo"):
    vector = WordEmbedder().vector(text)
    found = run(stores.tombstones.nearest(agent(project), vector, tuple(text.split()), limit))
    return {grave.content for grave in found}


def promote(run, stores, text, project="apollo"):
    yes = approval(text, person(project))
    return run(stores.longterm.add(person(project), yes, chunks(yes)))


def test_a_tombstone_is_written_with_its_line(stores, run):
    grave = tombstone("alpha beta", "e1")
    assert run(stores.tombstones.add(person(), grave))
    assert run(stores.tombstones.nearest(agent(), grave.embedding, (), 5)) == [grave]
    [event] = run(stores.audit.events(person()))
    assert (event.actor, event.action, event.subject, event.reason) == (
        "ada@example.org",
        "dismissed",
        "e1",
        "It is wrong.",
    )


def test_a_note_is_a_line_in_the_chain_and_changes_nothing_else(stores, run):
    promote(run, stores, "alpha")
    run(stores.audit.note(system(), AuditNote.FOREIGN_PROJECT, "hermes", NOW))
    run(stores.audit.note(person(name="bob"), AuditNote.FOREIGN_PROJECT, "zeus", NOW))
    promoted, first, second = run(stores.audit.events(person()))
    assert (first.actor, first.action, first.subject) == ("memsieve", "foreign project refused", "hermes")
    assert (second.actor, second.subject, second.at) == ("bob", "zeus", NOW)
    assert (first.previous, second.previous) == (promoted.digest, first.digest)
    assert all(event.digest == event.expected_digest() for event in (first, second))
    assert run(stores.audit.events(person("hermes"))) == []
    assert len(run(stores.longterm.find(agent(), None, 10))) == 1


def test_an_agent_writes_no_note(stores, run):
    with pytest.raises(Forbidden):
        run(stores.audit.note(agent(), AuditNote.FOREIGN_PROJECT, "hermes", NOW))


def test_a_source_has_one_tombstone_and_the_first_stands(stores, run):
    first = run(stores.tombstones.add(person(), tombstone("alpha", "e1")))
    assert run(stores.tombstones.add(person(name="bob"), tombstone("alpha", "e1"))) == first
    assert len(run(stores.audit.events(person()))) == 1


def test_a_source_can_be_buried_again_after_its_tombstone_was_lifted(stores, run):
    run(stores.tombstones.add(person(), tombstone("alpha", "e1")))
    promote(run, stores, "alpha")
    assert nearest(run, stores, "alpha") == set()
    assert run(stores.tombstones.add(person(), tombstone("alpha", "e1")))
    assert nearest(run, stores, "alpha") == {"alpha"}


@pytest.mark.parametrize("scope", [agent(), system()])
def test_only_persons_bury(stores, run, scope):
    with pytest.raises(Forbidden):
        run(stores.tombstones.add(scope, tombstone("alpha")))
    assert nearest(run, stores, "alpha") == set()


def test_the_nearest_tombstones_by_vector_and_by_words_are_given(stores, run):
    for text in ("alpha beta", "alpha gamma", "omega psi"):
        run(stores.tombstones.add(person(), tombstone(text)))
    found = run(stores.tombstones.nearest(agent(), WordEmbedder().vector("alpha beta"), ("omega",), 1))
    assert {grave.content for grave in found} == {"alpha beta", "omega psi"}


def test_a_chinese_tombstone_is_found_by_its_words(stores, run):
    run(stores.tombstones.add(person(), tombstone("预算在三月批准")))
    found = run(stores.tombstones.nearest(agent(), None, ("预算", "批准"), 5))
    assert [grave.content for grave in found] == ["预算在三月批准"]


def test_tombstones_stay_within_their_project(stores, run):
    run(stores.tombstones.add(person(), tombstone("alpha")))
    assert nearest(run, stores, "alpha", project="gemini") == set()


def test_another_process_sees_a_tombstone_and_its_lifting_at_once(stores, other_process, run):
    run(stores.tombstones.add(person(), tombstone("alpha")))
    assert nearest(run, other_process, "alpha") == {"alpha"}
    promote(run, stores, "alpha")
    assert nearest(run, other_process, "alpha") == set()


def test_a_session_is_told_what_it_was_served_newest_first_and_once(stores, run):
    first, second = (promote(run, stores, text).chunks[0] for text in ("alpha", "beta"))
    for chunk in (first, second, first):
        run(stores.servings.log_answer(agent(), answer([item(chunk.id, chunk.content)])))
    served = run(stores.servings.recently_served(agent(), session_id="s1", limit=10))
    assert [one.content for one in served] == ["alpha", "beta"]
    assert served[0].source is Source.COLD
    assert float(served[0].embedding @ first.embedding) == pytest.approx(1, abs=1e-3)


def test_a_hot_item_is_told_with_content_and_vector(stores, run):
    said = entry("alpha hot")
    run(stores.quarantine.add(agent(), said))
    run(stores.quarantine.decide(system(), said.id, admission(), said.embedding))
    run(stores.servings.log_answer(agent(), answer([item(said.id, said.content, Source.HOT)])))
    [served] = run(stores.servings.recently_served(agent(), session_id="s1", limit=10))
    assert (served.content, served.source) == ("alpha hot", Source.HOT)
    assert served.embedding is not None


def test_the_limit_counts_the_newest_servings(stores, run):
    parts = [promote(run, stores, f"alpha {number}").chunks[0] for number in range(5)]
    for chunk in parts:
        run(stores.servings.log_answer(agent(), answer([item(chunk.id, chunk.content)])))
    served = run(stores.servings.recently_served(agent(), session_id="s1", limit=2))
    assert [one.content for one in served] == ["alpha 4", "alpha 3"]


def test_other_sessions_and_projects_were_served_nothing(stores, run):
    [chunk] = promote(run, stores, "alpha").chunks
    run(stores.servings.log_answer(agent(), answer([item(chunk.id, chunk.content)])))
    run(stores.servings.log_answer(agent(), answer([item(chunk.id, chunk.content)], session_id=None)))
    assert run(stores.servings.recently_served(agent(), session_id="s2", limit=10)) == []
    assert run(stores.servings.recently_served(agent("gemini"), session_id="s1", limit=10)) == []
    assert run(stores.servings.servings_of(person("gemini"), [chunk.id])) == []


def test_every_answer_that_held_an_item_is_told(stores, run):
    one, two = (promote(run, stores, text).chunks[0] for text in ("alpha", "beta"))
    first = answer([item(one.id, "alpha"), item(two.id, "beta")])
    second = answer([item(one.id, "alpha")], session_id=None, at=NOW + timedelta(hours=1))
    for each in (first, second):
        run(stores.servings.log_answer(agent(), each))
    servings = run(stores.servings.servings_of(person(), [one.id]))
    assert [(each.answer_id, each.session_id, each.at) for each in servings] == [
        (first.id, "s1", NOW),
        (second.id, None, NOW + timedelta(hours=1)),
    ]
    assert len(run(stores.servings.servings_of(person(), [one.id, two.id]))) == 3
    assert run(stores.servings.servings_of(person(), [])) == []


def test_agents_read_neither_the_audit_log_nor_who_was_served(stores, run):
    with pytest.raises(Forbidden):
        run(stores.audit.events(agent()))
    with pytest.raises(Forbidden):
        run(stores.servings.servings_of(agent(), ["e1"]))


def test_events_come_in_order_and_in_pages(stores, run):
    for number in range(5):
        run(stores.tombstones.add(person(), tombstone(f"alpha {number}", f"e{number}")))
    events = run(stores.audit.events(person()))
    assert [(event.sequence, event.subject) for event in events] == [(n + 1, f"e{n}") for n in range(5)]
    assert run(stores.audit.events(person(), after=3, limit=1)) == [events[3]]
    assert run(stores.audit.events(person(), after=5)) == []


def test_events_are_read_back_from_the_newest_and_between_two_lines(stores, run):
    for number in range(5):
        run(stores.tombstones.add(person(), tombstone(f"alpha {number}", f"e{number}")))
    run(stores.tombstones.add(person("gemini"), tombstone("alpha", "x", scope=person("gemini"))))

    def lines(**between):
        return [event.sequence for event in run(stores.audit.events(person(), **between))]

    assert lines(newest_first=True) == [5, 4, 3, 2, 1]
    assert lines(newest_first=True, before=4, limit=2) == [3, 2]
    assert lines(newest_first=True, after=2) == [5, 4, 3]
    assert lines(after=1, before=4) == [2, 3]
    assert lines(before=1) == []


def test_the_head_is_the_number_of_the_newest_event_of_the_project(stores, run):
    assert run(stores.audit.head(system())) == 0
    promote(run, stores, "alpha", "gemini")
    assert run(stores.audit.head(system())) == 0
    for text in ("alpha", "beta"):
        promote(run, stores, text)
    assert run(stores.audit.head(system())) == run(stores.audit.events(person()))[-1].sequence == 2
    with pytest.raises(Forbidden):
        run(stores.audit.head(agent()))


def test_events_are_a_chain(stores, run):
    for number in range(3):
        run(stores.tombstones.add(person(name="陈小姐"), tombstone(f"alpha {number}")))
    head = AuditEvent.GENESIS
    for event in run(stores.audit.events(person())):
        assert event.previous == head
        assert event.digest == event.expected_digest()
        head = event.digest


def test_each_project_has_a_chain_of_its_own(stores, run):
    run(stores.tombstones.add(person(), tombstone("alpha")))
    run(stores.tombstones.add(person("gemini"), tombstone("beta", scope=person("gemini"))))
    [event] = run(stores.audit.events(person("gemini")))
    assert (event.sequence, event.previous, event.project_id) == (1, AuditEvent.GENESIS, "gemini")


def waiting(run, stores):
    said = entry("what was said")
    run(stores.quarantine.add(agent(), said))
    made = insight([said], "alpha")
    run(stores.digests.save(system(), digest(made)))
    return made


def decision(run, stores, made):
    return run(stores.digests.get(person(), made.id)).decision


def test_a_tombstone_of_an_insight_settles_it_with_one_line(stores, run):
    made = waiting(run, stores)
    run(stores.tombstones.add(person(name="ann"), tombstone("alpha", made.id)))
    kept = decision(run, stores, made)
    assert (kept.review, kept.by, kept.reason) == (ReviewStatus.DISMISSED, "ann", "It is wrong.")
    [event] = run(stores.audit.events(person()))
    assert (event.actor, event.action, event.subject) == ("ann", "dismissed", made.id)
    assert event.detail == {"insight": made.id, "content": hashlib.sha256(b"alpha").hexdigest()}


def test_an_insight_that_was_dismissed_before_keeps_its_tombstone_and_its_decision(stores, run):
    made = waiting(run, stores)
    first = run(stores.tombstones.add(person(name="ann"), tombstone("alpha", made.id)))
    assert run(stores.tombstones.add(person(name="bob"), tombstone("alpha", made.id))) == first
    assert decision(run, stores, made).by == "ann"
    assert len(run(stores.audit.events(person()))) == 1


def test_an_insight_that_was_promoted_before_is_not_buried(stores, run):
    made = waiting(run, stores)
    yes = approval("alpha", person(name="ann@example.org"), insight_id=made.id)
    run(stores.longterm.add(person(name="ann@example.org"), yes, chunks(yes)))
    with pytest.raises(Conflict, match=r"was promoted by ann@example.org on 2026-03-02 at 09:00 UTC\. Nothing was"):
        run(stores.tombstones.add(person(name="bob"), tombstone("alpha", made.id)))
    assert nearest(run, stores, "alpha") == set()
    assert len(run(stores.audit.events(person()))) == 1


def test_an_insight_stays_dismissed_when_its_tombstone_is_lifted_and_set_again(stores, run):
    made = waiting(run, stores)
    run(stores.tombstones.add(person(name="ann"), tombstone("alpha", made.id)))
    before = decision(run, stores, made)
    promote(run, stores, "alpha")
    assert nearest(run, stores, "alpha") == set()
    assert decision(run, stores, made) == before
    run(stores.tombstones.add(person(name="bob"), tombstone("alpha", made.id)))
    assert nearest(run, stores, "alpha") == {"alpha"}
    assert decision(run, stores, made) == before
