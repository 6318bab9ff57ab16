"""What is served, and to whom."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from memsieve.model.entries import Receipt, Vector
from memsieve.model.events import AuditEvent
from memsieve.model.memories import LongTermMemory

VERIFIED_LABEL = "✅ verified"
UNVERIFIED_LABEL = "⚡️ unverified"


class Source(StrEnum):
    """Which tier an item was served from."""

    HOT = "hot"
    COLD = "cold"


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextItem:
    """One memory as it is served: always labelled verified or unverified.

    Its score is made of two: how near it is by vectors, None where they cannot tell, and how many of the words it has.
    """

    id: str
    content: str
    source: Source
    score: float
    created_at: datetime
    memory_id: str | None = None
    entry_id: str | None = None
    session_id: str | None = None
    agent_id: str | None = None
    expires_at: datetime | None = None
    promoted_at: datetime | None = None
    promoted_by: str | None = None
    similarity: float | None = field(default=None, compare=False)
    word_score: float = field(default=0.0, compare=False)
    embedding: Vector | None = field(default=None, compare=False, repr=False)

    @property
    def verified(self) -> bool:
        return self.source is Source.COLD

    @property
    def label(self) -> str:
        return VERIFIED_LABEL if self.verified else UNVERIFIED_LABEL


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What retrieval found; `degraded` names whatever could not be asked."""

    id: str
    query: str
    at: datetime
    items: tuple[ContextItem, ...]
    degraded: tuple[str, ...] = ()
    session_id: str | None = None
    agent_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """One memory served in one answer: to which session, for which question."""

    answer_id: str
    item_id: str
    session_id: str | None
    agent_id: str | None
    query: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Retirement:
    """A retired memory and everyone who was served it."""

    memory: LongTermMemory
    served: tuple[Serving, ...]

    @property
    def reason(self) -> str | None:
        return self.memory.retired_reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Lineage:
    """Where a memory or an entry came from and where it went."""

    entries: tuple[Receipt, ...]
    memories: tuple[LongTermMemory, ...]
    events: tuple[AuditEvent, ...]
    served: tuple[Serving, ...]
