"""A project's flow on SQLite: counted by day where a day begins for whoever asks."""

from __future__ import annotations

import sqlite3

from memsieve.model import Flow, Scope, Span
from memsieve.stores.flows import Counted, flow_of
from memsieve.stores.sqlite.rows import text_time, time_text

# Both counts of entries are made of one look at them.
_SAID = """
WITH said AS MATERIALIZED (
    SELECT date(q.created_at, :shift) AS day, a.decision, iif(a.decision = 'refused', a.checks, '[]') AS checks
    FROM quarantine_logs q JOIN admissions a ON a.project_id = q.project_id AND a.entry_id = q.id
    WHERE q.project_id = :project_id AND q.created_at >= :since
)
SELECT day, decision AS what, count(*) AS count, NULL AS failed FROM said GROUP BY 1, 2
UNION ALL
SELECT day, json_extract(c.value, '$[0]') AS what, count(*) AS count, 1 FROM said, json_each(said.checks) c
WHERE NOT json_extract(c.value, '$[1]') GROUP BY 1, 2
ORDER BY count DESC, what
"""
_DONE = """
SELECT date(promoted_at, :shift) AS day, 'promoted' AS what, count(*) AS count FROM approvals
WHERE project_id = :project_id AND promoted_at >= :since GROUP BY 1
UNION ALL
SELECT date(retired_at, :shift), 'retired', count(*) FROM retirements
WHERE project_id = :project_id AND retired_at >= :since GROUP BY 1
UNION ALL
SELECT date(buried_at, :shift), 'dismissed', count(*) FROM tombstones
WHERE project_id = :project_id AND buried_at >= :since AND kind = 'dismissed' GROUP BY 1
"""
_MEMORY_AGES = """
SELECT (strftime('%s', :now) - strftime('%s', promoted_at)) / 86400 AS days, count(*) AS count FROM reviewed
WHERE project_id = :project_id AND retired_at IS NULL GROUP BY 1
"""
_INSIGHT_AGES = """
SELECT (strftime('%s', :now) - strftime('%s', made_at)) / 86400 AS days, count(*) AS count FROM insights
WHERE project_id = :project_id AND review IS NULL GROUP BY 1
"""
_OLDEST = """
SELECT
    (SELECT min(made_at) FROM insights WHERE project_id = :project_id AND review IS NULL) AS insight,
    (SELECT min(q.created_at) FROM admissions a JOIN quarantine_logs q
        ON q.project_id = a.project_id AND q.id = a.entry_id
        WHERE a.project_id = :project_id AND a.decision = 'pending') AS pending
"""


def read_flow(connection: sqlite3.Connection, scope: Scope, span: Span) -> Flow:
    """Return what went through a project in a span, and how old is what it holds."""
    values = {
        "project_id": scope.project_id,
        "now": time_text(span.now),
        "since": time_text(span.since),
        "shift": f"{span.offset.total_seconds() / 60:+.0f} minutes",
    }
    said, done, memory_ages, insight_ages, [oldest] = [
        connection.execute(sql, values).fetchall() for sql in (_SAID, _DONE, _MEMORY_AGES, _INSIGHT_AGES, _OLDEST)
    ]
    counted = Counted(
        happened=[*(row for row in said if not row["failed"]), *done],
        refusals=[row for row in said if row["failed"]],
        memory_ages=memory_ages,
        insight_ages=insight_ages,
        oldest_insight=None if oldest["insight"] is None else text_time(oldest["insight"]),
        oldest_pending=None if oldest["pending"] is None else text_time(oldest["pending"]),
    )
    return flow_of(scope, span, counted)
