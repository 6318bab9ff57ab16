"""Tier 3 on PostgreSQL: rows that a person approved, searched by the database."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain
from typing import Any, NamedTuple

from memsieve.model import Approval, Chunk, LongTermMemory, Origin, Role, Scope, SearchHit, Tombstone, Vector
from memsieve.ports import Clock
from memsieve.stores.audit import Approved, promotion, promotion_detail, unverified, without_insights
from memsieve.stores.insights import promoted, require_waiting
from memsieve.stores.postgres import logs
from memsieve.stores.postgres import tombstones as tombstones_table
from memsieve.stores.postgres.database import Connection, Database, DbRole
from memsieve.stores.postgres.digests import decide_insight, insight_decision
from memsieve.stores.postgres.psycopg_internals import BinaryArrayEncoder, ManyRows, send_all
from memsieve.stores.postgres.rows import array_text, fetch, vector_of
from memsieve.stores.postgres.search.searcher import Searcher, SearchQuery
from memsieve.stores.postgres.search.terms import NUMBERS, hash_terms
from memsieve.stores.rows import BEYOND_ALL, content_hash, memory_from
from memsieve.text.tokenize import is_chinese, tokenize

_RETIRE = """
INSERT INTO retirements (project_id, approval_id, retired_by, retired_at, reason) VALUES (%s, %s, %s, %s, %s)
ON CONFLICT DO NOTHING
"""
_VERIFIED = """
SELECT content_hash FROM reviewed WHERE project_id = %s AND content_hash = ANY(%s::text[]) AND retired_at IS NULL
"""
_WITH_SOURCES = """
SELECT r.*, ARRAY(
    SELECT entry_id FROM approval_sources s WHERE s.project_id = r.project_id AND s.approval_id = r.id ORDER BY entry_id
) AS entry_ids
FROM reviewed r WHERE r.project_id = (SELECT asking_project())
"""
_BY_CONTENT = f"{_WITH_SOURCES} AND r.content_hash = %(hash)s AND r.retired_at IS NULL"
_BY_ANY_ID = f"""{_WITH_SOURCES} AND r.id = ANY(ARRAY(
    SELECT %(id)s
    UNION SELECT approval_id FROM memories WHERE project_id = (SELECT asking_project()) AND id = %(id)s
    UNION SELECT approval_id FROM approval_sources WHERE project_id = (SELECT asking_project()) AND entry_id = %(id)s
))
ORDER BY r.retired_at IS NOT NULL, r.sequence DESC LIMIT 1
"""  # noqa: S608 - made of constants
_PLACE = "(SELECT sequence FROM approvals WHERE project_id = (SELECT asking_project()) AND id = %(after_id)s)"
_STANDING = f"{_WITH_SOURCES} AND (r.retired_at IS NOT NULL) = %(retired)s"
_HOLDING = "AND strpos(lower(r.content), lower(%(text)s)) > 0"
_IN_ORDER = f"AND r.sequence > coalesce({_PLACE}, 0) ORDER BY r.sequence LIMIT %(limit)s"
_NEWEST_FIRST = f"AND r.sequence < coalesce({_PLACE}, {BEYOND_ALL}) ORDER BY r.sequence DESC LIMIT %(limit)s"
_CHUNKS = """
SELECT m.approval_id, m.id, m.position, m.content, v.embedding FROM memories m
LEFT JOIN memory_vectors v ON v.project_id = m.project_id AND v.sequence = m.sequence AND v.embedder = %(embedder)s
WHERE m.project_id = (SELECT asking_project()) AND m.approval_id = ANY(%(approvals)s)
ORDER BY m.position
"""


class PostgresLongTerm:
    """Implements `ports.LongTermStore`."""

    def __init__(self, database: Database, embedder: str, clock: Clock) -> None:
        self._database = database
        self._embedder = embedder
        self._clock = clock
        self._searcher = Searcher(database)

    async def add(self, scope: Scope, approval: Approval, chunks: Sequence[Chunk]) -> LongTermMemory:
        scope.require(Role.PERSON)

        async def work(connection: Connection) -> LongTermMemory:
            insight_id = approval.insight_id
            if insight_id is not None:
                require_waiting(insight_id, await insight_decision(connection, scope, insight_id))
            living = await self._read(connection, _BY_CONTENT, hash=content_hash(approval.content))
            standing = living[0].approval if living else approval
            new_sources = set(approval.entry_ids) - set(standing.entry_ids if living else ())
            if not living or new_sources or insight_id is not None:
                await tombstones_table.lift(connection, scope, approval, chunks, self._clock())
                kept = promotion_detail(approval, standing)
                await logs.append(connection, scope, "promoted", standing.id, approval.at, detail=kept)
            if not living:
                await _write(connection, scope, self._embedder, [(approval, chunks)])
            else:
                await _add_approval_sources(connection, scope, [(standing.id, one) for one in sorted(new_sources)])
            if insight_id is not None:
                await decide_insight(connection, scope, insight_id, promoted(scope, approval.at, standing.id))
            [memory] = await self._read(connection, _BY_ANY_ID, id=standing.id)
            return memory

        return await self._database.write(DbRole.REVIEWER, scope, work, exclusive=True)

    async def add_all(self, scope: Scope, approved: Sequence[Approved]) -> int:
        scope.require(Role.PERSON)
        plain = without_insights(approved)

        async def work(connection: Connection) -> int:
            verified = await fetch(connection, _VERIFIED, (scope.project_id, array_text(plain)))
            fresh = unverified(plain, {row["content_hash"] for row in verified})
            if fresh:
                await tombstones_table.lift_all(connection, scope, fresh, self._clock())
                lines = await logs.lines(connection, scope, (promotion(approval) for approval, _ in fresh))
                await _write(connection, scope, self._embedder, fresh, lines)
            return len(fresh)

        return await self._database.write(DbRole.REVIEWER, scope, work, exclusive=True)

    async def search(
        self, scope: Scope, vector: Vector | None, words: Sequence[str], limit: int, since: datetime | None = None
    ) -> list[SearchHit]:
        asked = SearchQuery(scope=scope, embedder=self._embedder, vector=vector, words=words, limit=limit, since=since)
        return await self._searcher.search(asked)

    async def get(self, scope: Scope, any_id: str) -> LongTermMemory | None:
        found = await self._database.read(
            DbRole.AGENT, scope, lambda connection: self._read(connection, _BY_ANY_ID, id=any_id)
        )
        return found[0] if found else None

    async def find(
        self,
        scope: Scope,
        after_id: str | None,
        limit: int,
        *,
        text: str | None = None,
        retired: bool = False,
        newest_first: bool = False,
    ) -> list[LongTermMemory]:
        holding = [] if text is None else [_HOLDING]
        sql = "\n".join([_STANDING, *holding, _NEWEST_FIRST if newest_first else _IN_ORDER])
        values = {"after_id": after_id, "limit": limit, "text": text, "retired": retired}
        return await self._database.read(DbRole.AGENT, scope, lambda connection: self._read(connection, sql, **values))

    async def retire(self, scope: Scope, memory_id: str, reason: str, tombstones: Sequence[Tombstone]) -> bool:
        scope.require(Role.PERSON)
        now = self._clock()

        async def work(connection: Connection) -> bool:
            row = (scope.project_id, memory_id, scope.actor, now, reason)
            if not (await connection.execute(_RETIRE, row)).rowcount:
                return False
            for tombstone in tombstones:
                await tombstones_table.insert(connection, scope, tombstone, self._embedder)
            await logs.append(connection, scope, "retired", memory_id, now, reason)
            return True

        return await self._database.write(DbRole.REVIEWER, scope, work, exclusive=True)

    async def _read(self, connection: Connection, sql: str, **values: Any) -> list[LongTermMemory]:
        rows = await fetch(connection, sql, values)
        wanted = {"embedder": self._embedder, "approvals": [row["id"] for row in rows]}
        chunks: dict[str, list[Chunk]] = {}
        for chunk in await fetch(connection, _CHUNKS, wanted) if rows else ():
            chunks.setdefault(chunk["approval_id"], []).append(_chunk(chunk))
        return [memory_from(row, row["entry_ids"], chunks.get(row["id"], ())) for row in rows]


def _chunk(row: Mapping[str, Any]) -> Chunk:
    return Chunk(
        id=row["id"],
        position=row["position"],
        content=row["content"],
        words=tokenize(row["content"]),
        embedding=vector_of(row["embedding"]),
    )


# More approvals than these would take too much memory at once.
MANY = 5_000

_NEXT_NUMBERS = "SELECT array_agg(nextval('memories_sequence_seq')) AS numbers FROM generate_series(1, %s)"
_ADD_APPROVALS = """
INSERT INTO approvals (project_id, promoted_by, id, content, content_hash, promoted_at)
SELECT %(project_id)s::text, %(actor)s::text, unnest(%(ids)s::text[]), unnest(%(contents)s::text[]),
    unnest(%(hashes)s::text[]), unnest(%(moments)s::timestamptz[])
