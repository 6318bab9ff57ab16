"""Working memory is filled again from what was admitted, after the engine that holds it has lost it."""

import pytest

from memsieve.ports import WORKING_CAP
from memsieve.testing.factories import system

pytestmark = pytest.mark.usefixtures("small_embedder")

TEXT = "The team decided to keep the ledger of region {} in a database with transactions."


@pytest.fixture
def project(memory):
    return memory.project("apollo")


def said(project, number, **fields):
    receipt = project.record(TEXT.format(f"number{number}x{number}"), session_id="s", confidence=0.9, **fields)
    assert receipt.admission.admitted, receipt.admission
    return receipt.entry


def lose(memory, project="apollo"):
    """Empty working memory as a flush of Redis does: nobody decided anything."""
    working = memory.inner.services.working
    memory.loop.call(working.forget(system(project), [entry.id for entry in memory.project(project).working()]))
    assert memory.project(project).working() == []


def ids(entries):
    return [entry.id for entry in entries]


def test_what_was_lost_comes_back_in_its_order_and_lives_no_longer_for_it(memory, project, clock):
    for number in range(3):
        said(project, number)
        clock.advance(hours=1)
    before = project.working()
    lose(memory)
    clock.advance(hours=5)
    assert memory.maintenance("apollo").missing_from_working() == 3
    assert memory.maintenance("apollo").restore_working() == 3
    assert [(one.id, one.expires_at) for one in project.working()] == [(one.id, one.expires_at) for one in before]
    clock.advance(hours=16)
    assert ids(project.working()) == ids(before)[:2]


def test_restoring_twice_changes_nothing(memory, project):
    said(project, 1)
    lose(memory)
    assert memory.maintenance("apollo").restore_working() == 1
    before = project.working()
    assert memory.maintenance("apollo").restore_working() == 0
    assert project.working() == before


def test_where_nothing_was_lost_nothing_is_put_back(memory, project):
    said(project, 1)
    assert memory.maintenance("apollo").missing_from_working() == memory.maintenance("apollo").restore_working() == 0


def test_what_is_older_than_a_day_stays_away(memory, project, clock):
    said(project, 1)
    lose(memory)
    clock.advance(hours=24)
    assert memory.maintenance("apollo").restore_working() == 0


def test_what_was_refused_or_decided_on_by_a_person_stays_away(memory, project):
    project.record("Too short.", session_id="s")
    promoted, dismissed, deleted, kept = (said(project, number) for number in range(4))
    project.review(by="ada").promote(promoted.id)
    project.review(by="ada").dismiss(dismissed.id, reason="wrong")
    project.review(by="ada").delete(deleted.id, reason="private")
    lose(memory)
    assert memory.maintenance("apollo").restore_working() == 1
    assert ids(project.working()) == [kept.id]


def test_what_says_again_what_a_person_rejected_since_stays_away(open_memory, clock):
    memory = open_memory(duplicate_similarity=1.0, disabled_checks=frozenset({"duplicate"}))
    project = memory.project("apollo")
    first = said(project, 1)
    said(project, 1)
    project.review(by="ada").dismiss(first.id, reason="wrong")
    assert project.working() == []
    assert memory.maintenance("apollo").restore_working() == 0
    assert project.working() == []


def test_only_the_newest_fifty_come_back(memory, project):
    entries = [said(project, number) for number in range(WORKING_CAP + 3)]
    lose(memory)
    assert memory.maintenance("apollo").restore_working() == WORKING_CAP
    assert ids(project.working()) == ids(reversed(entries[3:]))


def test_another_projects_entries_stay_there(memory, project):
    said(memory.project("gemini"), 1)
    lose(memory, "gemini")
    assert memory.maintenance("apollo").restore_working() == 0
    assert project.working() == []
