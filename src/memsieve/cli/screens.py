"""What people see: one function for each thing that is shown. Texts of agents are always plain, never markup."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from memsieve.cli import digest_screens, drawing
from memsieve.cli.output import printable
from memsieve.doctor import Finding, Health
from memsieve.ingress.replay import Change, Replay
from memsieve.jobs.reembed import Reembedding
from memsieve.model import (
    ATOM_PREFIX,
    Admission,
    Answer,
    AuditEvent,
    Check,
    ContextItem,
    Decision,
    Entry,
    Insight,
    Lineage,
    LongTermMemory,
    Reason,
    Receipt,
    Retirement,
    ReviewStatus,
    Serving,
    Stats,
    Tombstone,
)
from memsieve.review.audit import Audit

SHOWN_IDS = 3

_DECISIONS = {
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
_UNCOUNTED = "Working memory does not answer and is not counted: see that Redis is up, or ask memsieve doctor."
_HEALTH = {Health.OK: ("✔", "green"), Health.WARN: ("!", "yellow"), Health.FAIL: ("✘", "red")}


def receipt(record: Receipt) -> RenderableType:
    """Draw what became of an entry, with every check."""
    title, style = _fate(record.admission)
    said = Text(printable(record.entry.content))
    facts = drawing.facts(_origin(record.entry), f"id {record.entry.id}")
    return drawing.panel(Group(said, Text(), _checks(record.admission.checks), Text(), facts), title, style)


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
        facts = (f"approved by {record.promoted_by} on {drawing.day(record.promoted_at)}", f"memory {record.memory_id}")
    else:
        origin = drawing.said(record.session_id, record.agent_id)
        facts = (f"{origin} · {_left(record.expires_at)}", f"entry {record.entry_id}")
    body = Group(Text(printable(record.content)), drawing.facts(*facts))
    return drawing.panel(body, f"{record.label}  {record.score:.2f}", style)


def working(project: str, entries: Sequence[Entry]) -> RenderableType:
    """Draw working memory."""
    if not entries:
        return Text(f"Working memory of {printable(project)} is empty.", style="dim")
    return Group(
        *(_row("⚡️ unverified", "yellow", _left(one.expires_at), one) for one in entries),
        Text(f"{len(entries)} in working memory, checked by no person.", style="dim"),
    )


def restored(counts: Mapping[str, int]) -> RenderableType:
    """Draw how many entries were put back into each project's working memory."""
    lines = [
        Text(f"{printable(name)}: {drawing.count(range(count), 'entry')} put back.")
        for name, count in counts.items()
        if count
    ]
    return Group(*lines) if lines else Text("Nothing was missing in working memory.", style="dim")


def log(project: str, receipts: Sequence[Receipt], limit: int) -> RenderableType:
    """Draw a page of quarantine."""
    if not receipts:
        return Text(f"Nothing in {printable(project)} matches.", style="dim")
    shown: list[RenderableType] = [_logged(one) for one in receipts]
    if len(receipts) == limit:
        shown.append(Text(f"There may be more: --before {receipts[-1].entry.id}", style="dim"))
    return Group(*shown)


def retried(project: str, receipts: Sequence[Receipt]) -> RenderableType:
    """Draw what became of undecided entries."""
    if not receipts:
        return Text(f"Nothing in {printable(project)} waits for a decision.", style="dim")
    return Group(*(_logged(one) for one in receipts))


def memory(record: LongTermMemory) -> RenderableType:
    """Draw a long-term memory."""
    approval, chunks = record.approval, drawing.count(record.chunks, "chunk")
    facts = [f"approved by {approval.by} on {drawing.day(approval.at)} · {chunks}"]
    entries = [one for one in approval.entry_ids if not one.startswith(ATOM_PREFIX)]
    for word, ids in (("entry", entries), ("atom", approval.atoms)):
        if ids:
            more = "" if len(ids) <= SHOWN_IDS else ", …"
            facts.append(f"from {drawing.count(ids, word)}: {', '.join(ids[:SHOWN_IDS])}{more}")
    if record.retired_at is not None:
        facts.append(f"retired by {record.retired_by} on {drawing.day(record.retired_at)}")
    body = Group(Text(printable(approval.content)), Text(), drawing.facts(*facts, f"id {record.id}"))
    if record.retired_at is not None:
        return drawing.panel(body, "✝ retired: no longer served", "magenta")
    return drawing.panel(body, "✅ verified: in long-term memory", "green")


