"""Plain Python: a decorator that records the output of a function, and a block that records what it is given."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Callable, Iterator
from functools import wraps
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from memsieve.integrations.outputs import recordings

if TYPE_CHECKING:
    from memsieve.integrations.recorder import Recorder

F = TypeVar("F", bound=Callable[..., Any])


def remembered(
    recorder: Recorder, *, name: str | None = None, agent_id: str | None = None, key: str | None = None
) -> Callable[[F], F]:
    """Record the output of a function under its name; `key` names where the text is in a mapping or record.

    The function may be synchronous or not, or a generator: its items are recorded as one text when it ends or fails.
    """

    def decorate(function: F) -> F:
        outputs = _OutputRecorder(recorder, name or function.__name__, agent_id, key)
        for kind, wrap in _KINDS:
            if kind(function):
                return cast("F", wraps(function)(wrap(outputs, function)))
        return cast("F", wraps(function)(_function(outputs, function)))

    return decorate


class _OutputRecorder:
    """Records the outputs of one function."""

    def __init__(self, recorder: Recorder, name: str, agent_id: str | None, key: str | None) -> None:
        self._recorder = recorder
        self._name = name
        self._agent_id = agent_id
        self._key = key

    def keep(self, output: Any, **metadata: Any) -> None:
        for text, about in self._outputs(output, metadata):
            self._recorder.record(text, **about)

    async def akeep(self, output: Any, **metadata: Any) -> None:
        for text, about in self._outputs(output, metadata):
            await self._recorder.arecord(text, **about)

    def _outputs(self, output: Any, metadata: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
        for one in recordings(output, self._name, self._key):
            about = one.about
            about["node_id"] = self._name
            about["agent_id"] = self._agent_id or one.speaker
            about["metadata"] = {**one.metadata, **metadata}
            yield one.text, about


def _function(outputs: _OutputRecorder, function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        output = function(*args, **kwargs)
        outputs.keep(output)
        return output

    return call


def _coroutine(outputs: _OutputRecorder, function: Callable[..., Any]) -> Callable[..., Any]:
    async def call(*args: Any, **kwargs: Any) -> Any:
        output = await function(*args, **kwargs)
        await outputs.akeep(output)
        return output

    return call


def _generator(outputs: _OutputRecorder, function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Iterator[Any]:
        seen: list[Any] = []
        ended = False
        try:
            for piece in function(*args, **kwargs):
                seen.append(piece)
                yield piece
            ended = True
        finally:
            if seen:
                outputs.keep(_joined(seen), **({} if ended else {"incomplete": True}))

    return call


def _async_generator(outputs: _OutputRecorder, function: Callable[..., Any]) -> Callable[..., Any]:
    async def call(*args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        seen: list[Any] = []
        ended = False
        try:
            async for piece in function(*args, **kwargs):
                seen.append(piece)
                yield piece
            ended = True
        finally:
            if seen:
                await outputs.akeep(_joined(seen), **({} if ended else {"incomplete": True}))

    return call


def _joined(seen: list[Any]) -> Any:
    """Return the yielded items as one output: strings are joined."""
    return "".join(seen) if all(isinstance(piece, str) for piece in seen) else seen


_KINDS = (
    (inspect.isasyncgenfunction, _async_generator),
    (inspect.iscoroutinefunction, _coroutine),
    (inspect.isgeneratorfunction, _generator),
)


class Step:
    """A block of work, by `with` or `async with`: each output given to `say` is recorded under its name, at once."""

    def __init__(self, recorder: Recorder, name: str, about: dict[str, Any]) -> None:
        self.recorder = recorder
        self.name = name
        self._about = {"node_id": name, **about}

    def say(self, output: Any, **about: Any) -> None:
        """Record an output: a text, or any value with texts in it."""
        for one in recordings(output, self.name):
            self.recorder.record(one.text, **{**one.about, **self._about, **about})

    async def asay(self, output: Any, **about: Any) -> None:
        """Record an output from asynchronous code."""
        for one in recordings(output, self.name):
            await self.recorder.arecord(one.text, **{**one.about, **self._about, **about})

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Do nothing: everything is recorded already, also of a failed step."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Do nothing: everything is recorded already, also of a failed step."""
