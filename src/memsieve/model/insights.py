"""What several entries say, for a person to decide on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import ClassVar

from memsieve.model.answers import UNVERIFIED_LABEL
from memsieve.model.entries import ReviewStatus, Vector
from memsieve.model.reasons import Reason


class RefineOutcome(StrEnum):
    """What refining says of a finding: is it known, too narrow, seen too seldom, or ready to be decided on."""

    DUPLICATE = "duplicate"
    TOO_NARROW = "too_narrow"
    OBSERVING = "observing"
    READY = "ready"


@dataclass(frozen=True, slots=True, kw_only=True)
class Refinement:
    """The outcome for one finding, the reason, and how many independent observations it has."""

    NEEDED: ClassVar[int] = 3

    outcome: RefineOutcome
    reason: Reason
    observations: int

    @property
    def needed(self) -> int:
        """How many observations make a finding ready."""
        return self.NEEDED

    @property
    def label(self) -> str:
        """The outcome as people read it: `observing 2/3`."""
        if self.outcome is RefineOutcome.OBSERVING:
            return f"{self.outcome} {self.observations}/{self.NEEDED}"
        return self.outcome


class SourceDoubt(StrEnum):
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
    doubt: SourceDoubt | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispute:
    """Two sources of one insight that contradict each other, both quoted, and how they differ."""

    first_id: str
    first_quote: str
    second_id: str
    second_quote: str
    difference: Reason


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
    conflict: Reason | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class InsightDecision:
    """A person's decision on an insight; `memory_id` is what it was promoted to."""

    review: ReviewStatus
    by: str
    at: datetime
    reason: str = ""
    memory_id: str | None = None

    def sentence(self, insight_id: str) -> str:
        """Say who decided on an insight, when, and how."""
        return (
            f"Insight {insight_id} was {self.review} by {self.by} on {self.at.astimezone(UTC):%Y-%m-%d at %H:%M} UTC."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """An entry that was put before a person, and the insight it waits as; not `new` if it waited before."""

    entry_id: str
    insight_id: str
    new: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Insight:
    """What several entries say, for a person to decide on. Never more trusted than the least of its sources."""

    EXTRACT: ClassVar[str] = "extract"
    # No entry has an id of this form, so none can pass for an insight.
    PREFIX: ClassVar[str] = "insight-"

    id: str
    project_id: str
    summary: str
    sources: tuple[InsightSource, ...]
    refinement: Refinement
    made_at: datetime
    summarised_by: str = EXTRACT
    note: Reason | None = None
    nearest: Nearest | None = None
    disputes: tuple[Dispute, ...] = ()
    decision: InsightDecision | None = None
    later: tuple[InsightSource, ...] = ()
    embedding: Vector | None = field(default=None, compare=False, repr=False)

    @property
    def verified(self) -> bool:
        """Always False: what a person approves becomes a memory."""
        return False

    @property
    def label(self) -> str:
        return UNVERIFIED_LABEL

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


class ExclusionReason(StrEnum):
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
    set_aside: Mapping[ExclusionReason, int]
    insights: tuple[Insight, ...]
    waiting: int
