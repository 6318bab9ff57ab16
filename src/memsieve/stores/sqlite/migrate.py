"""Bring a database's schema up to date with the numbered SQL files."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from memsieve.stores.migrations import Migration, numbered, require_known

_RECORD = """
CREATE TABLE IF NOT EXISTS schema_migrations (
    number     INTEGER PRIMARY KEY,
    name       TEXT NOT NULL,
    applied_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
) STRICT
"""


def released() -> list[Migration]:
    """Return the migrations of this version, in order."""
    return numbered("memsieve.stores.sqlite")


def migrate(connection: sqlite3.Connection, migrations: Sequence[Migration] | None = None) -> None:
    """Apply what is missing, each step together with its record; safe with several processes at once."""
    migrations = released() if migrations is None else migrations
    if _missing(connection, migrations):
        for migration in migrations:
            _apply(connection, migration)


def _missing(connection: sqlite3.Connection, migrations: Sequence[Migration]) -> bool:
    known = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'schema_migrations'").fetchone()
    newest = connection.execute("SELECT max(number) FROM schema_migrations").fetchone()[0] if known else None
    require_known(newest or 0, migrations)
    return newest != migrations[-1].number


def _apply(connection: sqlite3.Connection, migration: Migration) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.execute(_RECORD)
        done = connection.execute("SELECT 1 FROM schema_migrations WHERE number = ?", (migration.number,)).fetchone()
        if not done:
            for statement in _statements(migration.sql):
                connection.execute(statement)
            connection.execute(
                "INSERT INTO schema_migrations (number, name) VALUES (?, ?)", (migration.number, migration.name)
            )
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _statements(sql: str) -> list[str]:
    # executescript() would commit first and tear the step from its record.
    statements, start = [], 0
    for end in (at + 1 for at, character in enumerate(sql) if character == ";"):
        if sqlite3.complete_statement(sql[start:end]):
            statements.append(sql[start:end])
            start = end
    if sql[start:].strip():
        raise ValueError(f"A migration ends in an unfinished statement: {sql[start:].strip()[:80]}")
    return statements
