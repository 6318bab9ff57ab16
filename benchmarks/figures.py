"""The figures behind the capacity model: bytes and processor seconds, as measured here, kept in capacity.json."""

from __future__ import annotations

import json
import platform
import random
import time
import uuid
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from benchmarks.digest import _embedded, _entry, _facts
from benchmarks.engine import Engine, Worked, agent, person, prepare
from benchmarks.invented import Inventor
from benchmarks.loads import Bench
from pgvector import HalfVector
from redis.asyncio import Redis

from memsieve.model import Entry
from memsieve.models.embedders import LocalEmbedder
from memsieve.models.judges import LocalJudge
from memsieve.stores.redis.working import keys_of

FILE = Path(__file__).with_name("capacity.json")
DIGESTED = 10_000
READ = 200

BYTES = {
    "memory_rows": "a memory: its rows",
    "memory_indexes": "a memory: its indexes, without HNSW",
    "memory_hnsw": "a memory: in the HNSW index",
    "memory_searched": "a memory: of all these, what searching reads",
    "entry_rows": "an entry of quarantine: its rows",
    "entry_indexes": "an entry of quarantine: its indexes",
    "answer": "an answer: who was served what",
    "working_entry": "an entry of working memory, in Redis",
}
_OF_A_MEMORY = ("approvals", "memories", "memory_words", "memory_vectors", "word_counts", "audit_log")
_SEARCHED = ("memory_words", "memory_vectors", "word_counts")
_OF_AN_ENTRY = ("quarantine_logs", "admissions")
_OF_AN_ANSWER = ("answers", "served")
_SIZE = """
SELECT coalesce(sum(pg_table_size(c)), 0)::float8, coalesce(sum(pg_indexes_size(c)), 0)::float8
FROM unnest(%s::regclass[]) c
"""
_HNSW = """
SELECT coalesce(sum(pg_relation_size(i.indexrelid)), 0)::float8, count(*)
FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am a ON a.oid = c.relam WHERE a.amname = 'hnsw'
"""
# What was imported is not decided on yet: each entry is given the decision and the vector of one that was recorded.
_DECIDED = """
UPDATE admissions SET (decision, checks, embedder, embedding) = (
    SELECT decision, checks, embedder, embedding FROM admissions WHERE embedding IS NOT NULL LIMIT 1
) WHERE decision = 'pending'
"""


@dataclass
class Measured:
    """What was measured in one run."""

    recording: dict[tuple[int, int, int], Worked] = field(default_factory=dict)
    query: dict[int, Worked] = field(default_factory=dict)
    promotion: dict[int, Worked] = field(default_factory=dict)
    bytes: dict[int, Mapping[str, float]] = field(default_factory=dict)
    others: dict[str, float] = field(default_factory=dict)

    def write(self) -> Path:
        """Write the figures of the largest size, and those of a query for every size."""
        largest = max(self.bytes)
        recordings = [worked for (size, _, _), worked in self.recording.items() if size == largest]
        kept = {
            "measured": f"{datetime.now(UTC):%Y-%m-%d}, Python {platform.python_version()}, {_processor()}",
            "bytes": {name: round(each) for name, each in self.bytes[largest].items()},
            "text_bytes": round(fmean(len(text.content.encode()) for text in Inventor(largest).texts(1_000))),
            "processor_seconds": {
                "recording": _rounded(max(recordings, key=lambda worked: worked.serving)),
                "promotion": _rounded(self.promotion[largest]),
                "query": {str(size): _rounded(worked) for size, worked in sorted(self.query.items())},
                **{name: round(each, 6) for name, each in self.others.items()},
            },
        }
        FILE.write_text(json.dumps(kept, indent=2) + "\n")
        return FILE


