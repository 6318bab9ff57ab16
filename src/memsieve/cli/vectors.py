"""The command that makes vectors again: reembed."""

from __future__ import annotations

from typing import Annotated

import typer

from memsieve.cli import options
from memsieve.cli.options import examples
from memsieve.cli.output import progress, show

commands = typer.Typer()


Forget = Annotated[
    str | None,
    typer.Option(
        "--forget", help="Drop the vectors that this former embedder left.", metavar="EMBEDDER", show_default=False
    ),
]


@commands.command(
    rich_help_panel="Data",
    epilog=examples("memsieve reembed", "memsieve reembed --data /srv/memsieve", "memsieve reembed --forget old-model"),
)
def reembed(forget: Forget = None, data: options.Data = None, as_json: options.Json = False) -> None:
    """Make the vectors of a former embedder again, in all projects.

    A memory that stays open does it by itself, slowly. It may be interrupted: the next time it goes on from there.
    On PostgreSQL the former vectors stay for programs that still ask by them; when none does, --forget drops them.
    """
    if forget is not None:
        with options.open_data(data) as memory:
            dropped = memory.forget_vectors(forget)
        document = {"embedder": forget, "dropped": dropped}
        show(document, lambda screens: screens.vectors_dropped(forget, dropped), as_json=as_json)
        return
    with options.open_data(data) as memory, progress("Embedding") as advance:
        done = memory.reembed(advance)
    document = {"embedder": done.embedder, "embedded": done.embedded, "unreadable": done.unreadable}
    show(document, lambda screens: screens.reembedded(done), as_json=as_json)
