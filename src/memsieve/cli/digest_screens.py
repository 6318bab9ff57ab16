"""What people see of a digest: the week in a few lines, and one card for each insight to decide on."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from datetime import datetime

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.text import Text

from memsieve.cli import drawing
from memsieve.cli.options import Target
from memsieve.cli.output import printable
from memsieve.jobs.weekly import DigestRun, RunOutcome
from memsieve.model import (
    Digest,
    Dispute,
    Edit,
    ExclusionReason,
    Insight,
    InsightDecision,
    InsightSource,
    Nearest,
    RefineOutcome,
    ReviewStatus,
    SourceDoubt,
)

HERE = Target(data=None, server=None, option="")
QUOTES = 3
ANY = "ID"
_LINE = 76
# Characters of unchanged text that a card shows around a change; the insight alone shows all of it.
_CONTEXT = 40
# For two texts that share less than this, the second text is shown in place of a diff.
_LEAST_SHARED = 0.25

_OUTCOMES = {
    RefineOutcome.READY: "green",
    RefineOutcome.OBSERVING: "yellow",
    RefineOutcome.TOO_NARROW: "dim",
    RefineOutcome.DUPLICATE: "dim",
}
_ASIDES = {
    ExclusionReason.NO_CLAIM: "with no claim in it",
    ExclusionReason.SAID_ONCE: "said once",
    ExclusionReason.SMALLER: "in smaller groups",
    ExclusionReason.DECIDED: "decided before",
    ExclusionReason.INJECTION: "with instructions in it",
}
_DOUBTS = {
    SourceDoubt.INJECTION: "⚠ gives instructions: counts for nothing",
    SourceDoubt.ECHO: "⚠ repeats what its session was served: counts for nothing",
    SourceDoubt.INCONSISTENT: "⚠ contradicts itself: counts for nothing",
    SourceDoubt.CONTRARY: "⚠ says the opposite: counts for nothing",
}
_SETTLED = {ReviewStatus.PROMOTED: ("★", "bold green"), ReviewStatus.DISMISSED: ("✝", "bold magenta")}
_RUNS = {
    RunOutcome.MADE: ("✔", "green", "made"),
    RunOutcome.THERE: ("✔", "dim", "already made"),
    RunOutcome.BUSY: ("…", "yellow", "being made elsewhere"),
    RunOutcome.NOTHING: ("–", "dim", "nothing to digest"),
    RunOutcome.FAILED: ("✘", "red", "failed"),
}
# Style of each kind of edit, and the signs around it where a terminal has no colours.
_EDITS = {Edit.SAME: ("", "", ""), Edit.REMOVED: ("red strike", "[-", "-]"), Edit.ADDED: ("bold green", "{+", "+}")}


def digest(record: Digest, oldest: datetime | None, target: Target = HERE) -> RenderableType:
    """Draw a digest: what was read, what waits since when, a card for each insight, and how to decide."""
    cards = [card(one, f"{number} · ", record.made_at) for number, one in enumerate(record.insights, start=1)]
    return Group(_header(record, oldest), *cards, *([_decide(record.project_id, ANY, target)] if cards else []))


def card(record: Insight, number: str = "", seen_at: datetime | None = None) -> RenderableType:
    """Draw what a person needs to decide on one insight; `seen_at` tells how long it has waited."""
    waited = seen_at is not None and record.made_at.date() < seen_at.date()
    body = _sections(
        _summary(record, f"waits since {drawing.day(record.made_at)}" if waited else ""),
        *(_dispute(one, record.sources) for one in record.disputes[:1]),
        _near(record.nearest, whole=False),
        _few(record),
        _foot(record),
    )
    return drawing.panel(body, _title(record, number), _style(record))


def insight(record: Insight, target: Target = HERE) -> RenderableType:
    """Draw one insight with all its sources, disputes, the whole diff, and what became of it."""
    body = _sections(
        _summary(record),
        *(_dispute(one, record.sources) for one in record.disputes),
        _near(record.nearest, whole=True),
        _listed(f"Said in {drawing.count(record.sources, 'entry')}:", record.sources),
        _listed("Said again after it was decided on:", record.later),
        _foot(record),
    )
    last = _decide(record.project_id, record.id, target) if record.decision is None else _settled(record.decision)
    return Group(drawing.panel(body, _title(record), _style(record)), last)


def runs(records: Sequence[DigestRun]) -> RenderableType:
    """Draw which weekly digests were made, one line a project."""
    if not records:
        return Text("There are no projects yet. Begin with: memsieve demo", style="dim")
    return Group(*map(_run, records))


def no_digest(project_id: str) -> RenderableType:
    """Draw that there is no digest yet, and how to make one."""
    command = f"memsieve digest --project {shlex.quote(project_id)}"
    return Text(f"There is no digest of {printable(project_id)} yet. Make one: {command}", style="dim")


def _run(record: DigestRun) -> RenderableType:
    sign, style, words = _RUNS[record.outcome]
    if record.digest is not None:
        words = f"{words}: {drawing.waiting(record.digest.waiting)}"
    reason = "" if record.error is None else f": {printable(record.error)}"
    return Text.assemble((f"{sign} ", style), (printable(record.project_id), "bold"), f"  {words}{reason}")


def _header(record: Digest, oldest: datetime | None) -> RenderableType:
    title = f"📚 Knowledge digest · {printable(record.project_id)} · {drawing.span(record.since, record.made_at)}"
    waits = Text(_wait(record, oldest), style="bold" if record.waiting else "bold green")
    return Group(Text(title, style="bold cyan"), Text(_read(record)), waits, Text())


def _read(record: Digest) -> str:
    words = f"Read {record.entries:,} {'entry' if record.entries == 1 else 'entries'}"
    reasons = [f"{record.set_aside[why]:,} {label}" for why, label in _ASIDES.items() if record.set_aside.get(why)]
    return f"{words}; set aside {', '.join(reasons)}." if reasons else f"{words}."


def _wait(record: Digest, oldest: datetime | None) -> str:
    shown = len(record.insights)
    return f"{drawing.waiting(record.waiting, oldest)}{f' The first {shown}:' if 0 < shown < record.waiting else ''}"


def _sections(*sections: Sequence[RenderableType]) -> RenderableType:
    """Set an empty line between what has anything to show."""
    first, *rest = filter(None, sections)
    return Group(*first, *(part for section in rest for part in (Text(), *section)))


def _title(record: Insight, number: str = "") -> Text:
    label = record.refinement.label.replace("_", " ")
    title = Text(f"{number}{label}", style=f"bold {_OUTCOMES[record.refinement.outcome]}")
    return Text.assemble(title, (" · ⚠ disputed", "bold red")) if record.disputed else title


def _style(record: Insight) -> str:
    return "red" if record.disputed else _OUTCOMES[record.refinement.outcome]


def _summary(record: Insight, carried: str = "") -> list[RenderableType]:
    agents = f", {drawing.count(range(record.agents), 'agent')}" if record.agents else ""
    support = f"said by {drawing.count(range(record.sessions), 'session')}{agents}"
    seen = drawing.span(record.first_seen, record.last_seen, year=False)
    return [
        Text(printable(record.summary), style="bold"),
        drawing.facts(f"in the words of {_writer(record)}"),
        Text(),
        Text(f"{support} · {_confidence(record)} · {seen}"),
        Text(printable(str(record.refinement.reason)), style=_OUTCOMES[record.refinement.outcome]),
        *([drawing.facts(carried)] if carried else []),
    ]


def _writer(record: Insight) -> str:
    if record.summarised_by != Insight.EXTRACT:
        return f"{record.summarised_by}, a model"
    lead = _lead(record)
    return "its sources" if lead is None else _speaker(lead)


def _lead(record: Insight) -> InsightSource | None:
    """Return the source whose words the summary is, so that it need not be quoted again."""
    if record.summarised_by != Insight.EXTRACT:
        return None
    words = record.summary.split()
    return next((source for source in record.sources if source.doubt is None and source.quote.split() == words), None)


def _confidence(record: Insight) -> str:
    lowest, mean = record.lowest_confidence, record.mean_confidence
    if lowest is None or mean is None:
        return "no confidence given"
    return f"confidence {lowest:.2f}" if mean == lowest else f"confidence ≥ {lowest:.2f} (mean {mean:.2f})"


def _dispute(record: Dispute, sources: Iterable[InsightSource]) -> list[RenderableType]:
    known = {source.entry_id: source for source in sources}
    return [
        Text(f"⚠ Disputed: {printable(str(record.difference))}", style="bold red"),
        _side(record.first_quote, known.get(record.first_id)),
        _side(record.second_quote, known.get(record.second_id)),
    ]


def _side(quote: str, source: InsightSource | None) -> RenderableType:
    return _quote(quote, "") if source is None else _quote(quote, _speaker(source), _doubt(source))


def _near(record: Nearest | None, *, whole: bool) -> list[RenderableType]:
    if record is None:
        return []
    head = Text.assemble(("✅ nearest verified memory", "green"), f", similarity {record.similarity:.2f}")
    conflict = [] if record.conflict is None else [Text(f"⚠ {printable(str(record.conflict))}", style="bold red")]
    if not whole and _shared(record) < _LEAST_SHARED:
        return [head.append(":"), *conflict, drawing.indented(Text(f"“{drawing.excerpt(record.content)}”"))]
    changed = any(edit is not Edit.SAME for edit, _ in record.diff)
    head.append("; what would change:" if changed else "; word for word the same:")
    changes = record.diff if whole else _around_changes(record.diff)
    memory = [drawing.facts(f"memory {record.memory_id}")] if whole else []
    return [head, *conflict, drawing.indented(Group(_Changes(changes), *memory))]


def _shared(record: Nearest) -> float:
    """Return which share of a memory's text would stay."""
    return sum(len(text) for edit, text in record.diff if edit is Edit.SAME) / max(1, len(record.content))


