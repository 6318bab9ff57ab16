"""Speed as ratios in one run: memsieve against the least work anyone could do for the same answer."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np
from benchmarks.footprint import installed_bytes
from benchmarks.report import Column, Report, Value

from memsieve import Memory
from memsieve.model import Approval, Chunk, Scope
from memsieve.models.embedders import LocalEmbedder
from memsieve.stores.sqlite.database import Database
from memsieve.stores.sqlite.longterm import SqliteLongTerm
from memsieve.text.tokenize import tokenize

MEMORIES = 20_000
PROJECTS = 2_000
ROUNDS = 150
SUBJECTS = "billing search login export invoice mobile warehouse pricing onboarding ledger report gateway".split()
DEEDS = "uses needs replaces limits retries caches encrypts measures splits merges delays audits".split()
THINGS = "PostgreSQL transactions tokens certificates queues budgets regions customers orders payments traces".split()
COLUMNS = (
    *(Column("what"), Column("memsieve", "{:,.2f} ms"), Column("least work", "{:,.2f} ms")),
    *(Column("ratio", "{:.2f}"), Column("aim")),
)
Row = tuple[Value, ...]


def main(_: Path) -> Report:
    """Print one table."""
    report = Report("speed")
    rows = [*_compared(report), *_by_itself(report)]
    report.table("Speed: medians of one run, ratio to the least work possible", COLUMNS, rows)
    return report


def _compared(report: Report) -> list[Row]:
    """Measure queries and recording beside the least work, and among many projects."""
    with tempfile.TemporaryDirectory() as folder:
        report.progress(f"writing {MEMORIES:,} memories")
        vectors = asyncio.run(_fill(Path(folder), "large", MEMORIES))
        with Memory.open(folder) as memory:
            query = (f"query over {MEMORIES:,} memories", *_query(memory, vectors), "≤ 1.5")
            recording = ("recording", *_record(memory, Path(folder)), "≤ 1.5")
        report.progress(f"writing {PROJECTS:,} projects")
        with Memory.open(Path(folder) / "alone") as alone, Memory.open(Path(folder) / "crowded") as crowded:
            return [query, recording, *_growth(alone, crowded)]


def _by_itself(report: Report) -> list[Row]:
    report.progress("starting processes")
    size = f"{installed_bytes(['memsieve']) / 1e6:.0f} MB"
    return [
        ("memsieve --help", 1000 * _command("--help"), None, None, "< 500 ms"),
        ("query from a fresh process", 1000 * _fresh_query(), None, None, "< 1000 ms"),
        ("base install", size, None, None, "< 300 MB"),
    ]


def sentence(number: int) -> str:
    """Return a sentence unlike the others."""
    pick = np.random.default_rng(number)
    who, does, what, other, why = (pick.choice(words) for words in (SUBJECTS, DEEDS, THINGS, SUBJECTS, THINGS))
    return f"Finding {number}: the {who} service {does} {what} because {other} depends on {why} {number % 97}."


async def _fill(folder: Path, project: str, count: int) -> np.ndarray:
    """Write memories straight through the store: random vectors, as making real ones would take minutes."""
    database = Database(folder)
    await database.open()
    embedder = LocalEmbedder()
    store = SqliteLongTerm(database, embedder.name, lambda: datetime.now(UTC))
    scope = Scope.person(project, "benchmark")
    vectors = np.random.default_rng(0).standard_normal((count, 384)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    for number in range(count):
        text = sentence(number)
        approval = Approval(
            id=str(uuid.uuid4()), project_id=project, content=text, by="benchmark", at=datetime.now(UTC)
        )
        chunk = Chunk(id=str(uuid.uuid4()), position=0, content=text, words=tokenize(text), embedding=vectors[number])
        await store.add(scope, approval, [chunk])
    await database.close()
    return vectors


def _query(memory: Memory, vectors: np.ndarray) -> tuple[float, float, float]:
    project = memory.project("large")
    embed = _embed_one()

    def least(number: int) -> None:
        (vectors @ embed(sentence(number)[12:60])).argmax()

    return _compare(lambda number: project.retrieve(sentence(number)[12:60]), least)


def _record(memory: Memory, folder: Path) -> tuple[float, float, float]:
    project = memory.project("recording")
    embed = _embed_one()
    connection = sqlite3.connect(folder / "least.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE entries (id TEXT PRIMARY KEY, content TEXT, embedding BLOB)")

    def least(number: int) -> None:
        text = sentence(number + 10**6)
        row = (str(uuid.uuid4()), text, embed(text).astype(np.float16).tobytes())
        connection.execute("INSERT INTO entries VALUES (?, ?, ?)", row)

    def record(number: int) -> None:
        project.record(sentence(number + 10**6), session_id=f"s{number % 7}", agent_id="bench", confidence=0.9)

    result = _compare(record, least)
    connection.close()
    return result


def _growth(alone: Memory, crowded: Memory) -> list[Row]:
    """Compare one project that is alone in its file with one among many others."""
    for number in range(PROJECTS):
        crowded.project(f"other-{number}").record(sentence(number), session_id="s", confidence=0.9)

    def record(memory: Memory, number: int) -> None:
        memory.project("one").record(sentence(number), session_id="s", confidence=0.9)

    def query(memory: Memory, number: int) -> None:
        memory.project("one").retrieve(sentence(number)[12:60])

    return [
        (f"{name} among {PROJECTS:,} projects", *_compare(partial(work, crowded), partial(work, alone)), "flat: 1.0")
        for name, work in (("recording", record), ("query", query))
    ]


def _embed_one() -> Callable[[str], np.ndarray]:
    embedder = LocalEmbedder()
    loop = asyncio.new_event_loop()
    return lambda text: loop.run_until_complete(embedder.embed([text]))[0]


def _compare(ours: Callable[[int], object], least: Callable[[int], object]) -> tuple[float, float, float]:
    """Time both in turns, so that a busy moment meets both alike; return milliseconds and their ratio."""
    for number in range(5):
        ours(number)
        least(number)
    mine, theirs = [], []
    for number in range(5, ROUNDS):
        mine += _times(ours, range(number, number + 1))
        theirs += _times(least, range(number, number + 1))
    return 1000 * median(mine), 1000 * median(theirs), median(mine) / median(theirs)


def _times(work: Callable[[int], object], numbers: range) -> list[float]:
    times = []
    for number in numbers:
        start = time.perf_counter()
        work(number)
        times.append(time.perf_counter() - start)
    return times


def _command(*arguments: str) -> float:
    program = [str(Path(sys.executable).with_name("memsieve")), *arguments]
    return median(
        _times(lambda _: subprocess.run(program, check=True, capture_output=True, env=_environment()), range(5))
    )


def _fresh_query() -> float:
    with tempfile.TemporaryDirectory() as folder:
        with Memory.open(folder) as memory:
            for number in range(100):
                memory.project("fresh").review(by="benchmark").promote_text(sentence(number))
        return _command("query", "--data", folder, "--project", "fresh", "--json", "which service needs transactions?")


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("MEMSIEVE_")}
