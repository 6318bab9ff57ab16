"""How well the digest's groups match known ones, and how its time and memory grow with the window."""

from __future__ import annotations

import asyncio
import json
import random
import sqlite3
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
from benchmarks.kmeans import adjusted_rand, kmeans, purity
from benchmarks.report import Column, Report
from benchmarks.scores import exponent
from benchmarks.weeks import Turn, qmsum, vcsum

from memsieve.digest.cluster import graph, groups, idf, points, tfidf
from memsieve.digest.statements import statements
from memsieve.digest.window import LEAST_CLARITY
from memsieve.model import Vector
from memsieve.models.embedders import LocalEmbedder
from memsieve.stores.rows import vector_blob
from memsieve.stores.sqlite.database import Database
from memsieve.stores.sqlite.rows import time_text

SIZES = (5_000, 15_000, 50_000)
PROJECT = "week"
SUBJECTS = "billing search login export invoice mobile warehouse pricing onboarding ledger report gateway".split()
DEEDS = "uses needs replaces limits retries caches encrypts measures splits merges delays audits".split()
THINGS = "PostgreSQL transactions tokens certificates queues budgets regions customers orders payments traces".split()
REASONS = (
    "the old contract ends in spring", "two regions went down at once", "auditors ask for a full trail",
    "the vendor raised its prices", "nobody could read the logs", "tests on staging were flaky",
)  # fmt: skip
KINDS = """new old main spare public private nightly weekly early late slow quick small large first last local remote
    shared separate central regional manual automatic current former daily monthly cheap costly stable fragile open
    closed full partial critical minor external internal""".split()
JUNK = ("Okay, thanks!", "Hello everyone.", "exit code 0", "Let me check.", '{"status": "ok"}', "Hmm, right.", "Done?")
COUNT, SCORE, GROWTH = "{:,}", "{:.3f}", "n^{:.2f}"
GROUPED = (
    *(Column("data"), Column("turns", COUNT), Column("grouped", COUNT), Column("groups", COUNT)),
    *(Column("purity", SCORE), Column("k-means", SCORE), Column("ARI", SCORE), Column("k-means", SCORE)),
)
GROWN = (
    *(Column("entries", COUNT), Column("seconds", "{:.0f}"), Column("growth", GROWTH)),
    *(Column("peak memory", "{:,.0f} MB"), Column("growth", GROWTH), Column("insights"), Column("aim")),
)


def main(data: Path) -> Report:
    """Print the groups' quality and the digest's growth."""
    report = Report("digest")
    _quality(report, data)
    _growth(report)
    return report


def _quality(report: Report, data: Path) -> None:
    rows = []
    for name, turns in (("QMSum by meeting", qmsum(data)), ("VCSum by part", vcsum(data))):
        report.progress(name)
        rows.append((name, *_against_kmeans(turns)))
    title = "Groups of turns against known groups: the digest's and plain k-means on the same vectors"
    report.table(title, GROUPED, rows)


def _against_kmeans(turns: Sequence[Turn]) -> list[float]:
    telling = [(turn, words) for turn in turns if (words := _words(turn.content))]
    vectors = asyncio.run(_embedded([turn.content for turn, _ in telling]))
    weights = idf([words for _, words in telling])
    made = points(vectors, [tfidf(words, weights) for _, words in telling])
    found = groups(graph(made, range(len(telling))))
    inside = [number for group in found for number in group]
    labels = [label for label, group in enumerate(found) for _ in group]
    known = [telling[number][0].part for number in inside]
    plain = kmeans(np.array([vectors[number] for number in inside]), len(found)).tolist()
    scores = (purity(labels, known), purity(plain, known), adjusted_rand(labels, known), adjusted_rand(plain, known))
    return [len(telling), len(inside), len(found), *scores]


def _words(content: str) -> tuple[str, ...]:
    clear = [each for each in statements(content) if each.clarity >= LEAST_CLARITY]
    return tuple(word for each in clear for word in each.words)


async def _embedded(texts: Sequence[str]) -> list[Vector]:
    vectors = await LocalEmbedder().embed(texts)
    return [np.zeros(384, np.float32) if vector is None else vector for vector in vectors]


