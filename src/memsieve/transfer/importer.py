"""Read a stream of JSON lines and import them: one by one through the filter, many at once where nothing is decided."""

from __future__ import annotations

import codecs
import hashlib
import json
import uuid
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from itertools import groupby
from typing import Any, BinaryIO, ParamSpec, TypeVar

from memsieve import validate
from memsieve.embedded import Maintenance
from memsieve.errors import Conflict, InvalidInput
from memsieve.model import CALLER_FIELDS, Entry
from memsieve.ports import WORKING_LIFE
from memsieve.project import Review

DEFAULT_SESSION = "import"
MAX_ERRORS = 20

_LINE_IDS = uuid.UUID("5f0cbb2e-9a52-4f0e-8e0c-6f4ad2a4b1d7")
_NO_PERSON = "only a person's approval writes long-term memory. Give your name: --by WHO."
_RETIRED = "it was retired here. Promote it by hand if it is true again."
_EVENT = "an audit log is for reading; this memory keeps its own."

T = TypeVar("T")
P = ParamSpec("P")


class LineOutcome(StrEnum):
    """What became of a line."""

    RECORDED = "recorded"
    ALREADY_KNOWN = "already_known"
    PROMOTED = "promoted"
    SKIPPED = "skipped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of an import: its number, its outcome, and the reason if it was not imported."""

    number: int
    end: int
    outcome: LineOutcome
    admitted: bool = False
    reason: str = ""


@dataclass(slots=True, kw_only=True)
class Tally:
    """How an import went."""

    counts: dict[LineOutcome, int] = field(default_factory=lambda: dict.fromkeys(LineOutcome, 0))
    admitted: int = 0
    skipped_for: Counter[str] = field(default_factory=Counter)
    errors: list[dict[str, Any]] = field(default_factory=list)

    def add(self, line: Line) -> None:
        """Count one more line."""
        self.counts[line.outcome] += 1
        self.admitted += line.admitted
        if line.outcome is LineOutcome.SKIPPED:
            self.skipped_for[line.reason] += 1
        if line.outcome is LineOutcome.FAILED and len(self.errors) < MAX_ERRORS:
            self.errors.append({"line": line.number, "reason": line.reason})

    def summary(self) -> dict[str, Any]:
        """Return the counts."""
        counts = {str(outcome): count for outcome, count in self.counts.items()}
        return {"recorded": counts.pop("recorded"), "admitted": self.admitted, **counts, "errors": self.errors}


@dataclass(frozen=True, slots=True)
class _Entry:
    """An entry for the filter to decide on, with the outcome if nothing speaks against it."""

    line: Line
    entry: Entry


@dataclass(frozen=True, slots=True)
class _OldEntry(_Entry):
    """An entry that is too old for working memory."""


@dataclass(frozen=True, slots=True)
class _Memory:
    """A memory of which it is not known yet whether it was retired, or has sources here."""

    line: Line
    value: Mapping[str, Any]
    memory_id: str | None


@dataclass(frozen=True, slots=True)
class _MemoryText:
    """A memory as a person's own text; the store refuses what is no text."""

    line: Line
    content: Any