def tombstone(record: Tombstone) -> RenderableType:
    """Draw a dismissal."""
    facts = drawing.facts(f"{record.kind} by {record.by}: {record.reason}", f"of {record.source_id}")
    return drawing.panel(
        Group(Text(printable(record.content)), Text(), facts), "✝ dismissed: it must not come back", "magenta"
    )


def retirement(record: Retirement) -> RenderableType:
    """Draw a retired memory and everyone who was served it."""
    return Group(memory(record.memory), served(record.served))


def served(servings: Sequence[Serving]) -> RenderableType:
    """Draw who was served something."""
    if not servings:
        return Text("Nobody was served this.", style="dim")
    table = _table("served at", "session", "agent", "question")
    for one in servings:
        table.add_row(*map(_cell, (drawing.minute(one.at), one.session_id or "–", one.agent_id or "–", one.query)))
    return Group(Text(f"Who was served this? {drawing.count(servings, 'answer')}:", style="bold"), table)


def deleted(entry_id: str) -> RenderableType:
    """Draw a deletion."""
    return Text(f"Deleted {printable(entry_id)}. The audit log keeps who did it and why.")


def lineage(record: Lineage) -> RenderableType:
    """Draw where something came from, what people decided and who was served it."""
    parts: list[RenderableType] = [receipt(one) for one in record.entries]
    parts += [memory(one) for one in record.memories]
    return Group(*parts, audit_log(record.events), served(record.served))


def audit_log(records: Iterable[AuditEvent]) -> RenderableType:
    """Draw lines of the audit log."""
    shown = [_event(one) for one in records]
    return Group(*shown) if shown else Text("Nobody has decided anything yet.", style="dim")


def audits(records: Mapping[str, Audit]) -> RenderableType:
    """Draw the state of audit logs."""
    if not records:
        return Text("There are no projects yet.", style="dim")
    shown: list[RenderableType] = []
    for name, one in records.items():
        sign, style = _HEALTH[Health.OK if one.whole else Health.FAIL]
        state = "an unbroken chain" if one.whole else drawing.count(one.problems, "problem")
        shown.append(
            Text.assemble(
                (f"{sign} ", style), (printable(name), "bold"), f": {drawing.count(range(one.events), 'line')}, {state}"
            )
        )
        shown += [drawing.indented(Text(printable(problem), style="red")) for problem in one.problems]
        shown.append(drawing.indented(Text(f"head {one.head}", style="dim")))
    return Group(*shown)


def stats(records: Sequence[Stats]) -> RenderableType:
    """Draw how much each project holds in each tier."""
    if not records:
        return Text("There are no projects yet. Begin with: memsieve demo", style="dim")
    table = _table("project")
    for column in ("said", "admitted", "refused", "pending", "working", "verified"):
        table.add_column(column, justify="right", no_wrap=True)
    for one in records:
        working = "–" if one.working is None else one.working
        counts = (one.recorded, one.admitted, one.refused, one.pending, working, one.memories)
        table.add_row(_cell(one.project_id), *map(str, counts))
    shadowed = (one for one in records if one.shadow_admitted or one.shadow_refused)
    return Group(
        table,
        *(_refusals(one) for one in records if one.refused_by),
        *map(_shadow, shadowed),
        *(_waiting(one) for one in records if one.insights_waiting),
        *([Text(_UNCOUNTED, style="yellow")] if any(one.working is None for one in records) else []),
    )


def replay(record: Replay, changes: Mapping[str, str], limit: int) -> RenderableType:
    """Draw what other settings would have changed."""
    settings = ", ".join(f"{name} = {value}" for name, value in changes.items())
    head = Text.assemble(
        ("With ", "bold"),
        (printable(settings), "bold cyan"),
        (f": {record.admitted_after} of {record.entries} admitted", "bold"),
        f" instead of {record.admitted_before}; {drawing.count(record.changes, 'decision')} would change. Nothing has.",
    )
    shown = [_changed(one) for one in record.changes[:limit]]
    more = len(record.changes) - len(shown)
    return Group(
        head, *shown, *([Text(f"… and {more} more: --limit {len(record.changes)}", style="dim")] if more else [])
    )


