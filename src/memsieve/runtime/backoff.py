"""Exponential back-off, and the Retry-After header of HTTP."""

from __future__ import annotations

import math
import random
import time
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


class Backoff:
    """Delays between attempts: each is `factor` times the one before, at most `longest` seconds.

    With `jitter` each delay is shorter by a random share, at most this one, so that many callers do not come back at
    once. `patience` is after how many seconds no further attempt may begin.
    """

    def __init__(
        self, first: float, longest: float, *, factor: float = 2.0, jitter: float = 0.0, patience: float = math.inf
    ) -> None:
        self._first, self._longest, self._factor, self._jitter = first, longest, factor, jitter
        self._ends = time.monotonic() + patience
        self._attempts = 0

    def next_delay(self, at_least: float = 0.0) -> float:
        """Return how many seconds to wait before the next attempt."""
        delay = delay_after(self._attempts, self._first, self._longest, factor=self._factor)
        self._attempts += 1
        return max(at_least, delay * random.uniform(1 - self._jitter, 1))  # noqa: S311 - it guards no secret

    def permits(self, delay: float) -> bool:
        """Return whether an attempt after this delay would still begin in time."""
        return time.monotonic() + delay < self._ends

    def reset(self) -> None:
        """Begin with the first delay again."""
        self._attempts = 0


def delay_after(attempts: int, first: float, longest: float, *, factor: float = 2.0) -> float:
    """Return the delay after `attempts` earlier delays."""
    # The power itself must not grow without end.
    return min(first * factor ** min(attempts, 64), longest)


def retry_after(header: str | None) -> float | None:
    """Read a Retry-After header, which holds seconds or a date; None without a readable one."""
    if header is None:
        return None
    if header.isascii() and header.isdigit():
        return float(header)
    try:
        date = parsedate_to_datetime(header)
    except ValueError:
        return None
    return max(0.0, (date.replace(tzinfo=date.tzinfo or UTC) - datetime.now(UTC)).total_seconds())
