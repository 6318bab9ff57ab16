"""What all screens are drawn with: panels, lines of facts, days, counts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from rich.console import RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.text import Text

from memsieve.cli.output import printable

EXCERPT = 240


def panel(body: RenderableType, title: str | Text, style: str) -> Panel:
    """Draw a frame in one colour; a title that is a Text keeps its own."""
    head = title if isinstance(title, Text) else Text(title, style=f"bold {style}")
    return Panel(body, title=head, title_align="left", border_style=style, padding=(0, 1))


def indented(body: RenderableType, columns: int = 2) -> RenderableType:
    """Move something to the right."""
    return Padding(body, (0, 0, 0, columns), expand=False)


def facts(*lines: str) -> Text:
    """Write lines that are not the main thing; empty ones are left out."""
    return Text(printable("\n".join(line for line in lines if line)), style="dim")


def excerpt(content: str) -> str:
    """Return the beginning of a text, on one line."""
    text = printable(" ".join(content.split()))
    return text if len(text) <= EXCERPT else f"{text[: EXCERPT - 1]}…"


def said(session_id: str | None, agent_id: str | None) -> str:
    """Say who said something."""
    agent = "" if agent_id is None else f"{printable(agent_id)} in "
    return f"{agent}session {printable(session_id or '–')}"


def minute(at: datetime) -> str:
    """Return a time to the minute."""
    return f"{at:%Y-%m-%d %H:%M}"


def day(at: datetime | None) -> str:
    """Return a day, or a dash."""
    return "–" if at is None else f"{at:%Y-%m-%d}"


def count(things: Sequence[Any], noun: str) -> str:
    """Return how many things there are, with their noun."""
    many = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{len(things)} {noun if len(things) == 1 else many}"


def span(first: datetime, last: datetime, *, year: bool = True) -> str:
    """Return the days from one time to another as people write them, with what both share said once."""
    start, end = first.astimezone(UTC), last.astimezone(UTC)
    if start.year != end.year:
        return f"{start.day} {start:%b %Y} – {end.day} {end:%b %Y}"
    until = f"{end.day} {end:%b %Y}" if year else f"{end.day} {end:%b}"
    if start.date() == end.date():
        return until
    return f"{start.day}–{until}" if start.month == end.month else f"{start.day} {start:%b} – {until}"


def waiting(insights: int, oldest: datetime | None = None) -> str:
    """Say how many insights wait for a decision, and how long the oldest does."""
    if not insights:
        return "Nothing waits for a decision."
    wait = "1 insight waits" if insights == 1 else f"{insights} insights wait"
    if oldest is None:
        return f"{wait}."
    days = (datetime.now(UTC) - oldest).days
    age = f"{days} {'day' if days == 1 else 'days'} old" if days > 0 else "less than a day old"
    return f"{wait}, {'it is' if insights == 1 else 'the oldest is'} {age}."
