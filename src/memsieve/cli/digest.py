"""Commands on what waits for a decision: digest, insight."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from memsieve.cli import options
from memsieve.cli.options import Target, examples
from memsieve.cli.output import digest_screens, documents, progress, show
from memsieve.errors import NotFound

if TYPE_CHECKING:
    from memsieve.model import Digest
    from memsieve.project import Review

commands = typer.Typer()
PANEL = "Review"
FAILED = 1


@commands.command(
    rich_help_panel=PANEL,
    epilog=examples(
        "memsieve digest --project apollo",
        "memsieve digest --project apollo --last",
        "memsieve digest --all   # each hour by cron: makes what is due",
    ),
)
def digest(
    project: Annotated[
        str | None, typer.Option("--project", "--group", help="The project to digest now.", show_default=False)
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Make the weekly digests that are due, in all projects.")
    ] = False,
    days: Annotated[
        float | None, typer.Option("--days", help="Digest this many days back; 7 if not given.", show_default=False)
    ] = None,
    last: Annotated[bool, typer.Option("--last", help="Show the newest digest again; make none.")] = False,
    data: options.Data = None,
    server: options.Server = None,
    as_json: options.Json = False,
) -> None:
    """Gather what agents said into a few insights to decide on.

    An insight is as unverified as its sources. Undecided ones wait for the next digest.
    """
    if (project is None) != everything:
        raise typer.BadParameter("Name one --project, or give --all.")
    if everything and (last or days is not None):
        raise typer.BadParameter("--last and --days go with one --project, not with --all.")
    if last and days is not None:
        raise typer.BadParameter("--last makes no digest: leave out --days.")
    target = Target.of(data, server)
    if project is None:
        _make_due(target, as_json=as_json)
    else:
        _digest_one(project, days, target, last=last, as_json=as_json)


@commands.command(rich_help_panel=PANEL, epilog=examples("memsieve insight --project apollo INSIGHT_ID"))
def insight(
    insight_id: Annotated[
        str, typer.Argument(help="The insight; `memsieve digest` shows the ids.", metavar="INSIGHT_ID")
    ],
    project: options.Project,
    data: options.Data = None,
    server: options.Server = None,
    as_json: options.Json = False,
) -> None:
    """Show one insight in full: all that is behind it, and its fate."""
    target = Target.of(data, server)
    with target.open() as memory:
        found = target.review(memory, project).insight(insight_id)
    if found is None:
        raise NotFound(
            f"No insight {insight_id!r} in project {project!r}. `memsieve digest` shows those that wait.",
            subject=insight_id,
        )
    show(
        lambda: {"insight": documents.Insight.of(found)}, lambda: digest_screens.insight(found, target), as_json=as_json
    )


def _digest_one(project: str, days: float | None, target: Target, *, last: bool, as_json: bool) -> None:
    with target.open() as memory:
        chosen = target.review(memory, project)
        found = chosen.last_digest() if last else _made(chosen, 7 if days is None else days)
        oldest = chosen.stats().oldest_waiting
        if found is None or not found.entries:
            options.note_if_unknown(memory, project)
    show(
        lambda: {"digest": None if found is None else documents.Digest.of(found)},
        lambda: digest_screens.no_digest(project) if found is None else digest_screens.digest(found, oldest, target),
        as_json=as_json,
    )


def _made(review: Review, days: float) -> Digest:
    with progress("Digesting") as advance:
        return review.digest(days=days, progress=advance)


def _make_due(target: Target, *, as_json: bool) -> None:
    from memsieve.jobs.weekly import RunOutcome

    target.require_data("`digest --all`")
    with options.open_data(target.data) as memory, progress("Digesting") as advance:
        runs = memory.make_due_digests(advance)
    show(
        lambda: {"runs": [documents.DigestRun.of(run) for run in runs]},
        lambda: digest_screens.runs(runs),
        as_json=as_json,
    )
    if any(run.outcome is RunOutcome.FAILED for run in runs):
        raise typer.Exit(FAILED)
