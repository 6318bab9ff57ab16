"""Insights, the digests that made them, and which weekly ones were made, on PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from memsieve.model import Digest, Insight, InsightDecision, InsightSource, Receipt, Role, Scope
from memsieve.ports import CLOCK_SKEW, RUN_AHEAD, RUN_LEASE, Clock
from memsieve.stores import insights
from memsieve.stores.insights import SaveSnapshot, digest_from
from memsieve.stores.postgres.database import Connection, Database, DbRole
from memsieve.stores.postgres.rows import RECEIPTS, REVIEW, fetch, half, receipt_from, vector_from
from memsieve.stores.rows import json_text

_SOURCE = ("entry_id", "session_id", "agent_id", "confidence", "created_at", "quote", "doubt", "later")
# Each source's columns as arrays beside its insight: one statement sees all of one moment.
_SOURCES_BEHIND = f"""
SELECT {", ".join(f"array_agg({name} ORDER BY position) AS source_{name}" for name in _SOURCE)}
FROM insight_sources s JOIN quarantine_logs q ON q.project_id = s.project_id AND q.id = s.entry_id
WHERE s.project_id = i.project_id AND s.insight_id = i.id
"""  # noqa: S608 - made of constants
# A memory that was retired since is no verified memory to be near to.
_INSIGHTS = f"""
SELECT i.*, r.approval_id IS NOT NULL AS nearest_is_retired, behind.*
FROM insights i
    LEFT JOIN retirements r ON r.project_id = i.project_id AND r.approval_id = i.nearest ->> 'memory_id'
    CROSS JOIN LATERAL ({_SOURCES_BEHIND}) behind
WHERE i.project_id = %(project_id)s
"""  # noqa: S608 - made of constants


def _insight_row(insight: Insight, embedder: str) -> dict[str, Any]:
    """Return an insight that waits as named columns, without its project."""
    return {
        **insights.insight_values(insight),
        "embedder": embedder,
        "embedding": half(insight.embedding),
    }


def _insight_from(row: Mapping[str, Any], embedder: str) -> Insight:
    """Return the insight of a row; a vector of another embedder is left out."""
    return insights.insight_from(row, list(_sources(row)), vector_from(row, embedder))


def _sources(row: Mapping[str, Any]) -> Iterable[tuple[bool, InsightSource]]:
    columns = [row[f"source_{name}"] or () for name in _SOURCE]
    for values in zip(*columns, strict=True):
        source = dict(zip(_SOURCE, values, strict=True))
        yield source["later"], insights.source_from(source)


_DECISION = """
SELECT review, settled_by, settled_at, reason, memory_id FROM insights WHERE project_id = %s AND id = %s
"""
_DECIDE = """
UPDATE insights SET review = %s, settled_by = %s, settled_at = %s, reason = %s, memory_id = %s
WHERE project_id = %s AND id = %s
"""


async def insight_decision(connection: Connection, scope: Scope, any_id: str) -> dict[str, Any] | None:
    """Return the decision in the columns of an insight, or None if this is no insight."""
    return await (await connection.execute(_DECISION, (scope.project_id, any_id))).fetchone()


async def decide_insight(connection: Connection, scope: Scope, insight_id: str, made: InsightDecision) -> None:
    """Write a person's decision on an insight, within the transaction of the promotion or dismissal."""
    values = (made.review, made.by, made.at, made.reason, made.memory_id)
    await connection.execute(_DECIDE, (*values, scope.project_id, insight_id))


