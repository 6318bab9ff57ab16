"""Commands for people who review: look into quarantine, decide, and read the audit log."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from memsieve.cli import options
from memsieve.cli.options import Target, examples
from memsieve.cli.output import PROBLEM_FOUND, documents, draw, note, printable, show
from memsieve.errors import NotFound

if TYPE_CHECKING:
    from rich.console import RenderableType

    from memsieve.cli.options import Opened
    from memsieve.model import AuditEvent
    from memsieve.project import Review
    from memsieve.review.audit import Audit

commands = typer.Typer()
audit = typer.Typer(
    no_args_is_help=True, help="Read the audit log, and verify that nobody changed it.", rich_markup_mode="rich"
)
PANEL = "Review"
WHAT = "The entry or insight; `memsieve log` and `memsieve digest` list them."

EntryId = Annotated[str, typer.Argument(help="The entry; `memsieve log` lists them.", metavar="ENTRY_ID")]


@commands.command(
    rich_help_panel=PANEL,
    epilog=examples(
        "memsieve log --project apollo --decision refused --days 7",
        "memsieve log --project apollo --search PostgreSQL --limit 10",
    ),
)
def log(  # noqa: PLR0913, PLR0917 - each parameter is an option
    project: options.Project,
    session: Annotated[str | None, typer.Option("--session", help="Only this session.", show_default=False)] = None,
    agent: Annotated[str | None, typer.Option("--agent", help="Only this agent.", show_default=False)] = None,
    decision: Annotated[
        Literal["admitted", "refused", "pending"] | None,
        typer.Option("--decision", help="Only what the filter decided so.", show_default=False),
    ] = None,
    review: Annotated[
        Literal["promoted", "dismissed", "retired", "covered"] | None,
        typer.Option("--review", help="Only what a person decided so.", show_default=False),
    ] = None,
    search: Annotated[str | None, typer.Option("--search", help="Only entries that hold this text.")] = None,
    days: options.Days = None,
    limit: Annotated[int, typer.Option("--limit", help="At most this many.", min=1, max=1000)] = 50,
    before: Annotated[str | None, typer.Option("--before", help="Only older ones than this entry.")] = None,
    data: options.Data = None,
    server: options.Server = None,
    as_json: options.Json = False,
) -> None:
    """List quarantine: all that was said, and why it got in or not."""
    from memsieve.model import Decision, EntryFilter, ReviewStatus

    wanted = EntryFilter(
        session_id=session,
        agent_id=agent,
        decision=None if decision is None else Decision(decision),
        review=None if review is None else ReviewStatus(review),
        text=search,
        since=options.since(days),
        beyond_id=before,
        limit=limit,
    )
    target = Target.of(data, server)
    with target.open() as memory:
        chosen = target.review(memory, project)
        receipts = chosen.log(wanted)
        if before is not None and chosen.entry(before) is None:
            raise NotFound(f"No entry {before!r} in project {project!r}. Begin without --before.", subject=before)
        if not receipts:
            options.note_if_unknown(memory, project)
    show(
        lambda: {"entries": [documents.Receipt.of(receipt) for receipt in receipts]},
        lambda: draw.log(project, receipts, limit),
        as_json=as_json,
    )


@commands.command(
    rich_help_panel=PANEL,
    epilog=examples(
        "memsieve promote --project apollo --by you@example.org INSIGHT_ID",
        "memsieve promote --project apollo --by you@example.org INSIGHT_ID \\",
        '  --text "The ledger runs on PostgreSQL since May."',
        "memsieve promote --project apollo --by you@example.org \\",
        '  --text "We ship on Fridays."',
    ),
)
def promote(
    project: options.Project,
    any_id: Annotated[str | None, typer.Argument(help=WHAT, metavar="ENTRY_ID|INSIGHT_ID", show_default=False)] = None,
    by: options.By = None,
    text: Annotated[
        str | None,
        typer.Option(
            "--text", help="Your words for it, or alone your own text; - reads standard input.", show_default=False
        ),
    ] = None,
    data: options.Data = None,
    server: options.Server = None,
    as_json: options.Json = False,
) -> None:
    """Write an insight, an entry or your own text into long-term memory.

    From then on it is served as verified. Twice changes nothing. An insight is decided with all its sources.
    """
    if any_id is None and text is None:
        raise typer.BadParameter("Name one insight or entry, or give your own --text.")
    target = Target.of(data, server)
    target.require_person(by)
    written = None if text is None else options.text_of(text, target)
    with target.open() as memory:
        chosen = target.review(memory, project, by)
        kept = chosen.promote_text(written or "") if any_id is None else chosen.promote(any_id, text=written)
    show(lambda: {"memory": documents.LongTermMemory.of(kept)}, lambda: draw.memory(kept), as_json=as_json)


@commands.command(
    rich_help_panel=PANEL,
    epilog=examples(
        "memsieve dismiss --project apollo --by you@example.org \\", '  --reason "never measured" INSIGHT_ID'
    ),
)
def dismiss(
    any_id: Annotated[str, typer.Argument(help=WHAT, metavar="ENTRY_ID|INSIGHT_ID")],
    project: options.Project,
    reason: options.Reason,
    by: options.By = None,
    data: options.Data = None,
    server: options.Server = None,
    as_json: options.Json = False,
) -> None:
    """Reject an insight or an entry, so that nothing like it comes back.

    It leaves working memory at once, and the filter refuses paraphrases of it. An insight is decided with all its
    sources.
    """
    target = Target.of(data, server)
    target.require_person(by)
    with target.open() as memory:
        tombstone = target.review(memory, project, by).dismiss(any_id, reason=reason)
    show(lambda: {"tombstone": documents.Tombstone.of(tombstone)}, lambda: draw.tombstone(tombstone), as_json=as_json)


@commands.command(
    rich_help_panel=PANEL,
    epilog=examples(
        "memsieve retire --project apollo --by you@example.org \\", '  --reason "we moved to CockroachDB" MEMORY_ID'
    ),
)
def retire(
    memory_id: Annotated[str, typer.Argument(help="The memory; `memsieve query` shows the ids.", metavar="MEMORY_ID")],
    project: options.Project,
    reason: options.Reason,
    by: options.By = None,
    data: options.Data = None,
    server: options.Server = None,
    as_json: options.Json = False,
) -> None:
    """Take a memory out of retrieval; see who was served it."""
    target = Target.of(data, server)
    target.require_person(by)
    with target.open() as memory:
        retirement = target.review(memory, project, by).retire(memory_id, reason=reason)
    show(lambda: documents.Retirement.of(retirement), lambda: draw.retirement(retirement), as_json=as_json)


@commands.command(
    rich_help_panel=PANEL,
    epilog=examples("memsieve delete --project apollo --by you@example.org \\", '  --reason "personal data" ENTRY_ID'),
)
def delete(
    entry_id: EntryId,
    project: options.Project,
    reason: options.Reason,
    by: options.By = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    data: options.Data = None,
    server: options.Server = None,
    as_json: options.Json = False,
) -> None:
    """Delete an entry for good; the audit log keeps that and why."""
    target = Target.of(data, server)
    target.require_person(by)
    if not yes and sys.stdin.isatty() and not typer.confirm(f"Delete {entry_id} for good?", err=True):
        note("Nothing was deleted.")
        raise typer.Exit(1)
    with target.open() as memory:
        target.review(memory, project, by).delete(entry_id, reason=reason)
    show(
        {"deleted": entry_id},
        lambda: draw.text(f"Deleted {printable(entry_id)}. The audit log keeps who did it and why."),
        as_json=as_json,
    )


@commands.command(rich_help_panel=PANEL, epilog=examples("memsieve lineage --project apollo ID"))
def lineage(
    any_id: Annotated[
        str, typer.Argument(help="An entry, an insight, a memory, or an item of an answer.", metavar="ID")
    ],
    project: options.Project,
    data: options.Data = None,
    server: options.Server = None,
    as_json: options.Json = False,
) -> None:
    """Trace where something came from and who was served it."""
    target = Target.of(data, server)
    with target.open() as memory:
        found = target.review(memory, project).lineage(any_id)
    show(lambda: documents.Lineage.of(found), lambda: draw.lineage(found), as_json=as_json)


@audit.command(epilog=examples("memsieve audit verify", "memsieve audit verify --project apollo"))
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
        lambda: {"projects": [documents.Verification.of(one, project_id=name) for name, one in audits.items()]},
        lambda: _draw_audits(audits),
        as_json=as_json,
    )
    if not all(one.whole for one in audits.values()):
        raise typer.Exit(PROBLEM_FOUND)


@audit.command(
    "log", epilog=examples("memsieve audit log --project apollo", "memsieve audit log --project apollo --limit 5")
)
def audit_log(
    project: options.Project,
    limit: Annotated[int, typer.Option("--limit", help="Only this many of the newest lines.", min=1, max=10_000)] = 100,
    data: options.Data = None,
    server: options.Server = None,
    as_json: options.Json = False,
) -> None:
    """List what people decided: who, when, what and why."""
    target = Target.of(data, server)
    with target.open() as memory:
        newest = deque(_lines(target.review(memory, project)), maxlen=limit)
    show(
        lambda: {"events": [documents.AuditLine.of(event) for event in newest]},
        lambda: draw.audit_log(newest),
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


def _draw_audits(records: Mapping[str, Audit]) -> RenderableType:
    if not records:
        return draw.text("There are no projects yet.", style="dim")
    shown: list[RenderableType] = []
    for name, one in records.items():
        sign, style = draw.PASSED if one.whole else draw.FAILED
        state = "an unbroken chain" if one.whole else draw.count(one.problems, "problem")
        shown.append(
            draw.text(
                (f"{sign} ", style), (printable(name), "bold"), f": {draw.count(range(one.events), 'line')}, {state}"
            )
        )
        shown += [draw.indented(draw.text(printable(problem), style="red")) for problem in one.problems]
        shown.append(draw.indented(draw.text(f"head {one.head}", style="dim")))
    return draw.stack(*shown)
