"""How records look in a terminal, and the panels, tables, days and counts that all screens are made of.

Texts of agents are always plain, never markup.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from memsieve.cli.output import printable
from memsieve.model import (
    ATOM_PREFIX,
    Admission,
    Answer,
    AuditEvent,
    Check,
    ContextItem,
    Decision,
    Entry,
    Lineage,
    LongTermMemory,
    Reason,
    Receipt,
    Retirement,
    ReviewStatus,
    Serving,
    Tombstone,
)

EXCERPT = 240
SHOWN_IDS = 3
PASSED, DOUBTFUL, FAILED = ("✔", "green"), ("!", "yellow"), ("✘", "red")
DECISIONS = {
    Decision.ADMITTED: ("✅ admitted", "green"),
    Decision.REFUSED: ("⛔ refused", "red"),
    Decision.PENDING: ("⏳ pending", "yellow"),
}
_REVIEWS = {
    ReviewStatus.PROMOTED: ("★ promoted", "bold green"),
    ReviewStatus.DISMISSED: ("✝ dismissed", "magenta"),
    ReviewStatus.RETIRED: ("✝ retired", "magenta"),
    ReviewStatus.COVERED: ("✔ covered", "dim"),
}

stack = Group


def text(*parts: str | tuple[str, str], style: str = "") -> Text:
    """Make a text of parts, each with a style of its own or in the style of the whole."""
    return Text.assemble(*parts, style=style)


def table(*columns: str, numbers: Sequence[str] = (), unbroken: Sequence[str] = ()) -> Table:
    """Make an empty table; columns of numbers come last and are aligned to the right."""
    made = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for column in columns:
        made.add_column(column, overflow="fold", no_wrap=column in unbroken)
    for column in numbers:
        made.add_column(column, justify="right", no_wrap=True)
    return made


def grid(columns: int = 1) -> Table:
    """Make an empty table without lines."""
    return Table.grid(padding=(0, columns))


def cell(content: str) -> Text:
    """Make a cell that folds long words."""
    return Text(printable(content), overflow="fold")


def panel(body: RenderableType, title: str | Text, style: str) -> Panel:
    """Draw a frame in one colour; a title that is a Text keeps its own."""
    head = title if isinstance(title, Text) else Text(title, style=f"bold {style}")
    return Panel(body, title=head, title_align="left", border_style=style, padding=(0, 1))


def box_around(body: RenderableType, title: str) -> Panel:
    """Draw a frame as narrow as what is in it."""
    return Panel.fit(body, title=Text(title, style="bold"), padding=(1, 3))


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


def speaker(session_id: str | None, agent_id: str | None) -> str:
    """Return the agent and session of an entry."""
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
    """Return the days between two times as people write them, without repeating month or year."""
    start, end = first.astimezone(UTC), last.astimezone(UTC)
    if start.year != end.year:
        return f"{start.day} {start:%b %Y} – {end.day} {end:%b %Y}"
    until = f"{end.day} {end:%b %Y}" if year else f"{end.day} {end:%b}"
    if start.date() == end.date():
        return until
    return f"{start.day}–{until}" if start.month == end.month else f"{start.day} {start:%b} – {until}"


def waiting(insights: int, oldest: datetime | None = None) -> str:
    """Return how many insights wait for a decision, and for how long the oldest does."""
    if not insights:
        return "Nothing waits for a decision."
    wait = "1 insight waits" if insights == 1 else f"{insights} insights wait"
    if oldest is None:
        return f"{wait}."
    days = (datetime.now(UTC) - oldest).days
    age = f"{days} {'day' if days == 1 else 'days'} old" if days > 0 else "less than a day old"
    return f"{wait}, {'it is' if insights == 1 else 'the oldest is'} {age}."


def receipt(record: Receipt) -> RenderableType:
    """Draw what became of an entry, with every check."""
    title, style = outcome(record.admission)
    content = Text(printable(record.entry.content))
    origin = facts(_origin(record.entry), f"id {record.entry.id}")
    return panel(Group(content, Text(), _checks(record.admission.checks), Text(), origin), title, style)


def answer(record: Answer) -> RenderableType:
    """Draw what retrieval found, verified and unverified as they were ranked."""
    parts: list[RenderableType] = []
    if record.degraded:
        parts.append(Text(f"Incomplete: {', '.join(record.degraded)} could not be asked.", style="bold yellow"))
    parts += [item(one) for one in record.items] or [Text("Memory holds nothing relevant.", style="dim")]
    return Group(*parts)


def item(record: ContextItem) -> RenderableType:
    """Draw one memory as it is served."""
    style = "green" if record.verified else "yellow"
    if record.verified:
        details = (f"approved by {record.promoted_by} on {day(record.promoted_at)}", f"memory {record.memory_id}")
    else:
        origin = speaker(record.session_id, record.agent_id)
        details = (f"{origin} · {time_left(record.expires_at)}", f"entry {record.entry_id}")
    body = Group(Text(printable(record.content)), facts(*details))
    return panel(body, f"{record.label}  {record.score:.2f}", style)


def log(project: str, receipts: Sequence[Receipt], limit: int) -> RenderableType:
    """Draw a page of quarantine."""
    if not receipts:
        return Text(f"Nothing in {printable(project)} matches.", style="dim")
    shown: list[RenderableType] = [logged(one) for one in receipts]
    if len(receipts) == limit:
        shown.append(Text(f"There may be more: --before {receipts[-1].entry.id}", style="dim"))
    return Group(*shown)


def logged(record: Receipt) -> RenderableType:
    """Draw an entry of quarantine in a few lines."""
    title, style = DECISIONS[record.admission.decision]
    row = entry_row(title, style, minute(record.entry.created_at), record.entry, record.admission.reasons)
    if record.review is None:
        return row
    remark, remark_style = _REVIEWS[record.review]
    return Group(Text(remark, style=remark_style), row)


def memory(record: LongTermMemory) -> RenderableType:
    """Draw a long-term memory."""
    approval, chunks = record.approval, count(record.chunks, "chunk")
    details = [f"approved by {approval.by} on {day(approval.at)} · {chunks}"]
    entries = [one for one in approval.entry_ids if not one.startswith(ATOM_PREFIX)]
    for word, ids in (("entry", entries), ("atom", approval.atoms)):
        if ids:
            more = "" if len(ids) <= SHOWN_IDS else ", …"
            details.append(f"from {count(ids, word)}: {', '.join(ids[:SHOWN_IDS])}{more}")
    if record.retired_at is not None:
        details.append(f"retired by {record.retired_by} on {day(record.retired_at)}")
    body = Group(Text(printable(approval.content)), Text(), facts(*details, f"id {record.id}"))
    if record.retired_at is not None:
        return panel(body, "✝ retired: no longer served", "magenta")
    return panel(body, "✅ verified: in long-term memory", "green")


def tombstone(record: Tombstone) -> RenderableType:
    """Draw a dismissal."""
    dismissal = facts(f"{record.kind} by {record.by}: {record.reason}", f"of {record.source_id}")
    return panel(
        Group(Text(printable(record.content)), Text(), dismissal), "✝ dismissed: it must not come back", "magenta"
    )


def retirement(record: Retirement) -> RenderableType:
    """Draw a retired memory and everyone who was served it."""
    return Group(memory(record.memory), served(record.served))


def served(servings: Sequence[Serving]) -> RenderableType:
    """Draw who was served something."""
    if not servings:
        return Text("Nobody was served this.", style="dim")
    shown = table("served at", "session", "agent", "question")
    for one in servings:
        shown.add_row(*map(cell, (minute(one.at), one.session_id or "–", one.agent_id or "–", one.query)))
    return Group(Text(f"Who was served this? {count(servings, 'answer')}:", style="bold"), shown)


def lineage(record: Lineage) -> RenderableType:
    """Draw where something came from, what people decided and who was served it."""
    parts: list[RenderableType] = [receipt(one) for one in record.entries]
    parts += [memory(one) for one in record.memories]
    return Group(*parts, audit_log(record.events), served(record.served))


def audit_log(records: Iterable[AuditEvent]) -> RenderableType:
    """Draw lines of the audit log."""
    shown = [_event(one) for one in records]
    return Group(*shown) if shown else Text("Nobody has decided anything yet.", style="dim")


def entry_row(title: str, style: str, when: str, entry: Entry, reasons: Sequence[Reason] = ()) -> RenderableType:
    """Draw an entry in a few lines under a title."""
    head = Text.assemble((title, f"bold {style}"), (f"  {when}  {_origin(entry)}", "dim"))
    body: list[RenderableType] = [Text(excerpt(entry.content))]
    body += [Text(f"✘ {printable(str(reason))}", style=style) for reason in reasons]
    body.append(Text(entry.id, style="dim"))
    return Group(head, indented(Group(*body)), Text())


def outcome(admission: Admission) -> tuple[str, str]:
    """Return the filter's decision in words, and its colour."""
    match admission.decision:
        case Decision.ADMITTED:
            return "✅ admitted to working memory for 24 h", "green"
        case Decision.REFUSED:
            return "⛔ stays in quarantine", "red"
    return "⏳ not decided yet: memsieve retry", "yellow"


def _checks(checks: Sequence[Check]) -> Table:
    table = Table.grid(padding=(0, 1))
    table.add_column()
    table.add_column(style="bold")
    table.add_column()
    for one in checks:
        sign, style = PASSED if one.passed else FAILED
        reason = Text(printable(str(one.reason)), style="dim" if one.passed else "red")
        table.add_row(Text(sign, style=style), one.name, reason)
    return table


def _event(event: AuditEvent) -> RenderableType:
    head = Text.assemble(
        (f"{event.sequence:>4}  ", "dim"),
        f"{minute(event.at)}  ",
        (printable(event.actor), "bold"),
        (f" {event.action} ", "bold cyan"),
    )
    return Group(head, indented(facts(event.subject, event.reason), 6))


def _origin(entry: Entry) -> str:
    confidence = "" if entry.confidence is None else f" · confidence {entry.confidence:g}"
    return f"{speaker(entry.session_id, entry.agent_id)}{confidence}"


def time_left(expires_at: datetime | None) -> str:
    """Return how long an entry stays in working memory."""
    if expires_at is None:
        return ""
    hours, seconds = divmod(max(0, int((expires_at - datetime.now(UTC)).total_seconds())), 3600)
    return f"{hours} h {seconds // 60:02} min left"
