"""The schema goes from version to version, whole or not at all."""

import hashlib
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from memsieve.errors import SchemaOutdated
from memsieve.stores.sqlite.migrate import Migration, migrate, released

pytestmark = pytest.mark.usefixtures("small_embedder")

# A released migration is never edited: whoever has applied it would keep the old one. Add a new one instead.
CHECKSUMS = {
    "0001_tiers.sql": "64421616f718cc01a1996fb6cfdea6e445b457e281c31450197224e469dab49c",
    "0002_embedders.sql": "7adad15e21ac6fa177d6827c106576a5035793bcf02ce34224e67480bca4ee05",
    "0003_digests.sql": "6a3184e47caff6fda2019acada44cf3106734c60f0eb581f3d619df4225e4865",
    "0004_keys.sql": "d5946e3730d8e8ee89c41983a8813a648b3607bcc1aeb22d624bb4d8eb9146d0",
    "0005_happenings.sql": "1d536971dfa9715a93a2073535de703dff1828bdfca227653f2bf07cf8acd36d",
    "0006_places.sql": "38644d48dd56f77e8d160fc178234301daf29a2c3c3e3a67143df257fb69bbeb",
    "0007_lines.sql": "1789205d1860a36409673e84cc796663aea93073309a6ce5417e1c197d90f816",
    "0008_passages.sql": "86fd4d625633fe49450c2be9db8c138a391df329d5dea53c634a01bea0484d6f",
}
NEWER = Migration(
    len(released()) + 1,
    "9999_newer.sql",
    "CREATE TABLE later (id TEXT PRIMARY KEY) STRICT;\nINSERT INTO later VALUES ('a;b');\n"
    "CREATE TRIGGER later_stays BEFORE DELETE ON later BEGIN SELECT RAISE(ABORT, 'no; never'); END;\n",
)


@pytest.fixture
def connection(tmp_path):
    with closing(sqlite3.connect(tmp_path / "memsieve.db", isolation_level=None)) as opened:
        yield opened


def schema(connection):
    return connection.execute("SELECT type, name, sql FROM sqlite_master ORDER BY type, name").fetchall()


def applied(connection):
    return [row[0] for row in connection.execute("SELECT number FROM schema_migrations ORDER BY number")]


def test_released_migrations_are_never_edited():
    assert {one.name: hashlib.sha256(one.sql.encode()).hexdigest() for one in released()} == CHECKSUMS


def test_migrations_are_numbered_without_a_gap():
    assert [one.number for one in released()] == list(range(1, len(released()) + 1))


def test_a_new_file_gets_every_migration_and_its_record(connection):
    migrate(connection)
    assert applied(connection) == [one.number for one in released()]


def test_a_line_of_the_audit_log_is_looked_up_and_not_read_with_all_others(connection):
    migrate(connection)
    line = "SELECT 1 FROM audit_log WHERE project_id = ? AND subject = ? AND action = 'promoted' AND actor = ?"
    [plan] = connection.execute(f"EXPLAIN QUERY PLAN {line}", ("apollo", "a", "ada")).fetchall()
    assert "audit_log_by_subject (project_id=? AND subject=? AND action=? AND actor=?)" in plan[-1]


def test_migrating_twice_changes_nothing(connection):
    migrate(connection)
    before = schema(connection)
    migrate(connection)
    assert schema(connection) == before


def test_an_older_file_gets_what_is_missing_and_keeps_what_it_holds(data, open_memory):
    memory = open_memory(data)
    project = memory.project("apollo")
    kept = project.review(by="ada").promote_text("The board approved the budget of the fleet.").id
    entry_id = project.record("The board approved the budget of another fleet.", session_id="s").entry.id
    memory.close()
    with closing(sqlite3.connect(data / "memsieve.db", isolation_level=None)) as connection:
        migrate(connection, [*released(), NEWER])
        assert applied(connection) == [*(one.number for one in released()), NEWER.number]
        assert connection.execute("SELECT id FROM later").fetchall() == [("a;b",)]
        assert connection.execute("SELECT id FROM approvals").fetchall() == [(kept,)]
        assert connection.execute("SELECT id FROM quarantine_logs").fetchall() == [(entry_id,)]
        with pytest.raises(sqlite3.IntegrityError):
            connection.execute("DELETE FROM later")


def test_a_newer_file_is_refused_and_left_alone(data, open_memory):
    data.mkdir()
    with closing(sqlite3.connect(data / "memsieve.db", isolation_level=None)) as connection:
        migrate(connection, [*released(), NEWER])
        before = schema(connection)
        with pytest.raises(SchemaOutdated, match="Upgrade memsieve"):
            open_memory(data)
        assert schema(connection) == before


@pytest.mark.parametrize(
    "broken",
    [
        "CREATE TABLE half (id TEXT);\nINSERT INTO nowhere VALUES (1);\n",
        "CREATE TABLE half (id TEXT);\nCREATE TABLE approvals (id TEXT);\n",
        "CREATE TABLE half (id TEXT);\nCREATE TABLE forgot_its_semicolon (id TEXT)\n",
    ],
)
def test_a_failing_migration_leaves_nothing_half_done(connection, broken):
    migrate(connection)
    before = schema(connection)
    with pytest.raises((sqlite3.Error, ValueError)):
        migrate(connection, [*released(), Migration(NEWER.number, "broken.sql", broken)])
    assert schema(connection) == before
    assert applied(connection) == [one.number for one in released()]
    assert not connection.in_transaction
    migrate(connection, [*released(), NEWER])
    assert applied(connection)[-1] == NEWER.number


def test_several_processes_open_a_new_file_at_once(data):
    code = f"from memsieve.memory import Memory; m = Memory.open({str(data)!r}); print(m.projects()); m.close()"
    children = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    assert [child.communicate(timeout=60) for child in children] == [("[]\n", "")] * 4
    with closing(sqlite3.connect(data / "memsieve.db")) as connection:
        assert applied(connection) == [one.number for one in released()]
