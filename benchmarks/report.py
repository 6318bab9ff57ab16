"""Tables and plots of one benchmark: printed as they come, and kept as JSON and SVG."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console
from rich.table import Table

Value = str | float | None


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its heading, and how a number is written in it."""

    name: str
    form: str = "{}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """Figures over another figure, a line for each name."""

    name: str
    title: str
    x: str
    y: str
    lines: Mapping[str, Sequence[tuple[float, float]]]
    log: bool = False


@dataclass
class Report:
    """What one benchmark found out."""

    name: str
    console: Console = field(default_factory=lambda: Console(width=140))
    _tables: list[dict[str, object]] = field(default_factory=list)
    _curves: list[Curve] = field(default_factory=list)

    def progress(self, text: str) -> None:
        """Tell who looks on what is being done; the next line takes its place."""
        if not self.console.is_terminal:
            return
        self.console.print(f"{self.name}: {text} …".ljust(self.console.width - 1), end="\r", highlight=False)

    def table(self, title: str, columns: Sequence[Column], rows: Iterable[Sequence[Value]], note: str = "") -> None:
        """Print a table and keep its bare values."""
        kept = [list(row) for row in rows]
        shown = Table(title=title, caption=note or None)
        for number, column in enumerate(columns):
            shown.add_column(column.name, justify="right" if number else "left")
        for row in kept:
            shown.add_row(*(cell(column, value) for column, value in zip(columns, row, strict=True)))
        self.console.print(shown)
        self._tables.append(
            {
                "title": title,
                "columns": [column.name for column in columns],
                "forms": [column.form for column in columns],
                "rows": kept,
                "note": note,
            }
        )

    def curve(self, curve: Curve) -> None:
        """Keep a plot of lines."""
        self._curves.append(curve)

    def write(self, folder: Path) -> None:
        """Write what was found to `NAME.json`, and each plot to `NAME-PLOT.svg`."""
        folder.mkdir(parents=True, exist_ok=True)
        kept = {
            "measured": f"{datetime.now(UTC):%Y-%m-%d}, Python {platform.python_version()}",
            "tables": self._tables,
            "curves": [asdict(curve) for curve in self._curves],
        }
        path = folder / f"{self.name}.json"
        path.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", "utf-8")
        if self._curves:
            from benchmarks.plots import draw  # it knows curves from here

            for curve in self._curves:
                draw(curve, folder / f"{self.name}-{curve.name}.svg")
        self.console.print(f"Kept in {path}.", highlight=False)


def cell(column: Column, value: Value) -> str:
    """Return a value as its column writes it."""
    if value is None:
        return "-"
    return value if isinstance(value, str) else column.form.format(value)
