"""HNSW indexes, one for each embedder with a large project, and how much of the nearest each of them finds."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from statistics import fmean
from typing import Any

from pgvector.psycopg import register_vector_async
from psycopg import AsyncConnection, errors, sql
from psycopg.rows import dict_row

from memsieve.model import Vector
from memsieve.retrieval.fusion import candidates_per_leg
from memsieve.stores.postgres.connection import conninfo, translated
from memsieve.stores.postgres.database import Connection
from memsieve.stores.postgres.rows import fetch, half, vector_of
from memsieve.stores.postgres.search.vector_plan import EF_SEARCH, EXACT_ROWS, SETTINGS, ScanPlan

ENOUGH = 0.98
_FOUND = 10
_TEXTS = 30

_READ_ALL = "SELECT set_config('role', 'memsieve_filter', true), set_config('app.across', 'on', true)"
_LARGEST = """
SELECT project_id, chinese, vectors FROM vector_sizes WHERE embedder = %s ORDER BY vectors DESC, project_id LIMIT 1
"""
# From here on behind the wall of the project, as every search is.
_ENTER = "SELECT set_config('app.across', '', true), set_config('app.project', %s, true)"
_SET = "SELECT set_config(%s, %s, true)"
_PICKED = """
SELECT sequence, embedding FROM memory_vectors
WHERE project_id = (SELECT asking_project()) AND embedder = %(embedder)s AND chinese = %(chinese)s
    AND vector_dims(embedding) = %(dimensions)s
ORDER BY random() LIMIT %(texts)s
"""
_NEAREST = sql.SQL("""
SELECT v.embedding <#> %(half)b::halfvec AS distance FROM ({part}) n
JOIN memory_vectors v
    ON v.project_id = (SELECT asking_project()) AND v.sequence = n.sequence AND v.embedder = {embedder}
WHERE n.sequence <> %(sequence)s ORDER BY 1 LIMIT {found}
""")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sample:
    """A text's vector to look around, and the text itself, which is no answer."""

    vector: Vector
    sequence: int

    @property
    def values(self) -> dict[str, Any]:
        """The parameters of the statement."""
        return {"half": half(self.vector), "sequence": self.sequence}


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexRecall:
    """The share that an index finds, and how far it has to look for enough; None if it does not find enough."""

    recall: float
    ef_search: int | None


async def measure(connection: Connection, embedder: str, dimensions: int, index: str) -> IndexRecall | None:
    """Measure an index in the largest project; None if PostgreSQL does not use it, or has nothing to ask."""
    async with connection.transaction():
        await connection.execute(_READ_ALL)
        [largest] = await fetch(connection, _LARGEST, (embedder,))
        await connection.execute(_ENTER, (largest["project_id"],))
        for setting in SETTINGS:
            await connection.execute(_SET, setting)
        probe = RecallProbe(connection, embedder, dimensions, chinese=largest["chinese"], vectors=largest["vectors"])
        return await probe.recall(index)


@dataclass(frozen=True, slots=True)
class RecallProbe:
    """Asks for the neighbours of some texts, one by one and by the index, and compares."""

    connection: Connection
    embedder: str
    dimensions: int
    chinese: bool
    vectors: int

    async def recall(self, index: str) -> IndexRecall | None:
        asked = await self._samples()
        if not asked:
            return None
        exact = [await self._nearest(one, exact=True) for one in asked]
        # The index is what is measured, even where the planner would do without it today.
        await self.connection.execute(_SET, ("enable_sort", "off"))
        share = 0.0
        for ef_search in EF_SEARCH:
            await self.connection.execute(_SET, ("hnsw.ef_search", str(ef_search)))
            if not await self._uses(index, asked[0]):
                return None
            share = _recall([await self._nearest(one, exact=False) for one in asked], exact)
            if share >= ENOUGH:
                return IndexRecall(recall=share, ef_search=ef_search)
        return IndexRecall(recall=share, ef_search=None)

    async def _samples(self) -> list[_Sample]:
        """Pick texts, each of which asks for others like it."""
        values = {"embedder": self.embedder, "chinese": self.chinese, "dimensions": self.dimensions, "texts": _TEXTS}
        return [
            _Sample(vector=vector, sequence=row["sequence"])
            for row in await fetch(self.connection, _PICKED, values)
            if (vector := vector_of(row["embedding"])) is not None
        ]

    async def _nearest(self, question: _Sample, *, exact: bool) -> list[float]:
        rows = await fetch(self.connection, self._statement(exact=exact), question.values)
        return [row["distance"] for row in rows]

    async def _uses(self, index: str, question: _Sample) -> bool:
        statement = sql.SQL("EXPLAIN {}").format(self._statement(exact=False))
        plan = await (await self.connection.execute(statement, question.values)).fetchall()
        return any(index in row["QUERY PLAN"] for row in plan)

    def _statement(self, *, exact: bool) -> sql.Composed:
        part = ScanPlan(chinese=self.chinese, vectors=self.vectors, exact=exact)
        query = part.sql(self.embedder, self.dimensions, candidates_per_leg(_FOUND), since=False)
        return _NEAREST.format(part=query, embedder=sql.Literal(self.embedder), found=sql.Literal(_FOUND))


