"""The records every room speaks in: frozen, keyword-only, free of I/O."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from memsieve import validate
from memsieve.errors import Forbidden, InvalidInput

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Vector: TypeAlias = "npt.NDArray[np.float32]"

VERIFIED_LABEL = "✅ verified"
UNVERIFIED_LABEL = "⚡️ unverified"

MAX_LISTED = 10_000
MAX_SEARCH_BYTES = 64 * 1024


class Layer(StrEnum):
    """The three tiers."""

    QUARANTINE = "quarantine"
    WORKING = "working"
    LONGTERM = "longterm"


class Source(StrEnum):
    """Which tier an item was served from."""

    HOT = "hot"
    COLD = "cold"


class Role(StrEnum):
    """Who is asking: an agent, a person who reviews, or memsieve itself."""

    AGENT = "agent"
    PERSON = "person"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """One project and who is asking: every call into a store carries one."""

    project_id: str
    actor: str
    role: Role

    def __post_init__(self) -> None:
        object.__setattr__(self, "project_id", validate.project_name(self.project_id))
        object.__setattr__(self, "actor", validate.name(self.actor, field="actor"))

    def require(self, *roles: Role) -> None:
        """Refuse unless the role that asks is one of these."""
        if self.role not in roles:
            needed = " or ".join(roles)
            raise Forbidden(
                f"{self.actor!r} asks as {self.role}, and this needs {needed}. "
                "Quarantine is read, and long-term memory written, on behalf of a person only."
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One output of one agent, in the layer it is looked at in."""

    id: str
    project_id: str
    session_id: str
    content: str
    created_at: datetime
    layer: Layer = Layer.QUARANTINE
    agent_id: str | None = None
    node_id: str | None = None
    confidence: float | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    embedding: Vector | None = field(default=None, compare=False, repr=False)
    expires_at: datetime | None = None
    verified: bool = False
    promoted_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """What one check of the ingress filter found."""

    name: str
    passed: bool
    score: float | None
    reason: str


class Decision(StrEnum):
    """What became of an entry at the filter; pending entries are tried again."""

    ADMITTED = "admitted"
    REFUSED = "refused"
    PENDING = "pending"


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """The filter's decision on an entry, with every check behind it."""

    decision: Decision
    checks: tuple[Check, ...]
    decided_at: datetime
    shadow: Decision | None = None

    @property
    def admitted(self) -> bool:
        return self.decision is Decision.ADMITTED

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why it was not admitted, one sentence for each check that failed."""
        return tuple(check.reason for check in self.checks if not check.passed)


class Review(StrEnum):
    """What a person decided about an entry."""

    PROMOTED = "promoted"
    DISMISSED = "dismissed"
    RETIRED = "retired"


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """An entry as quarantine keeps it: what was said, how it was judged, what a person made of it."""

    entry: Entry
    admission: Admission
    review: Review | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryFilter:
    """Which quarantine entries to list; every field narrows the list."""

    session_id: str | None = None
    agent_id: str | None = None
    decision: Decision | None = None
    review: Review | None = None
    text: str | None = None
    since: datetime | None = None
    beyond_id: str | None = None
    limit: int = 50
    oldest_first: bool = False

    def __post_init__(self) -> None:
        for field_name in ("session_id", "agent_id", "beyond_id"):
            value = getattr(self, field_name)
            if value is not None:
                validate.name(value, field=field_name)
        if self.text is not None:
            validate.text(self.text, field="text", max_bytes=MAX_SEARCH_BYTES)
        validate.whole_number(self.limit, field="limit", most=MAX_LISTED)
        validate.one_of(self.decision, (None, *Decision), field="decision")
        validate.one_of(self.review, (None, *Review), field="review")
        if not isinstance(self.since, datetime | None):
            raise InvalidInput(f"since is {self.since!r}; it must be a datetime.", field="since")


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """A named person's decision that a text is true. Only `promotion/` makes one."""

    id: str
    project_id: str
    content: str
    by: str
    at: datetime
    entry_ids: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """The fingerprint of the approved text, kept in the audit log."""
        return hashlib.sha256(self.content.encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A piece of an approved text, at most 500 characters, as it is searched and served."""

    id: str
    position: int
    content: str
    words: tuple[str, ...]
    embedding: Vector | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class LongTermMemory:
    """An approved text with its chunks; retired ones are kept for lineage only."""

    approval: Approval
    chunks: tuple[Chunk, ...]
    retired_at: datetime | None = None
    retired_by: str | None = None
    retired_reason: str | None = None

    @property
    def id(self) -> str:
        return self.approval.id


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A chunk that a search found, with both scores; `similarity` is None where vectors cannot tell."""

    chunk_id: str
    memory_id: str
    content: str
    promoted_by: str
    promoted_at: datetime
    similarity: float | None
    word_score: float


class TombstoneKind(StrEnum):
    """Why a content must not come back."""

    DISMISSED = "dismissed"
    RETIRED = "retired"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tombstone:
    """Content that a person rejected: it must not come back through the filter."""

    id: str
    project_id: str
    kind: TombstoneKind
    source_id: str
    content: str
    words: tuple[str, ...]
    by: str
    at: datetime
    reason: str
    embedding: Vector | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEvent:
    """One line of the audit log; `digest` chains it to the line before, `GENESIS` stands before the first."""

    GENESIS: ClassVar[str] = "0" * 64

    sequence: int
    project_id: str
    at: datetime
    actor: str
    action: str
    subject: str
    reason: str
    detail: Mapping[str, Any]
    previous: str
    digest: str

    def expected_digest(self) -> str:
        """Return the digest that these fields and the line before must have."""
        covered = [
            self.sequence,
            self.project_id,
            self.at.isoformat(timespec="microseconds"),
            self.actor,
            self.action,
            self.subject,
            self.reason,
            self.detail,
            self.previous,
        ]
        return hashlib.sha256(json.dumps(covered, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextItem:
    """One memory as it is served: always labelled verified or unverified."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Lineage:
    """Where a memory or an entry came from and where it went."""

    entries: tuple[Receipt, ...]
    memories: tuple[LongTermMemory, ...]
    events: tuple[AuditEvent, ...]
    served: tuple[Serving, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """How much a project holds in each tier, and what the filter refused."""

    project_id: str
    recorded: int
    admitted: int
    refused: int
    pending: int
    refused_by: Mapping[str, int]
    shadow_admitted: int
    shadow_refused: int
    working: int
    memories: int
    chunks: int
    tombstones: int
    answers: int
