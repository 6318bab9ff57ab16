"""How many event streams one caller, and all callers of a process together, may hold open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from starlette.exceptions import HTTPException

MOST_STREAMS = 5000
MOST_OF_A_CALLER = 1000
# Whoever is alone does not take so large a share that nobody else could listen.
SHARE_OF_A_CALLER = 4
RETRY_SECONDS = 30


class Seats:
    """Counts who listens; a stream holds a connection for an hour, and there are only so many of those."""

    def __init__(self, most: int = MOST_STREAMS) -> None:
        self._most = most
        self._most_of_a_caller = max(1, min(MOST_OF_A_CALLER, most // SHARE_OF_A_CALLER))
        self._taken: Counter[str] = Counter()

    @contextmanager
    def taken(self, caller: str) -> Iterator[None]:
        """Hold a seat for a caller, or refuse it."""
        if self._taken[caller] >= self._most_of_a_caller:
            raise _refused(
                f"You have {self._most_of_a_caller} event streams open here, and more are not given to one caller. "
                "Close those that nobody reads: one for each project is enough for a program."
            )
        if self._taken.total() >= self._most:
            raise _refused(f"All {self._most} event streams of this server are taken. Try again later.")
        self._taken[caller] += 1
        try:
            yield
        finally:
            self._taken[caller] -= 1
            # A counter keeps whoever was ever here.
            if not self._taken[caller]:
                del self._taken[caller]


def _refused(detail: str) -> HTTPException:
    return HTTPException(429, detail, {"Retry-After": str(RETRY_SECONDS)})
