"""Look a database file over without changing it, however damaged it is."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from memsieve.stores.sqlite.migrate import released
from memsieve.stores.sqlite.vectors import count_stale

_SCHEMA = "SELECT coalesce(max(number), 0) FROM schema_migrations"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileHealth:
    """What was found; `damage` says why the file could not be read any further."""

    damage: str | None = None
    schema: int = 0
    newest_schema: int = 0
    stale_texts: int = 0


def examine(file: Path, embedder: str | None, *, whole: bool = True) -> FileHealth:
    """Read a file's schema and how many texts another embedder has seen; and all of it, to know that it is `whole`."""
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            problems = [str(row[0]) for row in connection.execute("PRAGMA quick_check(3)")] if whole else []
            if problems not in ([], ["ok"]):
                return FileHealth(damage="; ".join(problems))
            return _contents(connection, embedder)
    except (sqlite3.Error, OSError) as exc:
        return FileHealth(damage=str(exc))


def _contents(connection: sqlite3.Connection, embedder: str | None) -> FileHealth:
    kept = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'schema_migrations'").fetchone()
    schema = connection.execute(_SCHEMA).fetchone()[0] if kept else 0
    newest = released()[-1].number
    stale = 0
    if schema == newest and embedder is not None:
        stale = count_stale(connection, embedder)
    return FileHealth(schema=schema, newest_schema=newest, stale_texts=stale)
