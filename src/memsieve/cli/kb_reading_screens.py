"""What people see of a search among atoms, and of a sync."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from memsieve.cli import drawing
from memsieve.cli.output import printable
from memsieve.kb.search import AtomHit
from memsieve.kb.sync import SyncItem, SyncOutcome, SyncReport

_STYLES = {
    SyncOutcome.ADDED: ("+", "green"),
    SyncOutcome.CHANGED: ("~", "cyan"),
    SyncOutcome.REMOVED: ("✝", "magenta"),
    SyncOutcome.WITHHELD: ("!", "yellow"),
    SyncOutcome.KEPT: ("!", "yellow"),
    SyncOutcome.REFUSED: ("✗", "red"),
}


def hits(found: Sequence[AtomHit], query: str) -> RenderableType:
    """Draw the atoms that a search found."""
    if not found:
        return Text(f"No atom fits “{printable(query)}”.", style="dim")
    return Group(*(part for hit in found for part in _hit(hit)))


def synced(report: SyncReport, project: str) -> RenderableType:
    """Draw what a sync did."""
    lines = [_line(item) for item in report.items if item.outcome is not SyncOutcome.UNCHANGED]
    counts = ", ".join(f"{report.count(outcome)} {outcome}" for outcome in SyncOutcome if report.count(outcome))
    done = "would be brought into" if report.dry_run else "brought into"
    total = f"Atoms {done} project {printable(project)}: {counts or 'there are none'}."
    return Group(*lines, Text(total, style="bold", overflow="fold"))


def _hit(hit: AtomHit) -> list[RenderableType]:
    place = Text(f"{printable(hit.path)}:{hit.line}", style="bold", overflow="fold")
    title = Text.assemble((f"{hit.score:.2f} ", "dim"), printable(hit.title), overflow="fold")
    return [place, drawing.indented(title), drawing.indented(Text(printable(hit.excerpt), style="dim")), Text()]


def _line(item: SyncItem) -> RenderableType:
    sign, style = _STYLES[item.outcome]
    subject = item.path or f"atom {item.atom_id}"
    line = Text.assemble((f"{sign} {item.outcome}", style), f" {printable(subject)}", overflow="fold")
    return Group(line, drawing.indented(Text(printable(item.reason), style="dim"))) if item.reason else line