def _growth(report: Report) -> None:
    rows, before = [], None
    with tempfile.TemporaryDirectory() as folder:
        for size in SIZES:
            report.progress(f"a window of {size:,} entries")
            asyncio.run(_fill(Path(folder) / str(size), size))
            seconds, megabytes, insights = _digest(Path(folder) / str(size))
            now = (size, seconds, megabytes)
            slower, larger = _exponents(before or now, now)
            aim = "about 60 s, < 2,000 MB" if size == SIZES[-1] else ""
            rows.append((size, seconds, slower, megabytes, larger, insights, aim))
            before = now
    report.table("A digest of a window of so many entries, in a process of its own on this machine", GROWN, rows)


def _exponents(before: tuple[int, float, float], after: tuple[int, float, float]) -> list[float | None]:
    """Return the exponents by which time and memory grew with the entries: 1 is in proportion."""
    return [exponent([(before[0], old), (after[0], new)]) for old, new in zip(before[1:], after[1:], strict=True)]


def _digest(folder: Path) -> tuple[float, float, int]:
    """Make a digest in a fresh process; return its seconds, its peak memory in megabytes, and how many insights."""
    script = """
import json, resource, sys, time
from memsieve import Memory
from memsieve.config import Settings
with Memory.open(sys.argv[1], settings=Settings(digest_day="never")) as memory:
    began = time.perf_counter()
    digest = memory.project(sys.argv[2]).review(by="benchmark").digest()
    seconds = time.perf_counter() - began
print(json.dumps([seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, len(digest.insights)]))
"""
    command = [sys.executable, "-c", script, str(folder), PROJECT]
    ran = subprocess.run(command, check=True, capture_output=True, text=True)
    seconds, megabytes, insights = json.loads(ran.stdout)
    return seconds, megabytes, insights


async def _fill(folder: Path, size: int) -> None:
    """Write a window of made-up entries: two of five are junk, some say two things, and few are worded the same."""
    chance = random.Random(size)
    facts = _facts(chance)
    vectors = await _embedded(facts)
    noise = np.random.default_rng(size)
    database = Database(folder)
    await database.open()
    now = datetime.now(UTC)
    rows = []
    for number in range(size):
        content, vector = _entry(chance, facts, vectors, noise)
        at = time_text(now - timedelta(days=6) * chance.random())
        rows.append((str(uuid.UUID(int=number)), f"session {chance.randrange(size // 50)}", content, at, vector))
    await database.write(lambda connection: _insert(connection, rows))
    await database.close()


def _facts(chance: random.Random) -> list[str]:
    """Return 2,400 different facts, each with two places to be worded in."""
    made: dict[str, None] = {}
    while len(made) < 2_400:
        subject, other = chance.sample(SUBJECTS, 2)
        said = f"The {{}} {subject} service {chance.choice(DEEDS)} {chance.choice(THINGS)}"
        made[f"{said} of the {{}} {other} team because {chance.choice(REASONS)}."] = None
    return list(made)


def _entry(
    chance: random.Random, facts: list[str], vectors: list[Vector], noise: np.random.Generator
) -> tuple[str, Vector | None]:
    if chance.random() < 0.4:
        return chance.choice(JUNK), None
    first, second = chance.randrange(len(facts)), chance.randrange(len(facts))
    two = chance.random() < 0.3
    vector = vectors[first] + (vectors[second] if two else 0) + noise.normal(0, 0.01, 384).astype(np.float32)
    chosen = (first, second) if two else (first,)
    content = " ".join(facts[number].format(*chance.sample(KINDS, 2)) for number in chosen)
    return content, vector / np.linalg.norm(vector)


def _insert(connection: sqlite3.Connection, rows: Sequence[tuple[str, str, str, str, Vector | None]]) -> None:
    checks = '[["injection",true,0.0,""]]'
    name = LocalEmbedder().name
    connection.executemany(
        "INSERT INTO quarantine_logs (project_id, id, session_id, content, raw_metadata, created_at, embedder,"
        " embedding) VALUES (?, ?, ?, ?, '{}', ?, ?, ?)",
        [(PROJECT, key, session, text, at, name, vector_blob(vector)) for key, session, text, at, vector in rows],
    )
    connection.executemany(
        "INSERT INTO admissions (project_id, entry_id, decision, checks, decided_at) VALUES (?, ?, 'refused', ?, ?)",
        [(PROJECT, key, checks, at) for key, _, _, at, _ in rows],
    )
