"""Insights, the digests that made them, and which weekly ones were made, on SQLite."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any

from memsieve.model import Digest, Insight, InsightDecision, InsightSource, Receipt, Role, Scope
from memsieve.ports import CLOCK_SKEW, RUN_AHEAD, RUN_LEASE, Clock
from memsieve.stores import insights
from memsieve.stores.insights import SaveSnapshot, digest_from
from memsieve.stores.rows import json_text, vector_blob
from memsieve.stores.sqlite.database import Database
from memsieve.stores.sqlite.rows import RECEIPTS, REVIEW, read, receipt_from, text_time, time_text, vector_from

# By the index over time to the rows of the window, not through the whole project.
_UNDECIDED = f"""{RECEIPTS}
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
_DECIDED_INSIGHTS = "i.project_id = :project_id AND i.review IS NOT NULL"
_PAGE = """
AND i.sequence IN (
    SELECT i.sequence FROM insights i WHERE {which} {before} ORDER BY i.made_at DESC, i.sequence DESC LIMIT :limit
)
"""
_BEFORE = """
AND (i.made_at, i.sequence) < (
    SELECT made_at, sequence FROM insights WHERE project_id = :project_id AND id = :before_id
)
"""
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
_ADD_INSIGHT = """
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
_DECIDED_IDS = """
SELECT id FROM insights WHERE project_id = ? AND review IS NOT NULL AND id IN (SELECT value FROM json_each(?))
"""
_WORDS = "SELECT id, content FROM insights WHERE project_id = ? AND id IN (SELECT value FROM json_each(?))"
_KNOWN = f"""
SELECT q.id, {REVIEW} AS review FROM quarantine_logs q
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
            return [receipt_from(row, self._embedder) for row in connection.execute(_UNDECIDED, values)]

        return await self._database.read(work)

    async def insights(
        self, scope: Scope, *, decided: bool, before_id: str | None = None, limit: int | None = None
    ) -> list[Insight]:
        scope.require(Role.PERSON, Role.SYSTEM)
        whole = _DECIDED_INSIGHTS if decided else _WAITING
        before = "" if before_id is None else _BEFORE
        which = whole + _PAGE.format(which=whole, before=before)
        values = {"before_id": before_id, "limit": -1 if limit is None else limit}
        return await self._database.read(lambda connection: self._read(connection, scope, which, **values))

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
            kept = _snapshot(connection, scope, [insight]).kept([insight])
            for one, sources in kept:
                self._put(connection, scope, one, sources)
            return bool(kept)

        return await self._database.write(work)

    async def last(self, scope: Scope) -> Digest | None:
        scope.require(Role.PERSON, Role.SYSTEM)
        return await self._database.read(lambda connection: self._last(connection, scope))

    def _put_all(self, connection: sqlite3.Connection, scope: Scope, insights: Sequence[Insight]) -> None:
        snapshot = _snapshot(connection, scope, insights)
        for insight, sources in snapshot.kept(insights):
            self._put(connection, scope, insight, sources)
        connection.executemany(_UNPLACE, [(scope.project_id, entry_id) for entry_id in snapshot.unplaced(insights)])

    def _put(
        self, connection: sqlite3.Connection, scope: Scope, insight: Insight, sources: Sequence[InsightSource]
    ) -> None:
        connection.execute(_DROP, (scope.project_id, json_text([insight.id])))
        connection.execute(_ADD_INSIGHT, {**_insight_row(insight, self._embedder), "project_id": scope.project_id})
        _add_sources(connection, scope, insight.id, sources, later=False)

    def _join(self, connection: sqlite3.Connection, scope: Scope, later: Mapping[str, Sequence[InsightSource]]) -> None:
        known = _known(connection, scope, [source.entry_id for sources in later.values() for source in sources])
        for insight_id in _decided_ids(connection, scope, list(later)):
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
            insight_id: [(bool(row["later"]), _source_from(row)) for row in group]
            for insight_id, group in groupby(rows, key=lambda row: row["insight_id"])
        }
        found = connection.execute(_INSIGHTS.replace("{which}", which), named)
        return [_insight_from(row, sources.get(row["id"], []), self._embedder) for row in found]


def _snapshot(connection: sqlite3.Connection, scope: Scope, insights: Sequence[Insight]) -> SaveSnapshot:
    ids = [insight.id for insight in insights]
    return SaveSnapshot(
        entries=_known(connection, scope, [source.entry_id for insight in insights for source in insight.sources]),
        worded=_worded(connection, scope, ids),
        decided=frozenset(_decided_ids(connection, scope, ids)),
    )


def _known(connection: sqlite3.Connection, scope: Scope, entry_ids: Sequence[str]) -> dict[str, bool]:
    rows = connection.execute(_KNOWN, (scope.project_id, json_text(list(entry_ids))))
    return {row["id"]: row["review"] is not None for row in rows}


def _worded(connection: sqlite3.Connection, scope: Scope, insight_ids: Sequence[str]) -> dict[str, str]:
    rows = connection.execute(_WORDS, (scope.project_id, json_text(list(insight_ids))))
    return {row["id"]: row["content"] for row in rows}


