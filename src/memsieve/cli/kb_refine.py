"""The command that ends a task in a knowledge base of files: refine."""

from __future__ import annotations

from typing import Annotated

import typer

from memsieve.cli import options
from memsieve.cli.kb import Base
from memsieve.cli.options import examples
from memsieve.cli.output import progress, show

commands = typer.Typer()
SCREENS = "kb_refine_screens"


@commands.command(
    epilog=examples(
        "memsieve kb refine --dry-run",
        "memsieve kb refine",
        "memsieve kb refine --observations runs   # each run counts as one",
    )
)
def refine(
    task: Annotated[
        str | None,
        typer.Option(
            "--task", help="The task that ends; else $MEMSIEVE_TASK, else the one at hand.", show_default=False
        ),
    ] = None,
    observations: Annotated[
        str | None,
        typer.Option(
            "--observations",
            help="What counts: evidence (tasks that found it) or runs (of refine); else the setting.",
            show_default=False,
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would happen; change nothing.")] = False,
    base: Base = None,
    as_json: options.Json = False,
) -> None:
    """End a task: decide on each finding, clear the session, trim the reports.

    What is known or too narrow goes, what was seen three times or is borne out becomes an atom, the rest waits.
    """
    from memsieve.kb.base import KnowledgeBase

    opened = KnowledgeBase.open(base, observations=observations)
    with progress("Reading atoms") as advance:
        report = opened.refine(task=task, dry_run=dry_run, progress=advance)
    show(report.document(), lambda screens: screens.refined(report), as_json=as_json, drawn_by=SCREENS)
