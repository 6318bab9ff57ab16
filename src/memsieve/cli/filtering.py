"""Commands on the filter: stats, retry, replay."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from memsieve.cli import options
from memsieve.cli.options import Target, examples
from memsieve.cli.output import documents, draw, printable, show

if TYPE_CHECKING:
    from rich.console import RenderableType

    from memsieve.ingress.replay import Change, Replay
    from memsieve.model import Receipt, Stats

commands = typer.Typer()
PANEL = "Filter"
_UNCOUNTED = "Working memory does not answer and is not counted: see that Redis is up, or ask memsieve doctor."


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
        lambda: {"projects": [documents.Stats.of(count) for count in counts]},
        lambda: draw_stats(counts),
        as_json=as_json,
    )


@commands.command(rich_help_panel=PANEL, epilog=examples("memsieve retry --project apollo"))
def retry(project: options.Project, data: options.Data = None, as_json: options.Json = False) -> None:
    """Decide on entries that wait since a judge or embedder failed."""
    with options.open_data(data) as memory:
        receipts = memory.maintenance(project).retry()
    show(
        lambda: {"entries": [documents.Receipt.of(receipt) for receipt in receipts]},
        lambda: _draw_retried(project, receipts),
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
    limit: Annotated[int, typer.Option("--limit", help="Show at most this many changes.", min=0)] = 20,
    data: options.Data = None,
    as_json: options.Json = False,
) -> None:
    """Show what other settings would have admitted; change nothing."""
    changes = dict(map(_setting, changed))
    with options.open_data(data) as memory:
        outcome = memory.maintenance(project).replay(changes, since=options.since(days))
    show(
        lambda: documents.Replay.of(outcome, changed=len(outcome.changes), changes=outcome.changes[:limit]),
        lambda: _draw_replay(outcome, changes, limit),
        as_json=as_json,
    )


def _setting(written: str) -> tuple[str, str]:
    name, equals, value = written.partition("=")
    if not equals:
        raise typer.BadParameter(f"--set {written!r} has no value. Write it like --set min_confidence=0.7.")
    return name.strip(), value.strip()


def draw_stats(records: Sequence[Stats]) -> RenderableType:
    """Draw the counts of each project's tiers."""
    if not records:
        return draw.text("There are no projects yet. Begin with: memsieve demo", style="dim")
    columns = ("said", "admitted", "refused", "pending", "working", "verified")
    table = draw.table("project", numbers=columns)
    for one in records:
        working = "–" if one.working is None else one.working
        counts = (one.recorded, one.admitted, one.refused, one.pending, working, one.memories)
        table.add_row(draw.cell(one.project_id), *map(str, counts))
    shadowed = (one for one in records if one.shadow_admitted or one.shadow_refused)
    return draw.stack(
        table,
        *(_refusals(one) for one in records if one.refused_by),
        *map(_shadow, shadowed),
        *(_waiting(one) for one in records if one.insights_waiting),
        *([draw.text(_UNCOUNTED, style="yellow")] if any(one.working is None for one in records) else []),
    )


def _refusals(record: Stats) -> RenderableType:
    reasons = ", ".join(f"{name} {count}" for name, count in record.refused_by.items())
    return draw.text((printable(record.project_id), "bold"), (f" refused for {printable(reasons)}", "dim"))


def _shadow(record: Stats) -> RenderableType:
    words = f" in shadow: {record.shadow_admitted} more admitted, {record.shadow_refused} more refused"
    return draw.text((printable(record.project_id), "bold"), (words, "dim"))


def _waiting(record: Stats) -> RenderableType:
    wait = draw.waiting(record.insights_waiting, record.oldest_waiting)
    look = f"memsieve digest --project {shlex.quote(record.project_id)} --last"
    return draw.text((printable(record.project_id), "bold"), (f" {wait}\n", "yellow"), (f"  {look}", "dim"))


def _draw_retried(project: str, receipts: Sequence[Receipt]) -> RenderableType:
    if not receipts:
        return draw.text(f"Nothing in {printable(project)} waits for a decision.", style="dim")
    return draw.stack(*(draw.logged(one) for one in receipts))


def _draw_replay(record: Replay, changes: Mapping[str, str], limit: int) -> RenderableType:
    settings = ", ".join(f"{name} = {value}" for name, value in changes.items())
    head = draw.text(
        ("With ", "bold"),
        (printable(settings), "bold cyan"),
        (f": {record.admitted_after} of {record.entries} admitted", "bold"),
        f" instead of {record.admitted_before}; {draw.count(record.changes, 'decision')} would change. Nothing has.",
    )
    shown = [_changed(one) for one in record.changes[:limit]]
    more = len(record.changes) - len(shown)
    return draw.stack(
        head, *shown, *([draw.text(f"… and {more} more: --limit {len(record.changes)}", style="dim")] if more else [])
    )


def _changed(change: Change) -> RenderableType:
    title, style = draw.DECISIONS[change.after.decision]
    when = draw.minute(change.entry.created_at)
    return draw.entry_row(f"{change.before} → {title}", style, when, change.entry, change.after.reasons)
