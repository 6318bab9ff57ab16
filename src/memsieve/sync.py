"""Memory: the same for synchronous code, over one event loop in a thread of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from contextlib import ExitStack
from functools import wraps
from pathlib import Path
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Protocol, Self, TypeVar

from memsieve.config import Settings
from memsieve.engines import utc_now
from memsieve.errors import StoreUnavailable
from memsieve.memory import AsyncMemory
from memsieve.ports import Clock
from memsieve.project import AsyncProject

P = ParamSpec("P")
R = TypeVar("R")
A = TypeVar("A")


class Loop:
    """An event loop in a thread of its own, which does not keep the interpreter from ending."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="memsieve", daemon=True)
        self._thread.start()

    def call(self, work: Coroutine[Any, Any, R]) -> R:
        """Run work on the loop and wait for it."""
        if self._loop.is_closed():
            work.close()
            raise StoreUnavailable("This memory is closed. Open it again to go on.")
        running = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return running.result()
        except BaseException:
            running.cancel()
            raise

    def close(self) -> None:
        """Stop the loop; what it still does is given up."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.run_until_complete(self._loop.shutdown_default_executor())
        self._loop.close()


class _Front(Protocol[A]):
    _loop: Loop
    _inner: A


def _blocking(
    method: Callable[Concatenate[A, P], Coroutine[Any, Any, R]],
) -> Callable[Concatenate[_Front[A], P], R]:
    """Make the synchronous form of an asynchronous method, with its signature and docstring."""

    @wraps(method)
    def call(self: _Front[A], /, *args: P.args, **kwargs: P.kwargs) -> R:
        return self._loop.call(method(self._inner, *args, **kwargs))

    return call


class Project:
    """One project's memory, for synchronous code; see `AsyncProject`."""

    def __init__(self, memory: Memory, loop: Loop, inner: AsyncProject) -> None:
        # A memory that nobody holds any more is closed: a project in use holds its own.
        self._memory = memory
        self._loop = loop
        self._inner = inner
        self.id = inner.id

    record = _blocking(AsyncProject.record)
    bring = _blocking(AsyncProject.bring)
    bring_history = _blocking(AsyncProject.bring_history)
    retrieve = _blocking(AsyncProject.retrieve)
    history_context = _blocking(AsyncProject.history_context)
    promote = _blocking(AsyncProject.promote)
    promote_text = _blocking(AsyncProject.promote_text)
    promote_texts = _blocking(AsyncProject.promote_texts)
    dismiss = _blocking(AsyncProject.dismiss)
    digest = _blocking(AsyncProject.digest)
    last_digest = _blocking(AsyncProject.last_digest)
    insights = _blocking(AsyncProject.insights)
    insight = _blocking(AsyncProject.insight)
    retire = _blocking(AsyncProject.retire)
    retired = _blocking(AsyncProject.retired)
    delete = _blocking(AsyncProject.delete)
    log = _blocking(AsyncProject.log)
    entry = _blocking(AsyncProject.entry)
    events = _blocking(AsyncProject.events)
    working = _blocking(AsyncProject.working)
    restore_working = _blocking(AsyncProject.restore_working)
    missing_from_working = _blocking(AsyncProject.missing_from_working)
    memories = _blocking(AsyncProject.memories)
    memory = _blocking(AsyncProject.memory)
    lineage = _blocking(AsyncProject.lineage)
    stats = _blocking(AsyncProject.stats)
    retry = _blocking(AsyncProject.retry)
    replay = _blocking(AsyncProject.replay)
    verify_audit = _blocking(AsyncProject.verify_audit)


class Memory:
    """A memory for synchronous code: `with Memory.open("./.memsieve") as memory`."""

    def __init__(self, inner: AsyncMemory) -> None:
        self._inner = inner
        self.settings = inner.settings
        self._loop = Loop()
        with ExitStack() as opening:
            opening.callback(self._loop.close)
            self._loop.call(inner.__aenter__())
            opening.pop_all()
        self._closed = False

    @classmethod
    def open(cls, data: str | Path | None = None, *, settings: Settings | None = None, clock: Clock = utc_now) -> Self:
        """Open the memory in a data folder; without settings, `memsieve.toml` and `MEMSIEVE_*` are read."""
        return cls(AsyncMemory.open(data, settings=settings, clock=clock))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the memory; what is undecided is tried again when it is opened next."""
        if not self._closed:
            self._closed = True
            self._loop.call(self._inner.__aexit__(None, None, None))
            self._loop.close()

    def project(self, project_id: str) -> Project:
        """Return one project's memory; nothing of any other project can be reached through it."""
        return Project(self, self._loop, self._inner.project(project_id))

    projects = _blocking(AsyncMemory.projects)
    reembed = _blocking(AsyncMemory.reembed)
    forget_vectors = _blocking(AsyncMemory.forget_vectors)
    make_due_digests = _blocking(AsyncMemory.make_due_digests)
