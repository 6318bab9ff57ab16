"""The HTTP door as one ASGI application: put together here, and no rule in it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI

from memsieve.api import openapi, problems, site
from memsieve.api.compression import Compression
from memsieve.api.guard import READ_SECONDS, Guard, Rules
from memsieve.api.mcp import McpDoor
from memsieve.api.operations.metrics import Metrics
from memsieve.api.operations.readiness import Condition
from memsieve.api.operations.requests import Telemetry
from memsieve.api.operations.tracing import configured
from memsieve.api.rates import Rates
from memsieve.api.route import Api
from memsieve.api.routes import (
    audit,
    digest,
    entries,
    events,
    flow,
    keys,
    operations,
    query,
    recording,
    review,
    session,
)
from memsieve.api.seats import MOST_STREAMS, Seats
from memsieve.api.serving.connections import END_STREAMS
from memsieve.api.state import STREAM_SECONDS, Entrance, State
from memsieve.api.stream import Hub
from memsieve.config import Settings, login_name
from memsieve.memory import AsyncMemory
from memsieve.ports import Clock
from memsieve.services.stores import utc_now

if TYPE_CHECKING:
    from fastapi.telemetry import TelemetryConfig

ROUTES = (session, recording, query, entries, digest, review, flow, audit, events, keys)
# FastAPI's own would tell what was sent, in the words of its errors. Ours is in operations/.
NO_TELEMETRY: TelemetryConfig = {"tracing": False, "metrics": False, "logs": False, "auto_configure": False}


def create_app(
    settings: Settings,
    *,
    bound_to_loopback: bool = True,
    token: str | None = None,
    user: str | None = None,
    read_seconds: float = READ_SECONDS,
    stream_seconds: float = STREAM_SECONDS,
    most_streams: int = MOST_STREAMS,
    knowledge: Mapping[str, Path] | None = None,
    clock: Clock = utc_now,
) -> FastAPI:
    """Make the application of a server; the memory is opened when it starts and closed when it stops.

    `token` is the reviewer's on this machine, and `user` the person who answers for what is done with it. `knowledge`
    has the knowledge base of each project, for those who come by MCP.
    """
    entrance = Entrance(bound_to_loopback=bound_to_loopback, token=token, user=user or login_name())

    metrics, traces = Metrics(), configured()
    door = McpDoor(knowledge or {}, body_bytes=settings.max_body_bytes)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[dict[str, Any]]:
        async with AsyncMemory.open(settings=settings, clock=clock) as memory:
            hub, condition = Hub(memory.events), Condition.of(memory, metrics)
            app.state.memsieve = State(
                settings=settings,
                memory=memory,
                hub=hub,
                rates=Rates(settings.rate_limit),
                seats=Seats(most_streams),
                entrance=entrance,
                stream_seconds=stream_seconds,
                metrics=metrics,
                traces=traces,
                condition=condition,
            )
            try:
                async with condition.noting(), door.opened():
                    yield {END_STREAMS: hub.close}
            finally:
                await hub.close()
                await asyncio.to_thread(traces.close)

    app = FastAPI(
        title="memsieve",
        version=version("memsieve"),
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        telemetry=NO_TELEMETRY,
    )
    rules = Rules.of(settings, bound_to_loopback=bound_to_loopback, read_seconds=read_seconds)
    # The last that is added stands first.
    app.add_middleware(Compression)
    app.add_middleware(Guard, rules=rules)
    app.add_middleware(Telemetry, metrics=metrics, traces=traces)
    problems.handle_all(app)
    keyless = bound_to_loopback and not settings.require_keys
    api = Api(app, keyless=keyless)
    for routes in ROUTES:
        routes.add_to(api)
    operations.add_to(app, keyless=keyless)
    door.add_to(app)
    site.add_to(app)
    openapi.describe(app)
    return app