@dataclass(frozen=True, slots=True)
class _MemoryOfEntries(_MemoryText):
    """A memory with entries here of just this content."""

    entry_ids: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class Importer:
    """Imports lines into one project: entries through its filter, memories in the name of the person who reviews it.

    Memories are skipped unless the person `approves` of them.
    """

    maintenance: Maintenance
    review: Review
    clock: Callable[[], datetime]
    longest: int
    approves: bool = False

    def run(self, stream: BinaryIO) -> Iterator[Line]:
        """Import every line, and yield its outcome, in order; a bad line does not stop the rest."""
        for lines in batches(stream, self.longest):
            yield from self._bring(self._understood(line) for line in lines)

    def _bring(self, steps: Iterable[Any]) -> Iterator[Line]:
        """Import runs of lines of one kind together, which keeps the order."""
        ways: dict[type, Callable[[Iterator[Any]], Iterable[Line]]] = {
            Line: iter,
            _Entry: self._filter,
            _OldEntry: self._keep,
            _Memory: self._look_up,
            _MemoryText: self._promote_texts,
            _MemoryOfEntries: self._promote_entries,
        }
        for kind, together in groupby(steps, key=type):
            yield from ways[kind](together)

    def _understood(self, raw: RawLine) -> Line | _Entry | _Memory:
        line = Line(number=raw.number, end=raw.end, outcome=LineOutcome.RECORDED)
        return _or_failed(line, self._read, line, raw)

    def _read(self, line: Line, raw: RawLine) -> Line | _Entry | _Memory:
        value = raw.value(self.longest)
        match value.get("kind", "entry"):
            case "entry":
                entry = self._entry(value, raw)
                old = self.clock() - entry.created_at >= WORKING_LIFE
                return _OldEntry(line, entry) if old else _Entry(line, entry)
            case "memory" if not self.approves:
                return replace(line, outcome=LineOutcome.SKIPPED, reason=_NO_PERSON)
            case "memory":
                own_id = value.get("id")
                memory_id = validate.name(own_id, field="id") if isinstance(own_id, str) else None
                return _Memory(replace(line, outcome=LineOutcome.PROMOTED), value, memory_id)
            case "event":
                return replace(line, outcome=LineOutcome.SKIPPED, reason=_EVENT)
        raise InvalidInput(f"kind is {value['kind']!r}. Use 'entry', 'memory' or 'event'.", field="kind")

    def _entry(self, value: Mapping[str, Any], raw: RawLine) -> Entry:
        return Entry(
            id=_own_id(value["id"]) if value.get("id") else self._made_id(raw),
            project_id=self.review.project_id,
            session_id=DEFAULT_SESSION if value.get("session_id") is None else value["session_id"],
            content=value.get("content"),  # type: ignore[arg-type] # the filter refuses what is no text
            created_at=self.clock() if value.get("created_at") is None else _time(value["created_at"]),
            **{name: value[name] for name in CALLER_FIELDS if value.get(name) is not None},
        )

    def _filter(self, steps: Iterator[_Entry]) -> Iterator[Line]:
        for step in steps:
            yield _or_failed(step.line, self._filtered, step)

    def _filtered(self, step: _Entry) -> Line:
        known = self.review.entry(step.entry.id) is not None
        admission = self.maintenance.import_entry(step.entry).admission
        return _known(step.line) if known else replace(step.line, admitted=admission.admitted)

    def _keep(self, steps: Iterator[_OldEntry]) -> Iterable[Line]:
        together = list(steps)
        return _settled(together, self.maintenance.import_history([step.entry for step in together]))

    def _look_up(self, steps: Iterator[_Memory]) -> Iterator[Line]:
        together = list(steps)
        retired = self.maintenance.retired([step.memory_id for step in together if step.memory_id is not None])
        return self._bring(_or_failed(step.line, self._looked_up, step, retired) for step in together)

    def _looked_up(self, step: _Memory, retired: Container[str | None]) -> Line | _MemoryText:
        if step.memory_id in retired:
            return replace(step.line, outcome=LineOutcome.SKIPPED, reason=_RETIRED)
        content = step.value.get("content")
        sources = list(self._sources(step.value.get("entry_ids"), content))
        return _MemoryOfEntries(step.line, content, sources) if sources else _MemoryText(step.line, content)

    def _promote_texts(self, steps: Iterator[_MemoryText]) -> Iterable[Line]:
        together = list(steps)
        return _settled(together, self.maintenance.import_texts([step.content for step in together], by=self.review.by))

    def _promote_entries(self, steps: Iterator[_MemoryOfEntries]) -> Iterator[Line]:
        for step in steps:
            yield _or_failed(step.line, self._promoted, step)

    def _promoted(self, step: _MemoryOfEntries) -> Line:
        asked = self.clock()
        written = [self.review.promote(entry_id, text=step.content) for entry_id in step.entry_ids]
        return _known(step.line) if all(memory.approval.at < asked for memory in written) else step.line

    def _sources(self, entry_ids: object, content: object) -> Iterator[str]:
        """Yield the entries here of just this content: promoting another would approve what nobody read."""
        if not isinstance(entry_ids, list) or not isinstance(content, str):
            return
        for entry_id in entry_ids:
            known = self.review.entry(str(entry_id))
            if known is not None and known.entry.content.strip() == content.strip():
                yield known.entry.id

    def _made_id(self, line: RawLine) -> str:
        # The same line of the same file has the same id, so that an import cut short can simply be run again.
        digest = hashlib.sha256((line.raw or b"").strip()).hexdigest()
        return str(uuid.uuid5(_LINE_IDS, f"{self.review.project_id}\n{line.number}\n{digest}"))


