"""Cached readiness and counts of one open memory, for `/readyz` and `/metrics`."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from time import monotonic
from typing import Generic, TypeVar

from memsieve.api.observability.metrics import Metrics
from memsieve.doctor import Finding, embedding, readiness
from memsieve.errors import MemsieveError
from memsieve.memory import AsyncMemory
from memsieve.model import Totals

CACHE_SECONDS = 5.0
# A remote embedder may cost something for each call.
EMBEDDING_CACHE_SECONDS = 60.0
COUNTING_SECONDS = 10.0
# The largest share of the time that counting takes, however large the database.
COUNTING_SHARE = 0.05

_log = logging.getLogger(__name__)

T = TypeVar("T")


class Cached(Generic[T]):
    """Cache of one answer, asked once for all callers and kept for `seconds`; an error is not kept.

    With a `share`, asking takes at most that share of the time: an answer that took long is kept for longer.
    """

    def __init__(self, ask: Callable[[], Awaitable[T]], seconds: float, share: float | None = None) -> None:
        self._ask = ask
        self._seconds = seconds
        self._share = share
        self._asking = asyncio.Lock()
        self._answers: list[T] = []
        self._until = 0.0

    async def get(self) -> T:
        """Return the newest answer."""
        async with self._asking:
            if not self._answers or monotonic() >= self._until:
                began = monotonic()
                self._answers = [await self._ask()]
                ended = monotonic()
                minimum = 0.0 if self._share is None else (ended - began) / self._share
                self._until = ended + max(self._seconds, minimum)
            return self._answers[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Monitor:
    """Readiness and counts of one open memory, cached."""

    memory: AsyncMemory
    metrics: Metrics
    totals: Cached[Totals | None]
    refusals: Cached[Mapping[str, int] | None]
    stores: Cached[list[Finding]]
    embedding: Cached[Finding]

    @classmethod
    def of(cls, memory: AsyncMemory, metrics: Metrics) -> Monitor:
        """Return the monitor of a memory."""
        services = memory.services
        return cls(
            memory=memory,
            metrics=metrics,
            totals=Cached(lambda: _in_time(services.statistics.totals()), CACHE_SECONDS, COUNTING_SHARE),
            # By itself: it reads every refused entry, and may time out.
            refusals=Cached(lambda: _in_time(services.statistics.refusals()), CACHE_SECONDS, COUNTING_SHARE),
            stores=Cached(lambda: readiness(memory.settings, services), CACHE_SECONDS),
            embedding=Cached(lambda: embedding(services), EMBEDDING_CACHE_SECONDS),
        )

    async def findings(self) -> list[Finding]:
        """Return the health of each part that the server needs."""
        stores, embedder = await asyncio.gather(self.stores.get(), self.embedding.get())
        return [*stores, embedder]

    async def exposition(self) -> bytes:
        """Return all metrics in Prometheus's format."""
        try:
            return self.metrics.text(await self.totals.get(), await self.refusals.get())
        except MemsieveError as exc:
            _log.warning("The stores could not be counted for /metrics: %s", exc)
            return self.metrics.text(None, None)

    @asynccontextmanager
    async def watching_spool(self) -> AsyncIterator[None]:
        """Record the size of the spool every few seconds: `/metrics` may be asked of another worker."""
        task = asyncio.create_task(self._watch_spool())
        try:
            yield
        finally:
            task.cancel()

    async def _watch_spool(self) -> None:
        while True:
            self.metrics.spooled(self.memory.services.spooled())
            await asyncio.sleep(CACHE_SECONDS)


async def _in_time(counting: Awaitable[T]) -> T | None:
    try:
        async with asyncio.timeout(COUNTING_SECONDS):
            return await counting
    except TimeoutError:
        _log.warning("The stores were not counted for /metrics within %.0f s.", COUNTING_SECONDS)
        return None
