"""One at a time in a project: a filter's decision and a person's never cross each other half way."""

from __future__ import annotations

import asyncio
from weakref import WeakValueDictionary

from memsieve.model import Scope


class Turns:
    """Hands out each project's turn; different projects never wait for each other."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def of(self, scope: Scope) -> asyncio.Lock:
        """Return the project's turn, to be taken with `async with`."""
        return self._locks.setdefault(scope.project_id, asyncio.Lock())
