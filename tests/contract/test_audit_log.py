"""What `ports.AuditLog` promises."""

import pytest

from memsieve.errors import Forbidden
from memsieve.model import AuditEvent, AuditNote
from memsieve.testing.factories import NOW, agent, approval, chunks, person, system, tombstone


def promote(run, stores, text, project="apollo"):
    yes = approval(text, person(project))
    return run(stores.longterm.add(person(project), yes, chunks(yes)))


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
