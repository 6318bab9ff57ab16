"""Entries, what the filter decided on them, and what other settings would have decided."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from memsieve import model
from memsieve.documents.document import (
    AGENT,
    CONFIDENCE,
    METADATA,
    NODE,
    SESSION,
    Content,
    Document,
    EntryId,
    Moment,
    ProjectId,
    RecordDocument,
)
from memsieve.model import Decision, Layer, ReviewStatus


class Reason(RecordDocument[model.Reason]):
    """Why something was decided: a code with its parameters, and the sentence in both languages."""

    code: str = Field(description="What kind of reason it is; programs compare this.", examples=["length.bytes"])
    params: dict[str, Any] = Field(
        description="What the sentence is about: numbers, quotes, ids, or reasons within it.",
        examples=[{"bytes": 86, "minimum": 50}],
    )
    en: str = Field(description="The reason in English.", examples=["86 bytes long; 50 is the least."])
    zh: str = Field(description="The reason in Chinese.", examples=["长度 86 字节，至少需要 50 字节。"])

    def record(self, **beside: Any) -> model.Reason:
        """Return the reason; its sentences follow from the rest."""
        return model.Reason.load({"code": self.code, "params": self.params, **beside})


class CheckResult(RecordDocument[model.Check]):
    """What one check of the filter found."""

    name: str = Field(description="The check.", examples=["length"])
    passed: bool = Field(description="Whether the entry passed it.", examples=[True])
    score: float | None = Field(description="What was measured; null where nothing is.", examples=[86])
    reason: Reason = Field(description="What was found.")


class FilterDecision(RecordDocument[model.Admission]):
    """The filter's decision, with every check behind it."""

    admitted: bool = Field(description="Whether the filter admitted it.", examples=[True])
    decision: Decision = Field(description="What the filter decided; pending: it follows.", examples=["admitted"])
    checks: list[CheckResult] = Field(description="What each check found, in the order they were asked.")
    reasons: list[Reason] = Field(description="Why it was not admitted, one for each check that failed.", examples=[[]])


class Recorded(FilterDecision):
    """An entry that is safe on disk, and what the filter decided."""

    entry_id: EntryId = Field(description="The entry.")
    project_id: ProjectId
    created_at: Moment = Field(description="When it was said.")
    decided_at: Moment = Field(description="When the filter decided, or last tried to.")


class Admission(FilterDecision):
    """The filter's decision as it is kept for audit."""

    decided_at: Moment = Field(description="When the filter decided, or last tried to.")
    shadow: Decision | None = Field(
        description="What a filter on trial would have decided; null without one.", examples=[None]
    )
    passages: list[tuple[int, int]] | None = Field(
        description="The passages that were admitted: where each begins and ends in the content, in characters; null: "
        "all of it.",
        examples=[[[62, 148]]],
    )


class EntryAdmission(FilterDecision):
    """What became of an entry; nothing of what it says."""

    entry_id: EntryId = Field(description="The entry.")
    decided_at: Moment = Field(description="When the filter decided, or last tried to.")


class Entry(RecordDocument[model.Entry]):
    """One output of one agent."""

    id: EntryId = Field(description="The entry.")
    project_id: ProjectId
    session_id: Annotated[str, SESSION]
    agent_id: Annotated[str | None, AGENT]
    node_id: Annotated[str | None, NODE]
    confidence: Annotated[float | None, CONFIDENCE]
    recorded_by: str | None = Field(
        description="The key or program it came by, as the server knows it.", examples=["cfo-agent"]
    )
    content: Content = Field(description="What was said.")
    metadata: Annotated[dict[str, Any], METADATA]
    layer: Layer = Field(
        description="The tier it is read from; longterm once a person approved it.", examples=["quarantine"]
    )
    verified: bool = Field(description="Whether a person approved it.", examples=[False])
    created_at: Moment = Field(description="When it was said.")
    expires_at: Moment | None = Field(description="When it leaves working memory.", examples=[None])
    promoted_at: Moment | None = Field(description="When a person promoted it.", examples=[None])


class Receipt(RecordDocument[model.Receipt]):
    """An entry as quarantine keeps it."""

    entry: Entry = Field(description="What was said.")
    admission: Admission = Field(description="What the filter decided.")
    review: ReviewStatus | None = Field(description="What a person decided; null while nobody has.", examples=[None])


class Change(Document):
    """An entry that other settings would have decided otherwise."""

    entry: Entry = Field(description="What was said.")
    before: Decision = Field(description="What the filter decided.")
    after: Admission = Field(description="What it would have decided.")


class Replay(Document):
    """What other settings would have changed."""

    entries: int = Field(description="How many entries were decided on again.")
    admitted_before: int = Field(description="How many the filter admitted.")
    admitted_after: int = Field(description="How many it would have admitted.")
    changed: int = Field(description="How many it would have decided otherwise.")
    changes: list[Change] = Field(description="The first of those.")
