"""Commands on the keys of the HTTP server: make, list and revoke them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from memsieve.cli import options
from memsieve.cli.options import Target, examples
from memsieve.cli.output import documents, draw, note, printable, show

if TYPE_CHECKING:
    from rich.console import RenderableType

    from memsieve.model import ApiKey

commands = typer.Typer(
    no_args_is_help=True, help="Make, list and revoke the keys of the HTTP server.", rich_markup_mode="rich"
)


@commands.command(
    epilog=examples(
        "memsieve keys make --name crawler --role agent --project apollo \\",
        "  --by you@example.org",
        "memsieve keys make --name ada@example.org --role admin \\",
        "  --by you@example.org",
    )
)
def make(
    name: Annotated[
        str, typer.Option("--name", help="The person or agent it is for: what is done with it is done in this name.")
    ],
    role: Annotated[
        Literal["agent", "reviewer", "auditor", "admin"], typer.Option("--role", help="What it lets them do.")
    ],
    project: Annotated[
        str | None,
        typer.Option(
            "--project", "--group", help="The project it is for; an admin's is for all of them.", show_default=False
        ),
    ] = None,
    by: options.By = None,
    data: options.Data = None,
    server: options.Server = None,
    as_json: options.Json = False,
) -> None:
    """Make a key and show it, this once.

    An agent records and asks, an auditor reads, a reviewer decides, and an admin does all of it in every project, and
    makes keys.
    """
    from memsieve.model import KeyRole

    target = Target.of(data, server)
    target.require_person(by)
    with target.open() as memory:
        key, text = memory.keys.make(name=name, role=KeyRole(role), project_id=project, by=target.person(memory, by))
    show(lambda: documents.NewKey.of(key=key, text=text), lambda: _draw_made(key, text), as_json=as_json)
    note("Put the key away now: memsieve keeps no copy, and it is not shown again.")


@commands.command("list", epilog=examples("memsieve keys list", "memsieve keys list --project apollo"))
def list_(
    project: Annotated[
        str | None,
        typer.Option("--project", "--group", help="Only those of this project; else all.", show_default=False),
    ] = None,
    data: options.Data = None,
    server: options.Server = None,
    as_json: options.Json = False,
) -> None:
    """List keys, newest first, and when each was used last; revoked ones too."""
    with Target.of(data, server).open() as memory:
        keys = memory.keys.list(project)
    show(lambda: {"keys": [documents.Key.of(key) for key in keys]}, lambda: _draw_keys(keys), as_json=as_json)


@commands.command(epilog=examples("memsieve keys revoke --by you@example.org KEY_ID"))
def revoke(
    key_id: Annotated[str, typer.Argument(help="The key; `memsieve keys list` shows the ids.", metavar="KEY_ID")],
    by: options.By = None,
    data: options.Data = None,
    server: options.Server = None,
    as_json: options.Json = False,
) -> None:
    """Revoke a key for good, from the next request on.

    Twice changes nothing. The audit log keeps who did it.
    """
    target = Target.of(data, server)
    target.require_person(by)
    with target.open() as memory:
        key = memory.keys.revoke(key_id, by=target.person(memory, by))
    show(lambda: {"key": documents.Key.of(key)}, lambda: _draw_revoked(key), as_json=as_json)


def _draw_made(key: ApiKey, text: str) -> RenderableType:
    reach = "all projects" if key.project_id is None else f"project {key.project_id}"
    shown = draw.text((text, "bold green"))
    shown.no_wrap = True
    return draw.stack(shown, draw.facts(f"key {key.id}: {key.role} {key.name}, {reach}"))


def _draw_keys(keys: Sequence[ApiKey]) -> RenderableType:
    if not keys:
        return draw.text("There are no keys yet. Make one: memsieve keys make --help", style="dim")
    table = draw.table("id", "name", "role", "project", "made", "last used", "revoked", unbroken=("id",))
    for key in keys:
        times = map(draw.day, (key.made_at, key.last_used_at, key.revoked_at))
        cells = map(draw.cell, (key.id, key.name, str(key.role), key.project_id or "all", *times))
        table.add_row(*cells, style="dim" if key.revoked_at else None)
    return table


def _draw_revoked(key: ApiKey) -> RenderableType:
    who, day = printable(key.revoked_by or "–"), draw.day(key.revoked_at)
    return draw.text(f"Key {key.id} of {printable(key.name)} is no longer valid: revoked by {who} on {day}.")
