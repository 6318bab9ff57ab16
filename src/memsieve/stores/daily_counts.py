"""A project's flow, put together from what any engine counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memsieve.model import AgeBucket, DailyCounts, DateRange, DayCounts, Scope

MEMORY_AGES = (1, 7, 30, 90, 365)
INSIGHT_AGES = (1, 7, 14, 30)

Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowCounts:
    """What an engine counts: `what` happened on each `day`, which check refused, and ages in whole days."""

    happened: Rows
    refusals: Rows
    memory_ages: Rows
    insight_ages: Rows
    oldest_insight: datetime | None
    oldest_pending: datetime | None


def flow_of(scope: Scope, span: DateRange, counted: FlowCounts) -> DailyCounts:
    """Return the flow of a project, with every day of the span."""
    happened = {(row["day"], row["what"]): row["count"] for row in counted.happened}
    refused_by: dict[str, dict[str, int]] = {}
    for row in counted.refusals:
        refused_by.setdefault(row["day"], {})[row["what"]] = row["count"]
    return DailyCounts(
        project_id=scope.project_id,
        days=tuple(_day(day, happened, refused_by.get(str(day), {})) for day in span.dates),
        memory_ages=_by_age(counted.memory_ages, MEMORY_AGES),
        insight_ages=_by_age(counted.insight_ages, INSIGHT_AGES),
        oldest_insight=counted.oldest_insight,
        oldest_pending=counted.oldest_pending,
    )


def _day(day: Any, happened: Mapping[tuple[str, str], int], refused_by: Mapping[str, int]) -> DayCounts:
    counts = {
        what: happened.get((str(day), what), 0)
        for what in ("admitted", "refused", "pending", "promoted", "dismissed", "retired")
    }
    recorded = counts["admitted"] + counts["refused"] + counts["pending"]
    return DayCounts(day=day, recorded=recorded, refused_by=refused_by, **counts)


def _by_age(rows: Rows, bounds: Sequence[int]) -> tuple[AgeBucket, ...]:
    counts: Counter[int | None] = Counter()
    for row in rows:
        counts[next((bound for bound in bounds if row["days"] < bound), None)] += row["count"]
    return tuple(AgeBucket(up_to_days=bound, count=counts[bound]) for bound in (*bounds, None))