def _around_changes(changes: Sequence[tuple[Edit, str]]) -> list[tuple[Edit, str]]:
    """Shorten what stays the same, so that what changes is seen."""
    return [(edit, _shortened(text) if edit is Edit.SAME else text) for edit, text in changes]


def _shortened(text: str) -> str:
    return text if len(text) <= 2 * _CONTEXT else f"{text[:_CONTEXT]} … {text[-_CONTEXT:]}"


class _Changes:
    """Words that go and words that come, in colours, or between signs where there are none."""

    def __init__(self, changes: Sequence[tuple[Edit, str]]) -> None:
        self._changes = changes

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        plain = console.no_color or console.color_system is None
        text = Text()
        for edit, words in self._changes:
            style, before, after = _EDITS[edit]
            shown = printable(words)
            text.append(f"{before}{shown}{after}" if plain else shown, style=style)
        yield text


def _few(record: Insight) -> list[RenderableType]:
    """Draw a few quotes beside those that the card shows already, and the number of further ones."""
    above = {source.entry_id for source in (_lead(record),) if source is not None}
    above |= {entry_id for one in record.disputes[:1] for entry_id in (one.first_id, one.second_id)}
    chosen = _chosen([source for source in record.sources if source.entry_id not in above])
    left = len(record.sources) - len(chosen) - len(above)
    others = len(record.disputes) - 1
    more = [f"{left} more"] if left > 0 else []
    more += [drawing.count(range(others), "more dispute")] if others > 0 else []
    return [*map(_source, chosen), *([drawing.facts(f"+ {', '.join(more)}: memsieve insight …")] if more else [])]


