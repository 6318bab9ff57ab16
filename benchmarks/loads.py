"""What a memory on servers is put through, in turns with the least work for the same rows and answers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from itertools import cycle
from statistics import median
from typing import Any, TypeVar

import numpy as np
import psycopg
from benchmarks.engine import Engine, Worked, agent, person, project
from benchmarks.invented import Inventor, Text, approvals, entries
from benchmarks.raw import ENTRIES, MEMORIES, RawTables, Statement, in_project, overheard, send

from memsieve.embedded import EmbeddedProject
from memsieve.model import Entry
from memsieve.services.container import Services

BATCH = 5_000
FEWEST_BATCHES = 8
BLOCK = 48
BLOCKS = 8
QUESTIONS = 60
ROUNDS = 10

T = TypeVar("T")
Deed = Callable[[T], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Rates:
    """How many a second, by memsieve and by the least work."""

    ours: float
    least: float

    @property
    def ratio(self) -> float:
        return self.ours / self.least


@dataclass(frozen=True, slots=True)
class Times:
    """The middle and the slow end of many times, in seconds."""

    p50: float
    p95: float

    @classmethod
    def of(cls, times: Sequence[float]) -> Times:
        return cls(float(np.quantile(times, 0.5)), float(np.quantile(times, 0.95)))


@dataclass(frozen=True, slots=True)
class Queries:
    """A query by memsieve, the statements it sends, and the one that searches."""

    ours: Times
    least: Times
    search: Times
    worked: Worked


@dataclass(frozen=True, slots=True)
class Imports:
    """Bulk import of both tiers."""

    entries: Rates
    memories: Rates


@dataclass
class Bench:
    """One memory with one project that grows, and the connection of the least work beside it."""

    engine: Engine
    services: Services
    raw: psycopg.AsyncConnection
    tables: RawTables
    inventor: Inventor
    name: str = "one"

    async def fill(self, size: int) -> tuple[Imports, list[Text]]:
        """Import so many entries and memories, in batches and in turns with COPY; return some of the memories."""
        both: list[list[tuple[float, float]]] = [[], []]
        kept: list[Text] = []
        batch = min(size, BATCH)
        await self.tables.make(*ENTRIES, *MEMORIES)
        for name in [self.name] * (size // batch) + [f"aside-{n}" for n in range(FEWEST_BATCHES - size // batch)]:
            texts = self.inventor.texts(batch)
            for seconds, pair in zip(both, await self._batch(name, texts), strict=True):
                seconds.append(pair)
            if name == self.name:
                kept += texts[: max(100, 100_000 // size)]
        await self.tables.drop()
        return Imports(*(Rates(*(batch / median(each) for each in zip(*pairs, strict=True))) for pairs in both)), kept

    async def _batch(self, name: str, texts: Sequence[Text]) -> list[tuple[float, float]]:
        said, approved = entries(name, texts), approvals(name, texts)
        adding = await _seconds(self.services.quarantine.add_all(agent(name), said))
        copying = await self.tables.copy(await self.tables.new(name, *ENTRIES))
        approving = await _seconds(self.services.longterm.add_all(person(name), approved))
        return [(adding, copying), (approving, await self.tables.copy(await self.tables.new(name, *MEMORIES)))]

    async def record(self, concurrency: int, projects: int, *, decided: bool) -> tuple[Rates, Worked]:
        """Record one by one, and insert the same rows one by one, each on disk before the next.

        Without the filter's decision it is the part that an agent always waits for.
        """
        record = self._recordings if decided else self._additions
        names = [f"{self.name}-{number}" for number in range(projects)] if projects > 1 else [self.name]
        await self.tables.make(*ENTRIES)
        rates: list[tuple[float, float]] = []
        async with AsyncExitStack() as stack:
            connections = [await stack.enter_async_context(self.engine.raw()) for _ in range(concurrency)]
            await record(names, concurrency)
            parts: list[Worked] = []
            for _ in range(BLOCKS):
                before = self.engine.worked()
                ours = await record(names, concurrency)
                parts.append(self.engine.worked().since(before, BLOCK))
                rates.append((ours, await self._insertions(names, connections)))
        await self.tables.drop()
        ours, least = (median(each) for each in zip(*rates, strict=True))
        return Rates(BLOCK / ours, BLOCK / least), _middle(parts)

    async def _recordings(self, names: Sequence[str], concurrency: int) -> float:
        texts = self.inventor.texts(BLOCK)
        self.engine.embedder.learn(texts)
        asked = list(zip(cycle(project(self.services, name) for name in names), texts, strict=False))

        async def record(one: tuple[EmbeddedProject, Text]) -> None:
            recorded, text = one
            session = f"session of {recorded.id}"
            await recorded.record(text.content, session_id=session, agent_id="bench", confidence=0.9)

        return await _all(asked, [record] * concurrency)

    async def _additions(self, names: Sequence[str], concurrency: int) -> float:
        texts = self.inventor.texts(BLOCK)
        said = [one for name in names for one in entries(name, texts[: BLOCK // len(names)])]

        async def add(entry: Entry) -> None:
            await self.services.quarantine.add(agent(entry.project_id), entry)

        return await _all(said, [add] * concurrency)

    async def _insertions(self, names: Sequence[str], connections: Sequence[psycopg.AsyncConnection]) -> float:
        statements = [self.tables.insert(table) for table in ENTRIES]
        found = [await self.tables.newest(name, BLOCK // len(names), *ENTRIES) for name in names]
        pairs = [pair for rows in found for pair in zip(*rows.values(), strict=True)]

        def on(connection: psycopg.AsyncConnection) -> Deed[Any]:
            async def insert(pair: Sequence[Any]) -> None:
                async with connection.transaction():
                    for statement, row in zip(statements, pair, strict=True):
                        await connection.execute(statement, row)

            return insert

        return await _all(pairs, [on(connection) for connection in connections])

    async def query(self, about: Sequence[Text]) -> Queries:
        """Ask, in turns with the statements of the same question sent by hand."""
        questions = self.inventor.questions(about, QUESTIONS)
        self.engine.embedder.learn(questions)
        asked = project(self.services, self.name)
        told = [await self._overheard(asked, question) for question in questions]
        ours, least, search = list[float](), list[float](), list[float]()
        async with self.engine.raw(durable=False) as connection, in_project(connection, self.name):
            for statements in told[:10]:
                await send(connection, statements)
            for _ in range(ROUNDS):
                for question, statements in zip(questions, told, strict=True):
                    ours.append(await _seconds(asked.retrieve(question.content, session_id="asking")))
                    least.append(await _seconds(send(connection, statements)))
            for statements in told * ROUNDS:
                search.append(await _seconds(send(connection, statements[-2:-1])))
        before = self.engine.worked()
        for question in questions * ROUNDS:
            await asked.retrieve(question.content, session_id="asking")
        worked = self.engine.worked().since(before, ROUNDS * len(questions))
        return Queries(Times.of(ours), Times.of(least), Times.of(search), worked)

    async def _overheard(self, asked: EmbeddedProject, question: Text) -> list[Statement]:
        with overheard() as heard:
            await asked.retrieve(question.content, session_id="asking")
        return heard

    async def promote(self, count: int = 200) -> tuple[float, Worked]:
        """Promote texts one by one; return how many a second."""
        texts = self.inventor.texts(count)
        self.engine.embedder.learn(texts)
        promoting = project(self.services, self.name).review(by="benchmark")
        before = self.engine.worked()
        times = [await _seconds(promoting.promote_text(text.content)) for text in texts]
        return 1 / median(times), self.engine.worked().since(before, count)


async def in_turns(one: Bench, other: Bench, about: Sequence[Text]) -> tuple[Times, Times]:
    """Ask two memories the same questions in turns, so that a busy moment of the machine meets both alike."""
    questions = one.inventor.questions(about, QUESTIONS)
    times: tuple[list[float], list[float]] = ([], [])
    for number in range(ROUNDS + 1):
        for question in questions:
            for bench, each in zip((one, other), times, strict=True):
                bench.engine.embedder.learn([question])
                seconds = await _seconds(project(bench.services, bench.name).retrieve(question.content))
                # The first round is there to get warm.
                each.extend([seconds] * (number > 0))
    return Times.of(times[0]), Times.of(times[1])


async def _all(items: Sequence[T], doers: Sequence[Deed[T]]) -> float:
    """Do everything, so many at a time; return the seconds."""
    waiting: Iterator[T] = iter(items)

    async def work(do: Deed[T]) -> None:
        for item in waiting:
            await do(item)

    began = time.perf_counter()
    await asyncio.gather(*map(work, doers))
    return time.perf_counter() - began


async def _seconds(deed: Awaitable[object]) -> float:
    began = time.perf_counter()
    await deed
    return time.perf_counter() - began


def _middle(parts: Sequence[Worked]) -> Worked:
    return Worked(*(median(getattr(part, name) for part in parts) for name in ("serving", "postgres", "redis")))
