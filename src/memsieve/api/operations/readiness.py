"""What whoever runs a server asks of it: is it ready, and how much is there."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from time import monotonic
from typing import Generic, TypeVar

from memsieve.api.operations.metrics import Metrics
from memsieve.doctor import Finding, embedding, readiness
from memsieve.errors import MemsieveError
from memsieve.memory import AsyncMemory
from memsieve.model import Totals

KEPT_SECONDS = 5.0
# A remote embedder may cost something for each call.
EMBEDDING_KEPT_SECONDS = 60.0
COUNTING_SECONDS = 10.0
# However large the database, it is not counted all the time.
COUNTING_SHARE = 0.05

_log = logging.getLogger(__name__)

T = TypeVar("T")


class Cached(Generic[T]):
    """Asks once for all callers, and keeps the answer for `seconds`; an error is not kept.

    With a `share`, asking takes no more than that share of the time: what took long is kept for longer.
    """

    def __init__(self, ask: Callable[[], Awaitable[T]], seconds: float, share: float | None = None) -> None:
        self._ask = ask
        self._seconds = seconds
        self._share = share
        self._turn = asyncio.Lock()
        self._answers: list[T] = []
        self._until = 0.0

    async def get(self) -> T:
        """Return the newest answer."""
        async with self._turn:
            if not self._answers or monotonic() >= self._until:
                began = monotonic()
                self._answers = [await self._ask()]
                ended = monotonic()
                least = 0.0 if self._share is None else (ended - began) / self._share
                self._until = ended + max(self._seconds, least)
            return self._answers[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """Answers about one open memory, each kept for a moment."""

    memory: AsyncMemory
    metrics: Metrics
    totals: Cached[Totals | None]
    refusals: Cached[Mapping[str, int] | None]
    findings: Cached[list[Finding]]
    embedding: Cached[Finding]

    @classmethod
    def of(cls, memory: AsyncMemory, metrics: Metrics) -> Condition:
        """Look after a memory."""
        services = memory.services
        return cls(
            memory=memory,
            metrics=metrics,
            totals=Cached(lambda: _in_time(services.statistics.totals()), KEPT_SECONDS, COUNTING_SHARE),
            # It looks into every refused entry: where that takes long, the other numbers are there all the same.
            refusals=Cached(lambda: _in_time(services.statistics.refusals()), KEPT_SECONDS, COUNTING_SHARE),
            findings=Cached(lambda: readiness(memory.settings, services), KEPT_SECONDS),
            embedding=Cached(lambda: embedding(services), EMBEDDING_KEPT_SECONDS),
        )

    async def parts(self) -> list[Finding]:
        """Say of each thing that the server needs how it is."""
        findings, embedder = await asyncio.gather(self.findings.get(), self.embedding.get())
        return [*findings, embedder]

    async def exposition(self) -> bytes:
        """Return all metrics as Prometheus reads them."""
        try:
            return self.metrics.text(await self.totals.get(), await self.refusals.get())
        except MemsieveError as exc:
            _log.warning("The stores could not be counted for /metrics: %s", exc)
            return self.metrics.text(None, None)

    @asynccontextmanager
    async def noting(self) -> AsyncIterator[None]:
        """Note from time to time how much waits in the spool: another worker may be asked for it."""
        task = asyncio.create_task(self._note_for_ever())
        try:
            yield
        finally:
            task.cancel()

    async def _note_for_ever(self) -> None:
        while True:
            self.metrics.spooled(self.memory.services.spooled())
            await asyncio.sleep(KEPT_SECONDS)


async def _in_time(counting: Awaitable[T]) -> T | None:
    try:
        async with asyncio.timeout(COUNTING_SECONDS):
            return await counting
    except TimeoutError:
        _log.warning("The stores were not counted for /metrics within %.0f s.", COUNTING_SECONDS)
        return None
