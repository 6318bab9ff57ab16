"""A block of work that says things: for any loop or function without a framework."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from memsieve.integrations.outputs import recordings

if TYPE_CHECKING:
    from memsieve.integrations.recorder import Recorder


class Step:
    """One step, by `with` or `async with`; whatever is said in it is recorded under its name, at once."""

    def __init__(self, recorder: Recorder, name: str, about: dict[str, Any]) -> None:
        self.recorder = recorder
        self.name = name
        self._about = {"node_id": name, **about}

    def say(self, output: Any, **about: Any) -> None:
        """Record an output: a text, or anything that a text can be found in."""
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
        """Leave: all is recorded already, also of a step that failed."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave: all is recorded already, also of a step that failed."""
