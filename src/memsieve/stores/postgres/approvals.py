"""Approvals with their chunks, words and vectors on PostgreSQL, written within the transaction of their audit lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from psycopg import sql

from memsieve.model import Approval, Chunk, Scope
from memsieve.retrieval.languages import is_chinese
from memsieve.stores.postgres.database import Connection
from memsieve.stores.postgres.rows import copy_in, fetch, half
from memsieve.stores.postgres.words import numbered
from memsieve.stores.promotions import Approved
from memsieve.stores.records import content_hash

# More rows than these are worth a temporary table.
FEW = 50

_INSERT = sql.SQL("INSERT INTO {table} ({columns}) OVERRIDING SYSTEM VALUE VALUES ({values})")
_NUMBERS = "SELECT nextval('memories_sequence_seq') AS sequence FROM generate_series(1, %s)"

_APPROVALS = {
    "id": "text",
    "content": "text",
    "content_hash": "text",
    "promoted_by": "text",
    "promoted_at": "timestamptz",
}
_SOURCES = {"approval_id": "text", "entry_id": "text"}
_MEMORIES = {
    "sequence": "int8",
    "id": "text",
    "approval_id": "text",
    "position": "int4",
    "content": "text",
    "embedder": "text",
}
_WORDS = {
    "sequence": "int8",
    "at": "timestamptz",
    "chinese": "bool",
    "length": "int4",
    "words": "int4[]",
    "counts": "sparsevec",
}
_VECTORS = {"sequence": "int8", "embedder": "text", "at": "timestamptz", "chinese": "bool", "embedding": "halfvec"}


class Placed(NamedTuple):
    """A chunk of an approved text under the number it has in the database."""

    project_id: str
    number: int
    approval: Approval
    chunk: Chunk


async def write(connection: Connection, scope: Scope, embedder: str, approved: Sequence[Approved]) -> None:
    """Write approvals by the person who asks, whose audit lines are there already."""
    rows = [(one.id, one.content, content_hash(one.content), scope.actor, one.at) for one, _ in approved]
    await _insert(connection, scope, "approvals", _APPROVALS, rows)
    await add_sources(connection, scope, [(one.id, entry_id) for one, _ in approved for entry_id in one.entry_ids])
    pieces = [(approval, chunk) for approval, chunks in approved for chunk in chunks]
    numbers = [row["sequence"] for row in await fetch(connection, _NUMBERS, (len(pieces),))]
    placed = [Placed(scope.project_id, number, *piece) for number, piece in zip(numbers, pieces, strict=True)]
    for table, columns, row_of in _OF_A_CHUNK:
        rows = [row for row in (row_of(one, embedder) for one in placed) if row is not None]
        await _insert(connection, scope, table, columns, rows)


async def add_sources(connection: Connection, scope: Scope, sources: Sequence[tuple[str, str]]) -> None:
    """Add entries as sources of approvals."""
    await _insert(connection, scope, "approval_sources", _SOURCES, sources)


async def _insert(
    connection: Connection, scope: Scope, table: str, columns: Mapping[str, str], rows: Sequence[tuple[Any, ...]]
) -> None:
    columns = {"project_id": "text", **columns}
    rows = [(scope.project_id, *row) for row in rows]
    if len(rows) > FEW:
        await copy_in(connection, table, columns, rows, binary=True)
    elif rows:
        insert = _INSERT.format(
            table=sql.Identifier(table),
            columns=sql.SQL(", ").join(map(sql.Identifier, columns)),
            values=sql.SQL(", ").join([sql.Placeholder()] * len(columns)),
        )
        await connection.cursor().executemany(insert, rows)


def _memory(placed: Placed, embedder: str) -> tuple[Any, ...]:
    _, number, approval, chunk = placed
    return (number, chunk.id, approval.id, chunk.position, chunk.content, embedder)


def _words(placed: Placed, _embedder: str) -> tuple[Any, ...]:
    project_id, number, approval, chunk = placed
    counts = numbered(project_id, chunk.words)
    return (number, approval.at, is_chinese(chunk.words), len(chunk.words), counts.indices(), counts)


def _vector(placed: Placed, embedder: str) -> tuple[Any, ...] | None:
    _, number, approval, chunk = placed
    if chunk.embedding is None:
        return None
    return (number, embedder, approval.at, is_chinese(chunk.words), half(chunk.embedding))


_OF_A_CHUNK: tuple[tuple[str, Mapping[str, str], Callable[[Placed, str], tuple[Any, ...] | None]], ...] = (
    ("memories", _MEMORIES, _memory),
    ("memory_words", _WORDS, _words),
    ("memory_vectors", _VECTORS, _vector),
)
