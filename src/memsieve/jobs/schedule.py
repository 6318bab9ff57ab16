"""What comes round while a memory is open: entries are tried again, vectors and digests made, old news dropped."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from datetime import timedelta

from memsieve.errors import MemsieveError
from memsieve.ingress.recording import Ingress
from memsieve.jobs.forget import forget_old
from memsieve.jobs.reembed import Reembedder
from memsieve.jobs.weekly import RunOutcome, WeeklyDigests
from memsieve.model import Scope
from memsieve.ports import RUN_LEASE, EventLog, Statistics

RETRY_EVERY = timedelta(minutes=1)
# So soon it is seen that a store which was down is back.
LOOK_EVERY = timedelta(seconds=10)
# Who opens a memory for a moment only, as most commands do, is not slowed down.
REEMBED_AFTER = timedelta(seconds=10)
DIGEST_AFTER = timedelta(seconds=10)
FORGET_AFTER = timedelta(seconds=10)
FORGET_EVERY = timedelta(hours=1)

_TOLD_AGAIN = 1.0

_log = logging.getLogger(__name__)


@asynccontextmanager
async def running(
    ingress: Ingress, statistics: Statistics, every: timedelta = LOOK_EVERY, after: timedelta = RETRY_EVERY
) -> AsyncIterator[None]:
    """Try undecided entries again, each some time after it was tried last, as long as the block lasts."""
    async with _beside(_retry_for_ever(ingress, statistics, every, after)):
        yield


@asynccontextmanager
async def reembedding(
    reembedder: Reembedder, after: timedelta = REEMBED_AFTER, every: timedelta = RETRY_EVERY
) -> AsyncIterator[None]:
    """Make vectors of another embedder again, beside the block; what fails is tried again from time to time."""
    async with _beside(_reembed(reembedder, after, every)):
        yield


@asynccontextmanager
async def digesting(
    weekly: WeeklyDigests,
    after: timedelta = DIGEST_AFTER,
    every: timedelta = RETRY_EVERY,
    failed: timedelta = RUN_LEASE,
) -> AsyncIterator[None]:
    """Make the weekly digests when they are due, beside the block; after one has `failed`, wait for longer."""
    if not weekly.scheduled:
        yield
        return
    async with _beside(_digest_for_ever(weekly, after, every, failed)):
        yield


@asynccontextmanager
async def forgetting(
    events: EventLog, after: timedelta = FORGET_AFTER, every: timedelta = FORGET_EVERY
) -> AsyncIterator[None]:
    """Drop what is news no longer, from time to time beside the block."""
    async with _beside(_forget_for_ever(events, after, every)):
        yield


@asynccontextmanager
async def _beside(work: Coroutine[None, None, None]) -> AsyncIterator[None]:
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        # Whoever waits for an event with a time-out may miss that he was cancelled, in Python 3.11: he is told again.
        while not task.done():
            task.cancel()
            await asyncio.wait([task], timeout=_TOLD_AGAIN)
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
    """Try one project's undecided entries again; what is wrong with one project is no other's affair."""
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
            await forget_old(events)
        except MemsieveError as error:
            _log.warning("What happened longer ago than a day could not be dropped: %s", error)
