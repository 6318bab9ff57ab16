"""A project's flow back out of JSON."""

from __future__ import annotations

from datetime import date

from memsieve.client.reader import Fields, Unreadable, counts, many, maybe, moment, text, whole
from memsieve.model import AgeBucket, Flow, FlowDay


def flow(value: object) -> Flow:
    """Read what went through a project."""
    of = Fields(value)
    return Flow(
        project_id=of.read("project_id", text),
        days=of.read("days", many(_day)),
        memory_ages=of.read("memory_ages", many(_age)),
        insight_ages=of.read("insight_ages", many(_age)),
        oldest_insight=of.read("oldest_insight", maybe(moment)),
        oldest_pending=of.read("oldest_pending", maybe(moment)),
    )


def _day(value: object) -> FlowDay:
    of = Fields(value)
    return FlowDay(
        day=of.read("day", _date),
        recorded=of.read("recorded", whole),
        admitted=of.read("admitted", whole),
        refused=of.read("refused", whole),
        pending=of.read("pending", whole),
        refused_by=of.read("refused_by", counts(text)),
        promoted=of.read("promoted", whole),
        dismissed=of.read("dismissed", whole),
        retired=of.read("retired", whole),
    )


def _age(value: object) -> AgeBucket:
    of = Fields(value)
    return AgeBucket(up_to_days=of.read("up_to_days", maybe(whole)), count=of.read("count", whole))


def _date(value: object) -> date:
    try:
        return date.fromisoformat(text(value))
    except ValueError as exc:
        raise Unreadable(f"is {value!r}, and should be a day") from exc
