"""What goes wrong many times a second is worth one line of the log, not all of them."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

TOLD_EVERY = 1.0
MOST_CAUSES = 1000


class Causes:
    """Knows which errors were told a moment ago."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._told: dict[tuple[type[BaseException], str], float] = {}

    def news(self, error: BaseException) -> bool:
        """Say whether this cause, by class and words, was not told within the last second; it counts as told then."""
        now, cause = self._clock(), (type(error), str(error))
        if now - self._told.get(cause, -math.inf) < TOLD_EVERY:
            return False
        if len(self._told) >= MOST_CAUSES:
            self._told = {one: at for one, at in self._told.items() if now - at < TOLD_EVERY}
        self._told[cause] = now
        return True
