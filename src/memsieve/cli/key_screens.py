"""What people see of keys."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from memsieve.cli import drawing
from memsieve.cli.output import printable
from memsieve.model import ApiKey

_COLUMNS = ("id", "name", "role", "project", "made", "last used", "revoked")


def made(key: ApiKey, text: str) -> RenderableType:
    """Draw a new key with its text."""
    made_for = f"{key.role} {key.name}, {_reach(key)}"
    return Group(Text(text, style="bold green", no_wrap=True), drawing.facts(f"key {key.id}: {made_for}"))


def listed(keys: Sequence[ApiKey]) -> RenderableType:
    """Draw all keys, one a line."""
    if not keys:
        return Text("There are no keys yet. Make one: memsieve keys make --help", style="dim")
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for column in _COLUMNS:
        table.add_column(column, overflow="fold", no_wrap=column == "id")
    for key in keys:
        table.add_row(*_cells(key), style="dim" if key.revoked_at else None)
    return table


def revoked(key: ApiKey) -> RenderableType:
    """Draw a revocation."""
    who, day = printable(key.revoked_by or "–"), drawing.day(key.revoked_at)
    return Text(f"Key {key.id} of {printable(key.name)} opens nothing any more: revoked by {who} on {day}.")


def _cells(key: ApiKey) -> list[Text]:
    times = (drawing.day(key.made_at), drawing.day(key.last_used_at), drawing.day(key.revoked_at))
    texts = (key.id, key.name, str(key.role), key.project_id or "all", *times)
    return [Text(printable(text), overflow="fold") for text in texts]


def _reach(key: ApiKey) -> str:
    return "all projects" if key.project_id is None else f"project {key.project_id}"
