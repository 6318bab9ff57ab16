"""How often one caller may ask: a bucket of tokens each, filled again as time goes by."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

# So many callers are remembered; one that was quiet for a second has a full bucket anyway.
MOST_BUCKETS = 10_000


@dataclass(slots=True)
class Bucket:
    """The tokens that are left, and when they were counted."""

    tokens: float
    at: float


class Rates:
    """Lets each caller ask `rate` times a second, and as often at once; 0 is no limit."""

    def __init__(self, rate: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._most = max(rate, 1.0)
        self._clock = clock
        self._buckets: dict[str, Bucket] = {}

    def wait(self, caller: str) -> int:
        """Take a token of a caller's; return 0, or after how many whole seconds there is one."""
        if not self._rate:
            return 0
        now = self._clock()
        bucket = self._buckets.get(caller) or self._new(caller, now)
        bucket.tokens = min(self._most, bucket.tokens + (now - bucket.at) * self._rate)
        bucket.at = now
        if bucket.tokens < 1:
            return max(1, math.ceil((1 - bucket.tokens) / self._rate))
        bucket.tokens -= 1
        return 0

    def _new(self, caller: str, now: float) -> Bucket:
        if len(self._buckets) >= MOST_BUCKETS:
            full_since = now - self._most / self._rate
            self._buckets = {name: one for name, one in self._buckets.items() if one.at > full_since}
        self._buckets[caller] = Bucket(self._most, now)
        return self._buckets[caller]
