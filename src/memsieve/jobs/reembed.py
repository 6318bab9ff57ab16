"""Make vectors again that another embedder made, batch by batch; what is done is seen from the rows themselves."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from memsieve.errors import Conflict
from memsieve.ports import Embedder, Progress, StaleText, VectorStore

# The size of a batch: small, so that a memory closes quickly and a writer waits for milliseconds only.
BATCH = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Reembedding:
    """How many texts got a vector of this embedder, and how many it cannot read."""

    embedder: str
    embedded: int = 0
    unreadable: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """What a part of the work did, and whether more is to be done."""

    embedded: int
    unreadable: int
    more: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """What became of a few texts; `put` counts those that nobody deleted or embedded meanwhile."""

    last: StaleText
    texts: int
    put: int
    unreadable: int


@dataclass(kw_only=True)
class Reembedder:
    """Goes once through what another embedder has seen. A failure leaves its batch as it was, and those before done."""

    vectors: VectorStore
    embedder: Embedder
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    _passed: StaleText | None = None

    async def run(self, progress: Progress | None = None) -> Reembedding:
        """Do it all as fast as it goes; `progress` is called with how many are done, of how many."""
        async with self._lock:
            total, seen, put, unreadable = await self.vectors.stale(), 0, 0, 0
            last: StaleText | None = None
            while batch := await self._batch(last):
                last = batch.last
                seen, put, unreadable = seen + batch.texts, put + batch.put, unreadable + batch.unreadable
                if progress is not None:
                    progress(seen, max(seen, total))
            return Reembedding(embedder=self.embedder.name, embedded=put - unreadable, unreadable=unreadable)

    async def run_slice(self, goes_on: Callable[[], bool]) -> Slice:
        """Do a few batches from where the need is greatest, as long as it `goes_on`; at least one."""
        async with self._lock:
            put, unreadable = 0, 0
            last: StaleText | None = None
            while batch := await self._batch(last):
                last, put, unreadable = batch.last, put + batch.put, unreadable + batch.unreadable
                if not goes_on():
                    # Where another did it all meanwhile, there is no hurry to go on.
                    return Slice(embedded=put - unreadable, unreadable=unreadable, more=put > 0)
            return Slice(embedded=put - unreadable, unreadable=unreadable, more=False)

    async def needed(self) -> bool:
        """Say whether another embedder has seen any text last."""
        return bool(await self.vectors.next_stale(None, 1))

    async def forget(self, embedder: str) -> int:
        """Drop the vectors that a former embedder left beside the new ones; return how many.

        Only when every text has been read by the one in use, for else memories would be found by their words alone.
        """
        if embedder == self.embedder.name:
            raise Conflict(f"{embedder!r} is the embedder in use. Nothing was dropped; name a former one.")
        if await self.needed():
            raise Conflict("Some texts have no vector of the embedder in use yet. Run `memsieve reembed` first.")
        return await self.vectors.forget(embedder)

    async def run_beside(self) -> bool:
        """Go on where it stopped, with pauses; False if another process was first, so that not both do everything.

        Nothing is gone through twice: two processes with different embedders would undo each other's work for ever.
        """
        clock = asyncio.get_running_loop().time
        async with self._lock:
            began = clock()
            while batch := await self._batch(self._passed):
                self._passed = batch.last
                if not batch.put:
                    return False
                # Half of the time is left to requests.
                await asyncio.sleep(clock() - began)
                began = clock()
            return True

    async def _batch(self, after: StaleText | None) -> Batch | None:
        texts = await self.vectors.next_stale(after, BATCH)
        if not texts:
            return None
        vectors = await self.embedder.embed([text.content for text in texts])
        made = dict(zip(texts, vectors, strict=True))
        put = await self.vectors.put([*made.items()])
        unreadable = sum(made[text] is None for text in put)
        return Batch(last=texts[-1], texts=len(texts), put=len(put), unreadable=unreadable)