def _decided_ids(connection: sqlite3.Connection, scope: Scope, insight_ids: Sequence[str]) -> list[str]:
    rows = connection.execute(_DECIDED_IDS, (scope.project_id, json_text(list(insight_ids))))
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


def _insight_row(insight: Insight, embedder: str) -> dict[str, Any]:
    """Return an insight that waits as named columns, without its project."""
    return {
        **insights.insight_values(insight),
        "made_at": time_text(insight.made_at),
        "embedder": embedder,
        "embedding": vector_blob(insight.embedding),
    }


def _insight_from(row: sqlite3.Row, sources: Sequence[tuple[bool, InsightSource]], embedder: str) -> Insight:
    """Return the insight of a row, with its sources, each marked whether it came later."""
    values = {
        **read(row, times=("made_at",), values=("refinement", "disputes")),
        **_decision(row),
        "nearest": None if row["nearest"] is None else json.loads(row["nearest"]),
    }
    return insights.insight_from(values, sources, vector_from(row, embedder))


def _source_from(row: sqlite3.Row) -> InsightSource:
    """Return the source of a row."""
    return insights.source_from(read(row, times=("created_at",)))


_DECISION = """
SELECT review, settled_by, settled_at, reason, memory_id FROM insights WHERE project_id = ? AND id = ?
"""
_DECIDE = """
UPDATE insights SET review = ?, settled_by = ?, settled_at = ?, reason = ?, memory_id = ?
WHERE project_id = ? AND id = ?
"""


def _decision(row: sqlite3.Row) -> dict[str, Any]:
    """Return the decision in a row by its columns, its time as a moment."""
    values = {name: row[name] for name in ("review", "settled_by", "settled_at", "reason", "memory_id")}
    return values if values["settled_at"] is None else {**values, "settled_at": text_time(values["settled_at"])}


def insight_decision(connection: sqlite3.Connection, scope: Scope, any_id: str) -> dict[str, Any] | None:
    """Return the decision in the columns of an insight, or None if this is no insight."""
    row = connection.execute(_DECISION, (scope.project_id, any_id)).fetchone()
    return None if row is None else _decision(row)


def decide_insight(connection: sqlite3.Connection, scope: Scope, insight_id: str, made: InsightDecision) -> None:
    """Write a person's decision on an insight, within the transaction of the promotion or dismissal."""
    values = (made.review, made.by, time_text(made.at), made.reason, made.memory_id)
    connection.execute(_DECIDE, (*values, scope.project_id, insight_id))


# A lease or a run from a clock that ran ahead would block all others until then: it does not count.
_TAKE_RUN = """
INSERT INTO digest_runs (project_id, due, taken_at) VALUES (:project_id, :due, :now)
ON CONFLICT DO UPDATE SET due = excluded.due, taken_at = excluded.taken_at
WHERE (made IS NULL OR made < excluded.due OR made > :far)
    AND (due < excluded.due OR taken_at <= :lapsed OR taken_at > :ahead)
"""
_DONE_RUN = """
INSERT INTO digest_runs (project_id, due, taken_at, made) VALUES (:project_id, :due, :now, :due)
ON CONFLICT DO UPDATE SET made = iif(made > :far, excluded.made, max(coalesce(made, ''), excluded.made))
"""
_RELEASE_RUN = "UPDATE digest_runs SET taken_at = '' WHERE project_id = :project_id AND due = :due"
_NEWEST_RUN = "SELECT made FROM digest_runs WHERE project_id = :project_id AND made <= :far"


class SqliteDigestRuns:
    """Implements `ports.DigestRuns`."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def take(self, scope: Scope, due: datetime) -> bool:
        scope.require(Role.PERSON, Role.SYSTEM)
        values = self._values(scope, due)
        return await self._database.write(lambda connection: connection.execute(_TAKE_RUN, values).rowcount > 0)

    async def done(self, scope: Scope, due: datetime) -> None:
        scope.require(Role.PERSON, Role.SYSTEM)
        values = self._values(scope, due)
        await self._database.write(lambda connection: connection.execute(_DONE_RUN, values))

    async def release(self, scope: Scope, due: datetime) -> None:
        scope.require(Role.PERSON, Role.SYSTEM)
        values = self._values(scope, due)
        await self._database.write(lambda connection: connection.execute(_RELEASE_RUN, values))

    async def newest(self, scope: Scope) -> datetime | None:
        scope.require(Role.PERSON, Role.SYSTEM)
        values = {"project_id": scope.project_id, "far": time_text(self._clock() + RUN_AHEAD)}
        row = await self._database.read(lambda connection: connection.execute(_NEWEST_RUN, values).fetchone())
        return None if row is None else text_time(row["made"])

    def _values(self, scope: Scope, due: datetime) -> dict[str, str]:
        now = self._clock()
        limits = {"lapsed": now - RUN_LEASE, "ahead": now + CLOCK_SKEW, "far": now + RUN_AHEAD}
        moments = {"due": due, "now": now, **limits}
        return {"project_id": scope.project_id, **{name: time_text(moment) for name, moment in moments.items()}}
