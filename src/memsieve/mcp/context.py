"""Per-request context of an MCP call: caller, project, permissions. Never taken from tool arguments."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from enum import StrEnum
from importlib.util import find_spec

from memsieve.errors import ConfigError, Forbidden, MemsieveError
from memsieve.kb.base import KnowledgeBase
from memsieve.project import AsyncProject, ReadOnlyReview


class Need(StrEnum):
    """What a tool does, so that a caller may or may not call it. No tool promotes, so nothing here is a person's."""

    RECORD = "record"
    QUERY = "query"
    AUDIT = "audit"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolContext:
    """One caller at one project. `refusals` are the reasons for what the caller may not do."""

    project: AsyncProject
    # For callers who may audit: it reads quarantine, and decides nothing.
    review: Callable[[], Awaitable[ReadOnlyReview]]
    session_id: str
    agent_id: str
    knowledge: Callable[[], KnowledgeBase]
    refusals: Mapping[Need, str] = field(default_factory=dict)
    # A stranger must not read the names of files and hosts that an error may have.
    error_text: Callable[[MemsieveError], str] = str

    def require(self, need: Need) -> None:
        """Refuse a caller who may not."""
        if need in self.refusals:
            raise Forbidden(self.refusals[need])


_context: ContextVar[ToolContext] = ContextVar("memsieve_tool_context")


def current_context() -> ToolContext:
    """Return the context of the call at hand."""
    return _context.get()


@contextmanager
def use_context(context: ToolContext) -> Iterator[None]:
    """Serve what is called within in a context."""
    token = _context.set(context)
    try:
        yield
    finally:
        _context.reset(token)


def require_sdk() -> None:
    """Raise ConfigError with how to install the SDK, which is an extra, where it is missing."""
    if find_spec("mcp") is None:
        raise ConfigError("MCP needs its SDK, which is not installed: pip install 'memsieve[mcp]'")
