"""Commands on the audit log: who promoted, dismissed, retired and deleted what, and whether the log is whole."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from memsieve.cli import options
from memsieve.cli.exits import PROBLEM_FOUND
from memsieve.cli.options import examples
from memsieve.cli.output import show
from memsieve.cli.target import Target

if TYPE_CHECKING:
    from memsieve.cli.target import Opened
    from memsieve.model import AuditEvent
    from memsieve.project import Review
    from memsieve.review.audit import Audit

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
    server: options.Server = None,
    as_json: options.Json = False,
) -> None:
    """Check the hash chain, and that every memory has its line in it.

    Exit code 8 if not. Note the head elsewhere to notice a log cut short.
    """
    target = Target.of(data, server)
    with target.open() as memory:
        by = target.person(memory)
        audits = _all_audits(memory, by) if project is None else _audits(memory, by, [memory.project(project).id])
    show(
        lambda documents: {
            "projects": [documents.Verification.of(audit, project_id=name) for name, audit in audits.items()]
        },
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
    server: options.Server = None,
    as_json: options.Json = False,
) -> None:
    """List what people decided: who, when, what and why."""
    target = Target.of(data, server)
    with target.open() as memory:
        newest = deque(_lines(target.review(memory, project)), maxlen=limit)
    show(
        lambda documents: {"events": [documents.AuditLine.of(event) for event in newest]},
        lambda screens: screens.audit_log(newest),
        as_json=as_json,
    )


def _lines(review: Review) -> Iterator[AuditEvent]:
    """Yield the audit log from beginning to end."""
    from memsieve.model import MAX_LISTED

    after = 0
    while page := review.audit_log(after=after, limit=MAX_LISTED):
        yield from page
        after = page[-1].sequence


def _all_audits(memory: Opened, by: str) -> dict[str, Audit]:
    """Verify the log of every project, also of those that have only keys, and the server's own once there is one."""
    from memsieve.model import SERVER_PROJECT

    # The key of a project reaches no other log, and asking for one would be noted against it.
    if hasattr(memory, "url"):
        return _audits(memory, by, memory.projects())
    of_server = memory.project(SERVER_PROJECT).review(by=by).verify_audit()
    of_keys = {key.audited_in for key in memory.keys.list()} - {SERVER_PROJECT}
    audits = _audits(memory, by, sorted({*memory.projects(), *of_keys}))
    return {**audits, SERVER_PROJECT: of_server} if of_server.events or of_server.problems else audits


def _audits(memory: Opened, by: str, names: list[str]) -> dict[str, Audit]:
    return {name: memory.project(name).review(by=by).verify_audit() for name in names}
