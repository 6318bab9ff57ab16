"""The queue of what waits, over all files this process holds. One thread does the file work, the event loop none."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import ParamSpec, TypeVar

from memsieve.stores.spool.file import SpoolFile, Waiting
from memsieve.stores.spool.folder import SpoolFolder
from memsieve.stores.spool.line import Name, Said

# A new file is begun from so many bytes on, so that what is delivered is soon removed.
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
        self._arriving: list[tuple[Said, bytes, asyncio.Future[None]]] = []
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
        """Wake whoever waits for a change."""
        self._changed.set()
        self._changed = asyncio.Event()

    def knows(self, said: Said) -> bool:
        """Tell whether something of the same id or idempotency key lies here."""
        return any(name in self._unwritten or self._holder(name) for name in said.names)

    async def find(self, said: Said) -> Said | None:
        """Return what lies here under the same id or idempotency key; None if it is gone."""
        for name in said.names:
            if name in self._unwritten:
                await asyncio.shield(self._unwritten[name])
            holder = self._holder(name)
            if holder is not None:
                return await self._run(holder.find, name)
        return None

    async def waiting(self, name: Name) -> Said | None:
        """Return what waits here under a name, or None."""
        if name in self._unwritten:
            await asyncio.shield(self._unwritten[name])
        holder = next((file for file in self._files if file.waits(name)), None)
        return None if holder is None else await self._run(holder.find, name)

    async def append(self, said: Said, line: bytes) -> None:
        """Keep an entry on disk before returning; what arrives meanwhile is written together."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        # A caller who went away leaves nobody to hear of an error.
        done.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
        self._arriving.append((said, line, done))
        self._unwritten.update(dict.fromkeys(said.names, done))
        self._unwritten_bytes += len(line)
        if self._writer is None or self._writer.done():
            self._writer = asyncio.create_task(self._write_arriving())
        await asyncio.shield(done)

    async def next(self, limit: int) -> tuple[SpoolFile, list[Waiting]]:
        """Return the first file with something that waits, and the first of its lines; there must be one."""
        file = next(file for file in self._files if file.waiting)
        return file, await self._run(file.next, limit)

    async def settle(self, file: SpoolFile, waiting: Waiting, refusal: str | None) -> None:
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
                await self._write([said for said, _, _ in group], [line for _, line, _ in group])
            except Exception as exc:  # noqa: BLE001 - each caller is told
                error = exc
            for said, line, done in group:
                for name in said.names:
                    self._unwritten.pop(name, None)
                self._unwritten_bytes -= len(line)
                if error is None:
                    done.set_result(None)
                else:
                    done.set_exception(error)
            self.announce()

    async def _write(self, said: list[Said], lines: list[bytes]) -> None:
        if self._own is None or self._own.size >= self._file_bytes or self._own.gone:
            self._own = await self._run(self._folder.create)
            self._files.append(self._own)
        await self._run(self._own.append, said, lines)

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
