"""Memories from before their words were kept for searching: the cutter of words is not in the database, but here."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import psycopg
from pgvector import SparseVector
from pgvector.psycopg import register_vector_async
from psycopg.rows import dict_row

from memsieve.stores.postgres.words import NUMBERS, numbered
from memsieve.text.tokenize import is_chinese, tokenize

BATCH = 1000
_THERE = "SELECT to_regclass('memory_words') IS NOT NULL AS there"
_AS = "SELECT set_config('role', %s, true), set_config('app.project', %s, true), set_config('app.across', %s, true)"
_UNSEARCHED = """
SELECT m.project_id, m.sequence, m.content, p.promoted_at
FROM memories m JOIN approvals p ON p.project_id = m.project_id AND p.id = m.approval_id
WHERE NOT EXISTS (SELECT FROM retirements r WHERE r.project_id = m.project_id AND r.approval_id = m.approval_id)
    AND NOT EXISTS (SELECT FROM memory_words w WHERE w.project_id = m.project_id AND w.sequence = m.sequence)
ORDER BY m.project_id, m.sequence LIMIT %s
"""
_ADD = """
INSERT INTO memory_words (project_id, sequence, at, chinese, length, words, counts) VALUES (%s, %s, %s, %s, %s, %s, %s)
ON CONFLICT DO NOTHING
"""
# They have no vector either: for every embedder they are another's, and `memsieve reembed` reads them.
_UNREAD = "UPDATE memories SET embedder = '' WHERE project_id = %s AND sequence = ANY(%s)"

Connection = psycopg.AsyncConnection[Any]


async def make_searchable(connection: Connection) -> int:
    """Keep the words of all living memories that have none yet, and return how many that were."""
    cursor = connection.cursor(row_factory=dict_row)
    there = await (await cursor.execute(_THERE)).fetchone()
    if there is None or not there["there"]:
        return 0
    await register_vector_async(connection)
    done = 0
    while found := await _next(connection):
        done += found
    return done


async def _next(connection: Connection) -> int:
    async with connection.transaction(), connection.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(_AS, ("memsieve_filter", "", "on"))
        found = await (await cursor.execute(_UNSEARCHED, (BATCH,))).fetchall()
        for project_id, group in groupby(found, key=lambda row: row["project_id"]):
            rows = list(group)
            await cursor.execute(_AS, ("memsieve_reviewer", project_id, ""))
            await cursor.executemany(_ADD, [_words(row) for row in rows])
            await cursor.execute(_UNREAD, (project_id, [row["sequence"] for row in rows]))
    return len(found)


def _words(row: dict[str, Any]) -> tuple[Any, ...]:
    words = tokenize(row["content"])
    found = numbered(row["project_id"], [words])
    numbers = found.words.tolist()
    counts = SparseVector(dict(zip(numbers, found.reached.tolist(), strict=True)), NUMBERS)
    key = (row["project_id"], row["sequence"], row["promoted_at"])
    return (*key, is_chinese(words), len(words), numbers, counts)
