"""Memory: the same for synchronous code, over one event loop in a thread of its own."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from contextlib import ExitStack
from functools import partial, wraps
from pathlib import Path
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Protocol, Self, TypeVar

from anyio.from_thread import BlockingPortal, start_blocking_portal

from memsieve.bootstrap import utc_now
from memsieve.config import Settings
from memsieve.errors import StoreUnavailable
from memsieve.memory import AsyncMemory
from memsieve.ports import Clock
from memsieve.project import AsyncProject

P = ParamSpec("P")
R = TypeVar("R")
A = TypeVar("A")


class _Front(Protocol[A]):
    _portal: BlockingPortal
    _inner: A


def _blocking(
    method: Callable[Concatenate[A, P], Coroutine[Any, Any, R]],
) -> Callable[Concatenate[_Front[A], P], R]:
    """Make the synchronous form of an asynchronous method, with its signature and docstring."""

    @wraps(method)
    def call(self: _Front[A], /, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            result: R = self._portal.call(partial(method, self._inner, *args, **kwargs))
        except RuntimeError as exc:
            if "portal is not running" not in str(exc):
                raise
            raise StoreUnavailable("This memory is closed. Open it again to go on.") from exc
        return result

    return call


class Project:
    """One project's memory, for synchronous code; see `AsyncProject`."""

    def __init__(self, portal: BlockingPortal, inner: AsyncProject) -> None:
        self._portal = portal
        self._inner = inner
        self.id = inner.id

    record = _blocking(AsyncProject.record)
    bring = _blocking(AsyncProject.bring)
    retrieve = _blocking(AsyncProject.retrieve)
    history_context = _blocking(AsyncProject.history_context)
    promote = _blocking(AsyncProject.promote)
    promote_text = _blocking(AsyncProject.promote_text)
    dismiss = _blocking(AsyncProject.dismiss)
    retire = _blocking(AsyncProject.retire)
    delete = _blocking(AsyncProject.delete)
    log = _blocking(AsyncProject.log)
    entry = _blocking(AsyncProject.entry)
    events = _blocking(AsyncProject.events)
    working = _blocking(AsyncProject.working)
    memories = _blocking(AsyncProject.memories)
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
        with ExitStack() as stack:
            self._portal = stack.enter_context(start_blocking_portal())
            stack.enter_context(self._portal.wrap_async_context_manager(inner))
            self._stack = stack.pop_all()

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
        self._stack.close()

    def project(self, project_id: str) -> Project:
        """Return one project's memory; nothing of any other project can be reached through it."""
        return Project(self._portal, self._inner.project(project_id))

    projects = _blocking(AsyncMemory.projects)
