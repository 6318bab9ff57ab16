"""The hub behind `GET /events`: one look at what happened for all who listen, and a bounded queue for each of them."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Self

from memsieve import documents
from memsieve.errors import MemsieveError, StoreUnavailable
from memsieve.model import Event, Scope
from memsieve.ports import EventLog

LOOK_EVERY = 0.25
# So soon a store that is down is asked again.
PAUSE = 1.0
CAPACITY = 256
# Whoever listens empties his queue between two pages: a burst alone fills none.
PAGE = CAPACITY // 2
# Proxies take a connection on which nothing is said for dead, often after a minute.
HEARTBEAT = 15.0

_log = logging.getLogger(__name__)


class Subscription:
    """One listener: what it missed, then what happens, until it falls behind or the hub closes.

    `reset` says that some of what it asked for may be forgotten, or that its position is of another memory: it should
    read anew what it shows. `overflowed` says in the end that it was too slow, and can go on from its last position.
    `begins` is where to go on for one who is cut off before anything happens.
    """

    def __init__(self, scope: Scope, events: EventLog, joined: str) -> None:
        self.scope = scope
        self.reset = False
        self.begins = joined
        self.overflowed = False
        self._events = events
        # The hub tells all that comes after this; what comes before is read here.
        self._joined = joined
        self._seen = ""
        self._behind: str | None = None
        self._missed: deque[Event] = deque()
        self._told: deque[Event] = deque()
        self._stirred = asyncio.Event()
        self._closed = False

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Event:
        while not self._closed:
            if self._missed:
                return self._missed.popleft()
            if self._behind is not None:
                await self._read_on(self._behind)
            elif self._told:
                event = self._told.popleft()
                if event.position > self._seen:
                    return event
            elif self.overflowed:
                break
            else:
                self._stirred.clear()
                await self._stirred.wait()
        raise StopAsyncIteration

    async def within(self, seconds: float) -> Event | None:
        """Return what comes next, or None if nothing does for so long."""
        try:
            async with asyncio.timeout(seconds):
                return await anext(self)
        except TimeoutError:
            return None

    async def resume(self, position: str) -> None:
        """Go on after a position; one that is malformed raises InvalidInput."""
        page = await self._events.of(self.scope, position, PAGE)
        if position <= self._joined:
            self._take(page)
            oldest = await self._events.oldest()
            self.reset, self.begins = position < oldest, max(position, oldest)
        # Another process was ahead of this one, or the memory was put back to an earlier state.
        elif position <= await self._events.newest():
            self._seen = self.begins = position
        else:
            self.reset = True

    def tell(self, event: Event, capacity: int) -> None:
        """Put what happened into the queue, or mark that it is full."""
        if len(self._told) < capacity:
            self._told.append(event)
        else:
            self.overflowed = True
        self._stirred.set()

    def close(self) -> None:
        """End the iteration at once."""
        self._closed = True
        self._stirred.set()

    async def _read_on(self, position: str) -> None:
        try:
            self._take(await self._events.of(self.scope, position, PAGE))
        except StoreUnavailable:
            await asyncio.sleep(PAUSE)

    def _take(self, page: Sequence[Event]) -> None:
        self._missed.extend(one for one in page if one.position <= self._joined)
        more = len(page) == PAGE and page[-1].position < self._joined
        self._behind = page[-1].position if more else None


class Hub:
    """Tells what happens in a project to whoever subscribed to it. While nobody did, nothing is asked of the store."""

    def __init__(self, events: EventLog, *, every: float = LOOK_EVERY, capacity: int = CAPACITY) -> None:
        self._events = events
        self._every = every
        self._capacity = capacity
        self._listeners: dict[str, set[Subscription]] = {}
        self._waking = asyncio.Lock()
        self._looking: asyncio.Task[None] | None = None
        self._position = ""
        self._failing = False
        self._closed = False

    @asynccontextmanager
    async def subscribe(self, project_id: str, position: str | None = None) -> AsyncIterator[Subscription]:
        """Listen to a project, from a position on or from now."""
        scope = Scope.system(project_id)
        subscription = await self._join(scope)
        try:
            if position is not None:
                await subscription.resume(position)
            yield subscription
        finally:
            self._leave(subscription)

    async def close(self) -> None:
        """End all subscriptions at once, and take no more."""
        self._closed = True
        for listeners in self._listeners.values():
            for subscription in listeners:
                subscription.close()
        self._listeners.clear()
        if self._looking is not None:
            self._looking.cancel()
            with suppress(asyncio.CancelledError):
                await self._looking

    async def _join(self, scope: Scope) -> Subscription:
        async with self._waking:
            if self._looking is None and not self._closed:
                self._position = await self._events.newest()
            if self._closed:
                raise StoreUnavailable("The server is stopping. Connect again in a moment.")
            subscription = Subscription(scope, self._events, self._position)
            self._listeners.setdefault(scope.project_id, set()).add(subscription)
            if self._looking is None:
                self._looking = asyncio.create_task(self._look_while_heard())
            return subscription

    def _leave(self, subscription: Subscription) -> None:
        listeners = self._listeners.get(subscription.scope.project_id, set())
        listeners.discard(subscription)
        if not listeners:
            self._listeners.pop(subscription.scope.project_id, None)

    async def _look_while_heard(self) -> None:
        try:
            while self._listeners:
                pause = await self._look()
                await asyncio.sleep(pause)
        finally:
            self._looking = None

    async def _look(self) -> float:
        """Tell what happened since the last look, and return after how many seconds to look again."""
        try:
            page = await self._events.since(self._position, PAGE)
        except Exception as error:  # noqa: BLE001 - nobody would notice that nothing is told any more
            if not self._failing:
                trace = None if isinstance(error, MemsieveError) else error
                _log.warning("Events are told again when the store answers: %s", error, exc_info=trace)
            self._failing = True
            return PAUSE
        self._failing = False
        for event in page:
            self._tell(event)
        return self._every if len(page) < PAGE else 0

    def _tell(self, event: Event) -> None:
        self._position = event.position
        for subscription in tuple(self._listeners.get(event.project_id, ())):
            subscription.tell(event, self._capacity)
            if subscription.overflowed:
                self._leave(subscription)


async def frames(subscription: Subscription, heartbeat: float = HEARTBEAT) -> AsyncIterator[str]:
    """Write a subscription as server-sent events.

    `reset` comes first where events may be missing, `overflow` last where the listener was too slow; it reconnects with
    `Last-Event-ID` then. A comment is sent when nothing happens for a while.
    """
    begins = f"id: {subscription.begins}\n"
    yield begins + (_event("reset") if subscription.reset else ": listening\n\n")
    with suppress(StopAsyncIteration):
        while True:
            event = await subscription.within(heartbeat)
            yield ": still here\n\n" if event is None else frame(event)
    if subscription.overflowed:
        yield _event("overflow")


def frame(event: Event) -> str:
    """Write what happened as one server-sent event, with its position as the id."""
    data = documents.Event.of(event).encode().decode()
    return f"id: {event.position}\nevent: {event.kind}\ndata: {data}\n\n"


def _event(name: str) -> str:
    return f"event: {name}\ndata: {{}}\n\n"
