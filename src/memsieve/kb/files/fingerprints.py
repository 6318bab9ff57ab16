"""Cache validity: the same file on disk, and the same version of the code that computed what is cached."""

from __future__ import annotations

import os
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from types import ModuleType

# A file may change again within the same tick of the clock: one that is so young is read again the next time.
_SETTLED_NS = 2_000_000_000
_CODE_AND_DATA = {".py", ".json", ".toml", ".tsv", ".txt"}


def content_hash(content: str | bytes) -> str:
    """Return what tells one content from another."""
    return sha256(content.encode() if isinstance(content, str) else content).hexdigest()


def file_stamp(found: os.stat_result, now: int) -> list[int] | None:
    """Return a file's size and times, which a change changes; None where it may change without them."""
    times = [found.st_mtime_ns, found.st_ctime_ns]
    return [found.st_size, *times] if max(times) < now - _SETTLED_NS else None


def code_version(*modules: ModuleType) -> str:
    """Return a hash of the code and the word lists of some packages and modules."""
    return sha256(b"".join(path.read_bytes() for module in modules for path in _files(module))).hexdigest()


def _files(module: ModuleType) -> Iterable[Path]:
    if not hasattr(module, "__path__"):
        return [Path(str(module.__file__))]
    return sorted(path for path in Path(module.__path__[0]).rglob("*") if path.suffix in _CODE_AND_DATA)
