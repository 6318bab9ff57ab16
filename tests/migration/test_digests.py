"""A memory from before there were digests goes on with all that people decided, and its entries can be digested."""

import sqlite3
from contextlib import closing
from datetime import timedelta

import pytest
from tests.migration.conftest import set_back

from memsieve.config import Settings
from memsieve.memory import Memory
from memsieve.model import EntryFilter, ReviewStatus
from memsieve.stores.sqlite import digests, quarantine
from memsieve.stores.sqlite.migrate import migrate, released
from memsieve.testing.factories import NOW, digest, insight, person, system

pytestmark = pytest.mark.usefixtures("small_embedder")
TEXTS = {
    name: f"Service {name} of region {name}beta answers to team {name}gamma about matter {name}delta."
    for name in ("promoted", "dismissed", "open")
}
GRAVE = """
INSERT INTO tombstones
    (project_id, id, kind, source_id, content, content_hash, words, embedder, buried_by, buried_at, reason)
SELECT 'apollo', 't1', 'dismissed', id, content, 'h', '', 'words', 'ada', created_at, 'wrong'
FROM quarantine_logs WHERE content = ?
"""
SOURCE = "INSERT INTO approval_sources SELECT 'apollo', ?, id FROM quarantine_logs WHERE content = ?"


@pytest.fixture
def of_second_schema(data, clock):
    """Write a memory as it was before: entries that were promoted, dismissed and left alone."""
    with Memory.open(data, settings=Settings(), clock=clock) as memory:
        project = memory.project("apollo")
        for text in TEXTS.values():
            assert project.record(text, session_id="s", confidence=0.9).admission.admitted
        kept = project.review(by="ada").promote_text(TEXTS["promoted"]).id
    set_back(data, released()[:2])
    with closing(sqlite3.connect(data / "memsieve.db", isolation_level=None)) as connection:
        connection.execute(SOURCE, (kept, TEXTS["promoted"]))
        connection.execute(GRAVE, (TEXTS["dismissed"],))
    return data


def everything(connection):
    tables = [
        row[0]
        for row in connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'schema_migrations' ORDER BY name"
        )
    ]
    return {table: connection.execute(f"SELECT * FROM {table}").fetchall() for table in tables}


def test_nothing_that_was_there_changes_and_no_insight_is_there(of_second_schema):
    with closing(sqlite3.connect(of_second_schema / "memsieve.db", isolation_level=None)) as connection:
        before = everything(connection)
        migrate(connection, released()[:3])
        after = everything(connection)
        assert {table: after[table] for table in before} == before
        new = after.keys() - before.keys()
        assert new == {"insights", "insight_sources", "unplaced", "digests", "digest_runs"}
        assert [after[table] for table in new] == [[]] * 5


def test_a_memory_of_one_entry_has_the_place_where_that_was_said(of_second_schema):
    with closing(sqlite3.connect(of_second_schema / "memsieve.db", isolation_level=None)) as connection:
        migrate(connection)
        places = "SELECT m.content, p.session_id, p.said_at FROM memory_places p JOIN memories m USING (sequence)"
        said = connection.execute("SELECT created_at FROM quarantine_logs WHERE content = ?", (TEXTS["promoted"],))
        assert connection.execute(places).fetchall() == [(TEXTS["promoted"], "s", *said.fetchone())]


def test_what_people_decided_still_stands_and_the_rest_can_be_digested(of_second_schema, clock):
    with Memory.open(of_second_schema, settings=Settings(), clock=clock) as memory:
        project = memory.project("apollo")
        assert [one.review for one in project.review(by="ada@example.org").log(EntryFilter(oldest_first=True))] == [
            ReviewStatus.PROMOTED,
            ReviewStatus.DISMISSED,
            None,
        ]
        store = memory.inner.services.promoter.digests
        [receipt] = memory.loop.call(store.undecided(system(), NOW - timedelta(days=7)))
        assert receipt.entry.content == TEXTS["open"]
        made = insight([receipt.entry])
        assert memory.loop.call(store.save(person(), digest(made))).insights == (made,)


def plan(connection, sql, values):
    return [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", values)]


@pytest.fixture
def migrated(of_second_schema):
    with closing(sqlite3.connect(of_second_schema / "memsieve.db", isolation_level=None)) as connection:
        migrate(connection)
        yield connection


def test_a_window_is_found_by_its_time_and_no_table_is_read_whole(migrated):
    steps = plan(migrated, digests._UNDECIDED, {"project_id": "apollo", "since": "2026"})
    assert any("quarantine_logs_by_time (project_id=? AND created_at>?)" in step for step in steps)
    assert any(step.startswith("SEARCH q ") and "sequence=?" in step for step in steps)
    assert not [step for step in steps if step.startswith("SCAN")]


@pytest.mark.parametrize("wanted", [EntryFilter(), EntryFilter(since=NOW), EntryFilter(since=NOW, oldest_first=True)])
def test_a_page_of_the_log_is_read_in_the_order_of_recording_without_sorting(migrated, wanted):
    steps = plan(migrated, *quarantine._query(person(), wanted))
    assert "quarantine_logs_by_project" in steps[0]
    assert not [step for step in steps if step.startswith("SCAN") or "ORDER BY" in step]
