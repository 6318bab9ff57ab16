"""Insights, digests, and what waits for a person."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from memsieve import model
from memsieve.documents.document import (
    AGENT,
    CONFIDENCE,
    INSIGHT_EXAMPLE,
    SESSION,
    Content,
    Document,
    EntryId,
    MemoryId,
    Moment,
    ProjectId,
    RecordDocument,
)
from memsieve.documents.entries import Reason
from memsieve.model import Edit, ExclusionReason, RefineOutcome, ReviewStatus, SourceDoubt


class Refinement(RecordDocument[model.Refinement]):
    """What refining says of an insight, and why."""

    outcome: RefineOutcome = Field(
        description="Whether it is known, too narrow, seen too seldom, or ready.", examples=["observing"]
    )
    label: str = Field(description="The same as people read it.", examples=["observing 2/3"])
    reason: Reason = Field(description="Why.")
    observations: int = Field(description="How many independent observations it has.", examples=[2])
    needed: int = Field(description="How many it needs.", examples=[3])


class DiffRun(RecordDocument[tuple[Edit, str]]):
    """A run of words of a diff."""

    edit: Edit = Field(description="Whether the words stay, come or go.", examples=["same"])
    text: str = Field(description="The words.", examples=["The ledger runs on"])

    @model_validator(mode="before")
    @classmethod
    def _of_pair(cls, value: Any) -> Any:
        return dict(zip(("edit", "text"), value, strict=True)) if isinstance(value, tuple) else value

    def record(self, **_: Any) -> tuple[Edit, str]:
        """Return the pair that a diff holds."""
        return self.edit, self.text


class Nearest(RecordDocument[model.Nearest]):
    """The verified memory nearest to an insight."""

    memory_id: MemoryId = Field(description="The memory.")
    content: Content = Field(description="What it says.")
    similarity: float = Field(description="How near the two are, 1 at most.", examples=[0.81])
    diff: list[DiffRun] = Field(description="What turns the memory's words into the insight's.")
    conflict: Reason | None = Field(description="How the two contradict each other, if they do.", examples=[None])


class Dispute(RecordDocument[model.Dispute]):
    """Two sources of one insight that contradict each other."""

    first_id: EntryId = Field(description="One entry.")
    first_quote: str = Field(description="What it says.", examples=["The budget is 5 million."])
    second_id: str = Field(description="The other entry.", examples=["c1a4be07-8a51-4d0f-a3c6-5d2b7e9f4e02"])
    second_quote: str = Field(description="What that says.", examples=["The budget is 7 million."])
    difference: Reason = Field(description="How they differ.")


class InsightSource(RecordDocument[model.InsightSource]):
    """One entry behind an insight."""

    entry_id: EntryId = Field(description="The entry.")
    session_id: Annotated[str, SESSION]
    agent_id: Annotated[str | None, AGENT]
    confidence: Annotated[float | None, CONFIDENCE]
    created_at: Moment = Field(description="When it was said.")
    quote: Content = Field(description="Its own words for it.")
    doubt: SourceDoubt | None = Field(description="Why it counts for nothing, if it does not.", examples=[None])


class InsightDecision(RecordDocument[model.InsightDecision]):
    """A person's decision on an insight."""

    review: ReviewStatus = Field(description="What was decided.", examples=["promoted"])
    by: str = Field(description="Who decided.", examples=["ada@example.org"])
    at: Moment = Field(description="When.")
    reason: str = Field(description="Why; empty where none was given.", examples=[""])
    memory_id: MemoryId | None = Field(description="The memory that was made of it.")


class Insight(RecordDocument[model.Insight]):
    """What several entries say, for a person to decide on."""

    id: str = Field(description="The insight.", examples=[INSIGHT_EXAMPLE])
    project_id: ProjectId
    summary: Content = Field(description="What its sources say in common.")
    summarised_by: str = Field(description="The model that worded it; `extract`: a source did.", examples=["extract"])
    note: Reason | None = Field(description="What to know about the summary.", examples=[None])
    verified: Literal[False] = Field(description="Never: nobody has approved it yet.")
    label: str = Field(description="The same as people read it.", examples=["⚡️ unverified"])
    sessions: int = Field(description="How many independent sessions say it.", examples=[2])
    agents: int = Field(description="How many different agents say it.", examples=[1])
    lowest_confidence: float | None = Field(description="The least that a source gave.", examples=[0.85])
    mean_confidence: float | None = Field(description="The mean of what sources gave.", examples=[0.9])
    first_seen: Moment = Field(description="When it was first said.")
    last_seen: Moment = Field(description="When it was last said.")
    made_at: Moment = Field(description="When the insight was made.")
    refinement: Refinement = Field(description="What refining says of it.")
    nearest: Nearest | None = Field(description="The verified memory nearest to it.", examples=[None])
    disputed: bool = Field(description="Whether its sources contradict each other.", examples=[False])
    disputes: list[Dispute] = Field(description="Where they do.", examples=[[]])
    sources: list[InsightSource] = Field(description="The entries behind it.")
    decision: InsightDecision | None = Field(description="What a person decided; null while it waits.", examples=[None])
    later: list[InsightSource] = Field(description="Entries that said it after the decision.", examples=[[]])


class Proposal(RecordDocument[model.Proposal]):
    """An entry that waits for a person's decision; nothing is promoted by it."""

    entry_id: EntryId = Field(description="The entry.")
    insight_id: str = Field(description="The insight it waits as.", examples=[INSIGHT_EXAMPLE])
    new: bool = Field(description="False if it waited before.", examples=[True])


class Digest(RecordDocument[model.Digest]):
    """A window's entries as a few insights to decide on."""

    project_id: ProjectId
    made_at: Moment = Field(description="When it was made.")
    since: Moment = Field(description="Since when it read.")
    entries: int = Field(description="How many entries it read.", examples=[120])
    set_aside: dict[ExclusionReason, int] = Field(
        description="How many are behind no insight, for which reason.", examples=[{"said_once": 40}]
    )
    waiting: int = Field(description="How many insights wait, also beyond these.", examples=[7])
    insights: list[Insight] = Field(description="The first to decide on.")


class DigestRun(Document):
    """What became of a weekly digest that was due."""

    project_id: ProjectId
    due: Moment = Field(description="When it was due.")
    outcome: str = Field(description="What became of it.")
    waiting: int | None = Field(description="How many insights wait, where it was made now.")
    error: str | None = Field(description="Why it failed, if it did.")