def _recall(found: Sequence[Sequence[float]], exact: Sequence[Sequence[float]]) -> float:
    """Return the mean share; of vectors that are equally near any is right."""
    shares = [
        sum(distance <= best[-1] for distance in one) / len(best)
        for one, best in zip(found, exact, strict=True)
        if best
    ]
    return fmean(shares) if shares else 0.0


# The most that an index over half-precision vectors takes.
MOST_DIMENSIONS = 4000
# A graph that outgrows this memory while it is made takes many times as long.
_MEMORY = "1GB"
_GRAPH = "m = 16, ef_construction = 64"
# An index is measured again when it has grown by this factor.
_GROWN = 2

# Nobody waits for it: an index that is being made waits for all others' statements to end.
_LOCK = "SELECT pg_try_advisory_lock(hashtextextended('memsieve indexes', 0)) AS taken"
_UNLOCK = "SELECT pg_advisory_unlock(hashtextextended('memsieve indexes', 0))"
_LARGE = """
SELECT s.embedder, sum(s.vectors)::bigint AS vectors,
    (SELECT vector_dims(v.embedding) FROM memory_vectors v WHERE v.embedder = s.embedder LIMIT 1) AS dimensions
FROM vector_sizes s GROUP BY s.embedder HAVING max(s.vectors) > %s ORDER BY s.embedder
"""
_STATE = """
SELECT i.indisvalid AS valid FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid
WHERE c.relname = %s AND i.indrelid = 'memory_vectors'::regclass
"""
_NAMED = """
SELECT c.relname AS name FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid
WHERE c.relname ~ %s AND i.indrelid = 'memory_vectors'::regclass
"""
_DROP = sql.SQL("DROP INDEX CONCURRENTLY IF EXISTS {name}")
# Everybody who searches waits for it, and it for them: not for long.
_AS_OWNER = "SELECT set_config('role', 'memsieve_owner', true), set_config('lock_timeout', '1s', true)"
_DROP_AT_ONCE = sql.SQL("DROP INDEX IF EXISTS {name}")
_CREATE = sql.SQL("""
CREATE INDEX CONCURRENTLY {name} ON memory_vectors
USING hnsw ((embedding::halfvec({dimensions})) halfvec_ip_ops) WITH ({graph})
WHERE embedder = {embedder} AND vector_dims(embedding) = {dimensions}
""")
_KNOWN = "SELECT vectors, ef_search FROM vector_indexes WHERE embedder = %s AND dimensions = %s"
_UNKNOWN = "DELETE FROM vector_indexes WHERE embedder = %s AND dimensions = %s"
_FORGET = "DELETE FROM vector_indexes WHERE embedder = %s"
_RECORD = """
INSERT INTO vector_indexes (embedder, dimensions, vectors, recall, ef_search) VALUES (%s, %s, %s, %s, %s)
ON CONFLICT (embedder, dimensions) DO UPDATE SET
    vectors = excluded.vectors, recall = excluded.recall, ef_search = excluded.ef_search, measured_at = now()
"""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Large:
    """The vectors of an embedder that has read a large project."""

    embedder: str
    dimensions: int
    vectors: int

    @property
    def name(self) -> str:
        return index_name(self.embedder, self.dimensions)


def index_name(embedder: str, dimensions: int) -> str:
    """Return the name of the index over an embedder's vectors."""
    return f"memory_vectors_near_{dimensions}_{_mark(embedder)}"


