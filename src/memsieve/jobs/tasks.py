"""The tasks of workers: each kind of job, and the periodic look that defers those that are due."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from hashlib import blake2b
from typing import Any, Protocol

from procrastinate import App, BaseConnector
from procrastinate.exceptions import AlreadyEnqueued, UniqueViolation
from procrastinate.jobs import Job, Status

from memsieve.ingress.recording import Ingress
from memsieve.jobs.queue import JobRetryStrategy, RetryLater
from memsieve.jobs.reembed import Reembedder
from memsieve.jobs.schedule import RETRY_EVERY, forget_old_events
from memsieve.jobs.weekly import RunOutcome, WeeklyDigests
from memsieve.model import Decision, Scope
from memsieve.ports import RUN_LEASE, EventLog, Statistics

# Two queues, so that jobs of minutes do not hold up jobs of milliseconds.
QUICK, LONG = "quick", "long"
LOOK, RETRY, DIGEST, REEMBED, SWEEP = "look", "retry", "digest", "reembed", "sweep"
# A periodic job needs no retry.
PERIODIC = (LOOK, SWEEP)
KEPT_HOURS = 7 * 24
# The most attempts of a job that never ended, well or badly: it may be what kills its workers.
MAX_ATTEMPTS = 20

_log = logging.getLogger(__name__)

Result = dict[str, Any]


class JobServices(Protocol):
    """The services that jobs use."""

    @property
    def ingress(self) -> Ingress: ...
    @property
    def statistics(self) -> Statistics: ...
    @property
    def weekly(self) -> WeeklyDigests: ...
    @property
    def reembedder(self) -> Reembedder: ...
    @property
    def events(self) -> EventLog: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerIntervals:
    """How often workers look, and how long they wait; crons may have a sixth field for seconds."""

    look: str = "* * * * *"
    sweep: str = "7 * * * *"
    heartbeat: timedelta = timedelta(seconds=10)
    # A worker without a heartbeat for this long has died, and another does its jobs.
    stalled: timedelta = timedelta(minutes=1)
    # How often the queue is asked for jobs whose time has come; of new ones it is notified.
    polling: timedelta = timedelta(seconds=5)
    # A worker that died with a digest keeps its lease to the end.
    busy: timedelta = RUN_LEASE / 3
    slice: timedelta = timedelta(minutes=1)


@dataclass(kw_only=True)
class JobTasks:
    """Registers the tasks with procrastinate and runs them.

    `upkeep` is done with every sweep. Locks are named by kind and project: a job that waits for its next try would hold
    up every other with the same lock.
    """

    services: JobServices
    connector: BaseConnector
    intervals: WorkerIntervals
    upkeep: Sequence[Callable[[], Awaitable[object]]] = ()
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    app: App = field(init=False)

    def __post_init__(self) -> None:
        self.app = App(connector=self.connector)
        self._periodic(LOOK, self._look, QUICK, self.intervals.look)
        self._periodic(SWEEP, self._sweep, LONG, self.intervals.sweep)
        self.app.task(name=RETRY, queue=QUICK, retry=JobRetryStrategy())(self._retry)
        self.app.task(name=DIGEST, queue=LONG, retry=JobRetryStrategy())(self._digest)
        self.app.task(name=REEMBED, queue=self.own_queue, retry=JobRetryStrategy())(self._reembed)

    @property
    def own_queue(self) -> str:
        """The queue of what only workers with this embedder can do; a channel's name must be short."""
        return f"{REEMBED} {blake2b(self._embedder.encode(), digest_size=8).hexdigest()}"

    async def look_now(self) -> None:
        """Defer the periodic jobs now, without waiting for their minute."""
        for kind in PERIODIC:
            await self._defer(kind, kind, None, timestamp=0)

    async def reembed_if_needed(self, *, taking_over: bool) -> bool:
        """Begin to make vectors again; not if another embedder's workers are at it, unless `taking_over`.

        Otherwise workers of two embedders would undo each other's work for ever.
        """
        newest = max(await self._jobs(REEMBED), key=_age, default=None)
        if newest is not None and newest.queue == self.own_queue:
            fit = newest.status == Status.SUCCEEDED.value or (taking_over and not _open(newest))
        else:
            fit = newest is None or taking_over
        return fit and await self.services.reembedder.needed() and await self._defer_reembedding()

    def _periodic(self, kind: str, work: Callable[..., Awaitable[Result]], queue: str, cron: str) -> None:
        # No lock on the periodic look: a worker that died would keep it until the next look.
        lock = None if kind == LOOK else kind
        task = self.app.task(name=kind, queue=queue, queueing_lock=kind, lock=lock, priority=1)(work)
        self.app.periodic(cron=cron)(task)

    async def _look(self, timestamp: int) -> Result:
        del timestamp
        return {
            "stalled": await self._pick_up(),
            "retries": await self._defer_retries(),
            "digests": await self._defer_digests(),
        }

    async def _pick_up(self) -> int:
        """Put the jobs of dead workers back into the queue."""
        seconds = self.intervals.stalled.total_seconds()
        stalled = list(await self.app.job_manager.get_stalled_jobs(seconds_since_heartbeat=seconds))
        for job in stalled:
            if job.task_name in PERIODIC:
                await self._finish(job, Status.ABORTED)
            elif job.attempts >= MAX_ATTEMPTS:
                _log.error("The job %s was begun %d times and never ended: given up.", job.call_string, job.attempts)
                await self._finish(job, Status.FAILED)
            else:
                await self._put_back(job)
        return len(stalled)

    async def _put_back(self, job: Job) -> None:
        try:
            await self.app.job_manager.retry_job(job)
        # Another of its kind waits already, and will do the same.
        except UniqueViolation:
            await self._finish(job, Status.ABORTED)

    async def _finish(self, job: Job, status: Status) -> None:
        await self.app.job_manager.finish_job(job, status=status, delete_job=False)

    async def _defer_retries(self) -> int:
        there = {job.lock for job in await self._jobs(RETRY) if _open(job)}
        new = [name for name in await self.services.statistics.waiting() if _lock(RETRY, name) not in there]
        return sum([await self._defer(RETRY, _lock(RETRY, name), _lock(RETRY, name), project_id=name) for name in new])

    async def _defer_digests(self) -> int:
        """Put each due digest into the queue; one that failed for good is left to people until the next is due.

        Two looks at the same moment may defer one twice: the second job finds it made.
        """
        if not self.services.weekly.scheduled:
            return 0
        due = self.services.weekly.due().isoformat()
        names = {_lock(f"{DIGEST} {due}", name): name for name in await self.services.statistics.projects()}
        there = {job.queueing_lock for job in await self._jobs(DIGEST)}
        new = {once: name for once, name in names.items() if once not in there}
        return sum(
            [
                await self._defer(DIGEST, once, _lock(DIGEST, name), project_id=name, due=due)
                for once, name in new.items()
            ]
        )

    async def _retry(self, project_id: str) -> Result:
        scope = Scope.system(project_id)
        receipts = await self.services.ingress.retry(scope, waiting_since=RETRY_EVERY, automatic=True)
        waiting = sum(receipt.admission.decision is Decision.PENDING for receipt in receipts)
        return {"decided": len(receipts) - waiting, "waiting": waiting}

    async def _digest(self, project_id: str, due: str) -> Result:
        # One that waited for more than a week brings what is due now.
        del due
        run = await self.services.weekly.make(project_id)
        if run.outcome is RunOutcome.BUSY:
            raise RetryLater("Another makes this digest, or died while it did.", self.intervals.busy)
        insights = {} if run.digest is None else {"insights": len(run.digest.insights)}
        return {"outcome": run.outcome.value, **insights}

    async def _reembed(self, embedder: str) -> Result:
        end = asyncio.get_running_loop().time() + self.intervals.slice.total_seconds()
        done = await self.services.reembedder.run_slice(
            lambda: not self.stopping.is_set() and asyncio.get_running_loop().time() < end
        )
        # As a new job it comes after those that have come meanwhile, and any worker may go on with it.
        more = done.more and await self._defer_reembedding()
        return {"embedder": embedder, "embedded": done.embedded, "unreadable": done.unreadable, "more": more}

    async def _defer_reembedding(self) -> bool:
        return await self._defer(REEMBED, self.own_queue, self.own_queue, embedder=self._embedder)

    async def _sweep(self, timestamp: int) -> Result:
        del timestamp
        await self.app.job_manager.delete_old_jobs(
            nb_hours=KEPT_HOURS, include_failed=True, include_cancelled=True, include_aborted=True
        )
        forgotten = await forget_old_events(self.services.events)
        for work in self.upkeep:
            await work()
        return {"forgotten": forgotten, "reembedding": await self.reembed_if_needed(taking_over=False)}

    async def _jobs(self, kind: str) -> list[Job]:
        return list(await self.app.job_manager.list_jobs_async(task=kind))

    async def _defer(self, kind: str, once: str, lock: str | None, **arguments: Any) -> bool:
        """Put a job into the queue; False if one with the same name waits there already."""
        with suppress(AlreadyEnqueued):
            await self.app.tasks[kind].configure(queueing_lock=once, lock=lock).defer_async(**arguments)
            return True
        return False

    @property
    def _embedder(self) -> str:
        return self.services.reembedder.embedder.name


def _lock(kind: str, project_id: str) -> str:
    return f"{kind} of {project_id}"


def _open(job: Job) -> bool:
    return job.status in {Status.TODO.value, Status.DOING.value}


def _age(job: Job) -> int:
    return job.id or 0
