"""A worker: takes jobs from the queue until it is stopped, through every outage of the database."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from procrastinate import JobContext
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import Job, Status
from procrastinate.worker import Worker as ProcrastinateWorker
from psycopg import Error

from memsieve.errors import MemsieveError, StoreUnavailable
from memsieve.jobs import queue
from memsieve.jobs.queue import RetryLater, retry_delay
from memsieve.jobs.tasks import LONG, LOOK, PERIODIC, QUICK, JobServices, JobTasks, WorkerIntervals
from memsieve.ports import Progress
from memsieve.runtime.backoff import Backoff

CONCURRENCY = 2
FIRST_DELAY, LONGEST_DELAY = 0.5, 30.0
# After this long without an outage, the back-off starts with short delays again.
_GOOD_SECONDS = 60.0

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobReport:
    """What became of one job; `retry_in` says after how many seconds it is retried, where it was not done."""

    job: str
    project_id: str | None
    outcome: str
    seconds: float
    detail: Mapping[str, Any] = field(default_factory=dict)
    error: str | None = None
    retry_in: float | None = None


class Worker:
    """Does jobs for all projects; any number of them may work on one queue.

    `concurrency` is how many digests are made at once; besides, as many short jobs are done. `report` is called with
    each job that did something, and `upkeep` is done each hour.
    """

    def __init__(
        self,
        url: str,
        services: JobServices,
        *,
        report: Callable[[JobReport], None],
        concurrency: int = CONCURRENCY,
        intervals: WorkerIntervals | None = None,
        upkeep: Sequence[Callable[[], Awaitable[object]]] = (),
    ) -> None:
        self._url, self._services, self._report = url, services, report
        self._concurrency, self._intervals, self._upkeep = concurrency, intervals or WorkerIntervals(), upkeep
        self._stopping = asyncio.Event()
        self._at_work: set[asyncio.Task[Any]] = set()
        self._progress: Progress | None = None
        self._ended, self._total = 0, 0

    async def run(self) -> None:
        """Work until stopped. A database that goes down is waited for."""
        backoff, clock = Backoff(FIRST_DELAY, LONGEST_DELAY), asyncio.get_running_loop().time
        while not self._stopping.is_set():
            began = clock()
            try:
                await self._round(wait=True)
                trouble = "the connection was lost"
            except StoreUnavailable as exc:
                trouble = str(exc)
            if self._stopping.is_set():
                return
            if clock() - began > _GOOD_SECONDS:
                backoff.reset()
            pause = backoff.next_delay()
            _log.warning("The worker cannot go on: %s It tries again in %.1f s.", trouble, pause)
            await self._rest(pause)

    async def run_once(self, progress: Progress | None = None) -> None:
        """Do what is due now, and return when nothing is left that could be done at once.

        `progress` is called with how many jobs are done, and of how many.
        """
        first, self._progress = True, progress
        while not self._stopping.is_set():
            ended = self._ended
            await self._round(wait=False, looking=first)
            if self._ended == ended:
                return
            first = False

    def stop(self) -> None:
        """Take no more jobs, and finish those in hand; called twice, give them back to the queue at once."""
        if self._stopping.is_set():
            for task in self._at_work:
                task.cancel()
        elif self._at_work:
            _log.info("The worker finishes %d jobs and stops; a second signal stops it at once.", len(self._at_work))
        self._stopping.set()

    async def _round(self, *, wait: bool, looking: bool = False) -> None:
        """Work until stopped or the database fails; without `wait` until the queue has nothing more to do now."""
        with queue.translated():
            await queue.require_schema(self._url)
            tasks = self._tasks()
            async with tasks.app.open_async():
                await tasks.reembed_if_needed(taking_over=wait or looking)
                if looking:
                    await tasks.look_now()
                if wait:
                    _log.info("The worker takes jobs, up to %d of a kind at once.", self._concurrency)
                await self._run_workers(tasks, wait=wait)

    def _tasks(self) -> JobTasks:
        return JobTasks(
            services=self._services,
            connector=queue.connector(self._url, 2 * self._concurrency + 2),
            intervals=self._intervals,
            upkeep=self._upkeep,
            stopping=self._stopping,
        )

    async def _run_workers(self, tasks: JobTasks, *, wait: bool) -> None:
        # Jobs of another embedder wait in their own queue for a worker that has it.
        workers = [self._worker(tasks, queues, wait=wait) for queues in ([QUICK], [LONG, tasks.own_queue])]
        runs = [asyncio.ensure_future(worker.run()) for worker in workers]  # type: ignore[no-untyped-call]
        ended = runs if wait else [asyncio.gather(*runs, return_exceptions=True)]
        stopping = asyncio.create_task(self._stopping.wait())
        try:
            await asyncio.wait([*ended, stopping], return_when=asyncio.FIRST_COMPLETED)
        finally:
            stopping.cancel()
            # One whose helpers fail stops without an error: then the other must begin anew, too.
            for worker in workers:
                worker.stop()  # type: ignore[no-untyped-call]
            errors = filter(None, await asyncio.gather(*runs, return_exceptions=True))
        for error in errors:
            raise error

    def _worker(self, tasks: JobTasks, queues: list[str], *, wait: bool) -> ProcrastinateWorker:
        return ProcrastinateWorker(
            tasks.app,
            queues=queues,
            name="memsieve",
            concurrency=self._concurrency,
            wait=wait,
            install_signal_handlers=False,
            update_heartbeat_interval=self._intervals.heartbeat.total_seconds(),
            fetch_job_polling_interval=self._intervals.polling.total_seconds(),
            stalled_worker_timeout=self._intervals.stalled.total_seconds(),
            worker_middleware=[self._reported],
        )

    async def _reported(
        self, do: Callable[[], Awaitable[Any]], context: JobContext, _worker: ProcrastinateWorker
    ) -> Any:
        """Do one job, and report what became of it."""
        task, job = asyncio.current_task(), context.job
        assert task is not None  # noqa: S101 - procrastinate runs every job as a task
        clock = asyncio.get_running_loop().time
        began = clock()
        self._at_work.add(task)
        outcome: Mapping[str, Any] | BaseException = {}
        try:
            outcome = await do()
            if job.task_name == LOOK and self._progress is not None:
                waiting = await context.app.job_manager.list_jobs_async(status=Status.TODO.value)
                self._total = self._ended + 1 + len(list(waiting))
        except BaseException as error:
            outcome = error
            raise
        finally:
            self._at_work.discard(task)
            self._ended += 1
            if self._progress is not None:
                self._progress(self._ended, max(self._ended, self._total))
            self._send_report(job, clock() - began, outcome)
        return outcome

    def _send_report(self, job: Job, seconds: float, outcome: Mapping[str, Any] | BaseException) -> None:
        project = job.task_kwargs.get("project_id")
        project_id = None if project is None else str(project)
        if isinstance(outcome, BaseException):
            self._report(_failed(job.task_name, project_id, seconds, outcome, job.attempts))
            return
        detail = {name: value for name, value in outcome.items() if value and name != "outcome"}
        # Most looks find nothing to do, and nobody wants to read that each minute.
        if detail or "outcome" in outcome:
            done = outcome.get("outcome", "done")
            self._report(
                JobReport(job=job.task_name, project_id=project_id, outcome=done, seconds=seconds, detail=detail)
            )

    async def _rest(self, seconds: float) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stopping.wait(), seconds)


def _failed(job: str, project_id: str | None, seconds: float, error: BaseException, attempts: int) -> JobReport:
    delay = None if job in PERIODIC else retry_delay(error, attempts)
    known = isinstance(error, MemsieveError | RetryLater | asyncio.CancelledError | ConnectorException | Error)
    if not known:
        of = "" if project_id is None else f" of project {project_id}"
        _log.error("The job %s%s failed and is not tried again.", job, of, exc_info=error)
    return JobReport(
        job=job,
        project_id=project_id,
        outcome="failed" if delay is None else "put off",
        seconds=seconds,
        error=_words(error),
        retry_in=None if delay is None else delay.total_seconds(),
    )


def _words(error: BaseException) -> str:
    match error:
        case MemsieveError() | RetryLater():
            return str(error)
        case ConnectorException() | Error():
            return str(queue.in_our_words(error))
        case asyncio.CancelledError():
            return "The worker was stopped."
    return f"{type(error).__name__}: {error}"
