"""One file of entries that wait: appended to and delivered from by the one process that holds its lock."""

from __future__ import annotations

import fcntl
import logging
import os
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from memsieve.errors import StoreCorrupt
from memsieve.stores.spool.line import Name, Said, pack, unpack

_READ_BYTES = 1024 * 1024

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Waiting:
    """One line that waits, where it ends, and what it says; None if it is damaged."""

    line: bytes
    end: int
    said: Said | None


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
            held = _unpacked(line)
            if isinstance(held, int):
                self._delivered = held
            else:
                ends.append(end)
                self._remember(held, start)
            start = end
        self.waiting = len(ends) - bisect_right(ends, self._delivered)
        if start < self.size:
            _log.warning("%s ends in a half-written line: nobody was told it was kept, and it is left out.", self.path)
            os.ftruncate(self._descriptor, start)
            self.size = start

    def append(self, said: Sequence[Said], lines: Sequence[bytes]) -> None:
        """Keep entries on disk, all of them or none."""
        start = self.size
        self._write(b"".join(lines), durable=True)
        for one, line in zip(said, lines, strict=True):
            self._remember(one, start)
            start += len(line)
        self.waiting += len(said)

    def knows(self, name: Name) -> bool:
        """Tell whether an entry of this name lies in the file, delivered or not."""
        return name in self._places

    def waits(self, name: Name) -> bool:
        """Tell whether an entry of this name lies in the file and is not delivered."""
        return self._places.get(name, -1) >= self._delivered

    def find(self, name: Name) -> Said | None:
        """Return the entry of this name; None if there is none any more."""
        if name not in self._places:
            return None
        _, line = next(self._lines(self._places[name]))
        held = unpack(line)
        return None if isinstance(held, int) else held

    def next(self, limit: int) -> list[Waiting]:
        """Return the first lines that wait, in order."""
        waiting = (Waiting(line, end, held) for end, line, held in self._unpacked() if not isinstance(held, int))
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

    def _unpacked(self) -> Iterator[tuple[int, bytes, Said | int | None]]:
        return ((end, line, _unpacked(line)) for end, line in self._lines(self._delivered))

    def _lines(self, start: int) -> Iterator[tuple[int, bytes]]:
        """Yield each whole line and where it ends."""
        rest = b""
        while chunk := os.pread(self._descriptor, min(_READ_BYTES, self.size - start - len(rest)), start + len(rest)):
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                start += len(line) + 1
                yield start, line

    def _remember(self, said: Said | None, start: int) -> None:
        for name in () if said is None else said.names:
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


def _unpacked(line: bytes) -> Said | int | None:
    try:
        return unpack(line)
    except StoreCorrupt:
        return None
