"""Carry a project from one memory to another: one JSON object a line, read and written as a stream."""

from __future__ import annotations

import codecs
import hashlib
import json
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, BinaryIO

from memsieve import validate, wire
from memsieve.errors import Conflict, InvalidInput
from memsieve.model import AuditEvent, Entry, EntryFilter, Receipt
from memsieve.sync import Project

DEFAULT_SESSION = "import"
MAX_ERRORS = 20

_PAGE = 200
_LINE_IDS = uuid.UUID("5f0cbb2e-9a52-4f0e-8e0c-6f4ad2a4b1d7")
# JSON may write a byte of content as six, metadata is as large again, and the filter's reasons quote.
_LINE_FACTOR = 16
_LEAST_LINE = 1 << 20


class Outcome(StrEnum):
    """What became of a line."""

    RECORDED = "recorded"
    ALREADY_KNOWN = "already_known"
    PROMOTED = "promoted"
    SKIPPED = "skipped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of an import: where it stood, what became of it, and why if nothing did."""

    number: int
    end: int
    outcome: Outcome
    admitted: bool = False
    reason: str = ""


@dataclass(slots=True, kw_only=True)
class Tally:
    """How an import went."""

    counts: dict[Outcome, int] = field(default_factory=lambda: dict.fromkeys(Outcome, 0))
    admitted: int = 0
    skipped_for: Counter[str] = field(default_factory=Counter)
    errors: list[dict[str, Any]] = field(default_factory=list)

    def add(self, line: Line) -> None:
        """Count one more line."""
        self.counts[line.outcome] += 1
        self.admitted += line.admitted
        if line.outcome is Outcome.SKIPPED:
            self.skipped_for[line.reason] += 1
        if line.outcome is Outcome.FAILED and len(self.errors) < MAX_ERRORS:
            self.errors.append({"line": line.number, "reason": line.reason})

    def summary(self) -> wire.Document:
        """Return the counts."""
        counts = {str(outcome): count for outcome, count in self.counts.items()}
        return {"recorded": counts.pop("recorded"), "admitted": self.admitted, **counts, "errors": self.errors}


def outgoing(project: Project) -> Iterator[wire.Document]:
    """Yield everything a project holds: entries oldest first, then memories, then the audit log."""
    for receipt in _receipts(project):
        kept = wire.receipt(receipt)
        yield {"kind": "entry", **kept["entry"], "admission": kept["admission"], "review": kept["review"]}
    after: str | None = None
    while memories := project.memories(after_id=after, limit=_PAGE):
        for memory in memories:
            yield {"kind": "memory", **wire.memory(memory)}
        after = memories[-1].id
    for event in events(project):
        yield {"kind": "event", **wire.event(event)}


def events(project: Project) -> Iterator[AuditEvent]:
    """Yield the audit log from beginning to end, page by page."""
    after = 0
    while page := project.events(after=after, limit=_PAGE):
        yield from page
        after = page[-1].sequence


def longest_line(max_content_bytes: int) -> int:
    """Return how many bytes a line may have that holds content of at most so many."""
    return max(_LEAST_LINE, _LINE_FACTOR * max_content_bytes)


