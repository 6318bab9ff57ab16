"""The records every room speaks in: frozen, keyword-only, free of I/O."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
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
    """What a person decided about an entry; settled: it is behind a promoted insight without counting for it."""

    PROMOTED = "promoted"
    DISMISSED = "dismissed"
    RETIRED = "retired"
    SETTLED = "settled"


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
    insight_id: str | None = None

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


class Outcome(StrEnum):
    """What refining says of a finding: is it known, too narrow, seen too seldom, or ready to be decided on."""

    DUPLICATE = "duplicate"
    TOO_NARROW = "too_narrow"
    OBSERVING = "observing"
    READY = "ready"


@dataclass(frozen=True, slots=True, kw_only=True)
class Refinement:
    """The outcome for one finding, the reason in words, and how many independent observations it has."""

    NEEDED: ClassVar[int] = 3

    outcome: Outcome
    reason: str
    observations: int

    @property
    def label(self) -> str:
        """The outcome as people read it: `observing 2/3`."""
        if self.outcome is Outcome.OBSERVING:
            return f"{self.outcome} {self.observations}/{self.NEEDED}"
        return self.outcome


class Doubt(StrEnum):
    """Why a source is shown but counts for nothing.

    It gives its reader orders, repeats what its session was served, contradicts itself, or denies what is summarised.
    """

    INJECTION = "injection"
    ECHO = "echo"
    INCONSISTENT = "inconsistent"
    CONTRARY = "contrary"


@dataclass(frozen=True, slots=True, kw_only=True)
class InsightSource:
    """One entry behind an insight, with its own words for it."""

    entry_id: str
    session_id: str
    agent_id: str | None
    confidence: float | None
    created_at: datetime
    quote: str
    doubt: Doubt | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispute:
    """Two sources of one insight that contradict each other, both quoted, and how they differ."""

    first_id: str
    first_quote: str
    second_id: str
    second_quote: str
    difference: str


class Edit(StrEnum):
    """What a word diff says of a run of words."""

    SAME = "same"
    REMOVED = "removed"
    ADDED = "added"


@dataclass(frozen=True, slots=True, kw_only=True)
class Nearest:
    """The verified memory nearest to an insight; `diff` turns the memory's words into the insight's."""

    memory_id: str
    content: str
    similarity: float
    diff: tuple[tuple[Edit, str], ...]
    conflict: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settlement:
    """A person's decision on an insight; `memory_id` is what it was promoted to."""

    review: Review
    by: str
    at: datetime
    reason: str = ""
    memory_id: str | None = None

    def told(self, insight_id: str) -> str:
        """Say who decided on an insight, when, and how."""
        return (
            f"Insight {insight_id} was {self.review} by {self.by} on {self.at.astimezone(UTC):%Y-%m-%d at %H:%M} UTC."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Insight:
    """What several entries say, for a person to decide on. Never more trusted than the least of its sources."""

    EXTRACT: ClassVar[str] = "extract"
    # No entry has an id like this, so that none can be put in the place of an insight.
    PREFIX: ClassVar[str] = "insight-"

    id: str
    project_id: str
    summary: str
    sources: tuple[InsightSource, ...]
    refinement: Refinement
    made_at: datetime
    summarised_by: str = EXTRACT
    note: str | None = None
    nearest: Nearest | None = None
    disputes: tuple[Dispute, ...] = ()
    settlement: Settlement | None = None
    later: tuple[InsightSource, ...] = ()
    embedding: Vector | None = field(default=None, compare=False, repr=False)

    @property
    def sessions(self) -> int:
        """How many independent sessions say it."""
        return len({source.session_id for source in self._evidence})

    @property
    def agents(self) -> int:
        """How many different agents say it."""
        return len({source.agent_id for source in self._evidence if source.agent_id is not None})

    @property
    def lowest_confidence(self) -> float | None:
        """The least confidence among all sources that gave one; the summary deserves no more."""
        return min(self._confidences, default=None)

    @property
    def mean_confidence(self) -> float | None:
        confidences = self._confidences
        return sum(confidences) / len(confidences) if confidences else None

    @property
    def disputed(self) -> bool:
        return bool(self.disputes)

    @property
    def first_seen(self) -> datetime:
        return min((source.created_at for source in self.sources), default=self.made_at)

    @property
    def last_seen(self) -> datetime:
        seen = (source.created_at for source in (*self.sources, *self.later))
        return max(seen, default=self.made_at)

    @property
    def _evidence(self) -> list[InsightSource]:
        return [source for source in self.sources if source.doubt is None]

    @property
    def _confidences(self) -> list[float]:
        return [source.confidence for source in self.sources if source.confidence is not None]


class Aside(StrEnum):
    """Why an entry of the window is behind no insight."""

    NO_CLAIM = "no_claim"
    INJECTION = "injection"
    SAID_ONCE = "said_once"
    SMALLER = "smaller"
    DECIDED = "decided"


@dataclass(frozen=True, slots=True, kw_only=True)
class Digest:
    """A window's entries as a few insights to decide on; `waiting` counts all that wait, also behind these."""

    project_id: str
    made_at: datetime
    since: datetime
    entries: int
    set_aside: Mapping[Aside, int]
    insights: tuple[Insight, ...]
    waiting: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """How much a project holds in each tier, and what the filter refused.

    `working` is None while working memory does not answer.
    """

    project_id: str
    recorded: int
    admitted: int
    refused: int
    pending: int
    refused_by: Mapping[str, int]
    shadow_admitted: int
    shadow_refused: int
    working: int | None
    memories: int
    chunks: int
    tombstones: int
    answers: int
    insights_waiting: int
    oldest_waiting: datetime | None
