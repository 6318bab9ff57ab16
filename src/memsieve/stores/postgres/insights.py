"""How insights and their sources lie in PostgreSQL's columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from memsieve.model import Insight, InsightSource
from memsieve.stores import insights
from memsieve.stores.postgres.rows import half, vector_from
from memsieve.stores.records import json_text

_SOURCE = ("entry_id", "session_id", "agent_id", "confidence", "created_at", "quote", "doubt", "later")
# Each source's columns as arrays beside its insight: one statement sees all of one moment.
_BEHIND = f"""
SELECT {", ".join(f"array_agg({name} ORDER BY position) AS source_{name}" for name in _SOURCE)}
FROM insight_sources s JOIN quarantine_logs q ON q.project_id = s.project_id AND q.id = s.entry_id
WHERE s.project_id = i.project_id AND s.insight_id = i.id
"""  # noqa: S608 - made of constants
# A memory that was retired since is no verified memory to be near to.
SELECT = f"""
SELECT i.*, r.approval_id IS NOT NULL AS nearest_is_retired, behind.*
FROM insights i
    LEFT JOIN retirements r ON r.project_id = i.project_id AND r.approval_id = i.nearest ->> 'memory_id'
    CROSS JOIN LATERAL ({_BEHIND}) behind
WHERE i.project_id = %(project_id)s
"""  # noqa: S608 - made of constants


def insight_row(insight: Insight, embedder: str) -> dict[str, Any]:
    """Return an insight that waits as named columns, without its project."""
    values = insights.insight_values(insight)
    return {
        **values,
        "refinement": json_text(values["refinement"]),
        "nearest": None if values["nearest"] is None else json_text(values["nearest"]),
        "disputes": json_text(values["disputes"]),
        "embedder": embedder,
        "embedding": half(insight.embedding),
    }


def insight_from(row: Mapping[str, Any], embedder: str) -> Insight:
    """Return the insight of a row; a vector of another embedder is left out."""
    return insights.insight_from(row, list(_sources(row)), vector_from(row, embedder))


def _sources(row: Mapping[str, Any]) -> Iterable[tuple[bool, InsightSource]]:
    columns = [row[f"source_{name}"] or () for name in _SOURCE]
    for values in zip(*columns, strict=True):
        source = dict(zip(_SOURCE, values, strict=True))
        yield source["later"], insights.source_from(source)