"""
_ADD_SOURCES = """
INSERT INTO approval_sources (project_id, approval_id, entry_id)
SELECT %(project_id)s::text, unnest(%(approval_ids)s::text[]), unnest(%(entry_ids)s::text[])
"""
_ADD_MEMORIES = """
INSERT INTO memories (project_id, embedder, sequence, id, approval_id, position, content) OVERRIDING SYSTEM VALUE
SELECT %(project_id)s::text, %(embedder)s::text, unnest(%(numbers)s::int8[]), unnest(%(ids)s::text[]),
    unnest(%(approval_ids)s::text[]), unnest(%(positions)s::int4[]), unnest(%(contents)s::text[])
"""
# PostgreSQL has no arrays of arrays of different lengths: one array holds the words of all texts, each up to its end.
_ADD_WORDS = """
INSERT INTO memory_words (project_id, sequence, at, chinese, length, words, counts)
SELECT %(project_id)s::text, number, at, chinese, length, (%(words)s::int4[])[first:last], counts
FROM (
    SELECT unnest(%(numbers)s::int8[]) AS number, unnest(%(moments)s::timestamptz[]) AS at,
        unnest(%(chinese)s::bool[]) AS chinese, unnest(%(lengths)s::int4[]) AS length,
        unnest(%(firsts)s::int4[]) AS first, unnest(%(lasts)s::int4[]) AS last,
        unnest(%(counts)s::sparsevec[]) AS counts
) arriving
"""
_ADD_VECTORS = """
INSERT INTO memory_vectors (project_id, embedder, sequence, at, chinese, embedding)
SELECT %(project_id)s::text, %(embedder)s::text, unnest(%(numbers)s::int8[]), unnest(%(moments)s::timestamptz[]),
    unnest(%(chinese)s::bool[]), unnest(%(vectors)s::halfvec[])
