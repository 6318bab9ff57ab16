"""Two hundred clients at once, recording and asking, on both engines; and once more with a worker that is killed."""

from __future__ import annotations

import asyncio
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory

from benchmarks.engine import prepare, started
from benchmarks.invented import Inventor
from benchmarks.report import Column, Report

from memsieve.client import AsyncClient
from memsieve.errors import MemsieveError
from memsieve.testing import ServedMemory

CLIENTS = 200
PROJECTS = 20
SECONDS = 10
FULL_SECONDS = 60
WORKERS = 2
TEXTS = 20_000
MS = "{:,.0f} ms"
COLUMNS = (
    *(Column("engine"), Column("worker killed"), Column("requests", "{:,}"), Column("a second", "{:,.0f}")),
    *(Column("record p50", MS), Column("p99", MS), Column("query p50", MS), Column("p99", MS)),
    *(Column("errors"), Column("astray"), Column("foreign")),
)
Settings = Callable[[], AbstractContextManager[Mapping[str, str]]]


@dataclass
class Tally:
    """What the clients saw."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: {"record": [], "query": []})
    recorded: set[str] = field(default_factory=set)
    foreign: int = 0
    errors: Counter[str] = field(default_factory=Counter)

    @property
    def requests(self) -> int:
        return sum(map(len, self.seconds.values()))


@dataclass(frozen=True)
class Outcome:
    """One run: what was seen, how long it took, and how many entries are kept in the end."""

    tally: Tally
    took: float
    kept: int

    @property
    def astray(self) -> int:
        """How many entries were acknowledged and lost, or kept more than once."""
        return abs(len(self.tally.recorded) - self.kept)

    @property
    def clean(self) -> bool:
        return not (self.tally.errors or self.tally.foreign or self.astray)


async def run(server: ServedMemory, *, clients: int, seconds: float, kill: bool) -> Outcome:
    """Let clients record and ask for so long, and kill one of the server's workers halfway.

    Where none is killed nothing is sent a second time: every refusal and every broken connection counts.
    """
    tally, texts = Tally(), [text.content for text in Inventor().texts(TEXTS)]
    began = time.perf_counter()
    patience = {} if kill else {"patience": 0.0}
    async with AsyncClient(server.url, **patience) as client:
        working = [_client(client, number, texts, began + seconds, tally) for number in range(clients)]
        killing = [_kill(server, seconds / 2)] if kill else []
        await asyncio.gather(*working, *killing)
        took = time.perf_counter() - began
        names = await client.projects()
        kept = [(await client.project(name).stats()).recorded for name in names]
    return Outcome(tally, took, sum(kept))


async def _client(client: AsyncClient, number: int, texts: Sequence[str], ends: float, tally: Tally) -> None:
    project, chance = client.project(f"project-{number % PROJECTS}"), random.Random(number)
    while time.perf_counter() < ends:
        text = chance.choice(texts)
        what = chance.choice(("record", "query"))
        began = time.perf_counter()
        try:
            if what == "record":
                content = f"{text.rstrip('.')} in {project.id}."
                receipt = await project.record(content, session_id=f"session {number}", confidence=0.9)
                tally.recorded.add(receipt.entry.id)
            else:
                answer = await project.retrieve(text, session_id=f"session {number}")
                tally.foreign += sum(not item.content.endswith(f" in {project.id}.") for item in answer.items)
        except MemsieveError as error:
            tally.errors[f"{type(error).__name__}: {error}"] += 1
        else:
            tally.seconds[what].append(time.perf_counter() - began)


async def _kill(server: ServedMemory, after: float) -> None:
    await asyncio.sleep(after)
    server.workers()[0].kill()


def main(_: Path, *, full: bool = False) -> Report:
    """Print one table; fail unless everything went well."""
    report, seconds, rows, clean = Report("clients"), FULL_SECONDS if full else SECONDS, [], True
    for engine, settings in (("SQLite", _embedded), ("PostgreSQL + Redis", _server)):
        for kill in (False, True):
            report.progress(f"{engine}{', a worker killed' * kill}")
            outcome = _outcome(settings, seconds, kill=kill)
            rows.append((engine, "yes" if kill else "no", *_figures(outcome)))
            for error, count in outcome.tally.errors.most_common(5):
                report.console.print(f"{count} × {error}")
            clean = clean and outcome.clean
    report.table(f"{CLIENTS} clients for {seconds} s, {WORKERS} workers", COLUMNS, rows)
    if not clean:
        sys.exit("Not everything went well: see above.")
    return report


def _outcome(settings: Settings, seconds: float, *, kill: bool) -> Outcome:
    """Run all clients against a server that is started for them."""
    options = ("--workers", str(WORKERS))
    with (
        settings() as environment,
        TemporaryDirectory() as folder,
        ServedMemory(Path(folder), *options, environment=environment) as server,
    ):
        return asyncio.run(run(server, clients=CLIENTS, seconds=seconds, kill=kill))


def _figures(outcome: Outcome) -> list[float]:
    tally = outcome.tally
    spread = [quantiles(tally.seconds[what], n=100) for what in ("record", "query")]
    times = [1000 * each[at] for each in spread for at in (49, 98)]
    wrong = (tally.errors.total(), outcome.astray, tally.foreign)
    return [tally.requests, tally.requests / outcome.took, *times, *wrong]


@contextmanager
def _embedded() -> Iterator[Mapping[str, str]]:
    yield {}


@contextmanager
def _server() -> Iterator[Mapping[str, str]]:
    with started() as engine:
        asyncio.run(prepare(engine))
        yield {"MEMSIEVE_DATABASE_URL": engine.url, "MEMSIEVE_REDIS_URL": engine.redis.url}
