"""Commands on the filter: what it did, what it still owes, what it would do."""

from __future__ import annotations

from typing import Annotated

import typer

from memsieve.cli import options
from memsieve.cli.options import examples
from memsieve.cli.output import show
from memsieve.cli.target import Target

commands = typer.Typer()
PANEL = "Filter"


@commands.command(rich_help_panel=PANEL, epilog=examples("memsieve stats", "memsieve stats --project apollo"))
def stats(
    project: Annotated[
        str | None,
        typer.Option("--project", "--group", help="Only this project; else all of them.", show_default=False),
    ] = None,
    data: options.Data = None,
    server: options.Server = None,
    as_json: options.Json = False,
) -> None:
    """Count what each tier holds, and what the filter refused."""
    with Target.of(data, server).open() as memory:
        names = memory.projects() if project is None else [project]
        counts = [memory.project(name).stats() for name in names]
    show(
        lambda documents: {"projects": [documents.Stats.of(count) for count in counts]},
        lambda screens: screens.stats(counts),
        as_json=as_json,
    )


@commands.command(rich_help_panel=PANEL, epilog=examples("memsieve retry --project apollo"))
def retry(project: options.Project, data: options.Data = None, as_json: options.Json = False) -> None:
    """Decide on entries that wait since a judge or embedder failed."""
    with options.open_data(data) as memory:
        receipts = memory.maintenance(project).retry()
    show(
        lambda documents: {"entries": [documents.Receipt.of(receipt) for receipt in receipts]},
        lambda screens: screens.retried(project, receipts),
        as_json=as_json,
    )


@commands.command(
    rich_help_panel=PANEL,
    epilog=examples(
        "memsieve replay --project apollo --set min_confidence=0.7",
        "memsieve replay --project apollo --days 7 --set disabled_checks=echo",
    ),
)
def replay(
    project: options.Project,
    changed: Annotated[
        list[str], typer.Option("--set", help="A setting of the filter to change; repeat it.", metavar="NAME=VALUE")
    ],
    days: options.Days = None,
    limit: Annotated[int, typer.Option("--limit", help="Show at most so many changes.", min=0)] = 20,
    data: options.Data = None,
    as_json: options.Json = False,
) -> None:
    """Say what other settings would have admitted; changes nothing."""
    changes = dict(map(_setting, changed))
    with options.open_data(data) as memory:
        outcome = memory.maintenance(project).replay(changes, since=options.since(days))
    show(
        lambda documents: documents.Replay.of(outcome, changed=len(outcome.changes), changes=outcome.changes[:limit]),
        lambda screens: screens.replay(outcome, changes, limit),
        as_json=as_json,
    )


def _setting(written: str) -> tuple[str, str]:
    name, equals, value = written.partition("=")
    if not equals:
        raise typer.BadParameter(f"--set {written!r} has no value. Write it like --set min_confidence=0.7.")
    return name.strip(), value.strip()
