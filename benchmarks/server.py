"""PostgreSQL and Redis: speed as ratios in one run to the least work for the same rows, and bytes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from benchmarks import figures
from benchmarks.engine import Engine, person, prepare, started
from benchmarks.invented import Inventor, Text, approvals
from benchmarks.loads import Bench, Imports, Queries, Rates, Times, in_turns
from benchmarks.raw import RawTables
from rich.console import Console
from rich.table import Table

from memsieve.stores.postgres.hnsw import build_indexes

SIZES = (1_000, 20_000)
FULL_SIZE = 200_000
OTHERS = (1, 100)
FULL_OTHERS = 1_000
IN_EACH = 200
# How many record at once, in how many projects, and whether the filter decides, too.
RECORDING = ((1, 1, False), (16, 16, False), (1, 1, True), (16, 1, True), (16, 16, True))


class Tables:
    """The tables, as they fill."""

    def __init__(self) -> None:
        self.imports = _table(
            "Bulk import against COPY of the same rows into tables with the same indexes, without triggers and walls",
            "memories", "tier", "memsieve", "COPY", "ratio", "aim",
        )  # fmt: skip
        self.queries = _table(
            "A query, embedding apart, against its own statements sent by hand in one transaction as superuser",
            "memories", "in working", "p50", "p95", "by hand p50", "p95 ", "ratio p50", "p95  ", "to the search alone",
            "aim",
        )  # fmt: skip
        self.recording = _table(
            "Recording, embedder and judge apart, against INSERT of the same rows, each on disk",
            "memories", "what", "at once", "projects", "memsieve", "INSERT", "ratio", "aim",
        )  # fmt: skip
        self.others = _table("The same, without a rival", "memories", "what", "measured")
        self.growth = _table(
            f"A query over 1,000 memories among other projects of {IN_EACH} each",
            "other projects", "p50", "p95", "alone p50", "ratio", "aim",
        )  # fmt: skip

    def all(self) -> list[Table]:
        return [self.recording, self.imports, self.queries, self.growth, self.others]

    def add_imports(self, size: int, found: Imports) -> None:
        for tier, rates in (("quarantine", found.entries), ("long-term", found.memories)):
            self.imports.add_row(f"{size:,}", tier, *_rates(rates), "≥ 0.5")

    def add_queries(self, size: int, working: int, found: Queries) -> None:
        cells = [_ms(one) for times in (found.ours, found.least) for one in (times.p50, times.p95)]
        ratios = (
            found.ours.p50 / found.least.p50, found.ours.p95 / found.least.p95, found.ours.p50 / found.search.p50
        )  # fmt: skip
        self.queries.add_row(f"{size:,}", str(working), *cells, *(f"{ratio:.2f}" for ratio in ratios), "≤ 1.3")

    def add_recording(self, size: int, at_once: int, projects: int, found: Rates, *, decided: bool) -> None:
        what = "with all checks" if decided else "until it is on disk"
        self.recording.add_row(f"{size:,}", what, str(at_once), str(projects), *_rates(found), "≥ 0.5")

    def add_growth(self, others: int, found: Times, alone: Times) -> None:
        cells = (_ms(found.p50), _ms(found.p95), _ms(alone.p50), f"{found.p50 / alone.p50:.2f}")
        self.growth.add_row(f"{others:,}", *cells, "flat: 1.0")


def main(_: Path, *, full: bool = False, write: bool = False, only: int | None = None) -> None:
    """Print all tables, or `only` what one size of memory shows."""
    console, tables, began = Console(width=130), Tables(), time.perf_counter()
    full = full or write
    sizes = (*SIZES, FULL_SIZE) if full else SIZES
    measured = figures.Measured()
    for size in sizes if only is None else (only,):
        console.print(f"{size:,} memories …")
        with started() as engine:
            asyncio.run(_size(engine, size, tables, measured))
    if only is None:
        others = (*OTHERS, FULL_OTHERS) if full else OTHERS
        console.print(f"{others[-1]:,} projects …")
        with started() as engine:
            asyncio.run(_growth(engine, others, tables))
    for table in tables.all():
        if table.row_count:
            console.print(table)
    if not full and only is None:
        console.print(f"{FULL_SIZE:,} memories and {FULL_OTHERS:,} projects take minutes: --full shows them, too.")
    if write:
        with started() as engine:
            asyncio.run(figures.complete(engine, measured))
        console.print(f"Written: {measured.write()}")
    console.print(f"All this took {time.perf_counter() - began:.0f} s.")


async def _size(engine: Engine, size: int, tables: Tables, measured: figures.Measured) -> None:
    await prepare(engine)
    async with engine.house() as house, engine.raw() as raw:
        bench = Bench(engine, house, raw, RawTables(raw), Inventor(size))
        imported, about = await bench.fill(size)
        tables.add_imports(size, imported)
        before = time.perf_counter()
        built = await build_indexes(engine.url)
        if built:
            tables.others.add_row(f"{size:,}", "making the HNSW index", f"{time.perf_counter() - before:.0f} s")
        await raw.execute("VACUUM ANALYZE")
        tables.add_queries(size, 0, await bench.query(about))
        for at_once, projects, decided in RECORDING:
            rates, worked = await bench.record(at_once, projects, decided=decided)
            tables.add_recording(size, at_once, projects, rates, decided=decided)
            if decided:
                measured.recording[(size, at_once, projects)] = worked
        queries = await bench.query(about)
        tables.add_queries(size, len(await house.working.list(person(bench.name))), queries)
        measured.query[size] = queries.worked
        rate, measured.promotion[size] = await bench.promote()
        tables.others.add_row(f"{size:,}", "promotions, one after the other", f"{rate:,.0f} /s")
        sizes = await figures.sizes(bench)
        measured.bytes[size] = sizes
        for what, each in sizes.items():
            tables.others.add_row(f"{size:,}", f"bytes for {figures.BYTES[what]}", f"{each:,.0f}")


async def _growth(engine: Engine, others: Sequence[int], tables: Tables) -> None:
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
                await crowded.house.longterm.add_all(person(name), approved)
            there = count
            await crowded.raw.execute("VACUUM ANALYZE")
            tables.add_growth(count, *await in_turns(crowded, alone, texts))


@asynccontextmanager
async def _twin(engine: Engine, inventor: Inventor, texts: Sequence[Text]) -> AsyncIterator[Bench]:
    await prepare(engine)
    async with engine.house() as house, engine.raw() as raw:
        bench = Bench(engine, house, raw, RawTables(raw), inventor)
        await house.longterm.add_all(person(bench.name), approvals(bench.name, texts))
        await raw.execute("VACUUM ANALYZE")
        yield bench


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left")
    for column in columns:
        table.add_column(column, justify="left" if column in {"tier", "what"} else "right")
    return table


def _rates(rates: Rates) -> tuple[str, str, str]:
    return f"{rates.ours:,.0f} /s", f"{rates.least:,.0f} /s", f"{rates.ratio:.2f}"


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.2f} ms"
