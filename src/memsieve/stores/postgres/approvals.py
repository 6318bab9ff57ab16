"""Approvals with their chunks, words and vectors on PostgreSQL, written within the transaction of their audit lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from memsieve.model import Approval, Chunk, Origin, Scope
from memsieve.stores.postgres.columns import Arrays, Statement, send_all
from memsieve.stores.postgres.database import Connection
from memsieve.stores.postgres.rows import fetch
from memsieve.stores.postgres.words import NUMBERS, numbered
from memsieve.stores.promotions import Approved
from memsieve.stores.records import content_hash
from memsieve.text.tokenize import is_chinese

# More approvals than these would take too much memory at once.
MANY = 5_000

_NUMBERS = "SELECT array_agg(nextval('memories_sequence_seq')) AS numbers FROM generate_series(1, %s)"
_APPROVALS = """
INSERT INTO approvals (project_id, promoted_by, id, content, content_hash, promoted_at)
SELECT %(project_id)s::text, %(actor)s::text, unnest(%(ids)s::text[]), unnest(%(contents)s::text[]),
    unnest(%(hashes)s::text[]), unnest(%(moments)s::timestamptz[])
"""
_SOURCES = """
INSERT INTO approval_sources (project_id, approval_id, entry_id)
SELECT %(project_id)s::text, unnest(%(approval_ids)s::text[]), unnest(%(entry_ids)s::text[])
"""
_MEMORIES = """
INSERT INTO memories (project_id, embedder, sequence, id, approval_id, position, content) OVERRIDING SYSTEM VALUE
SELECT %(project_id)s::text, %(embedder)s::text, unnest(%(numbers)s::int8[]), unnest(%(ids)s::text[]),
    unnest(%(approval_ids)s::text[]), unnest(%(positions)s::int4[]), unnest(%(contents)s::text[])
"""
# An array of arrays cannot be told apart again: the words of all texts lie in one, each text's up to its end.
_WORDS = """
INSERT INTO memory_words (project_id, sequence, at, chinese, length, words, counts)
SELECT %(project_id)s::text, number, at, chinese, length, (%(words)s::int4[])[first:last], counts
FROM (
    SELECT unnest(%(numbers)s::int8[]) AS number, unnest(%(moments)s::timestamptz[]) AS at,
        unnest(%(chinese)s::bool[]) AS chinese, unnest(%(lengths)s::int4[]) AS length,
        unnest(%(firsts)s::int4[]) AS first, unnest(%(lasts)s::int4[]) AS last,
        unnest(%(counts)s::sparsevec[]) AS counts
) arriving
"""
_VECTORS = """
INSERT INTO memory_vectors (project_id, embedder, sequence, at, chinese, embedding)
SELECT %(project_id)s::text, %(embedder)s::text, unnest(%(numbers)s::int8[]), unnest(%(moments)s::timestamptz[]),
    unnest(%(chinese)s::bool[]), unnest(%(vectors)s::halfvec[])
"""
_PLACES = """
INSERT INTO memory_places (project_id, sequence, session_id, said_at)
SELECT %(project_id)s::text, unnest(%(numbers)s::int8[]), unnest(%(sessions)s::text[]),
    unnest(%(moments)s::timestamptz[])
