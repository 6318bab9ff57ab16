"""Tier 2 on SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from memsieve.model import Admission, Entry, Layer, Scope
from memsieve.ports import CLOCK_SKEW, WORKING_CAP, WORKING_LIFE, Clock
from memsieve.runtime.lru_cache import ProjectCache
from memsieve.stores.admitted import admitted_life
from memsieve.stores.blobs import vector_blob
from memsieve.stores.records import entry_from, json_text
from memsieve.stores.sqlite.database import Database
from memsieve.stores.sqlite.rows import read, time_text, vector_from

_PUT = """
INSERT INTO working
    (project_id, entry_id, session_id, agent_id, node_id, confidence, content, metadata, created_at, expires_at,
     embedder, embedding)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT DO NOTHING
"""
_SWEEP = "DELETE FROM working WHERE project_id = ? AND expires_at <= ?"
_CAP = """
DELETE FROM working WHERE project_id = :project_id AND sequence IN (
    SELECT sequence FROM working WHERE project_id = :project_id AND expires_at <= :latest
    ORDER BY expires_at DESC, sequence DESC LIMIT -1 OFFSET :cap
)
"""
# An entry that would expire later than a whole life from now was admitted by a clock that ran ahead: not shown.
_LIVING = """
SELECT sequence FROM working WHERE project_id = :project_id AND expires_at > :now AND expires_at <= :latest
ORDER BY expires_at DESC, sequence DESC LIMIT :cap
"""
_ROWS = """
SELECT *, entry_id AS id, metadata AS raw_metadata FROM working
WHERE project_id = ? AND sequence IN (SELECT value FROM json_each(?))
"""
_REVISION = "SELECT removed FROM revisions WHERE project_id = ? AND kind = 'working'"
_FORGET = "DELETE FROM working WHERE project_id = ? AND entry_id IN (SELECT value FROM json_each(?))"


@dataclass(frozen=True, slots=True)
class Held:
    """A project's entries as they were read, and how often its rows had changed by then."""

    changes: int
    entries: dict[int, Entry]


class SqliteWorking:
    """Implements `ports.WorkingStore`."""

    def __init__(self, database: Database, embedder: str, clock: Clock) -> None:
        self._database = database
        self._embedder = embedder
        self._clock = clock
        # Rows change when they are embedded anew only: what was read once need not be made from its columns again.
        self._held: ProjectCache[Held] = ProjectCache()

    async def put(self, scope: Scope, entry: Entry, admission: Admission, life: timedelta = WORKING_LIFE) -> None:
        expires_at = self._clock() + admitted_life(scope, entry, admission, life)
        row = (
            scope.project_id,
            entry.id,
            entry.session_id,
            entry.agent_id,
            entry.node_id,
            entry.confidence,
            entry.content,
            json_text(entry.metadata),
            time_text(entry.created_at),
            time_text(expires_at),
            self._embedder,
            vector_blob(entry.embedding),
        )

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(_SWEEP, (scope.project_id, time_text(self._clock())))
            connection.execute(_PUT, row)
            connection.execute(_CAP, self._bounds(scope))

        await self._database.write(work, durable=False)

    async def list(self, scope: Scope) -> list[Entry]:
        bounds = self._bounds(scope)
        before = self._held.get(scope.project_id)

        def work(connection: sqlite3.Connection) -> Held:
            revision = connection.execute(_REVISION, (scope.project_id,)).fetchone()
            changes = 0 if revision is None else revision["removed"]
            held = before.entries if before is not None and before.changes == changes else {}
            living = [row["sequence"] for row in connection.execute(_LIVING, bounds)]
            unread = json_text([sequence for sequence in living if sequence not in held])
            read = {row["sequence"]: self._entry(row) for row in connection.execute(_ROWS, (scope.project_id, unread))}
            return Held(changes, {sequence: held.get(sequence) or read[sequence] for sequence in living})

        now_held = await self._database.read(work, short=True)
        self._held.set(scope.project_id, now_held)
        return [*now_held.entries.values()]

    async def forget(self, scope: Scope, entry_ids: Sequence[str]) -> int:
        values = (scope.project_id, json_text(list(entry_ids)))
        return await self._database.write(lambda connection: connection.execute(_FORGET, values).rowcount)

    def _bounds(self, scope: Scope) -> dict[str, str | int]:
        now = self._clock()
        latest = now + WORKING_LIFE + CLOCK_SKEW
        return {"project_id": scope.project_id, "now": time_text(now), "latest": time_text(latest), "cap": WORKING_CAP}

    def _entry(self, row: sqlite3.Row) -> Entry:
        values = read(row, times=("created_at", "expires_at"), values=("raw_metadata",))
        entry = entry_from(values, vector_from(row, self._embedder))
        return replace(entry, layer=Layer.WORKING, expires_at=values["expires_at"])
