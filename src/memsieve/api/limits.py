"""How many requests a second and how many event streams one caller may have."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from starlette.exceptions import HTTPException

# A caller that was quiet for a second has a full bucket anyway.
MAX_BUCKETS = 10_000
MAX_STREAMS = 5000
MAX_STREAMS_PER_CALLER = 1000
# The largest part of all streams that one caller may take.
SHARE_PER_CALLER = 1 / 4
RETRY_AFTER_SECONDS = 30


@dataclass(slots=True)
class _Bucket:
    tokens: float
    counted_at: float


class TokenBucketLimiter:
    """Lets each caller make `rate` requests a second, and as many at once; 0 is no limit."""

    def __init__(self, rate: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._capacity = max(rate, 1.0)
        self._clock = clock
        self._buckets: dict[str, _Bucket] = {}

    def acquire(self, caller: str) -> int:
        """Take a token of the caller's bucket; return 0, or after how many whole seconds there is one."""
        if not self._rate:
            return 0
        now = self._clock()
        bucket = self._buckets.get(caller) or self._new_bucket(caller, now)
        bucket.tokens = min(self._capacity, bucket.tokens + (now - bucket.counted_at) * self._rate)
        bucket.counted_at = now
        if bucket.tokens < 1:
            return max(1, math.ceil((1 - bucket.tokens) / self._rate))
        bucket.tokens -= 1
        return 0

    def _new_bucket(self, caller: str, now: float) -> _Bucket:
        if len(self._buckets) >= MAX_BUCKETS:
            full_since = now - self._capacity / self._rate
            self._buckets = {name: one for name, one in self._buckets.items() if one.counted_at > full_since}
        self._buckets[caller] = _Bucket(self._capacity, now)
        return self._buckets[caller]


class StreamLimiter:
    """Counts open event streams: each keeps a connection for up to an hour."""

    def __init__(self, capacity: int = MAX_STREAMS) -> None:
        self._capacity = capacity
        self._per_caller = max(1, min(MAX_STREAMS_PER_CALLER, int(capacity * SHARE_PER_CALLER)))
        self._open: Counter[str] = Counter()

    @contextmanager
    def slot(self, caller: str) -> Iterator[None]:
        """Count a stream of the caller while it is open, or refuse it with 429."""
        if self._open[caller] >= self._per_caller:
            raise _refused(
                f"You have {self._per_caller} event streams open here, and more are not given to one caller. "
                "Close those that nobody reads: one for each project is enough for a program."
            )
        if self._open.total() >= self._capacity:
            raise _refused(f"All {self._capacity} event streams of this server are taken. Try again later.")
        self._open[caller] += 1
        try:
            yield
        finally:
            self._open[caller] -= 1
            # A counter keeps names with 0.
            if not self._open[caller]:
                del self._open[caller]


def _refused(detail: str) -> HTTPException:
    return HTTPException(429, detail, {"Retry-After": str(RETRY_AFTER_SECONDS)})
