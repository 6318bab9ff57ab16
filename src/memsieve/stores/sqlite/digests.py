"""Insights and the digests that made them, on SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any

from memsieve.model import Digest, Insight, InsightSource, Receipt, Role, Scope
from memsieve.stores.insights import Standing, digest_from, disputed_by
from memsieve.stores.records import json_text
from memsieve.stores.sqlite import receipts
from memsieve.stores.sqlite.database import Database
from memsieve.stores.sqlite.insights import insight_from, insight_row, source_from
from memsieve.stores.sqlite.rows import read, time_text

# By the index over time to the rows of the window, not through the whole project.
_UNDECIDED = f"""{receipts.SELECT}
AND q.sequence IN (
    SELECT sequence FROM quarantine_logs WHERE project_id = :project_id AND created_at >= :since
    UNION
    SELECT e.sequence FROM insights i
        CROSS JOIN insight_sources s ON s.project_id = i.project_id AND s.insight_id = i.id
        CROSS JOIN quarantine_logs e ON e.project_id = s.project_id AND e.id = s.entry_id
    WHERE i.project_id = :project_id AND i.review IS NULL
    UNION
    SELECT e.sequence FROM unplaced u
        CROSS JOIN quarantine_logs e ON e.project_id = u.project_id AND e.id = u.entry_id
    WHERE u.project_id = :project_id
)
AND review IS NULL ORDER BY q.sequence
"""  # noqa: S608 - made of constants
_WAITING = "i.project_id = :project_id AND i.review IS NULL"
_SETTLED = "i.project_id = :project_id AND i.review IS NOT NULL"
_ONE = "i.project_id = :project_id AND i.id = :id"
# A memory that was retired since is no verified memory to be near to.
_INSIGHTS = """
SELECT i.*, r.approval_id IS NOT NULL AS nearest_is_retired
FROM insights i LEFT JOIN retirements r
    ON r.project_id = i.project_id AND r.approval_id = json_extract(i.nearest, '$.memory_id')
WHERE {which} ORDER BY i.made_at, i.sequence
"""
_SOURCES = """
SELECT s.*, q.session_id, q.agent_id, q.confidence, q.created_at
FROM insights i
    CROSS JOIN insight_sources s ON s.project_id = i.project_id AND s.insight_id = i.id
    CROSS JOIN quarantine_logs q ON q.project_id = s.project_id AND q.id = s.entry_id
WHERE {which} ORDER BY s.insight_id, s.position
"""
_ADD = """
INSERT INTO insights
    (project_id, id, content, summarised_by, note, refinement, nearest, disputes, made_at, embedder, embedding)
VALUES (:project_id, :id, :content, :summarised_by, :note, :refinement, :nearest, :disputes, :made_at, :embedder,
    :embedding)
