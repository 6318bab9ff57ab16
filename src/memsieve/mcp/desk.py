"""Where a call is served: whose it is, at which project, and what they may. No argument of a tool says any of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from memsieve.errors import Forbidden, MemsieveError
from memsieve.kb.base import KnowledgeBase
from memsieve.model import Admission, Answer, Digest, Insight, Lineage, Proposal, Receipt


class Need(StrEnum):
    """What a tool does, so that a caller may or may not call it. No tool promotes, so nothing here is a person's."""

    RECORD = "record"
    QUERY = "query"
    AUDIT = "audit"


class ProjectMemory(Protocol):
    """What tools ask of a project, which may be open here or on a server."""

    id: str

    async def record(
        self,
        content: str,
        *,
        session_id: str,
        agent_id: str | None = None,
        confidence: float | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Receipt:
        """Record an output."""

    async def retrieve(
        self,
        query: str,
        *,
        max_results: int = 5,
        max_unverified: int = 10,
        time_range_days: float | None = None,
        relevance_threshold: float = 0.0,
        session_id: str | None = None,
        agent_id: str | None = None,
    ) -> Answer:
        """Return what is relevant."""

    async def last_digest(self) -> Digest | None:
        """Return the newest digest."""

    async def insights(self) -> list[Insight]:
        """List all insights that wait."""

    async def admission(self, entry_id: str) -> Admission | None:
        """Return what the filter decided on an entry."""

    async def lineage(self, any_id: str) -> Lineage:
        """Say where something came from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """One caller at one project. `refusals` say why the caller may not, and how somebody may."""

    project: ProjectMemory
    propose: Callable[[str, str], Awaitable[Proposal]]
    session_id: str
    agent_id: str
    knowledge: Callable[[], KnowledgeBase]
    refusals: Mapping[Need, str] = field(default_factory=dict)
    # A stranger must not read the names of files and hosts that an error may have.
    told: Callable[[MemsieveError], str] = str

    def require(self, need: Need) -> None:
        """Refuse a caller who may not."""
        if need in self.refusals:
            raise Forbidden(self.refusals[need])


_seat: ContextVar[Desk] = ContextVar("memsieve_mcp_desk")


def desk() -> Desk:
    """Return the desk of the call at hand."""
    return _seat.get()


@contextmanager
def seated(at: Desk) -> Iterator[None]:
    """Serve what is called within at a desk."""
    token = _seat.set(at)
    try:
        yield
    finally:
        _seat.reset(token)