def exported(file: str, written: Mapping[str, int]) -> RenderableType:
    """Draw what was exported."""
    counts = ", ".join(f"{name} {count}" for name, count in written.items())
    return Text(f"Wrote {printable(file)}: {counts}.")


def imported(summary: Mapping[str, Any]) -> RenderableType:
    """Draw how an import went."""
    table = Table.grid(padding=(0, 2))
    for name, count in summary.items():
        if name != "errors":
            style = "red" if name == "failed" and count else "" if count else "dim"
            table.add_row(Text(str(count), justify="right", style=style), Text(name.replace("_", " "), style=style))
    return table


def reembedded(record: Reembedding) -> RenderableType:
    """Draw how making vectors again went."""
    name = printable(record.embedder)
    if not record.embedded + record.unreadable:
        return Text(f"Nothing to do: every vector is of {name}.")
    done = Text(f"Made {drawing.count(range(record.embedded), 'vector')} with {name}.")
    if record.unreadable:
        unread = drawing.count(range(record.unreadable), "text")
        done.append(f"\n{unread} that it cannot read: found by words alone.", style="dim")
    return done


def vectors_dropped(embedder: str, dropped: int) -> RenderableType:
    """Draw how many vectors of a former embedder are gone."""
    return Text(f"Dropped {drawing.count(range(dropped), 'vector')} of {printable(embedder)}.")


def migrations(names: Sequence[str], *, checked: bool) -> RenderableType:
    """Draw what the database lacks, or what was applied to it."""
    if not names:
        return Text("Nothing to do: the database is up to date.")
    lines = [Text(f"{'missing' if checked else 'applied'}  {printable(name)}") for name in names]
    return Group(*lines, Text("Apply them: memsieve migrate", style="dim")) if checked else Group(*lines)


def findings(records: Sequence[Finding]) -> RenderableType:
    """Draw what the doctor found."""
    table = Table.grid(padding=(0, 1))
    for one in records:
        sign, style = _HEALTH[one.health]
        text = Text(printable(one.message))
        if one.advice:
            text.append(f"\n→ {printable(one.advice)}", style=style)
        table.add_row(Text(sign, style=f"bold {style}"), Text(printable(one.name), style="bold"), text)
    worst = max((one.health for one in records), key=list(Health).index)
    verdict = {
        Health.OK: "All is well.",
        Health.WARN: "It works; see the warnings.",
        Health.FAIL: "Something is wrong.",
    }
    return Group(table, Text(), Text(verdict[worst], style=f"bold {_HEALTH[worst][1]}"))


def _fate(admission: Admission) -> tuple[str, str]:
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
        sign, style = _HEALTH[Health.OK if one.passed else Health.FAIL]
        reason = Text(printable(str(one.reason)), style="dim" if one.passed else "red")
        table.add_row(Text(sign, style=style), one.name, reason)
    return table


def _logged(record: Receipt) -> RenderableType:
    title, style = _DECISIONS[record.admission.decision]
    row = _row(title, style, drawing.minute(record.entry.created_at), record.entry, record.admission.reasons)
    if record.review is None:
        return row
    remark, remark_style = _REVIEWS[record.review]
    return Group(Text(remark, style=remark_style), row)


def _row(title: str, style: str, when: str, entry: Entry, reasons: Sequence[Reason] = ()) -> RenderableType:
    head = Text.assemble((title, f"bold {style}"), (f"  {when}  {_origin(entry)}", "dim"))
    body: list[RenderableType] = [Text(drawing.excerpt(entry.content))]
    body += [Text(f"✘ {printable(str(reason))}", style=style) for reason in reasons]
    body.append(Text(entry.id, style="dim"))
    return Group(head, drawing.indented(Group(*body)), Text())


def _event(event: AuditEvent) -> RenderableType:
    head = Text.assemble(
        (f"{event.sequence:>4}  ", "dim"),
        f"{drawing.minute(event.at)}  ",
        (printable(event.actor), "bold"),
        (f" {event.action} ", "bold cyan"),
    )
    return Group(head, drawing.indented(drawing.facts(event.subject, event.reason), 6))


def _refusals(record: Stats) -> RenderableType:
    reasons = ", ".join(f"{name} {count}" for name, count in record.refused_by.items())
    return Text.assemble((printable(record.project_id), "bold"), (f" refused for {printable(reasons)}", "dim"))