"""
_ADD_SOURCE = """
INSERT INTO insight_sources (project_id, insight_id, entry_id, position, quote, doubt, later)
VALUES (?, ?, ?, ?, ?, ?, ?)
"""
_DROP = """
DELETE FROM insights WHERE project_id = ? AND review IS NULL AND id IN (SELECT value FROM json_each(?))
"""
_SETTLED_IDS = """
SELECT id FROM insights WHERE project_id = ? AND review IS NOT NULL AND id IN (SELECT value FROM json_each(?))
"""
_WORDS = "SELECT id, content FROM insights WHERE project_id = ? AND id IN (SELECT value FROM json_each(?))"
_KNOWN = f"""
SELECT q.id, {receipts.REVIEW} AS review FROM quarantine_logs q
WHERE q.project_id = ? AND q.id IN (SELECT value FROM json_each(?))
"""  # noqa: S608 - made of constants
_POSITION = "SELECT coalesce(max(position) + 1, 0) FROM insight_sources WHERE project_id = ? AND insight_id = ?"
_PLACE_ALL = "DELETE FROM unplaced WHERE project_id = ?"
_UNPLACE = "INSERT INTO unplaced (project_id, entry_id) VALUES (?, ?) ON CONFLICT DO NOTHING"
_ADD_DIGEST = "INSERT INTO digests (project_id, made_at, since, entries, set_aside) VALUES (?, ?, ?, ?, ?)"
_LAST = "SELECT * FROM digests WHERE project_id = ? ORDER BY sequence DESC LIMIT 1"


class SqliteDigests:
    """Implements `ports.DigestStore`."""

    def __init__(self, database: Database, embedder: str) -> None:
        self._database = database
        self._embedder = embedder

    async def undecided(self, scope: Scope, since: datetime) -> list[Receipt]:
        scope.require(Role.PERSON, Role.SYSTEM)
        values = {"project_id": scope.project_id, "since": time_text(since)}

        def work(connection: sqlite3.Connection) -> list[Receipt]:
            return [receipts.receipt_from(row, self._embedder) for row in connection.execute(_UNDECIDED, values)]

        return await self._database.read(work)

    async def insights(self, scope: Scope, *, decided: bool) -> list[Insight]:
        scope.require(Role.PERSON, Role.SYSTEM)
        which = _SETTLED if decided else _WAITING
        return await self._database.read(lambda connection: self._read(connection, scope, which))

    async def get(self, scope: Scope, insight_id: str) -> Insight | None:
        scope.require(Role.PERSON, Role.SYSTEM)
        found = await self._database.read(lambda connection: self._read(connection, scope, _ONE, id=insight_id))
        return found[0] if found else None

    async def save(
        self,
        scope: Scope,
        digest: Digest,
        *,
        merged: Sequence[str] = (),
        later: Mapping[str, Sequence[InsightSource]] | None = None,
    ) -> Digest:
        scope.require(Role.PERSON, Role.SYSTEM)
        joining = {} if later is None else later

        def work(connection: sqlite3.Connection) -> Digest:
            connection.execute(_PLACE_ALL, (scope.project_id,))
            connection.execute(_DROP, (scope.project_id, json_text(list(merged))))
            self._join(connection, scope, joining)
            self._put_all(connection, scope, digest.insights)
            _add_digest(connection, scope, digest)
            kept = self._last(connection, scope)
            assert kept is not None  # noqa: S101 - it was written above, in this transaction
            return kept

        return await self._database.write(work)

    async def put(self, scope: Scope, insight: Insight) -> bool:
        scope.require(Role.PERSON, Role.SYSTEM)

        def work(connection: sqlite3.Connection) -> bool:
            standing = _standing(connection, scope, [insight])
            taken = standing.takes(insight)
            if taken:
                sources = standing.sources(insight)
                self._put(connection, scope, disputed_by(insight, sources), sources)
            return taken

        return await self._database.write(work)

    async def last(self, scope: Scope) -> Digest | None:
        scope.require(Role.PERSON, Role.SYSTEM)
        return await self._database.read(lambda connection: self._last(connection, scope))

    def _put_all(self, connection: sqlite3.Connection, scope: Scope, insights: Sequence[Insight]) -> None:
        standing = _standing(connection, scope, insights)
        for insight in insights:
            sources = standing.sources(insight)
            if standing.takes(insight):
                self._put(connection, scope, disputed_by(insight, sources), sources)
            else:
                connection.executemany(_UNPLACE, [(scope.project_id, source.entry_id) for source in sources])

    def _put(
        self, connection: sqlite3.Connection, scope: Scope, insight: Insight, sources: Sequence[InsightSource]
    ) -> None:
        connection.execute(_DROP, (scope.project_id, json_text([insight.id])))
        connection.execute(_ADD, {**insight_row(insight, self._embedder), "project_id": scope.project_id})
        _add_sources(connection, scope, insight.id, sources, later=False)

    def _join(self, connection: sqlite3.Connection, scope: Scope, later: Mapping[str, Sequence[InsightSource]]) -> None:
        known = _decided(connection, scope, [source.entry_id for sources in later.values() for source in sources])
        for insight_id in _settled(connection, scope, list(later)):
            there = [source for source in later[insight_id] if source.entry_id in known]
            _add_sources(connection, scope, insight_id, there, later=True)

    def _last(self, connection: sqlite3.Connection, scope: Scope) -> Digest | None:
        row = connection.execute(_LAST, (scope.project_id,)).fetchone()
        if row is None:
            return None
        values = read(row, times=("made_at", "since"), values=("set_aside",))
        return digest_from(values, self._read(connection, scope, _WAITING))

    def _read(self, connection: sqlite3.Connection, scope: Scope, which: str, **values: Any) -> list[Insight]:
        named = {"project_id": scope.project_id, **values}
        rows = connection.execute(_SOURCES.replace("{which}", which), named)
        sources = {
            insight_id: [(bool(row["later"]), source_from(row)) for row in group]
            for insight_id, group in groupby(rows, key=lambda row: row["insight_id"])
        }
        found = connection.execute(_INSIGHTS.replace("{which}", which), named)
        return [insight_from(row, sources.get(row["id"], []), self._embedder) for row in found]


def _standing(connection: sqlite3.Connection, scope: Scope, insights: Sequence[Insight]) -> Standing:
    ids = [insight.id for insight in insights]
    return Standing(
        entries=_decided(connection, scope, [source.entry_id for insight in insights for source in insight.sources]),
        worded=_worded(connection, scope, ids),
        decided=frozenset(_settled(connection, scope, ids)),
    )


def _decided(connection: sqlite3.Connection, scope: Scope, entry_ids: Sequence[str]) -> dict[str, bool]:
    rows = connection.execute(_KNOWN, (scope.project_id, json_text(list(entry_ids))))
    return {row["id"]: row["review"] is not None for row in rows}


def _worded(connection: sqlite3.Connection, scope: Scope, insight_ids: Sequence[str]) -> dict[str, str]:
    rows = connection.execute(_WORDS, (scope.project_id, json_text(list(insight_ids))))
    return {row["id"]: row["content"] for row in rows}


def _settled(connection: sqlite3.Connection, scope: Scope, insight_ids: Sequence[str]) -> list[str]:
    rows = connection.execute(_SETTLED_IDS, (scope.project_id, json_text(list(insight_ids))))
    return [row["id"] for row in rows]


def _add_sources(
    connection: sqlite3.Connection, scope: Scope, insight_id: str, sources: Sequence[InsightSource], *, later: bool
) -> None:
    key = (scope.project_id, insight_id)
    first = connection.execute(_POSITION, key).fetchone()[0]
    rows = [
        (*key, source.entry_id, position, source.quote, source.doubt, later)
        for position, source in enumerate(sources, first)
    ]
    connection.executemany(_ADD_SOURCE, rows)


def _add_digest(connection: sqlite3.Connection, scope: Scope, digest: Digest) -> None:
    set_aside = json_text({str(aside): count for aside, count in digest.set_aside.items()})
    times = (time_text(digest.made_at), time_text(digest.since))
    connection.execute(_ADD_DIGEST, (scope.project_id, *times, digest.entries, set_aside))
