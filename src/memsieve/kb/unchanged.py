"""When what was kept of a file still holds: the file has not changed since, and neither have the rules."""

from __future__ import annotations

import os
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from types import ModuleType

# A file may change again within the same tick of the clock: what is so young is read again the next time.
_SETTLED = 2_000_000_000


def state(found: os.stat_result, now: int) -> list[int] | None:
    """Return a file's size and times, which a change changes; None for what may change without them."""
    times = [found.st_mtime_ns, found.st_ctime_ns]
    return [found.st_size, *times] if max(times) < now - _SETTLED else None


def rules(*rooms: ModuleType) -> str:
    """Return a mark of the code of some packages and modules."""
    return sha256(b"".join(place.read_bytes() for room in rooms for place in _places(room))).hexdigest()


def _places(room: ModuleType) -> Iterable[Path]:
    return sorted(Path(room.__path__[0]).glob("*.py")) if hasattr(room, "__path__") else [Path(str(room.__file__))]
