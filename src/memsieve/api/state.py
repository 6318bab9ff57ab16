"""What one server holds while it runs: one frozen record on the application, reached by `state_of`."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request

from memsieve.api.operations.metrics import Metrics
from memsieve.api.operations.readiness import Condition
from memsieve.api.operations.traced_project import TracedProject
from memsieve.api.operations.tracing import Traces
from memsieve.api.rates import Rates
from memsieve.api.seats import Seats
from memsieve.api.stream import Hub
from memsieve.config import Settings
from memsieve.memory import AsyncMemory
from memsieve.project import AsyncProject

STREAM_SECONDS = 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Entrance:
    """How the server is reached: who comes from this machine, and with which token."""

    bound_to_loopback: bool
    token: str | None
    user: str


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """An open memory and what stands before it."""

    settings: Settings
    memory: AsyncMemory
    hub: Hub
    rates: Rates
    seats: Seats
    entrance: Entrance
    stream_seconds: float
    metrics: Metrics
    traces: Traces
    condition: Condition

    @property
    def keyless(self) -> bool:
        """Whether anybody is let in without a key."""
        return self.entrance.bound_to_loopback and not self.settings.require_keys

    def project(self, project_id: str, agent: str | None = None) -> AsyncProject:
        """Return one project's memory, traced; what is proposed through it is so in the agent's name."""
        return TracedProject(self.memory.services, project_id, agent, self.traces)


def state_of(request: Request) -> State:
    """Return what the server of this request holds."""
    held: State = request.app.state.memsieve
    return held
