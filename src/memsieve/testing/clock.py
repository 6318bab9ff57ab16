"""A clock that stands still until it is told to go on."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


class Clock:
    """Give the same moment again and again, until it is advanced."""

    def __init__(self, now: datetime = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def advance(self, *, hours: float = 0, seconds: float = 0) -> None:
        """Move on, or back where the step is negative."""
        self.now += timedelta(hours=hours, seconds=seconds)
