"""What people see of a knowledge base of files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from memsieve.cli import drawing
from memsieve.cli.output import printable
from memsieve.kb.refine.report import FileOutcome, RefinedFile, Report
from memsieve.kb.sync import SyncItem, SyncOutcome, SyncReport

if TYPE_CHECKING:
    # Searching is slow to import, and most screens need none of it.
    from memsieve.kb.inspection import FileProblem, StagedFinding, Status, UnknownFile
    from memsieve.kb.search import AtomHit

_OUTCOMES = {
    "written": "Written",
    "observed": "Observed once more",
    "known": "Known already: this task has reported it before",
}
_UNFINISHED = "A refine was interrupted. `memsieve kb refine` finishes it."
_REFINE_STYLES = {
    FileOutcome.PROMOTED: "green",
    FileOutcome.CORRECTED: "green",
    FileOutcome.OBSERVING: "cyan",
    FileOutcome.DUPLICATE: "dim",
    FileOutcome.TOO_NARROW: "dim",
    FileOutcome.KEPT: "yellow",
}
_SYNC_STYLES = {
    SyncOutcome.ADDED: ("+", "green"),
    SyncOutcome.CHANGED: ("~", "cyan"),
    SyncOutcome.REMOVED: ("✝", "magenta"),
    SyncOutcome.WITHHELD: ("!", "yellow"),
    SyncOutcome.KEPT: ("!", "yellow"),
    SyncOutcome.REFUSED: ("✗", "red"),
}


def made(root: Path, identity: str) -> RenderableType:
    """Draw a new knowledge base."""
    return Group(
        Text(f"Knowledge base {printable(str(root))}", style="bold green", overflow="fold"),
        drawing.facts(f"id {identity}", "Keep it in git. Write to it: memsieve kb write --help"),
    )


def written(document: Mapping[str, Any]) -> RenderableType:
    """Draw what became of an item."""
    count = f"{document['observations']} of {document['needed']} observations" if document["needed"] else ""
    return Group(
        Text(f"{_OUTCOMES[document['outcome']]}: {printable(document['file'])}", style="green", overflow="fold"),
        drawing.facts(f"task {document['task']}", count),
    )


def status(found: Status) -> RenderableType:
    """Draw the state of a knowledge base."""
    parts: list[RenderableType] = [Text(printable(str(found.root)), style="bold", overflow="fold")]
    if found.unfinished:
        parts.append(Text(_UNFINISHED, style="bold yellow"))
    parts.append(_waiting(found.findings))
    parts.append(drawing.facts(_atoms(found.atoms), _workspace(found), f"task: {found.task or 'none begun'}"))
    if found.unknown:
        parts.append(_unknown(found.unknown))
    return Group(*parts)


def problems(found: Sequence[FileProblem], root: Path) -> RenderableType:
    """Draw the problems, one a line."""
    if not found:
        return Text(f"Nothing is wrong in {printable(str(root))}.", style="green", overflow="fold")
    lines = [Text.assemble((_location(one), "bold"), f": {printable(one.problem)}", overflow="fold") for one in found]
    return Group(*lines, Text(drawing.count(found, "problem"), style="bold red"))


def _waiting(findings: Sequence[StagedFinding]) -> RenderableType:
    if not findings:
        return Text("No finding waits.", style="dim")
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for column in ("waits", "kind", "seen", "next"):
        table.add_column(column, overflow="fold", no_wrap=column in {"kind", "seen"})
    for one in findings:
        seen = f"{one.observations} of {one.needed}"
        table.add_row(*map(Text, (printable(one.subject), one.type, seen, _next(one))))
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
    return f"session: {drawing.count(found.session, 'file')} · reports: {len(found.reports)}"


def _unknown(unknown: Sequence[UnknownFile]) -> RenderableType:
    lines = [Text(f"{printable(one.file)}: {printable(one.reason)}", overflow="fold") for one in unknown]
    return Group(Text("Left alone:", style="yellow"), *map(drawing.indented, lines))


def _location(problem: FileProblem) -> str:
    return printable(problem.file if problem.line is None else f"{problem.file}:{problem.line}")


def refined(report: Report) -> RenderableType:
    """Draw what refine did to each file."""
    parts: list[RenderableType] = []
    if report.dry_run:
        parts.append(Text("A dry run: nothing was changed.", style="bold yellow"))
    if report.resumed:
        parts.append(Text("An earlier run was interrupted; its work is finished here.", style="yellow"))
    parts.append(_refined_table(report) if report.items else Text("Nothing waited in staging.", style="dim"))
    parts.append(drawing.facts(_counts(report), _cleaned(report)))
    return Group(*parts)


def _refined_table(report: Report) -> RenderableType:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for column in ("file", "outcome", "why"):
        table.add_column(column, overflow="fold", no_wrap=column == "outcome")
    for item in sorted(report.items, key=lambda each: list(FileOutcome).index(each.outcome)):
        table.add_row(Text(printable(item.file)), Text(item.label, style=_REFINE_STYLES[item.outcome]), _reason(item))
    return table


def _reason(item: RefinedFile) -> Text:
    where = f"→ {item.atom}\n" if item.atom and item.outcome in {FileOutcome.PROMOTED, FileOutcome.CORRECTED} else ""
    return Text.assemble((printable(where), "green"), printable(item.reason))


def _counts(report: Report) -> str:
    return ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in report.counts.items() if count)


def _cleaned(report: Report) -> str:
    cleared, trimmed = drawing.count(report.cleared, "session file"), drawing.count(report.trimmed, "report")
    return f"cleared {cleared}, trimmed {trimmed}"


def hits(found: Sequence[AtomHit], query: str) -> RenderableType:
    """Draw the atoms that a search found."""
    if not found:
        return Text(f"No atom fits “{printable(query)}”.", style="dim")
    return Group(*(part for hit in found for part in _hit(hit)))


def synced(report: SyncReport, project: str) -> RenderableType:
    """Draw what a sync did."""
    lines = [_synced_line(item) for item in report.items if item.outcome is not SyncOutcome.UNCHANGED]
    counts = ", ".join(f"{report.count(outcome)} {outcome}" for outcome in SyncOutcome if report.count(outcome))
    done = "would be brought into" if report.dry_run else "brought into"
    total = f"Atoms {done} project {printable(project)}: {counts or 'there are none'}."
    return Group(*lines, Text(total, style="bold", overflow="fold"))


def _hit(hit: AtomHit) -> list[RenderableType]:
    location = Text(f"{printable(hit.path)}:{hit.line}", style="bold", overflow="fold")
    title = Text.assemble((f"{hit.score:.2f} ", "dim"), printable(hit.title), overflow="fold")
    return [location, drawing.indented(title), drawing.indented(Text(printable(hit.excerpt), style="dim")), Text()]


def _synced_line(item: SyncItem) -> RenderableType:
    sign, style = _SYNC_STYLES[item.outcome]
    subject = item.path or f"atom {item.atom_id}"
    line = Text.assemble((f"{sign} {item.outcome}", style), f" {printable(subject)}", overflow="fold")
    return Group(line, drawing.indented(Text(printable(item.reason), style="dim"))) if item.reason else line
