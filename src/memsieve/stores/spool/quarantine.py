"""Tier 1 that goes on taking entries while its store is away, and delivers them in order when it is back."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

from memsieve.errors import Conflict, InvalidInput, MemsieveError, StoreUnavailable
from memsieve.model import Admission, Entry, EntryFilter, Receipt, Role, Scope, Vector
from memsieve.ports import QuarantineStore
from memsieve.runtime.backoff import Backoff
from memsieve.stores.rows import in_order_of
from memsieve.stores.spool.file import SpooledEntry, SpooledLine, SpoolFile, pack
from memsieve.stores.spool.queue import FILE_BYTES, REJECTED, SpoolQueue

LIMIT_BYTES = 1024**3
FIRST_PAUSE = 0.2
LAST_PAUSE = 5.0
CLOSING_SECONDS = 1.0
# A process that opens a memory for a moment may hold the files of a third just when this one starts.
LOOK_AGAIN = 60.0
_BATCH = 100
# A right that is missing today may be granted tomorrow: Forbidden is waited for like an outage.
_FOR_GOOD = (Conflict, InvalidInput)

_log = logging.getLogger(__name__)


class SpoolingQuarantine:
    """Implements `ports.QuarantineStore` over another one, as long as it is entered as a context."""

    def __init__(
        self, inner: QuarantineStore, folder: Path, *, limit: int = LIMIT_BYTES, file_bytes: int = FILE_BYTES
    ) -> None:
        self._inner = inner
        self._folder = folder
        self._limit = limit
        self._queue = SpoolQueue(folder, file_bytes)
        self._delivering: asyncio.Task[None] | None = None
        self._backoff = Backoff(FIRST_PAUSE, LAST_PAUSE)
        self._room = 0
        self._trouble: Exception | None = None

    @property
    def waiting(self) -> int:
        """How many entries wait for delivery."""
        return self._queue.written

    async def drained(self) -> None:
        """Return when nothing waits any more."""
        while not self._queue.empty:
            await self._queue.changed()

    async def __aenter__(self) -> Self:
        await self._queue.open()
        self._delivering = asyncio.create_task(self._deliver_for_ever())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stop_delivering()
        await self._queue.flush()
        with suppress(TimeoutError):
            async with asyncio.timeout(CLOSING_SECONDS):
                await self._deliver_rest()
        if self.waiting:
            _log.warning("%d entries stay in the spool %s for the next start.", self.waiting, self._folder)
        await self._queue.close()

    async def add(self, scope: Scope, entry: Entry, idempotency_key: str | None = None) -> Receipt:
        spooled = SpooledEntry(scope=scope, entry=entry, idempotency_key=idempotency_key)
        while not self._queue.empty and not self._may_join(spooled):
            await self._queue.changed()
        if self._queue.empty:
            try:
                receipt = await self._inner.add(scope, entry, idempotency_key)
            except StoreUnavailable as exc:
                self._away(exc)
            else:
                self._trouble = self._trouble if self.waiting else None
                return receipt
        return await self._spool(spooled)

    async def add_all(self, scope: Scope, entries: Sequence[Entry]) -> list[Receipt]:
        # The caller of an import has the whole file, and can import it again.
        return await self._inner.add_all(scope, entries)

    async def decide(self, scope: Scope, entry_id: str, admission: Admission, vector: Vector | None) -> None:
        await self._inner.decide(scope, entry_id, admission, vector)

    async def get(self, scope: Scope, entry_id: str) -> Receipt | None:
        scope.require(Role.PERSON, Role.SYSTEM)
        spooled = await self._queue.waiting((scope.project_id, "id", entry_id))
        try:
            found = await self._inner.get(scope, entry_id)
        except StoreUnavailable:
            if spooled is None:
                raise
            found = None
        return found if found is not None or spooled is None else spooled.receipt

    async def get_many(self, scope: Scope, entry_ids: Sequence[str]) -> list[Receipt]:
        found = await self._inner.get_many(scope, entry_ids)
        missing = set(entry_ids) - {receipt.entry.id for receipt in found}
        waiting = [await self._queue.waiting((scope.project_id, "id", entry_id)) for entry_id in missing]
        return in_order_of([*found, *(one.receipt for one in waiting if one is not None)], entry_ids)

    async def find(self, scope: Scope, wanted: EntryFilter) -> list[Receipt]:
        return await self._inner.find(scope, wanted)

    async def delete(self, scope: Scope, entry_id: str, reason: str) -> bool:
        return await self._inner.delete(scope, entry_id, reason)

    def _may_join(self, spooled: SpooledEntry) -> bool:
        """Let entries in at once while the store is away, and fewer than go out while it is delivered to.

        Otherwise a queue that many fill and one empties would never end.
        """
        if self._trouble is not None or self._delivering is None or self._queue.knows(spooled):
            return True
        self._room -= 1
        return self._room >= 0

    async def _spool(self, spooled: SpooledEntry) -> Receipt:
        if self._delivering is None:
            raise StoreUnavailable(
                f"{self._state()} The spool is closed: nothing was recorded. Open the memory again.",
                public="The spool is closed: nothing was recorded.",
            )
        try:
            if self._queue.knows(spooled):
                return await self._first(spooled)
            await self._append(spooled)
        except OSError as exc:
            raise StoreUnavailable(
                f"{self._state()} The spool in {self._folder} cannot take the entry either ({exc.strerror or exc}): "
                "nothing was recorded. Free some space there, or bring the store back, and try again.",
                public="Neither the store nor the spool takes the entry now: nothing was recorded.",
            ) from exc
        return replace(spooled.receipt, new=True)

    async def _first(self, spooled: SpooledEntry) -> Receipt:
        first = await self._queue.find(spooled)
        if first is None:
            return await self.add(spooled.scope, spooled.entry, spooled.idempotency_key)
        if first.entry.content != spooled.entry.content:
            raise Conflict(
                f"Entry {first.entry.id} waits in the spool with other content under the same id or idempotency key. "
                "Nothing was changed: use a new key for new content."
            )
        return first.receipt

    async def _append(self, spooled: SpooledEntry) -> None:
        line = pack(spooled.document())
        if self._queue.size + len(line) > self._limit:
            raise StoreUnavailable(
                f"{self._state()} The spool in {self._folder} has reached its limit of {self._limit} bytes: nothing "
                "was recorded. Bring the store back and try again.",
                public="The store takes nothing now, and the spool is full: nothing was recorded.",
            )
        await self._queue.append(spooled, line)

    def _state(self) -> str:
        if self._trouble is None:
            return f"The store is back, and {self.waiting} entries are delivered to it first."
        return f"The store takes nothing now: {self._trouble}"

    async def _deliver_for_ever(self) -> None:
        while True:
            try:
                await self._queue.tidy()
                await self._wait_for_work()
                await self._deliver_some()
            except Exception as exc:  # noqa: BLE001 - nobody would notice that nothing is delivered any more
                self._away(exc)
                await asyncio.sleep(self._backoff.next_delay())

    async def _wait_for_work(self) -> None:
        while not self.waiting:
            try:
                async with asyncio.timeout(LOOK_AGAIN):
                    await self._queue.changed()
            except TimeoutError:
                await self._queue.adopt()

    async def _deliver_rest(self) -> None:
        try:
            while self.waiting:
                await self._deliver_some()
        except Exception as exc:  # noqa: BLE001 - it stays on disk, and that is said
            self._away(exc)

    async def _deliver_some(self) -> None:
        file, lines = await self._queue.next(_BATCH)
        for line in lines:
            await self._deliver(file, line)
        self._room = len(lines) // 2
        self._queue.announce()

    async def _deliver(self, file: SpoolFile, line: SpooledLine) -> None:
        refusal = await self._refusal(line)
        if refusal is not None:
            _log.error("An entry was refused for good and goes into %s: %s", self._folder / REJECTED, refusal)
        await self._queue.settle(file, line, refusal)

    async def _refusal(self, line: SpooledLine) -> str | None:
        """Deliver one line; return why it can never be delivered, or None when it is."""
        if line.spooled is None:
            return "The line is damaged: its checksum is wrong, or another version of memsieve wrote it."
        refusal = None
        try:
            await self._inner.add(line.spooled.scope, line.spooled.entry, line.spooled.idempotency_key)
        except _FOR_GOOD as exc:
            refusal = str(exc)
        self._back()
        return refusal

    def _away(self, error: Exception) -> None:
        """Remember why nothing can be delivered, and let callers into the spool."""
        if type(error) is not type(self._trouble):
            trace = None if isinstance(error, MemsieveError) else error
            _log.warning("Entries are kept in the spool %s until this is over: %s", self._folder, error, exc_info=trace)
        self._trouble = error
        self._queue.announce()

    def _back(self) -> None:
        if self._trouble is not None:
            _log.info("The store is back: %d entries are delivered from the spool.", self.waiting)
        self._trouble = None
        self._backoff.reset()

    async def _stop_delivering(self) -> None:
        task, self._delivering = self._delivering, None
        self._queue.announce()
        if task is not None:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