# An array, made first: by the index over time to the rows of the window, whatever the planner thinks of their number.
_UNDECIDED = f"""
WITH looked_at AS MATERIALIZED ({RECEIPTS} AND q.sequence = ANY(ARRAY(
    SELECT sequence FROM quarantine_logs WHERE project_id = %(project_id)s AND created_at >= %(since)s
    UNION
    SELECT e.sequence FROM insights i
        JOIN insight_sources s ON s.project_id = i.project_id AND s.insight_id = i.id
        JOIN quarantine_logs e ON e.project_id = s.project_id AND e.id = s.entry_id
    WHERE i.project_id = %(project_id)s AND i.review IS NULL
    UNION
    SELECT e.sequence FROM unplaced u
        JOIN quarantine_logs e ON e.project_id = u.project_id AND e.id = u.entry_id
    WHERE u.project_id = %(project_id)s
)))
SELECT * FROM looked_at WHERE review IS NULL ORDER BY sequence
"""  # noqa: S608 - made of constants
_IN_ORDER = "ORDER BY i.made_at, i.sequence"
_WAITING = f"{_INSIGHTS} AND i.review IS NULL {_IN_ORDER}"
_PAGE = """
AND i.sequence = ANY(ARRAY(
    SELECT sequence FROM insights WHERE project_id = %(project_id)s AND (review IS NOT NULL) = %(decided)s {before}
    ORDER BY made_at DESC, sequence DESC LIMIT %(limit)s
))
"""
_NEWEST_INSIGHTS = f"{_INSIGHTS} {_PAGE.format(before='')} {_IN_ORDER}"
_BEFORE = """
AND (made_at, sequence) < (
    SELECT made_at, sequence FROM insights WHERE project_id = %(project_id)s AND id = %(before_id)s
)
"""
_INSIGHTS_BEFORE = f"{_INSIGHTS} {_PAGE.format(before=_BEFORE)} {_IN_ORDER}"
_ONE_INSIGHT = f"{_INSIGHTS} AND i.id = %(id)s"
_ADD_INSIGHT = """
INSERT INTO insights
    (project_id, id, content, summarised_by, note, refinement, nearest, disputes, made_at, embedder, embedding)
VALUES (%(project_id)s, %(id)s, %(content)s, %(summarised_by)s, %(note)s, %(refinement)s, %(nearest)s, %(disputes)s,
    %(made_at)s, %(embedder)s, %(embedding)s)
"""
# Sources that join come after those that are there; the first of an entry stays.
_ADD_SOURCE = """
INSERT INTO insight_sources (project_id, insight_id, entry_id, position, quote, doubt, later)
SELECT %(project_id)s, %(insight_id)s, %(entry_id)s, coalesce(max(position) + 1, 0), %(quote)s, %(doubt)s, %(later)s
FROM insight_sources WHERE project_id = %(project_id)s AND insight_id = %(insight_id)s
ON CONFLICT DO NOTHING
"""
_DROP = "DELETE FROM insights WHERE project_id = %s AND review IS NULL AND id = ANY(%s)"
_THERE = "SELECT id, content, review FROM insights WHERE project_id = %s AND id = ANY(%s)"
_KNOWN = f"""
SELECT q.id, {REVIEW} AS review FROM quarantine_logs q WHERE q.project_id = %s AND q.id = ANY(%s)
"""  # noqa: S608 - made of constants
_PLACE_ALL = "DELETE FROM unplaced WHERE project_id = %s"
_UNPLACE = "INSERT INTO unplaced (project_id, entry_id) SELECT %s, unnest(%s::text[]) ON CONFLICT DO NOTHING"
_ADD_DIGEST = "INSERT INTO digests (project_id, made_at, since, entries, set_aside) VALUES (%s, %s, %s, %s, %s)"
_LAST = "SELECT * FROM digests WHERE project_id = %s ORDER BY sequence DESC LIMIT 1"


