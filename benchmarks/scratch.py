"""A folder in memory, where the system has one: for filling, when waiting for a disk would tell nothing."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_IN_MEMORY = Path("/dev/shm")
_ENOUGH = 4 * 2**30


@contextmanager
def scratch() -> Iterator[Path]:
    """Make a folder and remove it; on disk where there is no memory to spare."""
    roomy = _IN_MEMORY.is_dir() and shutil.disk_usage(_IN_MEMORY).free > _ENOUGH
    with tempfile.TemporaryDirectory(dir=_IN_MEMORY if roomy else None) as folder:
        yield Path(folder)