async def build_indexes(url: str, above: int = EXACT_ROWS) -> list[str]:
    """Make the indexes that are missing, while everybody goes on reading and writing; return their embedders.

    An index is missing for an embedder that has read more than `above` texts of one language in one project. One that
    does not find what comparing one by one finds is not kept. While somebody else makes indexes nothing is done.
    """
    with translated():
        async with await AsyncConnection.connect(conninfo(url), autocommit=True, row_factory=dict_row) as connection:
            lock = await (await connection.execute(_LOCK)).fetchone()
            if lock is None or not lock["taken"]:
                return []
            built = []
            if wanted := await _large(connection, above):
                await register_vector_async(connection)
                await connection.execute("SET ROLE memsieve_owner")
                await connection.execute(f"SET maintenance_work_mem = '{_MEMORY}'")
                built = [large.embedder for large in wanted if await _tend(connection, large)]
            # A closed connection keeps its lock until the server notices, and the next run would find it taken.
            await connection.execute(_UNLOCK)
            return built


async def drop_indexes(connection: Connection, embedder: str) -> None:
    """Drop all indexes of an embedder whose vectors are gone, as the owner, within a transaction."""
    named = await (await connection.execute(_NAMED, (f"^memory_vectors_near_[0-9]+_{_mark(embedder)}$",))).fetchall()
    if named:
        await connection.execute(_AS_OWNER)
        await connection.execute(_FORGET, (embedder,))
    for row in named:
        await connection.execute(_DROP_AT_ONCE.format(name=sql.Identifier(row["name"])))


def _mark(embedder: str) -> str:
    return sha256(embedder.encode()).hexdigest()[:16]


async def _large(connection: Connection, above: int) -> list[_Large]:
    async with connection.transaction():
        await connection.execute(_READ_ALL)
        rows = await (await connection.execute(_LARGE, (above,))).fetchall()
    return [_Large(**row) for row in rows if 0 < (row["dimensions"] or 0) <= MOST_DIMENSIONS]


async def _tend(connection: Connection, large: _Large) -> bool:
    """Make and measure an index where that is due; say whether one was made that is fit to be used."""
    state = await (await connection.execute(_STATE, (large.name,))).fetchone()
    known = await (await connection.execute(_KNOWN, (large.embedder, large.dimensions))).fetchone()
    there = state is not None and state["valid"]
    if known is not None and large.vectors < _GROWN * known["vectors"]:
        if known["ef_search"] is None:
            await _drop(connection, large)
            return False
        if there:
            return False
    if not there:
        # What was measured of a former index says nothing of the next.
        await connection.execute(_UNKNOWN, (large.embedder, large.dimensions))
        await _make(connection, large)
    return await _measure(connection, large) and not there


async def _make(connection: Connection, large: _Large) -> None:
    create = _CREATE.format(
        name=sql.Identifier(large.name),
        dimensions=sql.Literal(large.dimensions),
        embedder=sql.Literal(large.embedder),
        graph=sql.SQL(_GRAPH),
    )
    # What is left of an attempt that was broken off is of no use to anybody.
    await _drop(connection, large)
    try:
        await connection.execute(create)
    except errors.DiskFull:
        # A container often lends too little shared memory for several to work on one graph.
        await connection.execute("SET max_parallel_maintenance_workers = 0")
        await _drop(connection, large)
        await connection.execute(create)


async def _measure(connection: Connection, large: _Large) -> bool:
    """Let searches use an index if it finds enough, and drop it otherwise."""
    found = await measure(connection, large.embedder, large.dimensions, large.name)
    if found is None:
        _log.warning(
            "PostgreSQL does not use the vector index of %s, so nobody can tell what it finds. Large projects are "
            "compared one by one, which is exact and takes longer.",
            large.embedder,
        )
        return False
    values = (large.embedder, large.dimensions, large.vectors, found.recall, found.ef_search)
    await connection.execute(_RECORD, values)
    if found.ef_search is None:
        _warn(large, found)
        await _drop(connection, large)
    return found.ef_search is not None


def _warn(large: _Large, found: IndexRecall) -> None:
    _log.warning(
        "The vector index of %s finds %.1f %% of the nearest memories; %.0f %% are needed. It is dropped: large "
        "projects are compared one by one, which is exact and takes longer. It is tried again when there are twice as "
        "many vectors as now (%d).",
        large.embedder,
        100 * found.recall,
        100 * ENOUGH,
        large.vectors,
    )


async def _drop(connection: Connection, large: _Large) -> None:
    await connection.execute(_DROP.format(name=sql.Identifier(large.name)))
