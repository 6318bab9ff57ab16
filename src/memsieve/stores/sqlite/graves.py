"""Tombstones on SQLite, written within the transaction of the deed that leaves them."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import datetime

from memsieve.model import Approval, Chunk, Scope, Tombstone
from memsieve.stores import records
from memsieve.stores.blobs import vector_blob
from memsieve.stores.records import content_hash, json_text, words_text
from memsieve.stores.sqlite.rows import read, time_text, vector_from

LIVING_ROWS = """
SELECT sequence, words, embedder, embedding, buried_at AS at, NULL AS session_id FROM tombstones
WHERE project_id = ? AND sequence > ? AND lifted_at IS NULL ORDER BY sequence
"""
_ADD = """
INSERT INTO tombstones
    (project_id, id, kind, source_id, content, content_hash, words, embedder, embedding, buried_by, buried_at, reason)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT DO NOTHING
"""
_STANDING = "SELECT * FROM tombstones WHERE project_id = ? AND source_id = ? AND lifted_at IS NULL"
_LIFT = """
UPDATE tombstones SET lifted_at = ?
WHERE project_id = ? AND lifted_at IS NULL AND (
    content_hash IN (SELECT value FROM json_each(?)) OR source_id IN (SELECT value FROM json_each(?))
)
"""


def add(connection: sqlite3.Connection, scope: Scope, tombstone: Tombstone, embedder: str) -> bool:
    """Write a tombstone; False if its source has one."""
    row = (
        scope.project_id,
        tombstone.id,
        tombstone.kind,
        tombstone.source_id,
        tombstone.content,
        content_hash(tombstone.content),
        words_text(tombstone.words),
        embedder,
        vector_blob(tombstone.embedding),
        scope.actor,
        time_text(tombstone.at),
        tombstone.reason,
    )
    return connection.execute(_ADD, row).rowcount > 0


def standing(connection: sqlite3.Connection, scope: Scope, source_id: str, embedder: str) -> Tombstone:
    """Return the tombstone that stands for a source."""
    return tombstone_from(connection.execute(_STANDING, (scope.project_id, source_id)).fetchone(), embedder)


def lift(
    connection: sqlite3.Connection, scope: Scope, approval: Approval, chunks: Sequence[Chunk], at: datetime
) -> None:
    """Lift the tombstones of what a person now approves."""
    hashes = [content_hash(text) for text in (approval.content, *(chunk.content for chunk in chunks))]
    values = (time_text(at), scope.project_id, json_text(hashes), json_text(list(approval.entry_ids)))
    connection.execute(_LIFT, values)


def tombstone_from(row: sqlite3.Row, embedder: str) -> Tombstone:
    """Return the tombstone of a row."""
    return records.tombstone_from(read(row, times=("buried_at",)), vector_from(row, embedder))
