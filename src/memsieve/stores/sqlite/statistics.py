"""How much there is, on SQLite."""

from __future__ import annotations

import sqlite3

from memsieve.model import DailyCounts, DateRange, Scope, Stats, Totals
from memsieve.ports import Clock
from memsieve.stores.daily_counts import FlowCounts, flow_of
from memsieve.stores.shared_sql import ALL_HOLDINGS, WAITING_PROJECTS, decisions_by_day, holdings_of, oldest_of
from memsieve.stores.sqlite.database import Database
from memsieve.stores.sqlite.rows import text_time, time_text

_PROJECTS = "SELECT project_id FROM quarantine_logs UNION SELECT project_id FROM approvals ORDER BY 1"
_COUNTS = f"""
SELECT
    (SELECT count(*) FROM quarantine_logs WHERE project_id = :project_id) AS recorded,
    (SELECT count(*) FROM admissions WHERE project_id = :project_id AND decision = 'admitted') AS admitted,
    (SELECT count(*) FROM admissions WHERE project_id = :project_id AND decision = 'refused') AS refused,
    (SELECT count(*) FROM admissions WHERE project_id = :project_id AND decision = 'pending') AS pending,
    (SELECT count(*) FROM admissions
        WHERE project_id = :project_id AND shadow = 'admitted' AND decision <> 'admitted') AS shadow_admitted,
    (SELECT count(*) FROM admissions
        WHERE project_id = :project_id AND shadow = 'refused' AND decision = 'admitted') AS shadow_refused,
    (SELECT count(*) FROM working WHERE project_id = :project_id AND expires_at > :now) AS working,
    {holdings_of(":project_id")}
"""  # noqa: S608 - made of constants
_REFUSALS = """
SELECT json_extract(c.value, '$[0]') AS name, count(*) AS refused
FROM admissions a, json_each(a.checks) c
WHERE a.decision = 'refused' AND NOT json_extract(c.value, '$[1]')
GROUP BY name ORDER BY refused DESC, name
"""
# All of one project are found through its index.
_REFUSED_BY = _REFUSALS.replace("WHERE", "WHERE a.project_id = :project_id AND")
_TOTALS = f"""
SELECT
    (SELECT count(*) FROM (SELECT project_id FROM quarantine_logs UNION SELECT project_id FROM approvals)) AS projects,
    (SELECT count(*) FROM quarantine_logs) AS recorded,
    (SELECT count(*) FROM admissions WHERE decision = 'admitted') AS admitted,
    (SELECT count(*) FROM admissions WHERE decision = 'refused') AS refused,
    (SELECT count(*) FROM admissions WHERE decision = 'pending') AS pending,
    (SELECT count(*) FROM working WHERE expires_at > :now) AS working,
    {ALL_HOLDINGS}
"""  # noqa: S608 - made of constants


class SqliteStatistics:
    """Implements `ports.Statistics`."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def projects(self) -> list[str]:
        return await self._names(_PROJECTS)

    async def waiting(self) -> list[str]:
        return await self._names(WAITING_PROJECTS)

    async def stats(self, scope: Scope) -> Stats:
        values = {"project_id": scope.project_id, "now": time_text(self._clock())}

        def work(connection: sqlite3.Connection) -> Stats:
            counts = dict(connection.execute(_COUNTS, values).fetchone())
            refused_by = _counted(connection.execute(_REFUSED_BY, values))
            oldest = counts.pop("oldest_waiting")
            return Stats(
                project_id=scope.project_id,
                refused_by=refused_by,
                oldest_waiting=None if oldest is None else text_time(oldest),
                **counts,
            )

        return await self._database.read(work)

    async def flow(self, scope: Scope, span: DateRange) -> DailyCounts:
        return await self._database.read(lambda connection: read_flow(connection, scope, span))

    async def totals(self) -> Totals:
        values = {"now": time_text(self._clock())}
        counts = await self._database.read(lambda connection: dict(connection.execute(_TOTALS, values).fetchone()))
        for moment in ("oldest_pending", "oldest_waiting"):
            counts[moment] = None if counts[moment] is None else text_time(counts[moment])
        return Totals(**counts)

    async def refusals(self) -> dict[str, int]:
        return await self._database.read(lambda connection: _counted(connection.execute(_REFUSALS)))

    async def _names(self, sql: str) -> list[str]:
        return await self._database.read(lambda connection: [row["project_id"] for row in connection.execute(sql)])


def _counted(rows: sqlite3.Cursor) -> dict[str, int]:
    return {row["name"]: row["refused"] for row in rows}


# Both counts of entries are made of one look at them.
_SAID = """
WITH recorded AS MATERIALIZED (
    SELECT date(q.created_at, :shift) AS day, a.decision, iif(a.decision = 'refused', a.checks, '[]') AS checks
    FROM quarantine_logs q JOIN admissions a ON a.project_id = q.project_id AND a.entry_id = q.id
    WHERE q.project_id = :project_id AND q.created_at >= :since
)
SELECT day, decision AS what, count(*) AS count, NULL AS failed FROM recorded GROUP BY 1, 2
UNION ALL
SELECT day, json_extract(c.value, '$[0]') AS what, count(*) AS count, 1 FROM recorded, json_each(recorded.checks) c
WHERE NOT json_extract(c.value, '$[1]') GROUP BY 1, 2
ORDER BY count DESC, what
"""
_DONE = decisions_by_day("date({}, :shift)", project=":project_id", since=":since")
_MEMORY_AGES = """
SELECT (strftime('%s', :now) - strftime('%s', promoted_at)) / 86400 AS days, count(*) AS count FROM reviewed
WHERE project_id = :project_id AND retired_at IS NULL GROUP BY 1
"""
_INSIGHT_AGES = """
SELECT (strftime('%s', :now) - strftime('%s', made_at)) / 86400 AS days, count(*) AS count FROM insights
WHERE project_id = :project_id AND review IS NULL GROUP BY 1
"""
_OLDEST = oldest_of(":project_id")


def read_flow(connection: sqlite3.Connection, scope: Scope, span: DateRange) -> DailyCounts:
    """Return what went through a project in a span, and how old is what it holds."""
    values = {
        "project_id": scope.project_id,
        "now": time_text(span.now),
        "since": time_text(span.since),
        "shift": f"{span.offset.total_seconds() / 60:+.0f} minutes",
    }
    recorded, done, memory_ages, insight_ages, [oldest] = [
        connection.execute(sql, values).fetchall() for sql in (_SAID, _DONE, _MEMORY_AGES, _INSIGHT_AGES, _OLDEST)
    ]
    counted = FlowCounts(
        happened=[*(row for row in recorded if not row["failed"]), *done],
        refusals=[row for row in recorded if row["failed"]],
        memory_ages=memory_ages,
        insight_ages=insight_ages,
        oldest_insight=None if oldest["insight"] is None else text_time(oldest["insight"]),
        oldest_pending=None if oldest["pending"] is None else text_time(oldest["pending"]),
    )
    return flow_of(scope, span, counted)
