"""HNSW indexes, one for each embedder with a project that is too large to be searched without."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from hashlib import sha256

from pgvector.psycopg import register_vector_async
from psycopg import AsyncConnection, errors, sql
from psycopg.rows import dict_row

from memsieve.stores.postgres.address import conninfo
from memsieve.stores.postgres.database import Connection
from memsieve.stores.postgres.errors import translated
from memsieve.stores.postgres.near import EXACT_ROWS
from memsieve.stores.postgres.recall import ENOUGH, Fitness, measured

# The most that an index over half-precision vectors takes.
MOST_DIMENSIONS = 4000
# A graph that outgrows this memory while it is made takes many times as long.
_MEMORY = "1GB"
_GRAPH = "m = 16, ef_construction = 64"
# An index is measured again when it holds so many times as many vectors.
_GROWN = 2

# Nobody waits for it: an index that is being made waits for all others' statements to end.
_LOCK = "SELECT pg_try_advisory_lock(hashtextextended('memsieve indexes', 0)) AS taken"
_ACROSS = "SELECT set_config('role', 'memsieve_filter', true), set_config('app.across', 'on', true)"
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

    An index is missing for an embedder that has read more than so many texts of one language in one project. One that
    does not find what comparing one by one finds is not kept. While somebody else makes indexes nothing is done.
    """
    with translated():
        async with await AsyncConnection.connect(conninfo(url), autocommit=True, row_factory=dict_row) as connection:
            lock = await (await connection.execute(_LOCK)).fetchone()
            if lock is None or not lock["taken"]:
                return []
            wanted = await _large(connection, above)
            if not wanted:
                return []
            await register_vector_async(connection)
            await connection.execute("SET ROLE memsieve_owner")
            await connection.execute(f"SET maintenance_work_mem = '{_MEMORY}'")
            return [large.embedder for large in wanted if await _tend(connection, large)]


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
        await connection.execute(_ACROSS)
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
    fitness = await measured(connection, large.embedder, large.dimensions, large.name)
    if fitness is None:
        _log.warning(
            "PostgreSQL does not use the vector index of %s, so nobody can tell what it finds. Large projects are "
            "compared one by one, which is exact and takes longer.",
            large.embedder,
        )
        return False
    values = (large.embedder, large.dimensions, large.vectors, fitness.recall, fitness.ef_search)
    await connection.execute(_RECORD, values)
    if fitness.ef_search is None:
        _warn(large, fitness)
        await _drop(connection, large)
    return fitness.ef_search is not None


def _warn(large: _Large, fitness: Fitness) -> None:
    _log.warning(
        "The vector index of %s finds %.1f %% of the nearest memories; %.0f %% are needed. It is dropped: large "
        "projects are compared one by one, which is exact and takes longer. It is tried again when there are twice as "
        "many vectors as now (%d).",
        large.embedder,
        100 * fitness.recall,
        100 * ENOUGH,
        large.vectors,
    )


async def _drop(connection: Connection, large: _Large) -> None:
    await connection.execute(_DROP.format(name=sql.Identifier(large.name)))