class PostgresDigests:
    """Implements `ports.DigestStore`."""

    def __init__(self, database: Database, embedder: str) -> None:
        self._database = database
        self._embedder = embedder

    async def undecided(self, scope: Scope, since: datetime) -> list[Receipt]:
        scope.require(Role.PERSON, Role.SYSTEM)
        values = {"project_id": scope.project_id, "since": since}
        rows = await self._database.read(DbRole.FILTER, scope, lambda connection: fetch(connection, _UNDECIDED, values))
        return [receipt_from(row, self._embedder) for row in rows]

    async def insights(
        self, scope: Scope, *, decided: bool, before_id: str | None = None, limit: int | None = None
    ) -> list[Insight]:
        scope.require(Role.PERSON, Role.SYSTEM)
        query = _NEWEST_INSIGHTS if before_id is None else _INSIGHTS_BEFORE
        return await self._read(scope, query, decided=decided, before_id=before_id, limit=limit)

    async def get(self, scope: Scope, insight_id: str) -> Insight | None:
        scope.require(Role.PERSON, Role.SYSTEM)
        found = await self._read(scope, _ONE_INSIGHT, id=insight_id)
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

        async def work(connection: Connection) -> Digest:
            await connection.execute(_PLACE_ALL, (scope.project_id,))
            await connection.execute(_DROP, (scope.project_id, list(merged)))
            await _join(connection, scope, later or {})
            await self._put_all(connection, scope, digest.insights)
            await _add_digest(connection, scope, digest)
            kept = await self._last(connection, scope)
            assert kept is not None  # noqa: S101 - it was written above, in this transaction
            return kept

        return await self._database.write(DbRole.FILTER, scope, work, exclusive=True)

    async def put(self, scope: Scope, insight: Insight) -> bool:
        scope.require(Role.PERSON, Role.SYSTEM)

        async def work(connection: Connection) -> bool:
            taken = (await _snapshot(connection, scope, [insight])).takes(insight)
            if taken:
                await self._put_all(connection, scope, [insight])
            return taken

        return await self._database.write(DbRole.FILTER, scope, work, exclusive=True)

    async def last(self, scope: Scope) -> Digest | None:
        scope.require(Role.PERSON, Role.SYSTEM)
        return await self._database.read(DbRole.FILTER, scope, lambda connection: self._last(connection, scope))

    async def _put_all(self, connection: Connection, scope: Scope, made: Sequence[Insight]) -> None:
        snapshot = await _snapshot(connection, scope, made)
        kept = snapshot.kept(made)
        rows = [{**_insight_row(insight, self._embedder), "project_id": scope.project_id} for insight, _ in kept]
        await connection.execute(_DROP, (scope.project_id, [insight.id for insight, _ in kept]))
        await _each(connection, _ADD_INSIGHT, rows)
        await _add_sources(connection, scope, {insight.id: sources for insight, sources in kept}, later=False)
        await connection.execute(_UNPLACE, (scope.project_id, snapshot.unplaced(made)))

    async def _last(self, connection: Connection, scope: Scope) -> Digest | None:
        row = await (await connection.execute(_LAST, (scope.project_id,))).fetchone()
        if row is None:
            return None
        waiting = await fetch(connection, _WAITING, {"project_id": scope.project_id})
        return digest_from(row, [_insight_from(one, self._embedder) for one in waiting])

    async def _read(self, scope: Scope, query: str, **values: Any) -> list[Insight]:
        named = {"project_id": scope.project_id, **values}
        rows = await self._database.read(DbRole.FILTER, scope, lambda connection: fetch(connection, query, named))
        return [_insight_from(row, self._embedder) for row in rows]


async def _each(connection: Connection, query: str, rows: Iterable[Mapping[str, Any]]) -> None:
    async with connection.cursor() as cursor:
        await cursor.executemany(query.encode(), list(rows))


async def _snapshot(connection: Connection, scope: Scope, made: Sequence[Insight]) -> SaveSnapshot:
    there = await connection.execute(_THERE, (scope.project_id, [insight.id for insight in made]))
    rows = await there.fetchall()
    return SaveSnapshot(
        entries=await _known(connection, scope, [source.entry_id for insight in made for source in insight.sources]),
        worded={row["id"]: row["content"] for row in rows},
        decided=frozenset(row["id"] for row in rows if row["review"] is not None),
    )


async def _known(connection: Connection, scope: Scope, entry_ids: Sequence[str]) -> dict[str, bool]:
    rows = await connection.execute(_KNOWN.encode(), (scope.project_id, list(entry_ids)))
    return {row["id"]: row["review"] is not None for row in await rows.fetchall()}


