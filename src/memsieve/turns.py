"""One at a time in a project: a filter's decision and a person's never cross each other half way."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Self
from weakref import WeakValueDictionary

from memsieve.model import Scope


class Turn:
    """A project's turn, to be taken with `async with`; `ended` counts how many have been."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self.ended = 0

    async def __aenter__(self) -> Self:
        await self._lock.acquire()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.ended += 1
        self._lock.release()


class Turns:
    """Hands out each project's turn; different projects never wait for each other."""

    def __init__(self) -> None:
        self._turns: WeakValueDictionary[str, Turn] = WeakValueDictionary()

    def of(self, scope: Scope) -> Turn:
        """Return the project's turn."""
        return self._turns.setdefault(scope.project_id, Turn())
