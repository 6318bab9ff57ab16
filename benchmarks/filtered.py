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
from benchmarks.report import Column, Report, Value

from memsieve.model import Vector
from memsieve.services.container import Services
from memsieve.stores.postgres.search.hnsw import build_indexes

SIZES = (200, 5_000, 19_000, 60_000)
PROJECTS = 100
LARGEST_OTHER = 2_000
BATCH = 10_000
QUESTIONS = 50
FOUND = 10
COLUMNS = (
    *(Column("vectors"), Column("memories", "{:,}"), Column("way"), Column("recall", "{:.3f}")),
    *(Column("lowest", "{:.1f}"), Column("median", "{:.1f} ms"), Column("slowest", "{:.1f} ms"), Column("aim")),
)
Row = tuple[Value, ...]
KINDS = {"clustered": True, "random Gaussian": False}


def main(_: Path) -> Report:
    """Print one table for both kinds of vectors."""
    report, rows = Report("filtered"), []
    for kind, clustered in KINDS.items():
        report.progress(f"writing {PROJECTS} projects of {kind} vectors")
        with started() as engine:
            rows += asyncio.run(_kind(engine, kind, Inventor(11, clustered=clustered)))
    title = f"recall@{FOUND} by vector in one project among {PROJECTS}, as an agent, against exact"
    report.table(title, COLUMNS, rows)
    return report


async def _kind(engine: Engine, kind: str, inventor: Inventor) -> list[Row]:
    await prepare(engine)
    others = np.random.default_rng(3).integers(LARGEST_OTHER // 10, LARGEST_OTHER, PROJECTS - len(SIZES))
    async with engine.services() as services, engine.raw() as raw:
        # Half of the others before and half after, so that no part of the index holds one project alone.
        for number in range(0, len(others), 2):
            await _fill(services, f"other-{number}", inventor, int(others[number]))
        known = {size: await _fill(services, f"size-{size}", inventor, size) for size in SIZES}
        for number in range(1, len(others), 2):
            await _fill(services, f"other-{number}", inventor, int(others[number]))
        await build_indexes(engine.url)
        await raw.execute("VACUUM ANALYZE")
        return [
            (kind, size, *await _measure(services, f"size-{size}", inventor.vectors(QUESTIONS), vectors), "≥ 0.98")
            for size, vectors in known.items()
        ]


async def _fill(services: Services, name: str, inventor: Inventor, size: int) -> dict[str, Vector]:
    """Write memories of few words each; return their vectors as the database holds them."""
    known: dict[str, Vector] = {}
    while len(known) < size:
        vectors = inventor.vectors(min(BATCH, size - len(known)))
        texts = [Text(f"Finding {len(known) + number}", vector) for number, vector in enumerate(vectors)]
        approved = approvals(name, texts)
        await services.longterm.add_all(person(name), approved)
        known.update((chunk.id, _stored(text.vector)) for text, (_, [chunk]) in zip(texts, approved, strict=True))
    return known


async def _measure(services: Services, name: str, questions: Sequence[Vector], known: dict[str, Vector]) -> Row:
    ids, matrix = np.array(list(known)), np.array(list(known.values()))
    recalls, times, way = [], [], ""
    for number, vector in enumerate([*questions[:5], *questions]):
        with overheard() as heard:
            began = time.perf_counter()
            hits = await services.longterm.search(agent(name), vector, (), FOUND)
            seconds = time.perf_counter() - began
        if number >= 5:
            times.append(seconds)
            nearest = ids[np.argsort(-(matrix @ _stored(vector)))[:FOUND]]
            recalls.append(len({hit.chunk_id for hit in hits} & set(nearest)) / FOUND)
        way = "index" if "rough" in str(heard[-1][0]) else "exact"
    return way, fmean(recalls), min(recalls), 1000 * median(times), 1000 * max(times)


def _stored(vector: Vector) -> Vector:
    return vector.astype(np.float16).astype(np.float32)
