"""The numbered SQL files that an engine's schema is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources

from memsieve.errors import SchemaOutdated


@dataclass(frozen=True, slots=True)
class Migration:
    """One numbered step of the schema."""

    number: int
    name: str
    sql: str


def numbered(engine: str) -> list[Migration]:
    """Return the migrations in an engine's package, in order."""
    folder = resources.files(engine) / "migrations"
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".sql")), key=lambda file: file.name)
    return [Migration(int(file.name[:4]), file.name, file.read_text("utf-8")) for file in files]


def require_known(newest: int, migrations: Sequence[Migration]) -> None:
    """Refuse a database that a later version has migrated."""
    if newest > migrations[-1].number:
        raise SchemaOutdated(
            f"This database is at schema {newest}, and this memsieve knows {migrations[-1].number}. "
            "Upgrade memsieve: pip install --upgrade memsieve"
        )
