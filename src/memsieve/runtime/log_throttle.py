"""Log the same error once a second, not a thousand times."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

INTERVAL_SECONDS = 1.0
MAX_ERRORS = 1000


class LogThrottle:
    """Remembers which errors were logged within the last second."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._logged: dict[tuple[type[BaseException], str], float] = {}

    def should_log(self, error: BaseException) -> bool:
        """Return True at most once a second for the same exception type and message."""
        now, key = self._clock(), (type(error), str(error))
        if now - self._logged.get(key, -math.inf) < INTERVAL_SECONDS:
            return False
        if len(self._logged) >= MAX_ERRORS:
            self._logged = {one: at for one, at in self._logged.items() if now - at < INTERVAL_SECONDS}
        self._logged[key] = now
        return True
