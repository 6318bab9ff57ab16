"""A project's flow on PostgreSQL: counted by day where a day begins for whoever asks."""

from __future__ import annotations

from memsieve.model import Flow, Scope, Span
from memsieve.stores.flows import Counted, flow_of
from memsieve.stores.postgres.database import Connection
from memsieve.stores.postgres.rows import fetch

_DAY = "to_char({} AT TIME ZONE 'UTC' + %(shift)s, 'YYYY-MM-DD')"
_HAPPENED = f"""
SELECT {_DAY.format("q.created_at")} AS day, a.decision AS what, count(*) AS count
FROM quarantine_logs q JOIN admissions a ON a.project_id = q.project_id AND a.entry_id = q.id
WHERE q.project_id = %(project_id)s AND q.created_at >= %(since)s GROUP BY 1, 2
UNION ALL
SELECT {_DAY.format("promoted_at")}, 'promoted', count(*) FROM approvals
WHERE project_id = %(project_id)s AND promoted_at >= %(since)s GROUP BY 1
UNION ALL
SELECT {_DAY.format("retired_at")}, 'retired', count(*) FROM retirements
WHERE project_id = %(project_id)s AND retired_at >= %(since)s GROUP BY 1
UNION ALL
SELECT {_DAY.format("buried_at")}, 'dismissed', count(*) FROM tombstones
WHERE project_id = %(project_id)s AND buried_at >= %(since)s AND kind = 'dismissed' GROUP BY 1
"""  # noqa: S608 - made of constants
_REFUSALS = f"""
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
_OLDEST = """
SELECT
    (SELECT min(made_at) FROM insights WHERE project_id = %(project_id)s AND review IS NULL) AS insight,
    (SELECT min(q.created_at) FROM admissions a JOIN quarantine_logs q
        ON q.project_id = a.project_id AND q.id = a.entry_id
        WHERE a.project_id = %(project_id)s AND a.decision = 'pending') AS pending
"""


async def read_flow(connection: Connection, scope: Scope, span: Span) -> Flow:
    """Return what went through a project in a span, and how old is what it holds."""
    values = {"project_id": scope.project_id, "now": span.now, "since": span.since, "shift": span.offset}
    # Planned anew each time: a day and a year are not read alike.
    happened, refusals, memory_ages, insight_ages, [oldest] = [
        await fetch(connection, sql, values, prepare=False)
        for sql in (_HAPPENED, _REFUSALS, _MEMORY_AGES, _INSIGHT_AGES, _OLDEST)
    ]
    counted = Counted(
        happened=happened,
        refusals=refusals,
        memory_ages=memory_ages,
        insight_ages=insight_ages,
        oldest_insight=oldest["insight"],
        oldest_pending=oldest["pending"],
    )
    return flow_of(scope, span, counted)
