"""An event loop in a thread of its own, and the synchronous form of asynchronous methods over it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from functools import wraps
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from memsieve.errors import StoreUnavailable

P = ParamSpec("P")
R = TypeVar("R")
A = TypeVar("A")
A_co = TypeVar("A_co", covariant=True)


class LoopThread:
    """An event loop in a thread of its own, which does not keep the interpreter from ending."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="memsieve", daemon=True)
        self._thread.start()

    def start(self, work: Coroutine[Any, Any, R]) -> Future[R]:
        """Run work on the loop, from any thread or any other loop."""
        if self._loop.is_closed():
            work.close()
            raise StoreUnavailable("This memory is closed. Open it again to go on.")
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def call(self, work: Coroutine[Any, Any, R]) -> R:
        """Run work on the loop and wait for it."""
        running = self.start(work)
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


class Front(Generic[A_co]):
    """The synchronous form of something asynchronous: `inner`, and the `loop` on which it lives."""

    def __init__(self, loop: LoopThread, inner: A_co, *, owner: object = None) -> None:
        self.loop = loop
        self.inner = inner
        # A memory without references is closed: objects in use keep a reference to theirs.
        self._owner = owner


def blocking(
    method: Callable[Concatenate[A, P], Coroutine[Any, Any, R]],
) -> Callable[Concatenate[Front[A], P], R]:
    """Make the synchronous form of an asynchronous method, with its signature and docstring."""
    name = method.__name__

    @wraps(method)
    def call(self: Front[A], /, *args: P.args, **kwargs: P.kwargs) -> R:
        work: Coroutine[Any, Any, R] = getattr(self.inner, name)(*args, **kwargs)
        return self.loop.call(work)

    return call
