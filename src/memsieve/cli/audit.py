"""Commands on the audit log: who promoted, dismissed, retired and deleted what, and whether the log is whole."""

from __future__ import annotations

from collections import deque
from typing import Annotated

import typer

from memsieve.cli import options
from memsieve.cli.exits import PROBLEM_FOUND
from memsieve.cli.options import examples
from memsieve.cli.output import show

commands = typer.Typer(
    no_args_is_help=True, help="Read the audit log, and verify that nobody changed it.", rich_markup_mode="rich"
)


@commands.command(epilog=examples("memsieve audit verify", "memsieve audit verify --project apollo"))
def verify(
    project: Annotated[
        str | None,
        typer.Option("--project", "--group", help="Only this project; else all of them.", show_default=False),
    ] = None,
    data: options.Data = None,
    as_json: options.Json = False,
) -> None:
    """Check the hash chain, and that every memory has its line in it.

    Exit code 8 if not. Note the head elsewhere to notice a log cut short.
    """
    from memsieve import wire

    with options.open_memory(data) as memory:
        names = memory.projects() if project is None else [memory.project(project).id]
        audits = {name: memory.project(name).verify_audit() for name in names}
    show(
        {"projects": [wire.audit(name, audit) for name, audit in audits.items()]},
        lambda screens: screens.audits(audits),
        as_json=as_json,
    )
    if not all(audit.whole for audit in audits.values()):
        raise typer.Exit(PROBLEM_FOUND)


@commands.command(
    epilog=examples("memsieve audit log --project apollo", "memsieve audit log --project apollo --limit 5")
)
def log(
    project: options.Project,
    limit: Annotated[int, typer.Option("--limit", help="Only the newest so many lines.", min=1, max=10_000)] = 100,
    data: options.Data = None,
    as_json: options.Json = False,
) -> None:
    """List what people decided: who, when, what and why."""
    from memsieve import transfer, wire
    from memsieve.sync import Memory

    with Memory.open(settings=options.settings_of(data)) as memory:
        newest = deque(transfer.events(memory.project(project)), maxlen=limit)
    show({"events": [wire.event(event) for event in newest]}, lambda screens: screens.events(newest), as_json=as_json)
