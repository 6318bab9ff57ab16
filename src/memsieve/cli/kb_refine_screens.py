"""What people see of a refine run."""

from __future__ import annotations

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from memsieve.cli import drawing
from memsieve.cli.output import printable
from memsieve.kb.refine.report import FileOutcome, RefinedFile, Report

_STYLES = {
    FileOutcome.PROMOTED: "green",
    FileOutcome.CORRECTED: "green",
    FileOutcome.OBSERVING: "cyan",
    FileOutcome.DUPLICATE: "dim",
    FileOutcome.TOO_NARROW: "dim",
    FileOutcome.KEPT: "yellow",
}


def refined(report: Report) -> RenderableType:
    """Draw what refine did to each file."""
    parts: list[RenderableType] = []
    if report.dry_run:
        parts.append(Text("A dry run: nothing was changed.", style="bold yellow"))
    if report.resumed:
        parts.append(Text("An earlier run was interrupted; its work is finished here.", style="yellow"))
    parts.append(_table(report) if report.items else Text("Nothing waited in staging.", style="dim"))
    parts.append(drawing.facts(_counts(report), _cleaned(report)))
    return Group(*parts)


def _table(report: Report) -> RenderableType:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for column in ("file", "outcome", "why"):
        table.add_column(column, overflow="fold", no_wrap=column == "outcome")
    for item in sorted(report.items, key=lambda each: list(FileOutcome).index(each.outcome)):
        table.add_row(Text(printable(item.file)), Text(item.label, style=_STYLES[item.outcome]), _why(item))
    return table


def _why(item: RefinedFile) -> Text:
    where = f"→ {item.atom}\n" if item.atom and item.outcome in {FileOutcome.PROMOTED, FileOutcome.CORRECTED} else ""
    return Text.assemble((printable(where), "green"), printable(item.reason))


def _counts(report: Report) -> str:
    return ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in report.counts.items() if count)


def _cleaned(report: Report) -> str:
    cleared, trimmed = drawing.count(report.cleared, "session file"), drawing.count(report.trimmed, "report")
    return f"cleared {cleared}, trimmed {trimmed}"
