"""Events of a project as server-sent events: kinds, times and ids, never content."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, suppress
from typing import Annotated

from fastapi import Header, Query
from pydantic.json_schema import SkipJsonSchema
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from memsieve import documents
from memsieve.api.auth import caller_of, project_of, still_authenticated
from memsieve.api.events import Subscription
from memsieve.api.requests import Position, ProjectQuery
from memsieve.api.routing import Routes
from memsieve.api.state import ServerState, state_of
from memsieve.errors import StoreUnavailable
from memsieve.model import Event, EventKind, Right

routes = Routes("Events")
# How old the check of a credential may be when a frame is sent.
RECHECK_SECONDS = 1.0
# Proxies close a connection on which nothing is sent, often after a minute.
HEARTBEAT_SECONDS = 15.0
MEDIA_TYPE = "text/event-stream"
# The schema of one event: OpenAPI 3.1 has none for streams.
_EVENT = {
    "type": "object",
    "required": ["event", "data"],
    "properties": {
        "id": {"type": "string", "description": "Its position in the stream, for `Last-Event-ID`."},
        "event": {
            "type": "string",
            "enum": [*EventKind, "reset", "overflow"],
            "description": "What happened; `reset` and `overflow` are about the stream.",
        },
        "data": {
            "type": "string",
            "description": "A `Event`; `{}` for `reset` and `overflow`.",
            "contentMediaType": "application/json",
            "contentSchema": {
                "anyOf": [{"$ref": "#/components/schemas/Event"}, {"type": "object", "maxProperties": 0}]
            },
        },
    },
}
_EXAMPLE = {
    "id": "0000000000000017",
    "event": "knowledge:updated",
    "data": '{"position": "0000000000000017", "project_id": "apollo", "kind": "knowledge:updated", '
    '"at": "2026-03-02T09:00:00.000000Z", "subject": "0d1f6c5e-93f0-4c0e-8f0b-7f1f8c1f9b22"}',
}
_DOCUMENTED = {
    "description": "The stream, event by event: the `data` of each is a `Event`.",
    "content": {MEDIA_TYPE: {"schema": _EVENT, "example": _EXAMPLE}},
}


@routes.add("GET", "/events", Right.QUERY, {200: None}, extra={"responses": {"200": _DOCUMENTED}})
async def stream_events(
    request: Request,
    of: Annotated[ProjectQuery, Query()],
    last_event_id: Annotated[
        Position | SkipJsonSchema[None], Header(description="The position to resume after.")
    ] = None,
) -> Response:
    """Listen to what happens in a project.

    Kinds: recorded, admitted, refused, promoted, retired, knowledge:updated, digest:ready; and `reset`, where some may
    be missing, and `overflow`, where the listener was too slow. A stream ends after an hour; connect again then.
    """
    project = await project_of(request, of)
    state, caller = state_of(request), caller_of(request)
    async with AsyncExitStack() as stack:
        stack.enter_context(state.stream_limiter.slot(caller.bucket))
        # Before the response starts, so that a store that is down or a wrong position still gets a problem.
        subscription = await stack.enter_async_context(state.events.subscribe(project.id, last_event_id))
        return EventStreamResponse(request, state, subscription, stack.pop_all())


class EventStreamResponse(StreamingResponse):
    """A stream that ends its subscription when it ends, also where nothing of it was read."""

    def __init__(self, request: Request, state: ServerState, subscription: Subscription, stack: AsyncExitStack) -> None:
        super().__init__(_limited(request, state, subscription), media_type=MEDIA_TYPE)
        self._stack = stack

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the stream."""
        async with self._stack:
            await super().__call__(scope, receive, send)


async def _limited(request: Request, state: ServerState, subscription: Subscription) -> AsyncIterator[str]:
    """Write the stream until its credential is no longer valid, or its time is up."""
    loop = asyncio.get_running_loop()
    checked = loop.time()
    ends = checked + state.stream_seconds
    async with state.metrics.stream():
        async for frame in frames(subscription, min(HEARTBEAT_SECONDS, state.stream_seconds)):
            if loop.time() - checked >= RECHECK_SECONDS:
                checked = loop.time()
                with suppress(StoreUnavailable):
                    if not await still_authenticated(request):
                        return
            yield frame
            if loop.time() >= ends:
                return


async def frames(subscription: Subscription, heartbeat: float = HEARTBEAT_SECONDS) -> AsyncIterator[str]:
    """Write a subscription as server-sent events.

    `reset` comes first where events may be missing, `overflow` last where the subscriber was too slow: it should
    reconnect with `Last-Event-ID`. A comment is sent after `heartbeat` seconds without an event.
    """
    begins = f"id: {subscription.begins}\n"
    yield begins + (_event("reset") if subscription.reset else ": listening\n\n")
    with suppress(StopAsyncIteration):
        while True:
            event = await subscription.next(heartbeat)
            yield ": still here\n\n" if event is None else frame(event)
    if subscription.overflowed:
        yield _event("overflow")


def frame(event: Event) -> str:
    """Write an event as a server-sent event, with its position as the id."""
    data = documents.Event.of(event).encode().decode()
    return f"id: {event.position}\nevent: {event.kind}\ndata: {data}\n\n"


def _event(name: str) -> str:
    return f"event: {name}\ndata: {{}}\n\n"
