"""One file of entries that wait, of lines with checksums, held by the one process that has its lock.

`["checksum",{…}]` is an entry that waits; `["checksum",120]` says that all before byte 120 is delivered.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import logging
import os
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from memsieve.errors import InvalidInput, StoreCorrupt
from memsieve.model import Admission, Entry, NotChecked, Reason, Receipt, Role, Scope
from memsieve.stores.rows import entry_document, entry_of

_SUM_BYTES = 8
# ["0123456789abcdef",
_BODY = len('["",') + 2 * _SUM_BYTES

# Project, what kind of name it is, and the name.
Name = tuple[str, str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class SpooledEntry:
    """What was asked of the store while it was away."""

    scope: Scope
    entry: Entry
    idempotency_key: str | None

    @property
    def names(self) -> tuple[Name, ...]:
        """What it must not be kept under twice."""
        project = self.scope.project_id
        by_id = (project, "id", self.entry.id)
        return (by_id,) if self.idempotency_key is None else (by_id, (project, "key", self.idempotency_key))

    @property
    def receipt(self) -> Receipt:
        """The receipt that the caller gets while it waits."""
        pending = Admission.without_checks(NotChecked.SPOOLED, Reason.of("pending.spooled"), at=self.entry.created_at)
        return Receipt(entry=self.entry, admission=pending)

    def document(self) -> dict[str, Any]:
        """Return it as JSON carries it, without what quarantine does not keep."""
        return {
            "scope": {"project_id": self.scope.project_id, "actor": self.scope.actor, "role": self.scope.role},
            "entry": entry_document(self.entry),
            "idempotency_key": self.idempotency_key,
        }


def pack(body: Mapping[str, Any] | int) -> bytes:
    """Return a line that can be told from a damaged one."""
    try:
        written = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError as exc:
        raise InvalidInput(f"The entry is not valid Unicode: {exc}. Decode it properly.", field="content") from exc
    return b'["%s",%s]\n' % (_checksum(written), written)


def unpack(line: bytes) -> SpooledEntry | int:
    """Return what a line without its end holds, or raise StoreCorrupt."""
    body = line[_BODY:-1]
    if line != b'["%s",%s]' % (_checksum(body), body):
        raise StoreCorrupt("This line of the spool is damaged: its checksum is another.")
    try:
        value = json.loads(body)
        return value if isinstance(value, int) else _spooled(value)
    except (KeyError, TypeError, ValueError, InvalidInput) as exc:
        raise StoreCorrupt(f"This line of the spool was written by another version of memsieve: {exc!r}.") from exc


def _spooled(value: Mapping[str, Any]) -> SpooledEntry:
    scope = value["scope"]
    return SpooledEntry(
        scope=Scope(project_id=scope["project_id"], actor=scope["actor"], role=Role(scope["role"])),
        entry=entry_of(value["entry"]),
        idempotency_key=value["idempotency_key"],
    )


def _checksum(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=_SUM_BYTES).hexdigest().encode()


_READ_BYTES = 1024 * 1024

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SpooledLine:
    """One line that waits, where it ends, and what it says; None if it is damaged."""

    line: bytes
    end: int
    spooled: SpooledEntry | None


class SpoolFile:
    """Holds an open and locked file. Nothing in it is asynchronous: one thread does all its work."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self.size = 0
        self.waiting = 0
        self._descriptor = descriptor
        self._delivered = 0
        self._places: dict[Name, int] = {}

    @classmethod
    def create(cls, path: Path) -> SpoolFile:
        """Make a new file and hold its lock."""
        file = cls(path, os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        fcntl.flock(file._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return file

    @classmethod
    def adopt(cls, path: Path) -> SpoolFile | None:
        """Take over the file of a process that is gone; None if it lives."""
        descriptor = os.open(path, os.O_RDWR)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return None
        return cls(path, descriptor)

    @property
    def gone(self) -> bool:
        """Tell whether somebody removed the file, so that what is written is lost with this process."""
        return os.fstat(self._descriptor).st_nlink == 0

    def load(self) -> None:
        """Read what a process before has left, and cut off the line it did not finish."""
        self.size = os.fstat(self._descriptor).st_size
        start, ends = 0, []
        for end, line in self._lines(0):
            value = _unpacked(line)
            if isinstance(value, int):
                self._delivered = value
            else:
                ends.append(end)
                self._remember(value, start)
            start = end
        self.waiting = len(ends) - bisect_right(ends, self._delivered)
        if start < self.size:
            _log.warning("%s ends in a half-written line: nobody was told it was kept, and it is left out.", self.path)
            os.ftruncate(self._descriptor, start)
            self.size = start

    def append(self, spooled: Sequence[SpooledEntry], lines: Sequence[bytes]) -> None:
        """Keep entries on disk, all of them or none."""
        start = self.size
        self._write(b"".join(lines), durable=True)
        for one, line in zip(spooled, lines, strict=True):
            self._remember(one, start)
            start += len(line)
        self.waiting += len(spooled)

    def knows(self, name: Name) -> bool:
        """Tell whether an entry of this name lies in the file, delivered or not."""
        return name in self._places

    def waits(self, name: Name) -> bool:
        """Tell whether an entry of this name lies in the file and is not delivered."""
        return self._places.get(name, -1) >= self._delivered

    def find(self, name: Name) -> SpooledEntry | None:
        """Return the entry of this name; None if there is none any more."""
        if name not in self._places:
            return None
        _, line = next(self._lines(self._places[name]))
        value = unpack(line)
        return None if isinstance(value, int) else value

    def next(self, limit: int) -> list[SpooledLine]:
        """Return the first lines that wait, in order."""
        waiting = (SpooledLine(line, end, value) for end, line, value in self._unpacked() if not isinstance(value, int))
        found = list(islice(waiting, limit))
        if self.waiting and not found:
            _log.error("%s was cut short by somebody: %d entries in it are lost.", self.path, self.waiting)
            self.waiting = 0
        return found

    def note(self, end: int) -> None:
        """Note that all before this place is delivered; what is not noted is delivered again, and that does no harm."""
        self._delivered = end
        self.waiting -= 1
        with suppress(OSError):
            self._write(pack(end), durable=False)

    def close(self) -> None:
        """Let go of the file."""
        self._places.clear()
        os.close(self._descriptor)

    def _unpacked(self) -> Iterator[tuple[int, bytes, SpooledEntry | int | None]]:
        return ((end, line, _unpacked(line)) for end, line in self._lines(self._delivered))

    def _lines(self, start: int) -> Iterator[tuple[int, bytes]]:
        """Yield each whole line and where it ends."""
        rest = b""
        while chunk := os.pread(self._descriptor, min(_READ_BYTES, self.size - start - len(rest)), start + len(rest)):
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                start += len(line) + 1
                yield start, line

    def _remember(self, spooled: SpooledEntry | None, start: int) -> None:
        for name in () if spooled is None else spooled.names:
            self._places.setdefault(name, start)

    def _write(self, data: bytes, *, durable: bool) -> None:
        write_whole(self._descriptor, self.size, data, durable=durable)
        self.size += len(data)


def write_whole(descriptor: int, end: int, data: bytes, *, durable: bool) -> None:
    """Write data at the end of a file, or leave the file as it was."""
    try:
        written = 0
        while written < len(data):
            written += os.pwrite(descriptor, data[written:], end + written)
        if durable:
            os.fsync(descriptor)
    except OSError:
        with suppress(OSError):
            os.ftruncate(descriptor, end)
            os.fsync(descriptor)
        raise


def _unpacked(line: bytes) -> SpooledEntry | int | None:
    try:
        return unpack(line)
    except StoreCorrupt:
        return None