"""


class Piece(NamedTuple):
    """A chunk of an approved text under the number it has in the database."""

    number: int
    approval: Approval
    chunk: Chunk
    chinese: bool


async def write(
    connection: Connection,
    scope: Scope,
    embedder: str,
    approved: Sequence[Approved],
    lines: Iterable[Statement] = (),
) -> None:
    """Write approvals by the person who asks, after their audit lines, unless these are there already."""
    count = sum(len(chunks) for _, chunks in approved)
    [row] = await fetch(connection, _NUMBERS, (count,))
    statements = _statements(Arrays(connection), scope, embedder, approved, iter(row["numbers"] or ()))
    await send_all(connection, chain(lines, statements), rows=count)


async def add_sources(connection: Connection, scope: Scope, sources: Sequence[tuple[str, str]]) -> None:
    """Add entries as sources of approvals."""
    if sources:
        statement = _sources(Arrays(connection), scope, sources)
        await send_all(connection, iter([statement]), rows=len(sources))


def _statements(
    arrays: Arrays, scope: Scope, embedder: str, approved: Sequence[Approved], numbers: Iterator[int]
) -> Iterator[Statement]:
    for begin in range(0, len(approved), MANY):
        some = approved[begin : begin + MANY]
        yield _approvals(arrays, scope, some)
        sources = [(approval.id, entry_id) for approval, _ in some for entry_id in approval.entry_ids]
        if sources:
            yield _sources(arrays, scope, sources)
        pieces = [
            Piece(next(numbers), approval, chunk, is_chinese(chunk.words))
            for approval, chunks in some
            for chunk in chunks
        ]
        if pieces:
            yield _memories(arrays, scope, embedder, pieces)
            yield _words(arrays, scope, pieces)
        said = [(one.number, origin) for one in pieces if (origin := one.approval.origin) is not None]
        if said:
            yield _origins(arrays, scope, said)
        read = [one for one in pieces if one.chunk.embedding is not None]
        if read:
            yield _vectors(arrays, scope, embedder, read)


def _approvals(arrays: Arrays, scope: Scope, approved: Sequence[Approved]) -> Statement:
    return _APPROVALS, {
        "project_id": scope.project_id,
        "actor": scope.actor,
        "ids": arrays.texts(one.id for one, _ in approved),
        "contents": arrays.texts(one.content for one, _ in approved),
        "hashes": arrays.texts(content_hash(one.content) for one, _ in approved),
        "moments": arrays.moments(one.at for one, _ in approved),
    }


def _sources(arrays: Arrays, scope: Scope, sources: Sequence[tuple[str, str]]) -> Statement:
    return _SOURCES, {
        "project_id": scope.project_id,
        "approval_ids": arrays.texts(approval_id for approval_id, _ in sources),
        "entry_ids": arrays.texts(entry_id for _, entry_id in sources),
    }


def _memories(arrays: Arrays, scope: Scope, embedder: str, pieces: Sequence[Piece]) -> Statement:
    return _MEMORIES, {
        "project_id": scope.project_id,
        "embedder": embedder,
        "numbers": arrays.bigints([one.number for one in pieces]),
        "ids": arrays.texts(one.chunk.id for one in pieces),
        "approval_ids": arrays.texts(one.approval.id for one in pieces),
        "positions": arrays.integers([one.chunk.position for one in pieces]),
        "contents": arrays.texts(one.chunk.content for one in pieces),
    }


def _words(arrays: Arrays, scope: Scope, pieces: Sequence[Piece]) -> Statement:
    words, reached, ends = numbered(scope.project_id, [one.chunk.words for one in pieces])
    return _WORDS, {
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


def _vectors(arrays: Arrays, scope: Scope, embedder: str, pieces: Sequence[Piece]) -> Statement:
    return _VECTORS, {
        "project_id": scope.project_id,
        "embedder": embedder,
        "numbers": arrays.bigints([one.number for one in pieces]),
        "moments": arrays.moments(one.approval.at for one in pieces),
        "chinese": arrays.flags([one.chinese for one in pieces]),
        "vectors": arrays.halves(vector for one in pieces if (vector := one.chunk.embedding) is not None),
    }


def _origins(arrays: Arrays, scope: Scope, said: Sequence[tuple[int, Origin]]) -> Statement:
    return _PLACES, {
        "project_id": scope.project_id,
        "numbers": arrays.bigints([number for number, _ in said]),
        "sessions": arrays.texts(origin.session_id for _, origin in said),
        "moments": arrays.moments(origin.at for _, origin in said),
    }
