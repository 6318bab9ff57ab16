"""The command on working memory: working, and how it is filled again."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from memsieve.cli import options
from memsieve.cli.options import examples
from memsieve.cli.output import note, show
from memsieve.cli.target import Target

if TYPE_CHECKING:
    from memsieve.cli.target import Opened
    from memsieve.memory import Memory

commands = typer.Typer()


class Deed(StrEnum):
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
    deed: Annotated[
        Deed, typer.Argument(help="restore: put back what Redis has lost.", metavar="restore", show_default=False)
    ] = Deed.LIST,
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
    if (project is None) is not (every and deed is Deed.RESTORE):
        raise typer.BadParameter("Name one --project; only `restore` takes --all instead.")
    target = Target.of(data, server)
    if deed is Deed.LIST:
        with target.open() as memory:
            _list(memory, str(project), as_json=as_json)
        return
    target.require_data("`working restore`")
    with options.open_data(data) as stored:
        _restore(stored, stored.projects() if project is None else [project], as_json=as_json)


def _list(memory: Opened, project_id: str, *, as_json: bool) -> None:
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
        lambda documents: {"entries": [documents.Entry.of(entry) for entry in entries]},
        lambda screens: screens.working(project_id, entries),
        as_json=as_json,
    )


def _missing(memory: Opened, project_id: str) -> int:
    # A server puts back by itself what Redis has lost, or whoever runs it does.
    return memory.maintenance(project_id).missing_from_working() if hasattr(memory, "maintenance") else 0


def _restore(memory: Memory, names: list[str], *, as_json: bool) -> None:
    restored = {name: memory.maintenance(name).restore_working() for name in names}
    show({"restored": restored}, lambda screens: screens.restored(restored), as_json=as_json)
