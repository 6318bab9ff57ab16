"""The queue of what waits, over all files this process holds in one folder. One thread does the file work."""

from __future__ import annotations

import asyncio
import fcntl
import json
import logging
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from typing import ParamSpec, TypeVar

from memsieve.errors import ConfigError
from memsieve.stores.spool.file import Name, SpooledEntry, SpooledLine, SpoolFile, write_whole

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

    def reject(self, waiting: SpooledLine, reason: str) -> None:
        """Keep on disk what the store will never take, for a person to look at."""
        line = waiting.line.decode(errors="backslashreplace")
        kept = {"line": line} if waiting.spooled is None else waiting.spooled.document()
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


# A new file is begun from this size on, so that what is delivered is soon removed.
FILE_BYTES = 64 * 1024 * 1024

P = ParamSpec("P")
T = TypeVar("T")

_log = logging.getLogger(__name__)


class SpoolQueue:
    """Entries in the order they came: those of processes that are gone, then this one's own."""

    def __init__(self, folder: Path, file_bytes: int = FILE_BYTES) -> None:
        self._folder = SpoolFolder(folder)
        self._file_bytes = file_bytes
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="memsieve-spool")
        self._files: list[SpoolFile] = []
        self._own: SpoolFile | None = None
        self._arriving: list[tuple[SpooledEntry, bytes, asyncio.Future[None]]] = []
        self._unwritten: dict[Name, asyncio.Future[None]] = {}
        self._unwritten_bytes = 0
        self._writer: asyncio.Task[None] | None = None
        self._adopter: asyncio.Task[None] | None = None
        self._changed = asyncio.Event()

    @property
    def written(self) -> int:
        """How many wait on disk."""
        return sum(file.waiting for file in self._files)

    @property
    def empty(self) -> bool:
        """Tell whether nothing waits, and nothing is on its way to the disk."""
        return not self.written and not self._unwritten

    @property
    def size(self) -> int:
        """How many bytes it has on disk, or will have in a moment."""
        return sum(file.size for file in self._files) + self._unwritten_bytes

    async def open(self) -> None:
        """Adopt what processes before have left."""
        self._files = await self._run(self._folder.open)

    async def adopt(self) -> None:
        """Adopt what was left since."""
        self._adopter = asyncio.create_task(self._adopt())
        await asyncio.shield(self._adopter)

    async def changed(self) -> None:
        """Wait until something came or went."""
        await self._changed.wait()

    def announce(self) -> None:
        """Wake the tasks that wait for a change."""
        self._changed.set()
        self._changed = asyncio.Event()

    def knows(self, spooled: SpooledEntry) -> bool:
        """Tell whether something of the same id or idempotency key lies here."""
        return any(name in self._unwritten or self._holder(name) for name in spooled.names)

    async def find(self, spooled: SpooledEntry) -> SpooledEntry | None:
        """Return what lies here under the same id or idempotency key; None if it is gone."""
        for name in spooled.names:
            if name in self._unwritten:
                await asyncio.shield(self._unwritten[name])
            holder = self._holder(name)
            if holder is not None:
                return await self._run(holder.find, name)
        return None

    async def waiting(self, name: Name) -> SpooledEntry | None:
        """Return what waits here under a name, or None."""
        if name in self._unwritten:
            await asyncio.shield(self._unwritten[name])
        holder = next((file for file in self._files if file.waits(name)), None)
        return None if holder is None else await self._run(holder.find, name)

    async def append(self, spooled: SpooledEntry, line: bytes) -> None:
        """Keep an entry on disk before returning; what arrives meanwhile is written together."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        # A caller who went away leaves nobody to hear of an error.
        done.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
        self._arriving.append((spooled, line, done))
        self._unwritten.update(dict.fromkeys(spooled.names, done))
        self._unwritten_bytes += len(line)
        if self._writer is None or self._writer.done():
            self._writer = asyncio.create_task(self._write_arriving())
        await asyncio.shield(done)

    async def next(self, limit: int) -> tuple[SpoolFile, list[SpooledLine]]:
        """Return the first file with something that waits, and the first of its lines; there must be one."""
        file = next(file for file in self._files if file.waiting)
        return file, await self._run(file.next, limit)

    async def settle(self, file: SpoolFile, waiting: SpooledLine, refusal: str | None) -> None:
        """Note that this line, and all before it, is delivered; put it aside if it was refused for good."""

        def work() -> None:
            if refusal is not None:
                self._folder.reject(waiting, refusal)
            file.note(waiting.end)

        await self._run(work)

    async def tidy(self) -> None:
        """Remove the files of which everything is delivered."""
        for file in list(self._files):
            # What is just being written may go into this process's own file.
            if file.waiting or (file is self._own and self._unwritten):
                continue
            self._own = None if file is self._own else self._own
            self._files.remove(file)
            await self._run(self._remove, file)

    async def flush(self) -> None:
        """Wait until all that arrived is written, and all that was left is adopted."""
        await asyncio.gather(*(task for task in (self._writer, self._adopter) if task), return_exceptions=True)

    async def close(self) -> None:
        """Let go of all files; what is empty is removed, what waits is left for the next start."""
        # Not in another thread: while the interpreter ends, none can be had.
        self._thread.shutdown()
        for file in self._files:
            if file.waiting:
                file.close()
            else:
                self._remove(file)
        self._files = []
        self._folder.close()

    async def _adopt(self) -> None:
        self._files[:0] = await self._run(self._folder.adopt)

    async def _write_arriving(self) -> None:
        while self._arriving:
            group, self._arriving = self._arriving, []
            error: Exception | None = None
            try:
                await self._write([spooled for spooled, _, _ in group], [line for _, line, _ in group])
            except Exception as exc:  # noqa: BLE001 - each caller gets it
                error = exc
            for spooled, line, done in group:
                for name in spooled.names:
                    self._unwritten.pop(name, None)
                self._unwritten_bytes -= len(line)
                if error is None:
                    done.set_result(None)
                else:
                    done.set_exception(error)
            self.announce()

    async def _write(self, spooled: list[SpooledEntry], lines: list[bytes]) -> None:
        if self._own is None or self._own.size >= self._file_bytes or self._own.gone:
            self._own = await self._run(self._folder.create)
            self._files.append(self._own)
        await self._run(self._own.append, spooled, lines)

    def _remove(self, file: SpoolFile) -> None:
        try:
            self._folder.remove(file)
        except OSError as exc:
            _log.warning("%s is delivered and could not be removed: %s. The next start tries again.", file.path, exc)

    def _holder(self, name: Name) -> SpoolFile | None:
        return next((file for file in self._files if file.knows(name)), None)

    async def _run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Do file work in the thread; once begun it is done whole, also if nobody waits for it any more."""
        loop = asyncio.get_running_loop()
        return await asyncio.shield(loop.run_in_executor(self._thread, lambda: work(*args, **kwargs)))
