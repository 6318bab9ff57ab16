"""How much a project holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import ClassVar

from memsieve import validate
from memsieve.errors import InvalidInput


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """How much a project holds in each tier, and what the filter refused.

    `working` is None while working memory does not answer.
    """

    project_id: str
    recorded: int
    admitted: int
    refused: int
    pending: int
    refused_by: Mapping[str, int]
    shadow_admitted: int
    shadow_refused: int
    working: int | None
    memories: int
    chunks: int
    tombstones: int
    answers: int
    insights_waiting: int
    oldest_waiting: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """How much all projects hold together.

    `working` is None while working memory does not answer.
    """

    projects: int
    recorded: int
    admitted: int
    refused: int
    pending: int
    oldest_pending: datetime | None
    working: int | None
    promoted: int
    memories: int
    retired: int
    tombstones: int
    insights_waiting: int
    oldest_waiting: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DayCounts:
    """One day: what became of the entries recorded on it, and how many decisions people made on it."""

    day: date
    recorded: int = 0
    admitted: int = 0
    refused: int = 0
    pending: int = 0
    refused_by: Mapping[str, int]
    promoted: int = 0
    dismissed: int = 0
    retired: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class AgeBucket:
    """One histogram bucket: younger than `up_to_days`, older than the bucket before; None is open-ended."""

    up_to_days: int | None
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DailyCounts:
    """Counts of a project for each of the last days, oldest first, and the ages of its memories and insights."""

    project_id: str
    days: tuple[DayCounts, ...]
    memory_ages: tuple[AgeBucket, ...]
    insight_ages: tuple[AgeBucket, ...]
    oldest_insight: datetime | None
    oldest_pending: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DateRange:
    """The last days until now, where clocks are `offset` ahead of UTC."""

    MOST_DAYS: ClassVar[int] = 366
    MOST_OFFSET: ClassVar[timedelta] = timedelta(hours=14)

    now: datetime
    days: int = 30
    offset: timedelta = timedelta(0)

    def __post_init__(self) -> None:
        validate.whole_number(self.days, field="days", most=self.MOST_DAYS)
        if not self.days:
            raise InvalidInput("days is 0; it must be at least 1.", field="days")
        if not isinstance(self.offset, timedelta) or abs(self.offset) > self.MOST_OFFSET:
            raise InvalidInput(f"offset is {self.offset!r}; it must be at most 14 hours.", field="offset")

    @property
    def dates(self) -> list[date]:
        """All days of the range, oldest first."""
        today = (self.now.astimezone(UTC) + self.offset).date()
        return [today - timedelta(days=back) for back in reversed(range(self.days))]

    @property
    def since(self) -> datetime:
        """When the first day begins."""
        return datetime.combine(self.dates[0], time(), UTC) - self.offset
