"""Event broker behind `GET /events`: one poll of the event log for all subscribers, and a bounded queue for each."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Self

from memsieve.errors import MemsieveError, StoreUnavailable
from memsieve.model import Event, Scope
from memsieve.ports import EventLog

POLL_SECONDS = 0.25
# Delay before a store that is down is asked again.
RETRY_SECONDS = 1.0
CAPACITY = 256
# Subscribers empty their queues between two pages: a burst alone fills none.
PAGE = CAPACITY // 2

_log = logging.getLogger(__name__)


class Subscription:
    """Events of one project: first the missed ones, then new ones, until the queue overflows or the broker closes.

    `reset` is set where missed events may have been deleted, or the position is of another memory: then the
    subscriber should reload what it shows. `overflowed` is set in the end if it was too slow; it can resume at its last
    position. `begins` is the position to resume at before any event came.
    """

    def __init__(self, scope: Scope, events: EventLog, joined: str) -> None:
        self.scope = scope
        self.reset = False
        self.begins = joined
        self.overflowed = False
        self._events = events
        # The broker queues all events after this position; earlier ones are read here.
        self._joined = joined
        self._seen = ""
        self._behind: str | None = None
        self._missed: deque[Event] = deque()
        self._queue: deque[Event] = deque()
        self._wakeup = asyncio.Event()
        self._closed = False

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Event:
        while not self._closed:
            if self._missed:
                return self._missed.popleft()
            if self._behind is not None:
                await self._read_on(self._behind)
            elif self._queue:
                event = self._queue.popleft()
                if event.position > self._seen:
                    return event
            elif self.overflowed:
                break
            else:
                self._wakeup.clear()
                await self._wakeup.wait()
        raise StopAsyncIteration

    async def next(self, timeout: float) -> Event | None:  # noqa: ASYNC109 - None is an answer
        """Return the next event, or None after `timeout` seconds."""
        try:
            async with asyncio.timeout(timeout):
                return await anext(self)
        except TimeoutError:
            return None

    async def resume(self, position: str) -> None:
        """Resume after a position; a malformed one raises InvalidInput."""
        page = await self._events.of(self.scope, position, PAGE)
        if position <= self._joined:
            self._take(page)
            oldest = await self._events.oldest()
            self.reset, self.begins = position < oldest, max(position, oldest)
        # Another process was ahead of this one; beyond the newest, the memory was restored to an earlier state.
        elif position <= await self._events.newest():
            self._seen = self.begins = position
        else:
            self.reset = True

    def put(self, event: Event, capacity: int) -> None:
        """Queue an event, or mark that the queue is full."""
        if len(self._queue) < capacity:
            self._queue.append(event)
        else:
            self.overflowed = True
        self._wakeup.set()

    def close(self) -> None:
        """End the iteration at once."""
        self._closed = True
        self._wakeup.set()

    async def _read_on(self, position: str) -> None:
        try:
            self._take(await self._events.of(self.scope, position, PAGE))
        except StoreUnavailable:
            await asyncio.sleep(RETRY_SECONDS)

    def _take(self, page: Sequence[Event]) -> None:
        self._missed.extend(one for one in page if one.position <= self._joined)
        more = len(page) == PAGE and page[-1].position < self._joined
        self._behind = page[-1].position if more else None


class EventBroker:
    """Delivers the events of a project to its subscribers; without any, the store is not polled."""

    def __init__(self, events: EventLog, *, every: float = POLL_SECONDS, capacity: int = CAPACITY) -> None:
        self._events = events
        self._every = every
        self._capacity = capacity
        self._subscriptions: dict[str, set[Subscription]] = {}
        self._joining = asyncio.Lock()
        self._poller: asyncio.Task[None] | None = None
        self._position = ""
        self._failing = False
        self._closed = False

    @asynccontextmanager
    async def subscribe(self, project_id: str, position: str | None = None) -> AsyncIterator[Subscription]:
        """Subscribe to a project, from a position on or from now."""
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
        for subscriptions in self._subscriptions.values():
            for subscription in subscriptions:
                subscription.close()
        self._subscriptions.clear()
        if self._poller is not None:
            self._poller.cancel()
            with suppress(asyncio.CancelledError):
                await self._poller

    async def _join(self, scope: Scope) -> Subscription:
        async with self._joining:
            if self._poller is None and not self._closed:
                self._position = await self._events.newest()
            if self._closed:
                raise StoreUnavailable("The server is stopping. Connect again in a moment.")
            subscription = Subscription(scope, self._events, self._position)
            self._subscriptions.setdefault(scope.project_id, set()).add(subscription)
            if self._poller is None:
                self._poller = asyncio.create_task(self._poll_while_subscribed())
            return subscription

    def _leave(self, subscription: Subscription) -> None:
        subscriptions = self._subscriptions.get(subscription.scope.project_id, set())
        subscriptions.discard(subscription)
        if not subscriptions:
            self._subscriptions.pop(subscription.scope.project_id, None)

    async def _poll_while_subscribed(self) -> None:
        try:
            while self._subscriptions:
                pause = await self._poll()
                await asyncio.sleep(pause)
        finally:
            self._poller = None

    async def _poll(self) -> float:
        """Publish the events since the last poll; return after how many seconds to poll again."""
        try:
            page = await self._events.since(self._position, PAGE)
        except Exception as error:  # noqa: BLE001 - the poller must not end while there are subscribers
            if not self._failing:
                trace = None if isinstance(error, MemsieveError) else error
                _log.warning("Events are delivered again when the store answers: %s", error, exc_info=trace)
            self._failing = True
            return RETRY_SECONDS
        self._failing = False
        for event in page:
            self._publish(event)
        return self._every if len(page) < PAGE else 0

    def _publish(self, event: Event) -> None:
        self._position = event.position
        for subscription in tuple(self._subscriptions.get(event.project_id, ())):
            subscription.put(event, self._capacity)
            if subscription.overflowed:
                self._leave(subscription)