async def sizes(bench: Bench) -> dict[str, float]:
    """Return the bytes that each thing takes on average."""
    await bench.raw.execute(_DECIDED)
    await bench.raw.execute("VACUUM FULL admissions")
    await bench.raw.execute("VACUUM")
    memories = await _count(bench, "memories")
    rows, indexes = await _bytes(bench, _OF_A_MEMORY)
    hnsw, there = await (await bench.raw.execute(_HNSW)).fetchone() or (0.0, 0)
    searched = sum(await _bytes(bench, _SEARCHED))
    entry_rows, entry_indexes = await _bytes(bench, _OF_AN_ENTRY)
    entries, answers = await _count(bench, "quarantine_logs"), await _count(bench, "answers")
    found = {
        "memory_rows": rows / memories,
        "memory_indexes": (indexes - hnsw) / memories,
        "memory_hnsw": hnsw / memories,
        "memory_searched": searched / memories,
        "entry_rows": entry_rows / entries,
        "entry_indexes": entry_indexes / entries,
        "answer": sum(await _bytes(bench, _OF_AN_ANSWER)) / answers,
        "working_entry": await _working(bench),
    }
    return found if there else {name: each for name, each in found.items() if name != "memory_hnsw"}


async def complete(engine: Engine, measured: Measured) -> None:
    """Measure what the servers' tables leave out: the bundled models, and a digest on PostgreSQL."""
    texts = [text.content for text in Inventor(5).texts(READ)]
    embedder, judge = LocalEmbedder(), LocalJudge()
    await embedder.embed(texts[:1])
    await judge.consistent(texts[0])
    began = time.process_time()
    for text in texts:
        await embedder.embed([text])
    measured.others["embedding"] = (time.process_time() - began) / READ
    began = time.process_time()
    for text in texts:
        await judge.consistent(text)
    measured.others["judging"] = (time.process_time() - began) / READ
    measured.others["digest_of_10k_entries"] = await _digest(engine)


async def _digest(engine: Engine) -> float:
    """Return the processor seconds of a worker for one project's digest."""
    await prepare(engine)
    scope = person("week")
    said, vectors = await _window()
    async with engine.services() as services, engine.raw() as raw:
        await services.quarantine.add_all(agent("week"), said)
        rows = [
            (services.digester.embedder.name, None if vector is None else HalfVector(vector), entry.id)
            for entry, vector in zip(said, vectors, strict=True)
        ]
        async with raw.transaction():
            await raw.cursor().executemany(
                "UPDATE admissions SET decision = 'refused', embedder = %s, embedding = %s WHERE entry_id = %s", rows
            )
        began = time.process_time()
        await services.digester.digest(scope, days=7)
        return time.process_time() - began


async def _window() -> tuple[list[Entry], list[Any]]:
    chance, noise = random.Random(DIGESTED), np.random.default_rng(DIGESTED)
    facts = _facts(chance)
    known = await _embedded(facts)
    made = [_entry(chance, facts, known, noise) for _ in range(DIGESTED)]
    now = datetime.now(UTC)
    said = [
        Entry(
            id=str(uuid.UUID(int=number)),
            project_id="week",
            session_id=f"session {chance.randrange(DIGESTED // 50)}",
            content=content,
            created_at=now - timedelta(days=6) * chance.random(),
        )
        for number, (content, _) in enumerate(made)
    ]
    return said, [vector for _, vector in made]


async def _bytes(bench: Bench, tables: tuple[str, ...]) -> tuple[float, float]:
    row = await (await bench.raw.execute(_SIZE, (list(tables),))).fetchone()
    assert row is not None
    return row


async def _count(bench: Bench, table: str) -> int:
    row = await (await bench.raw.execute(f"SELECT count(*) FROM {table}")).fetchone()
    assert row is not None
    return int(row[0])


async def _working(bench: Bench) -> float:
    async with Redis.from_url(bench.engine.redis.url) as redis:
        taken = [await redis.memory_usage(key, samples=0) or 0 for key in keys_of(bench.name)]
        there = await redis.zcard(keys_of(bench.name)[0])
    return sum(taken) / max(1, there)


def _rounded(worked: Worked) -> dict[str, float]:
    return {name: round(seconds, 6) for name, seconds in asdict(worked).items()}


def _processor() -> str:
    lines = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    names = [line.partition(":")[2].strip() for line in lines.splitlines() if line.startswith("model name")]
    return f"{len(names)} cores of {names[0]}" if names else platform.processor()
