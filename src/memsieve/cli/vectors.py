"""The command that makes vectors again: reembed."""

from __future__ import annotations

import typer

from memsieve.cli import options
from memsieve.cli.options import examples
from memsieve.cli.output import progress, show

commands = typer.Typer()


@commands.command(rich_help_panel="Data", epilog=examples("memsieve reembed", "memsieve reembed --data /srv/memsieve"))
def reembed(data: options.Data = None, as_json: options.Json = False) -> None:
    """Make the vectors of a former embedder again, in all projects.

    A memory that stays open does it by itself, slowly. It may be interrupted: the next time it goes on from there.
    """
    with options.open_memory(data) as memory, progress("Embedding") as advance:
        done = memory.reembed(advance)
    document = {"embedder": done.embedder, "embedded": done.embedded, "unreadable": done.unreadable}
    show(document, lambda screens: screens.reembedded(done), as_json=as_json)
