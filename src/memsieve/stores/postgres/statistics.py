"""How much there is, on PostgreSQL and beside it."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any, Protocol

from memsieve.errors import StoreUnavailable
from memsieve.model import DailyCounts, DateRange, Scope, Stats, Totals
from memsieve.stores.daily_counts import FlowCounts, flow_of
from memsieve.stores.postgres.database import Connection, Database, DbRole
from memsieve.stores.postgres.rows import fetch
from memsieve.stores.shared_sql import ALL_HOLDINGS, WAITING_PROJECTS, decisions_by_day, holdings_of, oldest_of

_PROJECTS = "SELECT project_id FROM projects ORDER BY 1"
_COUNTS = f"""
WITH decided AS (
    SELECT count(*) AS recorded,
        count(*) FILTER (WHERE decision = 'admitted') AS admitted,
        count(*) FILTER (WHERE decision = 'refused') AS refused,
        count(*) FILTER (WHERE decision = 'pending') AS pending,
        count(*) FILTER (WHERE shadow = 'admitted' AND decision <> 'admitted') AS shadow_admitted,
        count(*) FILTER (WHERE shadow = 'refused' AND decision = 'admitted') AS shadow_refused
    FROM admissions WHERE project_id = %(project_id)s
),
failed AS (
    SELECT checked ->> 0 AS name, count(*) AS refused
    FROM admissions a, json_array_elements(a.checks) checked
    WHERE a.project_id = %(project_id)s AND a.decision = 'refused' AND NOT (checked ->> 1)::boolean
    GROUP BY 1
)
SELECT decided.*,
    (SELECT json_object_agg(name, refused ORDER BY refused DESC, name) FROM failed) AS refused_by,
    {holdings_of("%(project_id)s")}
FROM decided
"""  # noqa: S608 - made of constants
_TOTALS = f"""
WITH decided AS (
    SELECT count(*) AS recorded,
        count(*) FILTER (WHERE decision = 'admitted') AS admitted,
        count(*) FILTER (WHERE decision = 'refused') AS refused,
        count(*) FILTER (WHERE decision = 'pending') AS pending
    FROM admissions
)
SELECT decided.*,
    (SELECT count(*) FROM projects) AS projects,
    {ALL_HOLDINGS}
FROM decided
"""  # noqa: S608 - made of constants
_REFUSALS = """
SELECT checked ->> 0 AS name, count(*) AS refused
FROM admissions a, json_array_elements(a.checks) checked
WHERE a.decision = 'refused' AND NOT (checked ->> 1)::boolean
GROUP BY 1 ORDER BY refused DESC, name
"""


class WorkingCounts(Protocol):
    """Working memory, wherever it is kept."""

    async def count(self, scope: Scope) -> int:
        """Return how many entries of a project live."""

    async def count_all(self) -> int:
        """Return how many entries of all projects live."""


class PostgresStatistics:
    """Implements `ports.Statistics`."""

    def __init__(self, database: Database, working: WorkingCounts) -> None:
        self._database = database
        self._working = working

    async def projects(self) -> list[str]:
        return await self._names(_PROJECTS)

    async def waiting(self) -> list[str]:
        return await self._names(WAITING_PROJECTS)

    async def flow(self, scope: Scope, span: DateRange) -> DailyCounts:
        return await self._database.read(DbRole.FILTER, scope, lambda connection: read_flow(connection, scope, span))

    async def totals(self) -> Totals:
        async def work(connection: Connection) -> list[dict[str, Any]]:
            return await fetch(connection, _TOTALS, ())

        [counts] = await self._database.cross_project(work)
        return Totals(working=await _answered(self._working.count_all()), **counts)

    async def refusals(self) -> dict[str, int]:
        async def work(connection: Connection) -> list[dict[str, Any]]:
            return await fetch(connection, _REFUSALS, ())

        return {row["name"]: row["refused"] for row in await self._database.cross_project(work)}

    async def stats(self, scope: Scope) -> Stats:
        values = {"project_id": scope.project_id}
        [counts] = await self._database.read(
            DbRole.FILTER, scope, lambda connection: fetch(connection, _COUNTS, values)
        )
        refused_by = counts.pop("refused_by") or {}
        working = await _answered(self._working.count(scope))
        return Stats(project_id=scope.project_id, refused_by=refused_by, working=working, **counts)

    async def _names(self, sql: str) -> list[str]:
        async def work(connection: Connection) -> list[dict[str, Any]]:
            return await fetch(connection, sql, ())

        return [row["project_id"] for row in await self._database.cross_project(work)]


async def _answered(count: Awaitable[int]) -> int | None:
    try:
        return await count
    except StoreUnavailable:
        return None


_DAY = "to_char({} AT TIME ZONE 'UTC' + %(shift)s, 'YYYY-MM-DD')"
_HAPPENED = f"""
SELECT {_DAY.format("q.created_at")} AS day, a.decision AS what, count(*) AS count
FROM quarantine_logs q JOIN admissions a ON a.project_id = q.project_id AND a.entry_id = q.id
WHERE q.project_id = %(project_id)s AND q.created_at >= %(since)s GROUP BY 1, 2
UNION ALL
{decisions_by_day(_DAY, project="%(project_id)s", since="%(since)s")}
"""  # noqa: S608 - made of constants
_DAILY_REFUSALS = f"""
SELECT {_DAY.format("q.created_at")} AS day, c ->> 0 AS what, count(*) AS count
FROM quarantine_logs q JOIN admissions a ON a.project_id = q.project_id AND a.entry_id = q.id,
    json_array_elements(a.checks) c
WHERE q.project_id = %(project_id)s AND q.created_at >= %(since)s AND a.decision = 'refused' AND NOT (c ->> 1)::boolean
GROUP BY 1, 2 ORDER BY count DESC, what
"""  # noqa: S608 - made of constants
_MEMORY_AGES = """
SELECT floor(extract(epoch FROM %(now)s - promoted_at) / 86400)::integer AS days, count(*) AS count FROM reviewed
WHERE project_id = %(project_id)s AND retired_at IS NULL GROUP BY 1
"""
_INSIGHT_AGES = """
SELECT floor(extract(epoch FROM %(now)s - made_at) / 86400)::integer AS days, count(*) AS count FROM insights
WHERE project_id = %(project_id)s AND review IS NULL GROUP BY 1
"""
_OLDEST = oldest_of("%(project_id)s")


async def read_flow(connection: Connection, scope: Scope, span: DateRange) -> DailyCounts:
    """Return what went through a project in a span, and how old is what it holds."""
    values = {"project_id": scope.project_id, "now": span.now, "since": span.since, "shift": span.offset}
    # Planned anew each time: a day and a year are not read alike.
    happened, refusals, memory_ages, insight_ages, [oldest] = [
        await fetch(connection, sql, values, prepare=False)
        for sql in (_HAPPENED, _DAILY_REFUSALS, _MEMORY_AGES, _INSIGHT_AGES, _OLDEST)
    ]
    counted = FlowCounts(
        happened=happened,
        refusals=refusals,
        memory_ages=memory_ages,
        insight_ages=insight_ages,
        oldest_insight=oldest["insight"],
        oldest_pending=oldest["pending"],
    )
    return flow_of(scope, span, counted)
