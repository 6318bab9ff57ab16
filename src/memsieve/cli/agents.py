"""Commands for agents: record, query, working."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memsieve.cli import options
from memsieve.cli.options import Target, examples
from memsieve.cli.output import documents, draw, note, printable, say, show
from memsieve.errors import InvalidInput

if TYPE_CHECKING:
    from rich.console import RenderableType

    from memsieve.cli.options import Opened
    from memsieve.memory import Memory
    from memsieve.model import Answer, Entry

commands = typer.Typer()
PANEL = "Agents"

Session = Annotated[str | None, typer.Option("--session", help="The session that asks.", show_default=False)]
Agent = Annotated[str | None, typer.Option("--agent", help="The agent's name.", show_default=False)]


@commands.command(
    rich_help_panel=PANEL,
    epilog=examples(
        "memsieve record --project apollo --agent cfo --confidence 0.93 \\",
        '  "The team decided to use PostgreSQL for the ledger, for its transactions."',
        "cat finding.txt | memsieve record --project apollo -",
    ),
)
def record(  # noqa: PLR0913, PLR0917 - each parameter is an option
    text: Annotated[str, typer.Argument(help="What the agent says; - reads standard input, UTF-8.", metavar="TEXT|-")],
    project: options.Project,
    session: Annotated[str, typer.Option("--session", help="The session that reports it.")] = "cli",
    agent: Agent = None,
    node: Annotated[str | None, typer.Option("--node", help="The workflow node.", show_default=False)] = None,
    confidence: Annotated[
        float | None, typer.Option("--confidence", help="The agent's own score, 0 to 1.", show_default=False)
    ] = None,
    metadata: Annotated[
        str | None, typer.Option("--metadata", help="A JSON object to keep with it.", metavar="JSON")
    ] = None,
    key: Annotated[
        str | None, typer.Option("--key", help="Idempotency key: the same key is stored once.", show_default=False)
    ] = None,
    no_wait: Annotated[
        bool, typer.Option("--no-wait", help="Do not wait for a slow judge; `memsieve retry` decides later.")
    ] = False,
    data: options.Data = None,
    server: options.Server = None,
    as_json: options.Json = False,
) -> None:
    """Record what an agent said; what the filter admits is working memory."""
    target = Target.of(data, server)
    content = options.text_of(text, target)
    kept = _metadata(metadata)
    with target.open() as memory:
        receipt = memory.project(project).record(
            content,
            session_id=session,
            agent_id=agent,
            node_id=node,
            confidence=confidence,
            metadata=kept,
            idempotency_key=key,
            wait=not no_wait,
        )
    show(
        lambda: {
            "entry": documents.Entry.of(receipt.entry),
            "admission": documents.FilterDecision.of(receipt.admission),
        },
        lambda: draw.receipt(receipt),
        as_json=as_json,
    )


@commands.command(
    rich_help_panel=PANEL,
    epilog=examples(
        'memsieve query --project apollo "which database does the ledger use?"',
        'memsieve query --project apollo --session s9 --markdown "架构决策是什么？"',
    ),
)
def query(  # noqa: PLR0913, PLR0917 - each parameter is an option
    text: Annotated[str, typer.Argument(help="The question.", metavar="TEXT")],
    project: options.Project,
    max_results: Annotated[int, typer.Option("--max-results", help="At most this many verified memories.")] = 5,
    max_unverified: Annotated[int, typer.Option("--max-unverified", help="At most this many unverified ones.")] = 10,
    days: options.Days = None,
    threshold: Annotated[float, typer.Option("--threshold", help="The least relevance, 0 to 1.")] = 0.0,
    session: Session = None,
    agent: Agent = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print the Markdown block for a prompt.")] = False,
    data: options.Data = None,
    server: options.Server = None,
    as_json: options.Json = False,
) -> None:
    """Ask verified and working memory; quarantine is never asked.

    Name the session: what it is served cannot come back from it as new evidence.
    """
    if markdown and as_json:
        raise typer.BadParameter("Choose one of --markdown and --json.")
    with Target.of(data, server).open() as memory:
        answer = memory.project(project).retrieve(
            text,
            max_results=max_results,
            max_unverified=max_unverified,
            time_range_days=days,
            relevance_threshold=threshold,
            session_id=session,
            agent_id=agent,
        )
        if not answer.items:
            options.note_if_unknown(memory, project)
    _show_answer(answer, markdown=markdown, as_json=as_json)


def _show_answer(answer: Answer, *, markdown: bool, as_json: bool) -> None:
    if markdown:
        from memsieve.retrieval.prompt import history_context

        say(history_context(answer).rstrip("\n"))
        return
    show(lambda: documents.AnswerWithId.of(answer), lambda: draw.answer(answer), as_json=as_json)


def _metadata(written: str | None) -> dict[str, Any] | None:
    if written is None:
        return None
    try:
        value = json.loads(written)
    except (ValueError, RecursionError) as exc:
        raise InvalidInput(
            f"--metadata is not JSON: {exc}. Write it like '{{\"turn\": 3}}'.", field="metadata"
        ) from exc
    if not isinstance(value, dict):
        raise InvalidInput("--metadata must be a JSON object, like '{\"turn\": 3}'.", field="metadata")
    return value


class Action(StrEnum):
    """What to do with working memory."""

    LIST = "list"
    RESTORE = "restore"


@commands.command(
    rich_help_panel="Agents",
    epilog=examples(
        "memsieve working --project apollo",
        "memsieve working restore --project apollo",
        "memsieve working restore --all",
    ),
)
def working(
    action: Annotated[
        Action, typer.Argument(help="restore: put back what Redis has lost.", metavar="restore", show_default=False)
    ] = Action.LIST,
    project: Annotated[
        str | None,
        typer.Option("--project", "--group", help="The project; nothing of any other is reached.", show_default=False),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Restore all projects.")] = False,
    data: options.Data = None,
    server: options.Server = None,
    as_json: options.Json = False,
) -> None:
    """List working memory: admitted within 24 hours, unverified.

    Redis may lose it when it restarts: `restore` puts back what was admitted within 24 hours, for the time it has left.
    """
    if (project is None) is not (every and action is Action.RESTORE):
        raise typer.BadParameter("Name one --project; only `restore` takes --all instead.")
    target = Target.of(data, server)
    if action is Action.LIST:
        with target.open() as memory:
            _list_working(memory, str(project), as_json=as_json)
        return
    target.require_data("`working restore`")
    with options.open_data(data) as stored:
        _restore_working(stored, stored.projects() if project is None else [project], as_json=as_json)


def _list_working(memory: Opened, project_id: str, *, as_json: bool) -> None:
    project = memory.project(project_id)
    entries = project.working()
    if not entries:
        options.note_if_unknown(memory, project_id)
        if missing := _missing(memory, project_id):
            note(
                f"{missing} admitted within 24 hours should be here: Redis has lost them. "
                f"Put them back: memsieve working restore --project {project_id}"
            )
    show(
        lambda: {"entries": [documents.Entry.of(entry) for entry in entries]},
        lambda: _draw_working(project_id, entries),
        as_json=as_json,
    )


def _missing(memory: Opened, project_id: str) -> int:
    # On a server its operator restores what Redis has lost.
    return memory.maintenance(project_id).missing_from_working() if hasattr(memory, "maintenance") else 0


def _restore_working(memory: Memory, names: list[str], *, as_json: bool) -> None:
    restored = {name: memory.maintenance(name).restore_working() for name in names}
    show({"restored": restored}, lambda: _draw_restored(restored), as_json=as_json)


def _draw_working(project: str, entries: Sequence[Entry]) -> RenderableType:
    if not entries:
        return draw.text(f"Working memory of {printable(project)} is empty.", style="dim")
    return draw.stack(
        *(draw.entry_row("⚡️ unverified", "yellow", draw.time_left(one.expires_at), one) for one in entries),
        draw.text(f"{len(entries)} in working memory, checked by no person.", style="dim"),
    )


def _draw_restored(counts: Mapping[str, int]) -> RenderableType:
    lines = [
        draw.text(f"{printable(name)}: {draw.count(range(count), 'entry')} put back.")
        for name, count in counts.items()
        if count
    ]
    return draw.stack(*lines) if lines else draw.text("Nothing was missing in working memory.", style="dim")
