"""What people see of a knowledge base of files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from memsieve.cli import drawing
from memsieve.cli.output import printable
from memsieve.kb.inspection import Problem, Status, Unknown, Waiting

_OUTCOMES = {
    "written": "Written",
    "observed": "Observed once more",
    "known": "Known already: this task has said it before",
}
_UNFINISHED = "A refine was interrupted. `memsieve kb refine` finishes it."


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
    """Draw how a knowledge base stands."""
    parts: list[RenderableType] = [Text(printable(str(found.root)), style="bold", overflow="fold")]
    if found.unfinished:
        parts.append(Text(_UNFINISHED, style="bold yellow"))
    parts.append(_waiting(found.findings))
    parts.append(drawing.facts(_atoms(found.atoms), _workspace(found), f"task: {found.task or 'none begun'}"))
    if found.unknown:
        parts.append(_unknown(found.unknown))
    return Group(*parts)


def problems(found: Sequence[Problem], root: Path) -> RenderableType:
    """Draw what is wrong, a place a line."""
    if not found:
        return Text(f"Nothing is wrong in {printable(str(root))}.", style="green", overflow="fold")
    lines = [Text.assemble((_place(one), "bold"), f": {printable(one.problem)}", overflow="fold") for one in found]
    return Group(*lines, Text(drawing.count(found, "problem"), style="bold red"))


def _waiting(findings: Sequence[Waiting]) -> RenderableType:
    if not findings:
        return Text("No finding waits.", style="dim")
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for column in ("waits", "kind", "seen", "next"):
        table.add_column(column, overflow="fold", no_wrap=column in {"kind", "seen"})
    for one in findings:
        seen = f"{one.observations} of {one.needed}"
        table.add_row(*map(Text, (printable(one.subject), one.type, seen, _next(one))))
    return table


def _next(finding: Waiting) -> str:
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


def _unknown(unknown: Sequence[Unknown]) -> RenderableType:
    lines = [Text(f"{printable(one.file)}: {printable(one.reason)}", overflow="fold") for one in unknown]
    return Group(Text("Left alone:", style="yellow"), *map(drawing.indented, lines))


def _place(problem: Problem) -> str:
    return printable(problem.file if problem.line is None else f"{problem.file}:{problem.line}")
