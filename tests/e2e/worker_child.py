"""A worker in a process of its own, on real engines; prints what became of each job.

Usage: worker_child.py DATABASE_URL REDIS_URL CLOCK [hang] [hasty]

Its clock stands at the time that is written in the file CLOCK. With `hang` its digests begin and never end; `hasty` it
takes others for dead that are silent for two seconds.
"""

import asyncio
import json
import signal
import sys
from dataclasses import asdict, replace
from datetime import datetime, timedelta
from pathlib import Path

import memsieve.services.container
import memsieve.services.embedder
from memsieve.config import Settings
from memsieve.jobs.tasks import WorkerIntervals
from memsieve.jobs.worker import Worker
from memsieve.testing import WordEmbedder

INTERVALS = WorkerIntervals(
    look="* * * * * */1",
    heartbeat=timedelta(seconds=0.5),
    busy=timedelta(seconds=0.5),
    polling=timedelta(seconds=0.5),
)
HASTY = replace(INTERVALS, stalled=timedelta(seconds=2))


class Hanging:
    """Begins a digest and never ends it."""

    async def digest(self, scope, *, days=7, progress=None):
        _print({"begun": scope.project_id})
        await asyncio.Event().wait()


async def main(database_url: str, redis_url: str, clock: str, *ways: str) -> None:
    memsieve.services.embedder.choose_embedder = lambda _settings, _stack: WordEmbedder()
    settings = Settings(database_url=database_url, redis_url=redis_url)

    def now() -> datetime:
        return datetime.fromisoformat(Path(clock).read_text())

    async with memsieve.services.container.open_services(settings, now, jobs=False) as services:
        weekly = replace(services.weekly, digester=Hanging()) if "hang" in ways else services.weekly
        opened = replace(services, weekly=weekly)
        intervals = HASTY if "hasty" in ways else INTERVALS
        worker = Worker(database_url, opened, report=lambda done: _print(asdict(done)), intervals=intervals)
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, worker.stop)
        await worker.run()


def _print(document: dict) -> None:
    print(json.dumps(document), flush=True)  # noqa: T201 - the test reads it


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
