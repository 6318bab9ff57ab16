"""Commands on a knowledge base of files: make, write, refine, check, search and sync."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from memsieve.cli import options
from memsieve.cli.options import Target, examples
from memsieve.cli.output import PROBLEM_FOUND, kb_screens, note, progress, show

commands = typer.Typer()
Base = Annotated[
    Path | None,
    typer.Option(
        "--kb", help="The knowledge base; else the nearest .ai-kb, here or above.", show_default=False, metavar="PATH"
    ),
]
Task = Annotated[
    str | None,
    typer.Option(
        "--task", help="The task at hand; else $MEMSIEVE_TASK, else one that ends with `refine`.", show_default=False
    ),
]


def _named(option: str, meaning: str) -> Any:
    return typer.Option(option, help=meaning, show_default=False)


@commands.command(epilog=examples("memsieve kb init", "memsieve kb init --kb docs/knowledge"))
def init(
    base: Annotated[
        Path | None, typer.Option("--kb", help="Where; else ./.ai-kb.", show_default=False, metavar="PATH")
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Make a knowledge base, to be kept in git.

    One that is there stays as it is; what is missing in it is added.
    """
    from memsieve.kb.base import KnowledgeBase

    made = KnowledgeBase.init(base)
    show(
        {"root": str(made.root), "id": made.id},
        lambda: kb_screens.made(made.root, made.id),
        as_json=as_json,
    )


@commands.command(
    epilog=examples(
        'memsieve kb write new_trap --description "Locale of dates" \\',
        '  --content "Dates in reports follow the locale of the server."',
        "memsieve kb write decoded_text --filename A.C --line-range 1-40 \\",
        "  --content - < decoded.txt",
        "memsieve kb write checkpoint --state REVIEW",
    )
)
def write(  # noqa: PLR0913, PLR0917 - an option for each field
    type_: Annotated[
        str,
        typer.Argument(
            help="checkpoint, decoded_text, diff_compare, new_trap, new_pattern, correction, verify_report or "
            "build_report.",
            metavar="TYPE",
        ),
    ],
    content: Annotated[
        str, _named("--content", "What it says; - reads standard input. A checkpoint may do without.")
    ] = "",
    state: Annotated[str | None, _named("--state", "Of a checkpoint: the state of the work.")] = None,
    filename: Annotated[str | None, _named("--filename", "Of a decoded text or a report: the file.")] = None,
    line_range: Annotated[str | None, _named("--line-range", "Of a decoded text: its lines, as 1-40.")] = None,
    function_name: Annotated[str | None, _named("--function-name", "Of a comparison: the function.")] = None,
    description: Annotated[str | None, _named("--description", "Of a trap or pattern: what it is called.")] = None,
    atom_name: Annotated[str | None, _named("--atom-name", "Of a correction: the atom it corrects.")] = None,
    evidence: Annotated[
        str | None, _named("--evidence", "What bears a finding out: a test, a report. It is certain then.")
    ] = None,
    tag: Annotated[list[str] | None, _named("--tag", "A tag; may be given more than once.")] = None,
    agent: Annotated[str | None, _named("--agent", "Who writes.")] = None,
    task: Task = None,
    base: Base = None,
    as_json: options.Json = False,
) -> None:
    """Write an item where its kind belongs; nothing is ever written over.

    A finding that waits there already under this name is observed once more.
    """
    from memsieve.kb.base import KnowledgeBase
    from memsieve.kb.items import MOST_CONTENT_BYTES, Item
    from memsieve.model import Refinement

    opened = KnowledgeBase.open(base)
    text = options.standard_input(MOST_CONTENT_BYTES, "Split it.") if content == "-" else content
    item = Item(
        type=type_.replace("-", "_"),
        content=text,
        state=state,
        filename=filename,
        line_range=line_range,
        function_name=function_name,
        description=description,
        atom_name=atom_name,
        evidence=evidence,
        tags=tuple(tag or ()),
        agent=agent,
        task=task,
    )
    written = opened.write(item)
    document = asdict(written) | {
        "path": str(written.path),
        "file": opened.layout.relative(written.path),
        "needed": Refinement.NEEDED if item.kind.is_finding else None,
    }
    show(document, lambda: kb_screens.written(document), as_json=as_json)


@commands.command(epilog=examples("memsieve kb status", "memsieve kb status --kb docs/knowledge --json"))
def status(base: Base = None, as_json: options.Json = False) -> None:
    """Show what waits to be refined, how many of three observations it has, and what is kept."""
    from memsieve.kb.base import KnowledgeBase

    found = KnowledgeBase.open(base).status()
    document = asdict(found) | {"root": str(found.root)}
    show(document, lambda: kb_screens.status(found), as_json=as_json)


@commands.command(epilog=examples("memsieve kb check", "memsieve kb check --json"))
def check(base: Base = None, as_json: options.Json = False) -> None:
    """Check files, front matter, ids and links; show file and line of each problem.

    Exit code 8 if anything is.
    """
    from memsieve.kb.base import KnowledgeBase

    opened = KnowledgeBase.open(base, checked=False)
    problems = opened.check()
    show(
        {"sound": not problems, "problems": [asdict(problem) for problem in problems]},
        lambda: kb_screens.problems(problems, opened.root),
        as_json=as_json,
    )
    if problems:
        raise typer.Exit(PROBLEM_FOUND)


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
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would happen; change nothing.")] = False,
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
    show(report.document(), lambda: kb_screens.refined(report), as_json=as_json)


@commands.command(
    epilog=examples('memsieve kb search "when are idle connections closed"', "memsieve kb search 租户编号 --limit 3")
)
def search(
    query: Annotated[str, typer.Argument(help="What you look for, in words of yours.", metavar="QUERY")],
    limit: Annotated[int, typer.Option("--limit", help="At most this many atoms.", min=1, max=100)] = 5,
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
    show(document, lambda: kb_screens.hits(found.hits, query), as_json=as_json)


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
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be done.")] = False,
    base: Base = None,
    data: options.Data = None,
    server: options.Server = None,
    as_json: options.Json = False,
) -> None:
    """Make the atoms verified memories of a project.

    New atoms are promoted and changed ones again; what no atom says any more is retired. It is done in your name and
    goes into the audit log. Repeating it changes nothing. Exit code 1 if an atom could not be brought.
    """
    from memsieve.kb.base import KnowledgeBase
    from memsieve.kb.sync import SyncOutcome

    opened, target = KnowledgeBase.open(base), Target.of(data, server)
    if not dry_run:
        target.require_person(by)
    with target.open() as memory, progress("Bringing atoms") as advance:
        report = opened.sync(target.review(memory, project, by), dry_run=dry_run, progress=advance)
    counts = {str(outcome): report.count(outcome) for outcome in SyncOutcome}
    changed = [asdict(item) for item in report.items if item.outcome is not SyncOutcome.UNCHANGED]
    document = {"project": project, "dry_run": dry_run, **counts, "items": changed}
    show(document, lambda: kb_screens.synced(report, project), as_json=as_json)
    if report.count(SyncOutcome.REFUSED):
        raise typer.Exit(1)
