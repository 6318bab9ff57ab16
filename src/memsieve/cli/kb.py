"""Commands on a knowledge base of files: make, write, refine, check, search and sync."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memsieve.cli import options
from memsieve.cli.options import Target, examples
from memsieve.cli.output import PROBLEM_FOUND, draw, note, printable, progress, show

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from memsieve.kb.inspection import FileProblem, StagedFinding, Status, UnknownFile
    from memsieve.kb.refine.report import RefinedFile, Report
    from memsieve.kb.search import AtomHit
    from memsieve.kb.sync import SyncItem, SyncReport

commands = typer.Typer()
_OUTCOMES = {
    "written": "Written",
    "observed": "Observed once more",
    "known": "Known already: this task has reported it before",
}
_UNFINISHED = "A refine was interrupted. `memsieve kb refine` finishes it."
_REFINE_STYLES = {
    "promoted": "green",
    "corrected": "green",
    "observing": "cyan",
    "duplicate": "dim",
    "too_narrow": "dim",
    "kept": "yellow",
}
_SYNC_STYLES = {
    "added": ("+", "green"),
    "changed": ("~", "cyan"),
    "removed": ("✝", "magenta"),
    "withheld": ("!", "yellow"),
    "kept": ("!", "yellow"),
    "refused": ("✗", "red"),
}
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
    show({"root": str(made.root), "id": made.id}, lambda: draw_made(made.root, made.id), as_json=as_json)


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
    show(document, lambda: draw_written(document), as_json=as_json)


@commands.command(epilog=examples("memsieve kb status", "memsieve kb status --kb docs/knowledge --json"))
def status(base: Base = None, as_json: options.Json = False) -> None:
    """Show what waits to be refined, how many of three observations it has, and what is kept."""
    from memsieve.kb.base import KnowledgeBase

    found = KnowledgeBase.open(base).status()
    document = asdict(found) | {"root": str(found.root)}
    show(document, lambda: draw_status(found), as_json=as_json)


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
        lambda: draw_problems(problems, opened.root),
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
    show(report.document(), lambda: draw_refined(report), as_json=as_json)


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
    show(document, lambda: draw_hits(found.hits, query), as_json=as_json)


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
    show(document, lambda: draw_synced(report, project), as_json=as_json)
    if report.count(SyncOutcome.REFUSED):
        raise typer.Exit(1)


def draw_made(root: Path, identity: str) -> RenderableType:
    """Draw a new knowledge base."""
    return draw.stack(
        draw.text(f"Knowledge base {printable(str(root))}", style="bold green"),
        draw.facts(f"id {identity}", "Keep it in git. Write to it: memsieve kb write --help"),
    )


def draw_written(document: Mapping[str, Any]) -> RenderableType:
    """Draw what became of an item."""
    count = f"{document['observations']} of {document['needed']} observations" if document["needed"] else ""
    return draw.stack(
        draw.text(f"{_OUTCOMES[document['outcome']]}: {printable(document['file'])}", style="green"),
        draw.facts(f"task {document['task']}", count),
    )


def draw_status(found: Status) -> RenderableType:
    """Draw the state of a knowledge base."""
    parts: list[RenderableType] = [draw.text(printable(str(found.root)), style="bold")]
    if found.unfinished:
        parts.append(draw.text(_UNFINISHED, style="bold yellow"))
    parts.append(_waiting(found.findings))
    parts.append(draw.facts(_atoms(found.atoms), _workspace(found), f"task: {found.task or 'none begun'}"))
    if found.unknown:
        parts.append(_unknown(found.unknown))
    return draw.stack(*parts)


def draw_problems(found: Sequence[FileProblem], root: Path) -> RenderableType:
    """Draw the problems, one a line."""
    if not found:
        return draw.text(f"Nothing is wrong in {printable(str(root))}.", style="green")
    lines = [draw.text((_location(one), "bold"), f": {printable(one.problem)}") for one in found]
    return draw.stack(*lines, draw.text(draw.count(found, "problem"), style="bold red"))


def _waiting(findings: Sequence[StagedFinding]) -> RenderableType:
    if not findings:
        return draw.text("No finding waits.", style="dim")
    table = draw.table("waits", "kind", "seen", "next", unbroken=("kind", "seen"))
    for one in findings:
        seen = f"{one.observations} of {one.needed}"
        table.add_row(*map(draw.text, (printable(one.subject), one.type, seen, _next(one))))
    return table


def _next(finding: StagedFinding) -> str:
    if finding.type == "correction":
        return "corrects its atom"
    if finding.certain or finding.observations >= finding.needed:
        return "ready to promote"
    return "observed" if finding.status == "OBSERVED" else "new"


def _atoms(atoms: Mapping[str, int]) -> str:
    named = ", ".join(f"{number} in {printable(category) or 'no folder'}" for category, number in atoms.items())
    return f"atoms: {sum(atoms.values())}{f' ({named})' if named else ''}"


def _workspace(found: Status) -> str:
    return f"session: {draw.count(found.session, 'file')} · reports: {len(found.reports)}"


def _unknown(unknown: Sequence[UnknownFile]) -> RenderableType:
    lines = [draw.text(f"{printable(one.file)}: {printable(one.reason)}") for one in unknown]
    return draw.stack(draw.text("Left alone:", style="yellow"), *map(draw.indented, lines))


def _location(problem: FileProblem) -> str:
    return printable(problem.file if problem.line is None else f"{problem.file}:{problem.line}")


def draw_refined(report: Report) -> RenderableType:
    """Draw what refine did to each file."""
    parts: list[RenderableType] = []
    if report.dry_run:
        parts.append(draw.text("A dry run: nothing was changed.", style="bold yellow"))
    if report.resumed:
        parts.append(draw.text("An earlier run was interrupted; its work is finished here.", style="yellow"))
    parts.append(_refined_table(report) if report.items else draw.text("Nothing waited in staging.", style="dim"))
    parts.append(draw.facts(_counts(report), _cleaned(report)))
    return draw.stack(*parts)


def _refined_table(report: Report) -> RenderableType:
    from memsieve.kb.refine.report import FileOutcome

    table = draw.table("file", "outcome", "why", unbroken=("outcome",))
    order = list(FileOutcome)
    for item in sorted(report.items, key=lambda each: order.index(each.outcome)):
        table.add_row(
            draw.text(printable(item.file)), draw.text(item.label, style=_REFINE_STYLES[item.outcome]), _reason(item)
        )
    return table


def _reason(item: RefinedFile) -> Text:
    where = f"→ {item.atom}\n" if item.atom and item.outcome in {"promoted", "corrected"} else ""
    return draw.text((printable(where), "green"), printable(item.reason))


def _counts(report: Report) -> str:
    return ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in report.counts.items() if count)


def _cleaned(report: Report) -> str:
    cleared, trimmed = draw.count(report.cleared, "session file"), draw.count(report.trimmed, "report")
    return f"cleared {cleared}, trimmed {trimmed}"


def draw_hits(found: Sequence[AtomHit], query: str) -> RenderableType:
    """Draw the atoms that a search found."""
    if not found:
        return draw.text(f"No atom fits “{printable(query)}”.", style="dim")
    return draw.stack(*(part for hit in found for part in _hit(hit)))


def draw_synced(report: SyncReport, project: str) -> RenderableType:
    """Draw what a sync did."""
    from memsieve.kb.sync import SyncOutcome

    lines = [_synced_line(item) for item in report.items if item.outcome is not SyncOutcome.UNCHANGED]
    counts = ", ".join(f"{report.count(outcome)} {outcome}" for outcome in SyncOutcome if report.count(outcome))
    done = "would be brought into" if report.dry_run else "brought into"
    total = f"Atoms {done} project {printable(project)}: {counts or 'there are none'}."
    return draw.stack(*lines, draw.text(total, style="bold"))


def _hit(hit: AtomHit) -> list[RenderableType]:
    location = draw.text(f"{printable(hit.path)}:{hit.line}", style="bold")
    title = draw.text((f"{hit.score:.2f} ", "dim"), printable(hit.title))
    return [location, draw.indented(title), draw.indented(draw.text(printable(hit.excerpt), style="dim")), draw.text()]


def _synced_line(item: SyncItem) -> RenderableType:
    sign, style = _SYNC_STYLES[item.outcome]
    subject = item.path or f"atom {item.atom_id}"
    line = draw.text((f"{sign} {item.outcome}", style), f" {printable(subject)}")
    return draw.stack(line, draw.indented(draw.text(printable(item.reason), style="dim"))) if item.reason else line
