"""The two faces of a project, traced whichever route calls them."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from memsieve.api.operations.tracing import Traces
from memsieve.embedded import EmbeddedProject, EmbeddedReview
from memsieve.project import AsyncReview
from memsieve.services.container import Services

P = ParamSpec("P")
R = TypeVar("R")


def _traced(
    name: str, method: Callable[Concatenate[Any, P], Coroutine[Any, Any, R]]
) -> Callable[Concatenate[Any, P], Coroutine[Any, Any, R]]:
    """Return a method that is a span of this name."""

    @wraps(method)
    async def call(self: Any, /, *args: P.args, **kwargs: P.kwargs) -> R:
        with self._traces.span(name):
            return await method(self, *args, **kwargs)

    return call


class TracedProject(EmbeddedProject):
    """The agent's face, traced."""

    def __init__(self, services: Services, project_id: str, agent: str | None, traces: Traces) -> None:
        super().__init__(services, project_id, agent)
        self._traces = traces

    record = _traced("record", EmbeddedProject.record)
    retrieve = _traced("retrieve", EmbeddedProject.retrieve)

    def review(self, *, by: str) -> AsyncReview:
        return TracedReview(self._services, self.id, by, self._traces)


class TracedReview(EmbeddedReview):
    """The person's face, traced."""

    def __init__(self, services: Services, project_id: str, by: str, traces: Traces) -> None:
        super().__init__(services, project_id, by)
        self._traces = traces

    promote = _traced("promote", EmbeddedReview.promote)
    promote_text = _traced("promote", EmbeddedReview.promote_text)
    retire = _traced("retire", EmbeddedReview.retire)
