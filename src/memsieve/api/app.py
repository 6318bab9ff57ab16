"""The HTTP API as one ASGI application: it is put together here, without any rules of its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI

from memsieve.api import openapi, problems, static
from memsieve.api.connections import END_STREAMS
from memsieve.api.events import EventBroker
from memsieve.api.limits import MAX_STREAMS, StreamLimiter, TokenBucketLimiter
from memsieve.api.mcp import McpEndpoint
from memsieve.api.middleware import READ_SECONDS, Compression, GuardRules, RequestGuard
from memsieve.api.observability.metrics import Metrics
from memsieve.api.observability.monitor import Monitor
from memsieve.api.observability.telemetry import Telemetry
from memsieve.api.observability.tracing import configured_traces
from memsieve.api.routes import audit, digest, entries, events, keys, operations, retrieval, review
from memsieve.api.state import STREAM_SECONDS, LocalAccess, ServerState
from memsieve.config import Settings, login_name
from memsieve.memory import AsyncMemory
from memsieve.ports import Clock
from memsieve.services.stores import utc_now

if TYPE_CHECKING:
    from fastapi.telemetry import TelemetryConfig

# In the order of the OpenAPI document.
ROUTES = (
    keys.session,
    entries.recording,
    retrieval.routes,
    entries.quarantine,
    digest.routes,
    review.routes,
    audit.routes,
    events.routes,
    keys.keys,
)
# FastAPI's own would contain what was sent, in the messages of its errors. Ours is in observability/.
NO_TELEMETRY: TelemetryConfig = {"tracing": False, "metrics": False, "logs": False, "auto_configure": False}


def create_app(
    settings: Settings,
    *,
    bound_to_loopback: bool = True,
    token: str | None = None,
    user: str | None = None,
    read_seconds: float = READ_SECONDS,
    stream_seconds: float = STREAM_SECONDS,
    max_streams: int = MAX_STREAMS,
    knowledge: Mapping[str, Path] | None = None,
    clock: Clock = utc_now,
) -> FastAPI:
    """Make the application of a server; its lifespan opens and closes the memory.

    `token` is the local reviewer's, and `user` the name of all that is done with it. `knowledge` has the knowledge base
    of each project, for MCP.
    """
    local = LocalAccess(bound_to_loopback=bound_to_loopback, token=token, user=user or login_name())
    metrics, traces = Metrics(), configured_traces()
    mcp = McpEndpoint(knowledge or {}, body_bytes=settings.max_body_bytes)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[dict[str, Any]]:
        async with AsyncMemory.open(settings=settings, clock=clock) as memory:
            broker, monitor = EventBroker(memory.events), Monitor.of(memory, metrics)
            app.state.memsieve = ServerState(
                settings=settings,
                memory=memory,
                events=broker,
                rate_limiter=TokenBucketLimiter(settings.rate_limit),
                stream_limiter=StreamLimiter(max_streams),
                local=local,
                stream_seconds=stream_seconds,
                metrics=metrics,
                traces=traces,
                monitor=monitor,
            )
            try:
                async with monitor.watching_spool(), mcp.opened():
                    yield {END_STREAMS: broker.close}
            finally:
                await broker.close()
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
    # The last one added is the outermost.
    app.add_middleware(Compression)
    rules = GuardRules.of(settings, bound_to_loopback=bound_to_loopback, read_seconds=read_seconds)
    app.add_middleware(RequestGuard, rules=rules)
    app.add_middleware(Telemetry, metrics=metrics, traces=traces)
    problems.handle_all(app)
    keyless = bound_to_loopback and not settings.require_keys
    for routes in ROUTES:
        routes.add_to(app, keyless=keyless)
    operations.add_to(app, keyless=keyless)
    mcp.add_to(app)
    static.add_to(app)
    openapi.describe(app)
    return app
