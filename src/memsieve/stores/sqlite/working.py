"""Tier 2 on SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from memsieve.model import Admission, Entry, Layer, Scope
from memsieve.ports import CLOCK_SKEW, WORKING_CAP, WORKING_LIFE, Clock
from memsieve.runtime.lru_cache import ProjectCache
from memsieve.stores.rows import WORKING_COLUMNS, entry_from, entry_values, json_text, vector_blob
from memsieve.stores.sqlite.database import Database
from memsieve.stores.sqlite.rows import READ, WRITTEN, text_time, time_text, vector_from
from memsieve.stores.working_policy import Holder, admitted_life, displaced

_PUT = f"""
INSERT INTO working ({", ".join(WORKING_COLUMNS.values())}, expires_at, embedder, embedding)
VALUES ({", ".join(f":{name}" for name in WORKING_COLUMNS)}, :expires_at, :embedder, :embedding)
ON CONFLICT DO NOTHING
"""  # noqa: S608 - made of constants
_SWEEP = "DELETE FROM working WHERE project_id = ? AND expires_at <= ?"
_HELD = """
SELECT sequence, session_id, recorded_by FROM working WHERE project_id = :project_id AND expires_at <= :latest
ORDER BY expires_at, sequence
"""
_DISPLACE = "DELETE FROM working WHERE sequence = ?"
# An entry that would expire later than a whole life from now was admitted by a clock that ran ahead: not shown.
_LIVING = """
SELECT sequence FROM working WHERE project_id = :project_id AND expires_at > :now AND expires_at <= :latest
ORDER BY expires_at DESC, sequence DESC LIMIT :cap
"""
_ROWS = """
SELECT * FROM working
WHERE project_id = ? AND sequence IN (SELECT value FROM json_each(?))
"""
_REVISION = "SELECT removed FROM revisions WHERE project_id = ? AND kind = 'working'"
_FORGET = "DELETE FROM working WHERE project_id = ? AND entry_id IN (SELECT value FROM json_each(?))"


@dataclass(frozen=True, slots=True)
class CachedEntries:
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
        self._cache: ProjectCache[CachedEntries] = ProjectCache()

    async def put(self, scope: Scope, entry: Entry, admission: Admission, life: timedelta = WORKING_LIFE) -> None:
        expires_at = self._clock() + admitted_life(scope, entry, admission, life)
        row = {
            **entry_values(entry, WRITTEN),
            "project_id": scope.project_id,
            "expires_at": time_text(expires_at),
            "embedder": self._embedder,
            "embedding": vector_blob(entry.embedding),
        }

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(_SWEEP, (scope.project_id, time_text(self._clock())))
            connection.execute(_PUT, row)
            held = {row[0]: Holder(*row[1:]) for row in connection.execute(_HELD, self._bounds(scope))}
            while len(held) > WORKING_CAP:
                gone = displaced(held, Holder(entry.session_id, entry.recorded_by))
                connection.execute(_DISPLACE, (gone,))
                del held[gone]

        await self._database.write(work, durable=False)

    async def list(self, scope: Scope) -> list[Entry]:
        bounds = self._bounds(scope)
        before = self._cache.get(scope.project_id)

        def work(connection: sqlite3.Connection) -> CachedEntries:
            revision = connection.execute(_REVISION, (scope.project_id,)).fetchone()
            changes = 0 if revision is None else revision["removed"]
            known = before.entries if before is not None and before.changes == changes else {}
            living = [row["sequence"] for row in connection.execute(_LIVING, bounds)]
            unread = json_text([sequence for sequence in living if sequence not in known])
            read = {row["sequence"]: self._entry(row) for row in connection.execute(_ROWS, (scope.project_id, unread))}
            return CachedEntries(changes, {sequence: known.get(sequence) or read[sequence] for sequence in living})

        cached = await self._database.read(work, short=True)
        self._cache.set(scope.project_id, cached)
        return [*cached.entries.values()]

    async def forget(self, scope: Scope, entry_ids: Sequence[str]) -> int:
        values = (scope.project_id, json_text(list(entry_ids)))
        return await self._database.write(lambda connection: connection.execute(_FORGET, values).rowcount)

    def _bounds(self, scope: Scope) -> dict[str, str | int]:
        now = self._clock()
        latest = now + WORKING_LIFE + CLOCK_SKEW
        return {"project_id": scope.project_id, "now": time_text(now), "latest": time_text(latest), "cap": WORKING_CAP}

    def _entry(self, row: sqlite3.Row) -> Entry:
        return entry_from(
            dict(row),
            vector_from(row, self._embedder),
            columns=WORKING_COLUMNS,
            codecs=READ,
            layer=Layer.WORKING,
            expires_at=text_time(row["expires_at"]),
        )
