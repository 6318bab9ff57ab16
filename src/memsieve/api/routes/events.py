"""What happens in a project, as server-sent events: kinds, times and ids, never content."""

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

from memsieve.api import stream
from memsieve.api.caller import Right, caller_of, project_of, still_known
from memsieve.api.requests import Named, Position
from memsieve.api.route import Api
from memsieve.api.state import State, state_of
from memsieve.api.stream import Subscription
from memsieve.errors import StoreUnavailable
from memsieve.model import EventKind

TAG = "Events"
# So old may be what is known of a listener when he is told something.
KNOWN_SECONDS = 1.0
MEDIA_TYPE = "text/event-stream"
# Each event by itself: OpenAPI 3.1 has no other way to tell them.
_EVENT = {
    "type": "object",
    "required": ["event", "data"],
    "properties": {
        "id": {"type": "string", "description": "Where it stands in the stream, for `Last-Event-ID`."},
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


def add_to(api: Api) -> None:
    """Put the route on an application."""
    api.add(
        "GET",
        "/events",
        stream_events,
        right=Right.QUERY,
        tag=TAG,
        answers={200: None},
        extra={"responses": {"200": _DOCUMENTED}},
    )


async def stream_events(
    request: Request,
    of: Annotated[Named, Query()],
    last_event_id: Annotated[
        Position | SkipJsonSchema[None],
        Header(description="Where the stream broke off: it goes on from there."),
    ] = None,
) -> Response:
    """Listen to what happens in a project.

    Kinds: recorded, admitted, refused, promoted, retired, knowledge:updated, digest:ready; and `reset`, where some may
    be missing, and `overflow`, where the listener was too slow. A stream ends after an hour; connect again then.
    """
    project = await project_of(request, of)
    held, caller = state_of(request), caller_of(request)
    async with AsyncExitStack() as stack:
        stack.enter_context(held.seats.taken(caller.bucket))
        # Before the stream begins, so that a store that is down and a position that is none are refused.
        subscription = await stack.enter_async_context(held.hub.subscribe(project.id, last_event_id))
        return Told(request, held, subscription, stack.pop_all())


class Told(StreamingResponse):
    """The stream; the subscription ends with it, also where nobody has read a word of it."""

    def __init__(self, request: Request, held: State, subscription: Subscription, stack: AsyncExitStack) -> None:
        super().__init__(_told(request, held, subscription), media_type=MEDIA_TYPE)
        self._stack = stack

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        async with self._stack:
            await super().__call__(scope, receive, send)


async def _told(request: Request, held: State, subscription: Subscription) -> AsyncIterator[str]:
    """Write the stream, for as long as its listener is known and not longer than it may last."""
    loop = asyncio.get_running_loop()
    ends = loop.time() + held.stream_seconds
    asked = loop.time()
    beat = min(stream.HEARTBEAT, held.stream_seconds)
    async with held.metrics.stream():
        async for frame in stream.frames(subscription, beat):
            if loop.time() - asked >= KNOWN_SECONDS:
                asked = loop.time()
                with suppress(StoreUnavailable):
                    if not await still_known(request):
                        return
            yield frame
            if loop.time() >= ends:
                return
