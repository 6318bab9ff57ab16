"""Put the tables of the last run that was kept into the pages that show them.

A table stands under a mark, `<!-- quality: LoCoMo dev -->`: what it is kept as, and how its title begins.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.report import Column, cell

_MARKED = re.compile(r"(?P<mark><!-- (?P<name>\w+): (?P<title>.+?) -->\n)(?:\|.*\n)*")


def renew(page: Path, kept: Path) -> None:
    """Write each marked table of a page anew."""
    page.write_text(renewed(page.read_text("utf-8"), kept), "utf-8")


def renewed(text: str, kept: Path) -> str:
    """Return a page with its marked tables as they are kept; a table that is not kept stays as it is."""

    def table(match: re.Match[str]) -> str:
        path = kept / f"{match['name']}.json"
        tables = json.loads(path.read_text("utf-8"))["tables"] if path.exists() else []
        found = next((one for one in tables if one["title"].startswith(match["title"])), None)
        return match[0] if found is None else match["mark"] + "".join(f"{line}\n" for line in _lines(found))

    return _MARKED.sub(table, text)


def _lines(table: dict[str, Any]) -> Iterator[str]:
    columns = [Column(*one) for one in zip(table["columns"], table["forms"], strict=True)]
    yield _row(column.name for column in columns)
    yield _row("---" for _ in columns)
    for row in table["rows"]:
        shown = [cell(column, value) for column, value in zip(columns, row, strict=True)]
        ours = shown[0].partition(",")[0] == "memsieve"
        yield _row(f"**{one}**" if ours and one else one for one in shown)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