"""
_ADD_PLACES = """
INSERT INTO memory_places (project_id, sequence, session_id, said_at)
SELECT %(project_id)s::text, unnest(%(numbers)s::int8[]), unnest(%(sessions)s::text[]),
    unnest(%(moments)s::timestamptz[])
"""


class _Piece(NamedTuple):
    """A chunk of an approved text under the number it has in the database."""

    number: int
    approval: Approval
    chunk: Chunk
    chinese: bool


async def _write(
    connection: Connection,
    scope: Scope,
    embedder: str,
    approved: Sequence[Approved],
    lines: Iterable[ManyRows] = (),
) -> None:
    """Write approvals by the person who asks, after their audit lines, unless these are there already."""
    count = sum(len(chunks) for _, chunks in approved)
    [row] = await fetch(connection, _NEXT_NUMBERS, (count,))
    statements = _statements(BinaryArrayEncoder(connection), scope, embedder, approved, iter(row["numbers"] or ()))
    await send_all(connection, chain(lines, statements), rows=count)


async def _add_approval_sources(connection: Connection, scope: Scope, sources: Sequence[tuple[str, str]]) -> None:
    """Add entries as sources of approvals."""
    if sources:
        statement = _sources(BinaryArrayEncoder(connection), scope, sources)
        await send_all(connection, iter([statement]), rows=len(sources))


def _statements(
    arrays: BinaryArrayEncoder, scope: Scope, embedder: str, approved: Sequence[Approved], numbers: Iterator[int]
) -> Iterator[ManyRows]:
    for begin in range(0, len(approved), MANY):
        some = approved[begin : begin + MANY]
        yield _approvals(arrays, scope, some)
        sources = [(approval.id, entry_id) for approval, _ in some for entry_id in approval.entry_ids]
        if sources:
            yield _sources(arrays, scope, sources)
        pieces = [
            _Piece(next(numbers), approval, chunk, is_chinese(chunk.words))
            for approval, chunks in some
            for chunk in chunks
        ]
        if pieces:
            yield _memories(arrays, scope, embedder, pieces)
            yield _words(arrays, scope, pieces)
        origins = [(one.number, origin) for one in pieces if (origin := one.approval.origin) is not None]
        if origins:
            yield _origins(arrays, scope, origins)
        read = [one for one in pieces if one.chunk.embedding is not None]
        if read:
            yield _vectors(arrays, scope, embedder, read)


def _approvals(arrays: BinaryArrayEncoder, scope: Scope, approved: Sequence[Approved]) -> ManyRows:
    return _ADD_APPROVALS, {
        "project_id": scope.project_id,
        "actor": scope.actor,
        "ids": arrays.texts(one.id for one, _ in approved),
        "contents": arrays.texts(one.content for one, _ in approved),
        "hashes": arrays.texts(content_hash(one.content) for one, _ in approved),
        "moments": arrays.moments(one.at for one, _ in approved),
    }


def _sources(arrays: BinaryArrayEncoder, scope: Scope, sources: Sequence[tuple[str, str]]) -> ManyRows:
    return _ADD_SOURCES, {
        "project_id": scope.project_id,
        "approval_ids": arrays.texts(approval_id for approval_id, _ in sources),
        "entry_ids": arrays.texts(entry_id for _, entry_id in sources),
    }


def _memories(arrays: BinaryArrayEncoder, scope: Scope, embedder: str, pieces: Sequence[_Piece]) -> ManyRows:
    return _ADD_MEMORIES, {
        "project_id": scope.project_id,
        "embedder": embedder,
        "numbers": arrays.bigints([one.number for one in pieces]),
        "ids": arrays.texts(one.chunk.id for one in pieces),
        "approval_ids": arrays.texts(one.approval.id for one in pieces),
        "positions": arrays.integers([one.chunk.position for one in pieces]),
        "contents": arrays.texts(one.chunk.content for one in pieces),
    }


def _words(arrays: BinaryArrayEncoder, scope: Scope, pieces: Sequence[_Piece]) -> ManyRows:
    words, reached, ends = hash_terms(scope.project_id, [one.chunk.words for one in pieces])
    return _ADD_WORDS, {
        "project_id": scope.project_id,
        "numbers": arrays.bigints([one.number for one in pieces]),
        "moments": arrays.moments(one.approval.at for one in pieces),
        "chinese": arrays.flags([one.chinese for one in pieces]),
        "lengths": arrays.integers([len(one.chunk.words) for one in pieces]),
        "words": arrays.integers(words),
        "firsts": arrays.integers([1, *(end + 1 for end in ends[:-1])]),
        "lasts": arrays.integers(ends),
        "counts": arrays.sparse(NUMBERS, ends, words, reached),
    }


def _vectors(arrays: BinaryArrayEncoder, scope: Scope, embedder: str, pieces: Sequence[_Piece]) -> ManyRows:
    return _ADD_VECTORS, {
        "project_id": scope.project_id,
        "embedder": embedder,
        "numbers": arrays.bigints([one.number for one in pieces]),
        "moments": arrays.moments(one.approval.at for one in pieces),
        "chinese": arrays.flags([one.chinese for one in pieces]),
        "vectors": arrays.halves(vector for one in pieces if (vector := one.chunk.embedding) is not None),
    }


def _origins(arrays: BinaryArrayEncoder, scope: Scope, origins: Sequence[tuple[int, Origin]]) -> ManyRows:
    return _ADD_PLACES, {
        "project_id": scope.project_id,
        "numbers": arrays.bigints([number for number, _ in origins]),
        "sessions": arrays.texts(origin.session_id for _, origin in origins),
        "moments": arrays.moments(origin.at for _, origin in origins),
    }