@dataclass(frozen=True, kw_only=True)
class Importer:
    """Brings lines into one project: entries through its filter, memories in the name of the person who imports."""

    project: Project
    clock: Callable[[], datetime]
    longest: int
    by: str | None = None

    def run(self, stream: BinaryIO) -> Iterator[Line]:
        """Bring every line in, and yield what became of it; a bad one does not stop the rest."""
        end = 0
        for number, (raw, length) in enumerate(_lines(stream, self.longest), start=1):
            end += length
            if raw is not None and not raw.strip():
                continue
            try:
                line = self._bring(number, self._read(raw, number), raw or b"")
            except (InvalidInput, Conflict) as exc:
                line = Line(number=number, end=0, outcome=Outcome.FAILED, reason=str(exc))
            yield replace(line, end=end)

    def _read(self, raw: bytes | None, number: int) -> dict[str, Any]:
        if raw is None:
            raise InvalidInput(f"The line is longer than {self.longest} bytes. Split it.", field="line")
        if number == 1:
            raw = raw.removeprefix(codecs.BOM_UTF8)
        try:
            value = json.loads(raw.decode())
        except UnicodeDecodeError as exc:
            raise InvalidInput(f"The line is not valid UTF-8 at byte {exc.start}. Convert it.", field="line") from exc
        except (ValueError, RecursionError) as exc:
            raise InvalidInput(f"The line is not JSON: {exc}. Write one object a line.", field="line") from exc
        if not isinstance(value, dict):
            raise InvalidInput(f"The line is a JSON {type(value).__name__}. Write one object a line.", field="line")
        return value

    def _bring(self, number: int, value: dict[str, Any], raw: bytes) -> Line:
        match value.get("kind", "entry"):
            case "entry":
                return self._entry(number, value, raw)
            case "memory":
                return self._memory(number, value)
            case "event":
                return Line(
                    number=number,
                    end=0,
                    outcome=Outcome.SKIPPED,
                    reason="an audit log is for reading; this memory keeps its own.",
                )
        raise InvalidInput(f"kind is {value['kind']!r}. Use 'entry', 'memory' or 'event'.", field="kind")

    def _entry(self, number: int, value: dict[str, Any], raw: bytes) -> Line:
        asked = self.clock()
        entry = Entry(
            id=_own_id(value["id"]) if value.get("id") else self._made_id(number, raw),
            project_id=self.project.id,
            session_id=DEFAULT_SESSION if value.get("session_id") is None else value["session_id"],
            content=value.get("content"),  # type: ignore[arg-type] # the filter's door refuses what is no text
            created_at=asked if value.get("created_at") is None else _time(value["created_at"]),
            agent_id=value.get("agent_id"),
            node_id=value.get("node_id"),
            confidence=value.get("confidence"),
            metadata={} if value.get("metadata") is None else value["metadata"],
        )
        known = self.project.entry(entry.id) is not None
        admission = self.project.bring(entry).admission
        if known:
            return Line(number=number, end=0, outcome=Outcome.ALREADY_KNOWN)
        return Line(number=number, end=0, outcome=Outcome.RECORDED, admitted=admission.admitted)

    def _memory(self, number: int, value: dict[str, Any]) -> Line:
        if self.by is None:
            reason = "only a person's approval writes long-term memory. Give your name: --by WHO."
            return Line(number=number, end=0, outcome=Outcome.SKIPPED, reason=reason)
        if self._retired_here(value.get("id")):
            reason = "it was retired here. Promote it by hand if it is true again."
            return Line(number=number, end=0, outcome=Outcome.SKIPPED, reason=reason)
        asked, content, by = self.clock(), value.get("content"), self.by
        sources = self._sources(value.get("entry_ids"), content)
        written = [self.project.promote(entry_id, by=by, text=content) for entry_id in sources]
        if not written:
            written = [self.project.promote_text(content, by=by)]  # type: ignore[arg-type] # as above
        known = all(memory.approval.at < asked for memory in written)
        return Line(number=number, end=0, outcome=Outcome.ALREADY_KNOWN if known else Outcome.PROMOTED)

    def _retired_here(self, memory_id: object) -> bool:
        memory = self.project.memory(memory_id) if isinstance(memory_id, str) else None
        return memory is not None and memory.id == memory_id and memory.retired_at is not None

    def _sources(self, entry_ids: object, content: object) -> Iterator[str]:
        """Yield the entries here that said just this: promoting another would approve what nobody read."""
        if not isinstance(entry_ids, list) or not isinstance(content, str):
            return
        for entry_id in entry_ids:
            known = self.project.entry(str(entry_id))
            if known is not None and known.entry.content.strip() == content.strip():
                yield known.entry.id

    def _made_id(self, number: int, raw: bytes) -> str:
        # The same line of the same file has the same id, so that an import cut short can simply be run again.
        digest = hashlib.sha256(raw.strip()).hexdigest()
        return str(uuid.uuid5(_LINE_IDS, f"{self.project.id}\n{number}\n{digest}"))


def _receipts(project: Project) -> Iterator[Receipt]:
    wanted = EntryFilter(oldest_first=True, limit=_PAGE)
    while receipts := project.log(wanted):
        yield from receipts
        wanted = replace(wanted, beyond_id=receipts[-1].entry.id)


def _lines(stream: BinaryIO, longest: int) -> Iterator[tuple[bytes | None, int]]:
    """Yield each line with its length, None in place of one that is too long to be held."""
    while raw := stream.readline(longest):
        length, whole = len(raw), raw.endswith(b"\n") or len(raw) < longest
        rest = raw
        while not rest.endswith(b"\n") and (rest := stream.readline(longest)):
            whole = False
            length += len(rest)
        yield (raw if whole else None), length


def _own_id(value: object) -> str:
    try:
        return str(uuid.UUID(validate.name(value, field="id")))
    except ValueError as exc:
        raise InvalidInput(
            f"id {value!r} is no UUID. Correct it, or leave it out to get a new one.", field="id"
        ) from exc


def _time(value: object) -> datetime:
    try:
        at = datetime.fromisoformat(validate.name(value, field="created_at"))
        return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except (ValueError, OverflowError) as exc:
        raise InvalidInput(
            f"created_at {value!r} is no time. Write it like 2026-01-31T08:30:00Z.", field="created_at"
        ) from exc
