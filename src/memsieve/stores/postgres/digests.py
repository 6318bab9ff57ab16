"""Insights and the digests that made them, on PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from memsieve.model import Digest, Insight, InsightSource, Receipt, Role, Scope
from memsieve.stores.insights import Standing, digest_from, disputed_by
from memsieve.stores.postgres import insights, receipts
from memsieve.stores.postgres.database import Connection, Database, Door
from memsieve.stores.postgres.insights import insight_from, insight_row
from memsieve.stores.postgres.rows import fetch
from memsieve.stores.records import json_text

# An array, made first: by the index over time to the rows of the window, whatever the planner thinks of their number.
_UNDECIDED = f"""
WITH looked_at AS MATERIALIZED ({receipts.SELECT} AND q.sequence = ANY(ARRAY(
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
_WAITING = f"{insights.SELECT} AND i.review IS NULL ORDER BY i.made_at, i.sequence"
_SETTLED = f"{insights.SELECT} AND i.review IS NOT NULL ORDER BY i.made_at, i.sequence"
_ONE = f"{insights.SELECT} AND i.id = %(id)s"
_ADD = """
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
SELECT q.id, {receipts.REVIEW} AS review FROM quarantine_logs q WHERE q.project_id = %s AND q.id = ANY(%s)
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
        rows = await self._database.read(Door.FILTER, scope, lambda connection: fetch(connection, _UNDECIDED, values))
        return [receipts.receipt_from(row, self._embedder) for row in rows]

    async def insights(self, scope: Scope, *, decided: bool) -> list[Insight]:
        scope.require(Role.PERSON, Role.SYSTEM)
        return await self._read(scope, _SETTLED if decided else _WAITING)

    async def get(self, scope: Scope, insight_id: str) -> Insight | None:
        scope.require(Role.PERSON, Role.SYSTEM)
        found = await self._read(scope, _ONE, id=insight_id)
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

        return await self._database.write(Door.FILTER, scope, work, in_turn=True)

    async def put(self, scope: Scope, insight: Insight) -> bool:
        scope.require(Role.PERSON, Role.SYSTEM)

        async def work(connection: Connection) -> bool:
            taken = (await _standing(connection, scope, [insight])).takes(insight)
            if taken:
                await self._put_all(connection, scope, [insight])
            return taken

        return await self._database.write(Door.FILTER, scope, work, in_turn=True)

    async def last(self, scope: Scope) -> Digest | None:
        scope.require(Role.PERSON, Role.SYSTEM)
        return await self._database.read(Door.FILTER, scope, lambda connection: self._last(connection, scope))

    async def _put_all(self, connection: Connection, scope: Scope, made: Sequence[Insight]) -> None:
        standing = await _standing(connection, scope, made)
        taken = {insight.id: insight for insight in made if standing.takes(insight)}
        left = [insight for insight in made if insight.id not in taken]
        sources = {insight_id: standing.sources(insight) for insight_id, insight in taken.items()}
        rows = [insight_row(disputed_by(taken[one], sources[one]), self._embedder) for one in taken]
        await connection.execute(_DROP, (scope.project_id, list(taken)))
        await _each(connection, _ADD, ({**row, "project_id": scope.project_id} for row in rows))
        await _add_sources(connection, scope, sources, later=False)
        unplaced = [source.entry_id for insight in left for source in standing.sources(insight)]
        await connection.execute(_UNPLACE, (scope.project_id, unplaced))

    async def _last(self, connection: Connection, scope: Scope) -> Digest | None:
        row = await (await connection.execute(_LAST, (scope.project_id,))).fetchone()
        if row is None:
            return None
        waiting = await fetch(connection, _WAITING, {"project_id": scope.project_id})
        return digest_from(row, [insight_from(one, self._embedder) for one in waiting])

    async def _read(self, scope: Scope, query: str, **values: Any) -> list[Insight]:
        named = {"project_id": scope.project_id, **values}
        rows = await self._database.read(Door.FILTER, scope, lambda connection: fetch(connection, query, named))
        return [insight_from(row, self._embedder) for row in rows]


async def _each(connection: Connection, query: str, rows: Iterable[Mapping[str, Any]]) -> None:
    async with connection.cursor() as cursor:
        await cursor.executemany(query.encode(), list(rows))


async def _standing(connection: Connection, scope: Scope, made: Sequence[Insight]) -> Standing:
    there = await connection.execute(_THERE, (scope.project_id, [insight.id for insight in made]))
    rows = await there.fetchall()
    return Standing(
        entries=await _decided(connection, scope, [source.entry_id for insight in made for source in insight.sources]),
        worded={row["id"]: row["content"] for row in rows},
        decided=frozenset(row["id"] for row in rows if row["review"] is not None),
    )


async def _decided(connection: Connection, scope: Scope, entry_ids: Sequence[str]) -> dict[str, bool]:
    rows = await connection.execute(_KNOWN.encode(), (scope.project_id, list(entry_ids)))
    return {row["id"]: row["review"] is not None for row in await rows.fetchall()}


async def _join(connection: Connection, scope: Scope, later: Mapping[str, Sequence[InsightSource]]) -> None:
    there = await (await connection.execute(_THERE, (scope.project_id, list(later)))).fetchall()
    known = await _decided(connection, scope, [source.entry_id for sources in later.values() for source in sources])
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
