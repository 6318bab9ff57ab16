"""Background work while a memory is open: retry entries, re-embed, make digests, forget old events."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Coroutine
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext, suppress
from datetime import UTC, datetime, timedelta

from memsieve.errors import MemsieveError
from memsieve.ingress.recording import Ingress
from memsieve.jobs.reembed import Reembedder
from memsieve.jobs.weekly import RunOutcome, WeeklyDigests
from memsieve.model import Scope
from memsieve.ports import EVENTS_KEPT, RUN_LEASE, EventLog, Statistics

RETRY_EVERY = timedelta(minutes=1)
# How soon a store that was down is seen to be back.
LOOK_EVERY = timedelta(seconds=10)
# A delay, so that commands that open a memory for a moment are not slowed down.
REEMBED_AFTER = timedelta(seconds=10)
DIGEST_AFTER = timedelta(seconds=10)
FORGET_AFTER = timedelta(seconds=10)
FORGET_EVERY = timedelta(hours=1)

_CANCEL_EVERY = 1.0

_log = logging.getLogger(__name__)


def running(
    ingress: Ingress, statistics: Statistics, every: timedelta = LOOK_EVERY, after: timedelta = RETRY_EVERY
) -> AbstractAsyncContextManager[None]:
    """Try undecided entries again, each some time after it was tried last, as long as the block lasts."""
    return _beside(_retry_for_ever(ingress, statistics, every, after))


def reembedding(
    reembedder: Reembedder, after: timedelta = REEMBED_AFTER, every: timedelta = RETRY_EVERY
) -> AbstractAsyncContextManager[None]:
    """Make vectors of another embedder again, beside the block; what fails is tried again from time to time."""
    return _beside(_reembed(reembedder, after, every))


def digesting(
    weekly: WeeklyDigests,
    after: timedelta = DIGEST_AFTER,
    every: timedelta = RETRY_EVERY,
    failed: timedelta = RUN_LEASE,
) -> AbstractAsyncContextManager[None]:
    """Make the weekly digests when they are due, beside the block; after one has `failed`, wait for longer."""
    if not weekly.scheduled:
        return nullcontext()
    return _beside(_digest_for_ever(weekly, after, every, failed))


def forgetting(
    events: EventLog, after: timedelta = FORGET_AFTER, every: timedelta = FORGET_EVERY
) -> AbstractAsyncContextManager[None]:
    """Forget old events, from time to time beside the block."""
    return _beside(_forget_for_ever(events, after, every))


async def forget_old_events(events: EventLog) -> int:
    """Drop the events that are older than they are kept, and return how many they were."""
    # By the machine's time, as the stores note it, whatever clock the services go by.
    return await events.forget(datetime.now(UTC) - EVENTS_KEPT)


@asynccontextmanager
async def _beside(work: Coroutine[None, None, None]) -> AsyncIterator[None]:
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        # CPython 3.11 can swallow a cancellation inside wait_for: cancel until the task has ended.
        while not task.done():
            task.cancel()
            await asyncio.wait([task], timeout=_CANCEL_EVERY)
        with suppress(asyncio.CancelledError):
            task.result()


async def _retry_for_ever(ingress: Ingress, statistics: Statistics, every: timedelta, after: timedelta) -> None:
    while True:
        await asyncio.sleep(every.total_seconds())
        try:
            for project_id in await statistics.waiting():
                await _retry(ingress, project_id, after)
        except MemsieveError as error:
            _log.warning("Undecided entries could not be tried again: %s", error)


async def _retry(ingress: Ingress, project_id: str, after: timedelta) -> None:
    """Try one project's undecided entries again; an error in one project does not reach the others."""
    try:
        scope = Scope.system(project_id)
        await ingress.retry(scope, waiting_since=after, automatic=True)
    except Exception as error:  # noqa: BLE001 - nobody would notice that nothing is tried again any more
        trace = None if isinstance(error, MemsieveError) else error
        _log.warning("Undecided entries of %s could not be tried again: %s", project_id, error, exc_info=trace)


async def _reembed(reembedder: Reembedder, after: timedelta, every: timedelta) -> None:
    done, wait = False, after
    while not done:
        await asyncio.sleep(wait.total_seconds())
        try:
            done = await reembedder.run_beside()
        except MemsieveError as error:
            _log.warning("Vectors of another embedder could not be made again: %s", error)
        wait = every


async def _digest_for_ever(weekly: WeeklyDigests, after: timedelta, every: timedelta, failed: timedelta) -> None:
    passed, wait = None, after
    while True:
        await asyncio.sleep(wait.total_seconds())
        wait = every
        try:
            due = weekly.due()
            # To ask every project each minute, the whole week long, would be too much.
            if due == passed:
                continue
            outcomes = {run.outcome for run in await weekly.make_due()}
        except Exception as error:  # noqa: BLE001 - nobody would notice that there are no digests any more
            trace = None if isinstance(error, MemsieveError) else error
            _log.warning("The weekly digests could not be made: %s", error, exc_info=trace)
            continue
        if RunOutcome.FAILED in outcomes:
            wait = failed
        elif RunOutcome.BUSY not in outcomes:
            passed = due


async def _forget_for_ever(events: EventLog, after: timedelta, every: timedelta) -> None:
    wait = after
    while True:
        await asyncio.sleep(wait.total_seconds())
        wait = every
        try:
            await forget_old_events(events)
        except MemsieveError as error:
            _log.warning("Events of more than a day ago could not be dropped: %s", error)
