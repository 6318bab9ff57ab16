"""PostgreSQL and Redis: speed as ratios in one run to the least work for the same rows, and bytes."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import uvloop
from benchmarks import figures
from benchmarks.engine import Engine, person, prepare, started
from benchmarks.invented import Inventor, Text, approvals
from benchmarks.loads import Bench, Imports, Queries, Rates, Times, in_turns
from benchmarks.raw import RawTables
from benchmarks.report import Column, Report, Value

from memsieve.stores.postgres.search.hnsw import build_indexes

Row = tuple[Value, ...]

SIZES = (1_000, 20_000)
FULL_SIZE = 200_000
OTHERS = (1, 100)
FULL_OTHERS = 1_000
IN_EACH = 200
_SIZE, _RATIO, _AIM = Column("memories", "{:,}"), Column("ratio", "{:.2f}"), Column("aim")
_RATE, _MS = "{:,.0f} /s", "{:.2f} ms"
_TABLES = (
    (
        "Recording, embedder and judge apart, against INSERT of the same rows, each on disk",
        (
            *(_SIZE, Column("what"), Column("at once"), Column("in projects")),
            *(Column("memsieve", _RATE), Column("INSERT", _RATE), _RATIO, _AIM),
        ),
    ),
    (
        "Bulk import against COPY of the same rows into tables with the same indexes, without triggers and walls",
        (_SIZE, Column("tier"), Column("memsieve", _RATE), Column("COPY", _RATE), _RATIO, _AIM),
    ),
    (
        "A query, embedding apart, against its own statements sent by hand in one transaction as superuser",
        (
            *(_SIZE, Column("in working memory"), Column("p50", _MS), Column("p95", _MS)),
            *(
                Column("by hand p50", _MS),
                Column("by hand p95", _MS),
                Column("ratio p50", "{:.2f}"),
                Column("to the search alone", "{:.2f}"),
                _AIM,
            ),
        ),
    ),
    (
        f"A query over 1,000 memories among other projects of {IN_EACH} each",
        (
            Column("other projects", "{:,}"),
            Column("p50", _MS),
            Column("p95", _MS),
            Column("alone p50", _MS),
            _RATIO,
            _AIM,
        ),
    ),
    ("The same, without a rival", (_SIZE, Column("what"), Column("measured"))),
)
# How many record at once, in how many projects, and whether the filter decides, too.
RECORDING = ((1, 1, False), (16, 16, False), (1, 1, True), (16, 1, True), (16, 16, True))


@dataclass
class Rows:
    """The rows of all tables, as they come."""

    recording: list[Row] = field(default_factory=list)
    imports: list[Row] = field(default_factory=list)
    queries: list[Row] = field(default_factory=list)
    growth: list[Row] = field(default_factory=list)
    others: list[Row] = field(default_factory=list)

    def add_imports(self, size: int, found: Imports) -> None:
        for tier, rates in (("quarantine", found.entries), ("long-term", found.memories)):
            self.imports.append((size, tier, *_rates(rates), "≥ 0.5"))

    def add_queries(self, size: int, working: int, found: Queries) -> None:
        times = [1000 * one for times in (found.ours, found.least) for one in (times.p50, times.p95)]
        ours = found.ours.p50
        self.queries.append((size, working, *times, ours / found.least.p50, ours / found.search.p50, "≤ 1.3"))

    def add_recording(self, size: int, at_once: int, projects: int, found: Rates, *, decided: bool) -> None:
        what = "with all checks" if decided else "until it is on disk"
        self.recording.append((size, what, at_once, projects, *_rates(found), "≥ 0.5"))

    def add_growth(self, others: int, found: Times, alone: Times) -> None:
        times = (found.p50, found.p95, alone.p50)
        self.growth.append((others, *(1000 * one for one in times), found.p50 / alone.p50, "flat: 1.0"))

    def tell(self, report: Report) -> None:
        """Print all tables that have rows."""
        for rows, (title, columns) in zip(
            (self.recording, self.imports, self.queries, self.growth, self.others), _TABLES, strict=True
        ):
            if rows:
                report.table(title, columns, rows)


def main(_: Path, *, full: bool = False, write: bool = False, only: int | None = None) -> Report:
    """Print all tables, or `only` what one size of memory shows."""
    report, rows, began = Report("server"), Rows(), time.perf_counter()
    full = full or write
    measured = figures.Measured()
    for size in [only] if only is not None else [*SIZES, FULL_SIZE] if full else SIZES:
        report.progress(f"{size:,} memories")
        with started() as engine:
            uvloop.run(_size(engine, size, rows, measured))
    if only is None:
        others = (*OTHERS, FULL_OTHERS) if full else OTHERS
        report.progress(f"{others[-1]:,} projects")
        with started() as engine:
            uvloop.run(_growth(engine, others, rows))
    rows.tell(report)
    if not full:
        report.console.print(
            f"{FULL_SIZE:,} memories and {FULL_OTHERS:,} projects take minutes: --full shows them, too."
        )
    if write:
        with started() as engine:
            uvloop.run(figures.complete(engine, measured))
        report.console.print(f"Written: {measured.write()}")
    report.console.print(f"All this took {time.perf_counter() - began:.0f} s.")
    return report


async def _size(engine: Engine, size: int, rows: Rows, measured: figures.Measured) -> None:
    await prepare(engine)
    async with engine.services() as services, engine.raw() as raw:
        bench = Bench(engine, services, raw, RawTables(raw), Inventor(size))
        imported, about = await bench.fill(size)
        rows.add_imports(size, imported)
        before = time.perf_counter()
        built = await build_indexes(engine.url)
        if built:
            rows.others.append((size, "making the HNSW index", f"{time.perf_counter() - before:.0f} s"))
        await raw.execute("VACUUM ANALYZE")
        rows.add_queries(size, 0, await bench.query(about))
        for at_once, projects, decided in RECORDING:
            rates, worked = await bench.record(at_once, projects, decided=decided)
            rows.add_recording(size, at_once, projects, rates, decided=decided)
            if decided:
                measured.recording[(size, at_once, projects)] = worked
        queries = await bench.query(about)
        rows.add_queries(size, len(await services.working.list(person(bench.name))), queries)
        measured.query[size] = queries.worked
        rate, measured.promotion[size] = await bench.promote()
        rows.others.append((size, "promotions, one after the other", f"{rate:,.0f} /s"))
        sizes = await figures.sizes(bench)
        measured.bytes[size] = sizes
        for what, each in sizes.items():
            rows.others.append((size, f"bytes for {figures.BYTES[what]}", f"{each:,.0f}"))


async def _growth(engine: Engine, others: Sequence[int], rows: Rows) -> None:
    """Ask one project while others are added, in turns with its twin that is alone in another database."""
    inventor, there = Inventor(7), 0
    texts = inventor.texts(1_000)
    async with AsyncExitStack() as stack:
        alone, crowded = [
            await stack.enter_async_context(_twin(await engine.another(name), inventor, texts))
            for name in ("alone", "crowded")
        ]
        for count in (0, *others):
            for number in range(there, count):
                name = f"other-{number}"
                approved = approvals(name, inventor.texts(IN_EACH))
                await crowded.services.longterm.add_all(person(name), approved)
            there = count
            await crowded.raw.execute("VACUUM ANALYZE")
            rows.add_growth(count, *await in_turns(crowded, alone, texts))


@asynccontextmanager
async def _twin(engine: Engine, inventor: Inventor, texts: Sequence[Text]) -> AsyncIterator[Bench]:
    await prepare(engine)
    async with engine.services() as services, engine.raw() as raw:
        bench = Bench(engine, services, raw, RawTables(raw), inventor)
        await services.longterm.add_all(person(bench.name), approvals(bench.name, texts))
        await raw.execute("VACUUM ANALYZE")
        yield bench


def _rates(rates: Rates) -> tuple[float, float, float]:
    return rates.ours, rates.least, rates.ratio
