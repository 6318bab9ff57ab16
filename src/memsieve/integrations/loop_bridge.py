"""Call a project from wherever an agent runs: its own event loop, another one, or a thread without any."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

from memsieve.errors import ConfigError, StoreUnavailable
from memsieve.project import AsyncProject, Project

R = TypeVar("R")


class LoopBridge:
    """A project and the event loop on which it lives: all work on it is done there."""

    def __init__(self, project: Project | AsyncProject) -> None:
        self._front = project.loop if isinstance(project, Project) else None
        inner: AsyncProject = project.inner if isinstance(project, Project) else project
        if not all(hasattr(inner, name) for name in ("id", "record", "retrieve")):
            raise ConfigError(
                f"A {type(project).__name__} is no project. Give what memory.project(…) or client.project(…) returns."
            )
        self.project = inner
        self._tasks: set[asyncio.Task[Any]] = set()
        self._home: asyncio.AbstractEventLoop | None = None
        if self._front is None:
            self._home = _running()

    def call(self, work: Coroutine[Any, Any, R]) -> R:
        """Run work from a thread and wait for it."""
        try:
            running = self._start(work, _running())
        except BaseException:
            work.close()
            raise
        # An interrupted caller leaves the work running: half-done work would be worse.
        return running.result()

    async def acall(self, work: Coroutine[Any, Any, R]) -> R:
        """Run work from any event loop and wait for it."""
        here = asyncio.get_running_loop()
        if self._front is None and self._home is None:
            self._home = here
        if here is self._home:
            task = here.create_task(work)
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
            return await asyncio.shield(task)
        try:
            running = self._start(work, None)
        except BaseException:
            work.close()
            raise
        return await asyncio.shield(asyncio.wrap_future(running))

    def _start(self, work: Coroutine[Any, Any, R], here: asyncio.AbstractEventLoop | None) -> Future[R]:
        if self._front is not None:
            return self._front.start(work)
        if self._home is None:
            raise ConfigError(
                "An asynchronous project was given outside of its event loop. Make the recorder inside of it, or open "
                "a synchronous Memory or Client."
            )
        if here is self._home:
            raise ConfigError("This is the memory's own event loop, which must not be blocked. Await the other form.")
        if self._home.is_closed():
            raise StoreUnavailable("The event loop of this memory is closed. Open it again to go on.")
        return asyncio.run_coroutine_threadsafe(work, self._home)


def _running() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