def _or_failed(line: Line, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | Line:
    try:
        return work(*args, **kwargs)
    except (InvalidInput, Conflict) as exc:
        return _failed(line, exc)


def _settled(
    steps: Sequence[_Entry | _MemoryText], outcomes: Sequence[bool | InvalidInput | Conflict]
) -> Iterator[Line]:
    """Yield the lines with what became of each: new, known, or an error."""
    for step, outcome in zip(steps, outcomes, strict=True):
        if isinstance(outcome, bool):
            yield step.line if outcome else _known(step.line)
        else:
            yield _failed(step.line, outcome)


def _known(line: Line) -> Line:
    return replace(line, outcome=LineOutcome.ALREADY_KNOWN)


def _failed(line: Line, error: Exception) -> Line:
    return replace(line, outcome=LineOutcome.FAILED, reason=str(error))


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


# The most lines imported and reported together: about a second's work.
TOGETHER = 256

_READ = 1 << 18
# JSON may write a byte of content as six, metadata is as large again, and the filter's reasons quote.
_LINE_FACTOR = 16
_LEAST_LINE = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class RawLine:
    """A line that is not blank, and where it ends; None in place of one that is too long."""

    number: int
    end: int
    raw: bytes | None

    def value(self, longest: int) -> dict[str, Any]:
        """Return the object that the line holds, or say why there is none."""
        if self.raw is None:
            raise InvalidInput(f"The line is longer than {longest} bytes. Split it.", field="line")
        raw = self.raw.removeprefix(codecs.BOM_UTF8) if self.number == 1 else self.raw
        try:
            value = json.loads(raw.decode())
        except UnicodeDecodeError as exc:
            raise InvalidInput(f"The line is not valid UTF-8 at byte {exc.start}. Convert it.", field="line") from exc
        except (ValueError, RecursionError) as exc:
            raise InvalidInput(f"The line is not JSON: {exc}. Write one object a line.", field="line") from exc
        if not isinstance(value, dict):
            raise InvalidInput(f"The line is a JSON {type(value).__name__}. Write one object a line.", field="line")
        return value


def longest_line(max_content_bytes: int) -> int:
    """Return how many bytes a line may have if its content has at most this many."""
    return max(_LEAST_LINE, _LINE_FACTOR * max_content_bytes)


def batches(stream: BinaryIO, longest: int) -> Iterator[list[RawLine]]:
    """Yield the lines that are there: a file gives many at once, a pipe does not keep the last one waiting for more."""
    number = end = 0
    for pieces in _read(stream, longest):
        lines = []
        for raw, length in pieces:
            number, end = number + 1, end + length
            if raw is None or raw.strip():
                lines.append(RawLine(number=number, end=end, raw=raw))
        for start in range(0, len(lines), TOGETHER):
            yield lines[start : start + TOGETHER]


def _read(stream: BinaryIO, longest: int) -> Iterator[list[tuple[bytes | None, int]]]:
    begun, length = b"", 0
    while data := stream.read1(_READ):  # type: ignore[attr-defined] # files and standard input are buffered: they have it
        *ends, rest = data.split(b"\n")
        pieces: list[tuple[bytes | None, int]] = []
        for piece in ends:
            length += len(piece) + 1
            pieces.append((begun + piece if length <= longest else None, length))
            begun, length = b"", 0
        length += len(rest)
        begun = begun + rest if length <= longest else b""
        yield pieces
    if length:
        yield [(begun if length <= longest else None, length)]