def _shadow(record: Stats) -> RenderableType:
    words = f" in shadow: {record.shadow_admitted} more admitted, {record.shadow_refused} more refused"
    return Text.assemble((printable(record.project_id), "bold"), (words, "dim"))


def _waiting(record: Stats) -> RenderableType:
    wait = drawing.waiting(record.insights_waiting, record.oldest_waiting)
    look = f"memsieve digest --project {shlex.quote(record.project_id)} --last"
    return Text.assemble((printable(record.project_id), "bold"), (f" {wait}\n", "yellow"), (f"  {look}", "dim"))


def _changed(change: Change) -> RenderableType:
    title, style = _DECISIONS[change.after.decision]
    when = drawing.minute(change.entry.created_at)
    return _row(f"{change.before} → {title}", style, when, change.entry, change.after.reasons)


def _origin(entry: Entry) -> str:
    confidence = "" if entry.confidence is None else f" · confidence {entry.confidence:g}"
    return f"{drawing.said(entry.session_id, entry.agent_id)}{confidence}"


def _left(expires_at: datetime | None) -> str:
    if expires_at is None:
        return ""
    hours, seconds = divmod(max(0, int((expires_at - datetime.now(UTC)).total_seconds())), 3600)
    return f"{hours} h {seconds // 60:02} min left"


def _table(*columns: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def _cell(text: str) -> Text:
    return Text(printable(text), overflow="fold")


def opening(project: str) -> RenderableType:
    """Draw the beginning of the demo."""
    tiers = Text.assemble(
        ("quarantine", "bold red"), (" ── filter ──▶ ", "dim"), ("⚡️ working, 24 h", "bold yellow"),
        (" ── a person ──▶ ", "dim"), ("✅ long-term", "bold green"),
    )  # fmt: skip
    words = Text("Nothing becomes memory just because an agent said it.")
    return Group(
        Text(),
        Panel.fit(Group(words, Text(), tiers), title=Text("memsieve", style="bold"), padding=(1, 3)),
        Text(f"  Watch project “{project}”:\n", style="dim"),
    )


def scene(number: int, title: str, narration: str, results: Sequence[object]) -> RenderableType:
    """Draw one scene of the demo."""
    told = [part for result in results for part in (drawing.indented(_told(result), 3), Text())]
    return Group(
        Text(f"{number}  {title}", style="bold cyan"),
        drawing.indented(Text(narration, style="italic"), 3),
        Text(),
        *told,
    )


def closing(counts: Stats, commands: Mapping[str, str]) -> RenderableType:
    """Draw the end of the demo: how it came out, and what to try next."""
    words = Text.assemble(
        "\n", (f"{counts.recorded} said, {counts.admitted} admitted, {counts.refused} refused, ", "bold"),
        (f"{counts.memories} verified by a person.\n", "bold"),
    )  # fmt: skip
    tries = [Text.assemble((command, "cyan"), (f"\n   {purpose}", "dim")) for command, purpose in commands.items()]
    return Group(words, Text("Try next · 接着试试", style="bold"), *map(drawing.indented, tries))


def _told(result: object) -> RenderableType:
    match result:
        case Receipt():
            return _spoken(result)
        case LongTermMemory():
            return _approved(result)
        case Insight():
            return digest_screens.card(result)
        case Answer():
            return answer(result)
        case Retirement():
            return Group(_approved(result.memory), Text(), served(result.served))
    raise TypeError(result)


def _spoken(record: Receipt) -> RenderableType:
    title, style = _fate(record.admission)
    said = Text.assemble((f"{record.entry.agent_id}: ", "bold"), f"“{drawing.excerpt(record.entry.content)}”")
    verdict = Text(title, style=f"bold {style}")
    failed = (check for check in record.admission.checks if not check.passed)
    reasons = [Text(f"✘ {check.name}: {printable(str(check.reason))}", style=style) for check in failed]
    return Group(said, drawing.indented(Group(verdict, *reasons)))


def _approved(record: LongTermMemory) -> RenderableType:
    fate = f"✅ verified: approved by {record.approval.by}"
    style = "bold green"
    if record.retired_at is not None:
        fate, style = f"✝ retired by {record.retired_by}: no longer served", "bold magenta"
    return Group(Text(f"“{drawing.excerpt(record.approval.content)}”"), drawing.indented(Text(fate, style=style)))