async def _join(connection: Connection, scope: Scope, later: Mapping[str, Sequence[InsightSource]]) -> None:
    there = await (await connection.execute(_THERE, (scope.project_id, list(later)))).fetchall()
    known = await _known(connection, scope, [source.entry_id for sources in later.values() for source in sources])
    joining = {
        row["id"]: [source for source in later[row["id"]] if source.entry_id in known]
        for row in there
        if row["review"] is not None
    }
    await _add_sources(connection, scope, joining, later=True)


async def _add_sources(
    connection: Connection, scope: Scope, sources: Mapping[str, Sequence[InsightSource]], *, later: bool
) -> None:
    rows = (
        {
            "project_id": scope.project_id,
            "insight_id": insight_id,
            "entry_id": source.entry_id,
            "quote": source.quote,
            "doubt": source.doubt,
            "later": later,
        }
        for insight_id, group in sources.items()
        for source in group
    )
    await _each(connection, _ADD_SOURCE, rows)


async def _add_digest(connection: Connection, scope: Scope, digest: Digest) -> None:
    set_aside = json_text({str(aside): count for aside, count in digest.set_aside.items()})
    await connection.execute(_ADD_DIGEST, (scope.project_id, digest.made_at, digest.since, digest.entries, set_aside))


# A lease or a run from a clock that ran ahead would block all others until then: it does not count.
_TAKE_RUN = """
INSERT INTO digest_runs AS run (project_id, due, taken_at) VALUES (%(project_id)s, %(due)s, %(now)s)
ON CONFLICT (project_id) DO UPDATE SET due = excluded.due, taken_at = excluded.taken_at
WHERE (run.made IS NULL OR run.made < excluded.due OR run.made > %(far)s)
    AND (run.due < excluded.due OR run.taken_at IS NULL OR run.taken_at <= %(lapsed)s OR run.taken_at > %(ahead)s)
"""
_DONE_RUN = """
INSERT INTO digest_runs AS run (project_id, due, taken_at, made) VALUES (%(project_id)s, %(due)s, %(now)s, %(due)s)
ON CONFLICT (project_id) DO UPDATE
SET made = CASE WHEN run.made > %(far)s THEN excluded.made ELSE greatest(run.made, excluded.made) END
"""
_RELEASE_RUN = "UPDATE digest_runs SET taken_at = NULL WHERE project_id = %(project_id)s AND due = %(due)s"
_NEWEST_RUN = "SELECT made FROM digest_runs WHERE project_id = %(project_id)s AND made <= %(far)s"


class PostgresDigestRuns:
    """Implements `ports.DigestRuns`."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def take(self, scope: Scope, due: datetime) -> bool:
        return await self._write(scope, due, _TAKE_RUN, repeatable=False) > 0

    async def done(self, scope: Scope, due: datetime) -> None:
        await self._write(scope, due, _DONE_RUN)

    async def release(self, scope: Scope, due: datetime) -> None:
        await self._write(scope, due, _RELEASE_RUN, repeatable=False)

    async def newest(self, scope: Scope) -> datetime | None:
        scope.require(Role.PERSON, Role.SYSTEM)
        values = {"project_id": scope.project_id, "far": self._clock() + RUN_AHEAD}

        async def work(connection: Connection) -> dict[str, Any] | None:
            return await (await connection.execute(_NEWEST_RUN, values)).fetchone()

        row = await self._database.read(DbRole.FILTER, scope, work)
        return None if row is None else row["made"]

    async def _write(self, scope: Scope, due: datetime, sql: str, *, repeatable: bool = True) -> int:
        scope.require(Role.PERSON, Role.SYSTEM)
        now = self._clock()
        limits = {"lapsed": now - RUN_LEASE, "ahead": now + CLOCK_SKEW, "far": now + RUN_AHEAD}
        values = {"project_id": scope.project_id, "due": due, "now": now, **limits}

        async def work(connection: Connection) -> int:
            return (await connection.execute(sql, values)).rowcount

        return await self._database.write(DbRole.FILTER, scope, work, repeatable=repeatable)
