"""Replay and shadow mode: what other settings would have done, without doing it."""

import sqlite3

import pytest

from memsieve.config import FilterSettings, Settings
from memsieve.errors import ConfigError
from memsieve.model import Decision

pytestmark = pytest.mark.usefixtures("small_embedder")


def say(project, number, **fields):
    text = f"Service alpha{number} of region beta{number} answers to team gamma{number} about matter delta{number}."
    return project.record(text, session_id=f"s{number}", **fields)


def everything(data):
    with sqlite3.connect(data / "memsieve.db") as connection:
        tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {table: connection.execute(f"SELECT * FROM {table}").fetchall() for table in tables}


def test_a_lower_threshold_would_have_admitted_more(memory, data):
    project = memory.project("apollo")
    for number, confidence in enumerate((0.9, 0.75, 0.75, 0.5, None)):
        say(project, number, confidence=confidence)
    before = everything(data)
    replay = memory.maintenance("apollo").replay({"min_confidence": 0.7})
    assert (replay.entries, replay.admitted_before, replay.admitted_after) == (5, 2, 4)
    assert [(change.before, change.after.decision) for change in replay.changes] == [
        (Decision.REFUSED, Decision.ADMITTED)
    ] * 2
    assert everything(data) == before


def test_the_same_settings_change_nothing(memory):
    project = memory.project("apollo")
    for number in range(4):
        say(project, number, confidence=0.7 + number / 10)
    say(project, 1, confidence=0.99)
    say(project, 3, confidence=0.99)
    replay = memory.maintenance("apollo").replay({})
    assert replay.changes == ()
    assert replay.admitted_before == replay.admitted_after


def test_what_would_have_been_admitted_bars_its_later_copies(memory):
    project = memory.project("apollo")
    say(project, 1, confidence=0.7)
    say(project, 1, confidence=0.9)
    replay = memory.maintenance("apollo").replay({"min_confidence": 0.5})
    assert [change.after.decision for change in replay.changes] == [Decision.ADMITTED, Decision.REFUSED]
    assert replay.admitted_before == replay.admitted_after == 1


def test_a_copy_a_day_later_is_no_duplicate_in_a_replay_either(memory, clock):
    project = memory.project("apollo")
    say(project, 1, confidence=0.9)
    clock.advance(hours=24)
    say(project, 1, confidence=0.9)
    assert memory.maintenance("apollo").replay({}).admitted_after == 2


def test_tombstones_are_remembered_and_can_be_switched_off(memory):
    project = memory.project("apollo")
    buried = say(project, 1, confidence=0.5)
    project.review(by="ada").dismiss(buried.entry.id, reason="wrong")
    again = say(project, 1, confidence=0.9)
    assert again.admission.decision is Decision.REFUSED
    assert memory.maintenance("apollo").replay({}).changes == ()
    [change] = memory.maintenance("apollo").replay({"disabled_checks": "tombstone"}).changes
    assert (change.entry.id, change.after.decision) == (again.entry.id, Decision.ADMITTED)


def test_echoes_are_remembered_and_judged_by_the_new_threshold(memory):
    project = memory.project("apollo")
    memory_of = project.review(by="ada").promote_text(
        "Service alpha1 of region beta1 answers to team gamma1 about delta1."
    )
    assert project.retrieve("alpha1 beta1", session_id="s1").items[0].memory_id == memory_of.id
    echoed = say(project, 1, confidence=0.9)
    assert [check.name for check in echoed.admission.checks if not check.passed] == ["echo"]
    assert memory.maintenance("apollo").replay({}).changes == ()
    [change] = memory.maintenance("apollo").replay({"echo_similarity": 1.0}).changes
    assert change.after.admitted


def test_only_what_was_said_since_then_is_replayed(memory, clock):
    project = memory.project("apollo")
    say(project, 1, confidence=0.7)
    clock.advance(hours=1)
    since = clock()
    say(project, 2, confidence=0.7)
    assert memory.maintenance("apollo").replay({"min_confidence": 0.5}, since=since).entries == 1


def test_another_project_is_not_replayed(memory):
    say(memory.project("gemini"), 1, confidence=0.7)
    assert memory.maintenance("apollo").replay({"min_confidence": 0.5}).entries == 0


def test_a_wrong_setting_is_an_error(memory):
    with pytest.raises(ConfigError):
        memory.maintenance("apollo").replay({"min_confidence": 2})


def test_a_long_past_is_replayed_to_its_end(open_memory):
    memory = open_memory(disabled_checks=frozenset({"injection", "consistency"}))
    project = memory.project("apollo")
    for number in range(520):
        say(project, number, confidence=0.5)
    assert memory.maintenance("apollo").replay({"min_confidence": 0.4}).entries == 520


def test_a_shadow_decides_beside_the_filter_and_changes_nothing(open_memory):
    settings = Settings(shadow=FilterSettings(min_confidence=0.95))
    project = open_memory(settings=settings).project("apollo")
    receipts = [say(project, number, confidence=confidence) for number, confidence in enumerate((0.9, 0.99, 0.5))]
    assert [receipt.admission.decision for receipt in receipts] == [
        Decision.ADMITTED,
        Decision.ADMITTED,
        Decision.REFUSED,
    ]
    assert [receipt.admission.shadow for receipt in receipts] == [
        Decision.REFUSED,
        Decision.ADMITTED,
        Decision.REFUSED,
    ]
    assert len(project.working()) == 2
    assert (project.stats().shadow_admitted, project.stats().shadow_refused) == (0, 1)
