"""The command that does the jobs of a memory on PostgreSQL: worker."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memsieve.cli import options
from memsieve.cli.options import examples
from memsieve.cli.output import printable, progress, show
from memsieve.errors import ConfigError
from memsieve.runtime.logs import JsonFormatter, TextFormatter

if TYPE_CHECKING:
    from rich.console import RenderableType

    from memsieve.config import Settings
    from memsieve.jobs.worker import JobReport, Worker

commands = typer.Typer()
CONCURRENCY = 2
FAILED = 1

_log = logging.getLogger(__name__)


@commands.command(
    rich_help_panel="Data",
    epilog=examples(
        "memsieve worker",
        "memsieve worker --concurrency 4 --json",
        "memsieve worker --once   # every quarter of an hour by cron",
    ),
)
def worker(
    concurrency: Annotated[
        int, typer.Option("--concurrency", help="Make this many digests at once, and do as many short jobs.", min=1)
    ] = CONCURRENCY,
    once: Annotated[bool, typer.Option("--once", help="Do what is due now, and stop.")] = False,
    data: options.Data = None,
    as_json: options.Json = False,
) -> None:
    """Make digests, try entries again, make vectors again, and sweep.

    For a memory on PostgreSQL; any number of workers share the jobs. A signal ends it after the jobs in hand, a second
    one at once. It waits for a database that is down.
    """
    settings = options.settings_of(data)
    if not settings.database_url:
        raise ConfigError(
            "Workers are for a memory on PostgreSQL: set MEMSIEVE_DATABASE_URL and MEMSIEVE_REDIS_URL. "
            "A memory in one file needs none: while it is open, it does its jobs by itself."
        )
    if once:
        _work_once(settings, concurrency, as_json=as_json)
    else:
        with _logging(as_json=as_json):
            _work(settings, concurrency, _logged, lambda worker: worker.run())


def _work_once(settings: Settings, concurrency: int, *, as_json: bool) -> None:
    done: list[JobReport] = []
    with progress("Working") as advance:
        _work(settings, concurrency, done.append, lambda worker: worker.run_once(advance))
    show({"jobs": [_document(one) for one in done]}, lambda: _picture(done), as_json=as_json)
    if any(one.outcome == "failed" for one in done):
        raise typer.Exit(FAILED)


def _work(
    settings: Settings,
    concurrency: int,
    report: Callable[[JobReport], None],
    work: Callable[[Worker], Coroutine[Any, Any, None]],
) -> None:
    import asyncio

    async def run() -> None:
        from functools import partial

        from memsieve.services.container import open_services
        from memsieve.services.stores import build_indexes

        async with open_services(settings, jobs=False) as services:
            assert settings.database_url is not None  # noqa: S101 - asked before
            upkeep = [partial(build_indexes, settings)]
            hand = _worker_class()(
                settings.database_url, services, report=report, concurrency=concurrency, upkeep=upkeep
            )
            with _stopped_by_signals(hand):
                await work(hand)

    asyncio.run(run())


@contextmanager
def _stopped_by_signals(worker: Worker) -> Iterator[None]:
    import asyncio
    import signal

    loop, numbers = asyncio.get_running_loop(), (signal.SIGTERM, signal.SIGINT)
    for number in numbers:
        loop.add_signal_handler(number, worker.stop)
    try:
        yield
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)


def _worker_class() -> type[Worker]:
    try:
        from memsieve.jobs.worker import Worker
    except ImportError as exc:
        raise ConfigError(f"A worker needs more packages ({exc}). Run: pip install 'memsieve[server]'") from exc
    return Worker


@contextmanager
def _logging(*, as_json: bool) -> Iterator[None]:
    """Write the log of memsieve, and warnings of all others, to standard error while the block lasts."""
    ours, root, handler = logging.getLogger("memsieve"), logging.getLogger(), logging.StreamHandler()
    handler.setFormatter(JsonFormatter() if as_json else TextFormatter())
    handler.addFilter(_wanted)
    level = ours.level
    root.addHandler(handler)
    ours.setLevel(logging.INFO)
    try:
        yield
    finally:
        root.removeHandler(handler)
        ours.setLevel(level)


def _wanted(record: logging.LogRecord) -> bool:
    """Leave out what the worker itself reports in a sentence: errors of jobs, and outages."""
    if record.levelno < logging.WARNING and not record.name.startswith("memsieve"):
        return False
    error = record.exc_info[1] if record.exc_info else None
    outage = type(error).__module__.startswith(("procrastinate", "psycopg"))
    return not outage and record.name != "psycopg.pool" and getattr(record, "action", "") != "job_error"


def _logged(done: JobReport) -> None:
    level = logging.INFO if done.error is None else logging.WARNING
    _log.log(level, "%s", _sentence(done), extra={"document": _document(done)})


def _sentence(done: JobReport) -> str:
    what = done.job if done.project_id is None else f"{done.job} of {done.project_id}"
    more = ", ".join(f"{name} {value}" for name, value in done.detail.items())
    error = "" if done.error is None else f": {done.error}"
    again = "" if done.retry_in is None else f" It is tried again in {done.retry_in:.0f} s."
    return f"{what}: {done.outcome}{f' ({more})' if more else ''} in {done.seconds:.1f} s{error}{again}"


def _document(done: JobReport) -> dict[str, Any]:
    document = {
        "job": done.job,
        "project": done.project_id,
        "outcome": done.outcome,
        "seconds": round(done.seconds, 3),
        **done.detail,
        "error": done.error,
        "again_in_seconds": done.retry_in,
    }
    return {name: value for name, value in document.items() if value is not None}


def _picture(done: list[JobReport]) -> RenderableType:
    from rich.text import Text

    if not done:
        return Text("Nothing was due.")
    counted = Counter(one.outcome for one in done)
    summary = ", ".join(f"{number} {outcome}" for outcome, number in counted.items())
    return Text("\n".join([*(printable(_sentence(one)) for one in done), f"Jobs: {summary}."]))
