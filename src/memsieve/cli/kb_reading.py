"""Commands that read the atoms of a knowledge base: search them, and bring them into a project's memory."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from memsieve.cli import options
from memsieve.cli.kb import Base
from memsieve.cli.options import examples
from memsieve.cli.output import note, progress, show
from memsieve.cli.place import Place

commands = typer.Typer()
SCREENS = "kb_reading_screens"


@commands.command(
    epilog=examples('memsieve kb search "when are idle connections closed"', "memsieve kb search 租户编号 --limit 3")
)
def search(
    query: Annotated[str, typer.Argument(help="What you look for, in words of yours.", metavar="QUERY")],
    limit: Annotated[int, typer.Option("--limit", help="At most so many atoms.", min=1, max=100)] = 5,
    base: Base = None,
    as_json: options.Json = False,
) -> None:
    """Find atoms by words and sense, with file and line.

    The first time all atoms are read, which may take a minute where there are thousands; then only what changes.
    """
    from memsieve.kb.base import KnowledgeBase

    opened = KnowledgeBase.open(base)
    with progress("Reading atoms") as advance:
        found = opened.search(query, limit, progress=advance)
    if found.unread:
        note(f"{len(found.unread)} atoms could not be read, such as {found.unread[0]}. See `memsieve kb check`.")
    if found.degraded:
        note("The embedder did not answer: atoms were found by their words alone.")
    document = asdict(found) | {"query": query}
    show(document, lambda screens: screens.hits(found.hits, query), as_json=as_json, drawn_by=SCREENS)


@commands.command(
    epilog=examples(
        "memsieve kb sync --project apollo --by you@example.org --dry-run",
        "memsieve kb sync --project apollo --by you@example.org",
        "MEMSIEVE_KEY=msv_… memsieve kb sync --project apollo \\",
        "  --server https://memory.example.org",
    )
)
def sync(
    project: options.Project,
    by: options.By = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be done.")] = False,
    base: Base = None,
    data: options.Data = None,
    server: options.Server = None,
    as_json: options.Json = False,
) -> None:
    """Make the atoms verified memories of a project.

    New atoms are promoted and changed ones again; what no atom says any more is retired. It is done in your name and
    stands in the audit log. Twice changes nothing. Exit code 1 if an atom could not be brought.
    """
    from memsieve.kb.base import KnowledgeBase
    from memsieve.kb.sync import SyncOutcome

    opened, place = KnowledgeBase.open(base), Place.of(data, server)
    person = {} if dry_run and by is None else place.person(by)
    with place.open() as memory, progress("Bringing atoms") as advance:
        report = opened.sync(memory.project(project), **person, dry_run=dry_run, progress=advance)
    counts = {str(outcome): report.count(outcome) for outcome in SyncOutcome}
    told = [asdict(item) for item in report.items if item.outcome is not SyncOutcome.UNCHANGED]
    document = {"project": project, "dry_run": dry_run, **counts, "items": told}
    show(document, lambda screens: screens.synced(report, project), as_json=as_json, drawn_by=SCREENS)
    if report.count(SyncOutcome.REFUSED):
        raise typer.Exit(1)
