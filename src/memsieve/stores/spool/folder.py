"""The folder of the spool: one lock over making, adopting and removing files, and the file of what was refused."""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path

from memsieve.errors import ConfigError
from memsieve.stores.spool.file import SpoolFile, Waiting, write_whole

REJECTED = "rejected.jsonl"


class SpoolFolder:
    """Shared by the processes of one machine; each writes files of its own."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor = -1
        # In the order of time, also where the clock is set back while this process runs.
        name = f"waiting-{time.time_ns():020d}-{os.getpid()}"
        self._names = (f"{name}-{number:06d}.jsonl" for number in count())

    def open(self) -> list[SpoolFile]:
        """Make the folder if need be, and adopt what lies in it."""
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._descriptor = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY)
            return self.adopt()
        except OSError as exc:
            raise ConfigError(
                f"Cannot use the spool's folder {str(self.path)!r}: {exc}. Make it and its files readable and writable "
                "for this user, or choose another data folder with --data or MEMSIEVE_DATA."
            ) from exc

    def adopt(self) -> list[SpoolFile]:
        """Take over the files of processes that are gone, the oldest first; all of them or none."""
        adopted = []
        with ExitStack() as undo:
            # Under one lock, so that two processes that start at once do not share the files of a third.
            with self._locked():
                for path in sorted(self.path.glob("waiting-*.jsonl")):
                    file = SpoolFile.adopt(path)
                    if file is not None:
                        undo.callback(file.close)
                        adopted.append(file)
            for file in adopted:
                file.load()
            undo.pop_all()
        return adopted

    def create(self) -> SpoolFile:
        """Make a new file that survives a power cut."""
        with self._locked():
            file = SpoolFile.create(self.path / next(self._names))
            try:
                os.fsync(self._descriptor)
            except OSError:
                file.close()
                raise
        return file

    def remove(self, file: SpoolFile) -> None:
        """Remove a file of which everything is delivered."""
        try:
            with self._locked():
                file.path.unlink(missing_ok=True)
        finally:
            file.close()

    def reject(self, waiting: Waiting, reason: str) -> None:
        """Keep on disk what the store will never take, for a person to look at."""
        line = waiting.line.decode(errors="backslashreplace")
        kept = {"line": line} if waiting.said is None else waiting.said.document()
        written = json.dumps({"reason": reason, **kept}, ensure_ascii=False).encode() + b"\n"
        with self._locked():
            descriptor = os.open(self.path / REJECTED, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                end = os.fstat(descriptor).st_size
                # A crash may have left half a line.
                torn = end > 0 and os.pread(descriptor, 1, end - 1) != b"\n"
                write_whole(descriptor, end, b"\n" * torn + written, durable=True)
                os.fsync(self._descriptor)
            finally:
                os.close(descriptor)

    def close(self) -> None:
        """Let go of the folder."""
        os.close(self._descriptor)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        fcntl.flock(self._descriptor, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(self._descriptor, fcntl.LOCK_UN)
