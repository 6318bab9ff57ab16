"""Memories as an earlier version left them."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from memsieve.stores.migrations import Migration
from memsieve.stores.sqlite.migrate import migrate

TABLES = (
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'schema_migrations'"
)
TRIGGERS = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"


def set_back(data: Path, migrations: Sequence[Migration]) -> None:
    """Give a memory the schema that it had after these migrations, with what of its rows there was room for then."""
    path, earlier = data / "memsieve.db", data / "earlier.db"
    with closing(sqlite3.connect(earlier, isolation_level=None)) as connection:
        migrate(connection, migrations)
        triggers = connection.execute(TRIGGERS).fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("ATTACH ? AS later", (str(path),))
        for (table,) in connection.execute(TABLES).fetchall():
            columns = ", ".join(row[1] for row in connection.execute(f"PRAGMA main.table_info({table})"))
            connection.execute(f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM later.{table}")
        connection.execute("DETACH later")
        for _, sql in triggers:
            connection.execute(sql)
    for left in (path, path.with_name("memsieve.db-wal"), path.with_name("memsieve.db-shm")):
        left.unlink(missing_ok=True)
    earlier.rename(path)