def _chosen(sources: Sequence[InsightSource]) -> list[InsightSource]:
    """Choose what a card quotes: each session once before any twice, and one source that is doubted."""
    sound = [source for source in sources if source.doubt is None]
    firsts = list({source.session_id: source for source in reversed(sound)}.values())[::-1]
    rest = [source for source in sound if source not in firsts]
    return [*[*firsts, *rest][:QUOTES], *[source for source in sources if source.doubt is not None][:1]]


def _listed(title: str, sources: Sequence[InsightSource]) -> list[RenderableType]:
    return [Text(title, style="bold"), *(_source(one, whole=True) for one in sources)] if sources else []


def _source(record: InsightSource, *, whole: bool = False) -> RenderableType:
    confidence = "" if record.confidence is None else f" · confidence {record.confidence:g}"
    where = f" · {drawing.day(record.created_at)}\nentry {record.entry_id}" if whole else ""
    return _quote(record.quote, f"{_speaker(record)}{confidence}{where}", _doubt(record), whole=whole)


def _speaker(record: InsightSource) -> str:
    return drawing.speaker(record.session_id, record.agent_id)


def _doubt(record: InsightSource) -> str:
    return "" if record.doubt is None else _DOUBTS[record.doubt]


def _quote(quote: str, speaker: str, doubt: str = "", *, whole: bool = False) -> RenderableType:
    words = printable(quote) if whole else drawing.excerpt(quote)
    marked = [Text(doubt, style="bold red")] if doubt else []
    quoted = Text(f"“{words}”", style="red" if doubt else "")
    return drawing.indented(Group(quoted, *marked, drawing.indented(drawing.facts(speaker))))


def _foot(record: Insight) -> list[RenderableType]:
    return [drawing.facts("" if record.note is None else str(record.note), f"id {record.id}")]


def _settled(record: InsightDecision) -> RenderableType:
    sign, style = _SETTLED[record.review]
    decided = f"{sign} {record.review} by {printable(record.by)} on {drawing.minute(record.at)} UTC"
    memory = "" if record.memory_id is None else f"memory {record.memory_id}"
    return Group(Text(decided, style=style), drawing.indented(drawing.facts(record.reason, memory)))


def _decide(project_id: str, insight_id: str, target: Target) -> RenderableType:
    chosen = f"--project {shlex.quote(project_id)}{target.option}"
    person = "" if target.server else " --by YOU"
    ways = [
        (f"memsieve promote {chosen}{person}", insight_id, "it is true: from now on it is served as verified"),
        (f"memsieve promote {chosen}{person}", f'{insight_id} --text "…"', "it is true, in your words"),
        (f"memsieve dismiss {chosen}{person}", f'{insight_id} --reason "…"', "it is not: nothing like it comes back"),
    ]
    if insight_id == ANY:
        ways.insert(0, (f"memsieve insight {chosen}", ANY, "first see all that is behind it"))
    lines = [_way(*way) for way in ways]
    leave = Text("  Or leave it: it waits, and comes again in the next digest.", style="dim")
    return Group(Text("\nDecide · 决定", style="bold"), *lines, leave)


def _way(command: str, rest: str, purpose: str) -> Text:
    """Write a command and what it is for; a long one on two lines that can be pasted as they are."""
    # Not drawn with padding: spaces after the backslash would break the command.
    between = " " if len(command) + len(rest) < _LINE else " \\\n    "
    return Text.assemble((f"  {command}{between}{rest}", "cyan"), (f"\n     {purpose}", "dim"))
