"""Filtered recall: whether a project among a hundred finds its own nearest memories as if it were alone."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean, median

import numpy as np
from benchmarks.engine import Engine, agent, person, prepare, started
from benchmarks.invented import Inventor, Text, approvals
from benchmarks.raw import overheard
from rich.console import Console
from rich.table import Table

from memsieve.bootstrap import House
from memsieve.model import Vector
from memsieve.stores.postgres.hnsw import build_indexes

SIZES = (200, 5_000, 19_000, 60_000)
PROJECTS = 100
LARGEST_OTHER = 2_000
BATCH = 10_000
QUESTIONS = 50
FOUND = 10
KINDS = {"clustered": True, "random Gaussian": False}


def main(_: Path) -> None:
    console = Console(width=110)
    table = Table(title=f"recall@{FOUND} by vector in one project among {PROJECTS}, as an agent, against exact")
    for column in ("vectors", "memories", "way", "recall", "lowest", "median", "slowest", "aim"):
        table.add_column(column, justify="left" if column in {"vectors", "way"} else "right")
    for kind, clustered in KINDS.items():
        console.print(f"Writing {PROJECTS} projects of {kind} vectors …")
        with started() as engine:
            asyncio.run(_kind(engine, kind, Inventor(11, clustered=clustered), table))
    console.print(table)


async def _kind(engine: Engine, kind: str, inventor: Inventor, table: Table) -> None:
    await prepare(engine)
    others = np.random.default_rng(3).integers(LARGEST_OTHER // 10, LARGEST_OTHER, PROJECTS - len(SIZES))
    async with engine.house() as house, engine.raw() as raw:
        # Half of the others before and half after, so that no part of the index holds one project alone.
        for number in range(0, len(others), 2):
            await _fill(house, f"other-{number}", inventor, int(others[number]))
        known = {size: await _fill(house, f"size-{size}", inventor, size) for size in SIZES}
        for number in range(1, len(others), 2):
            await _fill(house, f"other-{number}", inventor, int(others[number]))
        await build_indexes(engine.url)
        await raw.execute("VACUUM ANALYZE")
        for size, vectors in known.items():
            cells = await _measure(house, f"size-{size}", inventor.vectors(QUESTIONS), vectors)
            table.add_row(kind, f"{size:,}", *cells, "≥ 0.98")


async def _fill(house: House, name: str, inventor: Inventor, size: int) -> dict[str, Vector]:
    """Write memories of few words each; return their vectors as the database holds them."""
    known: dict[str, Vector] = {}
    while len(known) < size:
        vectors = inventor.vectors(min(BATCH, size - len(known)))
        texts = [Text(f"Finding {len(known) + number}", vector) for number, vector in enumerate(vectors)]
        approved = approvals(name, texts)
        await house.longterm.add_all(person(name), approved)
        known.update((chunk.id, _stored(text.vector)) for text, (_, [chunk]) in zip(texts, approved, strict=True))
    return known


async def _measure(house: House, name: str, questions: Sequence[Vector], known: dict[str, Vector]) -> list[str]:
    ids, matrix = np.array(list(known)), np.array(list(known.values()))
    recalls, times, way = [], [], ""
    for number, vector in enumerate([*questions[:5], *questions]):
        with overheard() as heard:
            began = time.perf_counter()
            hits = await house.longterm.search(agent(name), vector, (), FOUND)
            seconds = time.perf_counter() - began
        if number >= 5:
            times.append(seconds)
            nearest = ids[np.argsort(-(matrix @ _stored(vector)))[:FOUND]]
            recalls.append(len({hit.chunk_id for hit in hits} & set(nearest)) / FOUND)
        way = "index" if "rough" in str(heard[-1][0]) else "exact"
    milliseconds = [f"{seconds * 1000:.1f} ms" for seconds in (median(times), max(times))]
    return [way, f"{fmean(recalls):.3f}", f"{min(recalls):.1f}", *milliseconds]


def _stored(vector: Vector) -> Vector:
    return vector.astype(np.float16).astype(np.float32)
