"""What one server has while it runs: one frozen record on the application, read by `state_of`."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request

from memsieve.api.events import EventBroker
from memsieve.api.limits import StreamLimiter, TokenBucketLimiter
from memsieve.api.observability.metrics import Metrics
from memsieve.api.observability.monitor import Monitor
from memsieve.api.observability.tracing import TracedProject, Traces
from memsieve.config import Settings
from memsieve.memory import AsyncMemory
from memsieve.project import AsyncProject

STREAM_SECONDS = 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalAccess:
    """Who calls from this machine without a key: agents, and with the token the reviewer `user`."""

    bound_to_loopback: bool
    token: str | None
    user: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerState:
    """An open memory, and what requests to it share."""

    settings: Settings
    memory: AsyncMemory
    events: EventBroker
    rate_limiter: TokenBucketLimiter
    stream_limiter: StreamLimiter
    local: LocalAccess
    stream_seconds: float
    metrics: Metrics
    traces: Traces
    monitor: Monitor

    @property
    def keyless(self) -> bool:
        """Whether callers from this machine need no key."""
        return self.local.bound_to_loopback and not self.settings.require_keys

    def project(self, project_id: str, agent: str | None = None) -> AsyncProject:
        """Return one project's memory, traced; `agent` is the name that proposals are made in."""
        return TracedProject(self.memory.services, project_id, agent, self.traces)


def state_of(request: Request) -> ServerState:
    """Return the state of the server of a request."""
    state: ServerState = request.app.state.memsieve
    return state
