"""One lock per project: the filter's decision and a person's decision never interleave."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Self
from weakref import WeakValueDictionary

from memsieve.model import Scope


class ProjectLock:
    """Async lock; `version` counts its releases, so a caller can tell whether it was acquired meanwhile."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self.version = 0

    async def __aenter__(self) -> Self:
        await self._lock.acquire()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.version += 1
        self._lock.release()


class ProjectLocks:
    """The locks of all projects; different projects never wait for each other."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[str, ProjectLock] = WeakValueDictionary()

    def for_project(self, scope: Scope) -> ProjectLock:
        """Return the project's lock."""
        return self._locks.setdefault(scope.project_id, ProjectLock())
