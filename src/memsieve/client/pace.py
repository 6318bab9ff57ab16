"""How long to wait before the next attempt, and when to give up."""

from __future__ import annotations

import random
import time
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

FIRST = 0.1
LONGEST = 5.0


class Pace:
    """The pauses of one call: each up to twice as long as the one before, none alike, and an end to all of them."""

    def __init__(self, patience: float) -> None:
        self._ends = time.monotonic() + patience
        self._ceiling = FIRST

    def pause(self, at_least: float = 0.0) -> float | None:
        """Return how long to wait now, or None when the next attempt would begin too late."""
        wait = max(at_least, random.uniform(self._ceiling / 2, self._ceiling))  # noqa: S311 - it guards no secret
        self._ceiling = min(LONGEST, 2 * self._ceiling)
        return wait if time.monotonic() + wait < self._ends else None


def retry_after(written: str | None) -> float:
    """Read a Retry-After header, which holds seconds or a date; 0 without a readable one."""
    if written is None:
        return 0.0
    if written.isascii() and written.isdigit():
        return float(written)
    try:
        date = parsedate_to_datetime(written)
    except ValueError:
        return 0.0
    return max(0.0, (date.replace(tzinfo=date.tzinfo or UTC) - datetime.now(UTC)).total_seconds())
