"""How much a project holds and what happens in it, the keys to it, and pages of lists."""

from __future__ import annotations

from datetime import date
from typing import Generic

from pydantic import Field

from memsieve import model
from memsieve.documents.document import Count, D, Document, MemoryId, Moment, ProjectId, RecordDocument
from memsieve.documents.entries import Entry, Receipt
from memsieve.documents.insights import Insight
from memsieve.documents.memories import AuditLine, LongTermMemory
from memsieve.model import EventKind, KeyRole, Right


class Stats(RecordDocument[model.Stats]):
    """How much a project holds, and what the filter refused."""

    project_id: ProjectId
    recorded: Count = Field(description="Entries in quarantine.")
    admitted: Count = Field(description="Those that the filter admitted.")
    refused: Count = Field(description="Those that it refused.")
    pending: Count = Field(description="Those that it has yet to decide on.")
    refused_by: dict[str, int] = Field(description="How many each check refused.", examples=[{"duplicate": 3}])
    shadow_admitted: Count = Field(description="What a filter on trial would have admitted though it was refused.")
    shadow_refused: Count = Field(description="What a filter on trial would have refused though it was admitted.")
    working: Count | None = Field(description="Entries in working memory; null while it does not answer.")
    memories: Count = Field(description="Long-term memories that are served.")
    chunks: Count = Field(description="The pieces they are searched in.")
    tombstones: Count = Field(description="Contents that must not come back.")
    answers: Count = Field(description="Answers that were given.")
    insights_waiting: Count = Field(description="Insights that wait for a person.")
    oldest_waiting: Moment | None = Field(description="Since when the oldest of them waits.")


class FlowDay(RecordDocument[model.DayCounts]):
    """What became of the entries recorded on a day, and how many decisions people made on it."""

    day: date = Field(description="The day.", examples=["2026-03-02"])
    recorded: Count = Field(description="Entries recorded on it.")
    admitted: Count = Field(description="Those that the filter admitted.")
    refused: Count = Field(description="Those that it refused.")
    pending: Count = Field(description="Those that it has yet to decide on.")
    refused_by: dict[str, int] = Field(description="How many each check refused.", examples=[{"duplicate": 3}])
    promoted: Count = Field(description="Memories that were approved on it.")
    dismissed: Count = Field(description="Insights and entries that were dismissed on it.")
    retired: Count = Field(description="Memories that were retired on it.")


class AgeBucket(RecordDocument[model.AgeBucket]):
    """How many are of an age."""

    up_to_days: int | None = Field(
        description="Younger than this many days, and older than those of the bucket before; null: any age.",
        examples=[7],
    )
    count: Count = Field(description="How many.")


class Flow(RecordDocument[model.DailyCounts]):
    """What went through a project day by day, and how old is what it holds."""

    project_id: ProjectId
    days: list[FlowDay] = Field(description="Every day, the oldest first.")
    memory_ages: list[AgeBucket] = Field(description="Memories that are served, by how long ago they were approved.")
    insight_ages: list[AgeBucket] = Field(description="Insights that wait, by how long they do.")
    oldest_insight: Moment | None = Field(description="Since when the oldest of them waits.")
    oldest_pending: Moment | None = Field(
        description="When the oldest entry was recorded that the filter has yet to decide on."
    )


class ProjectItem(Document):
    """A project that holds something."""

    project_id: ProjectId


class Session(Document):
    """Who calls, and what they may."""

    name: str = Field(description="The name that all they do is done in.", examples=["ada@example.org"])
    role: KeyRole = Field(description="What the key lets them do.", examples=["reviewer"])
    project_id: ProjectId | None = Field(description="The only project they reach; null for those who name one.")
    rights: list[Right] = Field(
        description="Their rights, as the documentation lists them: record, query, audit, review, keys.",
        examples=[["record", "query", "audit", "review"]],
    )
    keyless: bool = Field(description="Whether they came without a key, from this machine.", examples=[False])


class Key(RecordDocument[model.ApiKey]):
    """A key as lists show it; nobody can see its secret again."""

    id: str = Field(description="The public part of its text.", examples=["3f9k2m7q"])
    name: str = Field(description="Whom it is for: the actor of all done with it.", examples=["cfo-agent"])
    role: KeyRole = Field(description="What it lets them do.", examples=["agent"])
    project_id: ProjectId | None = Field(description="The only project it opens; null for an admin's.")
    made_at: Moment = Field(description="When it was made.")
    made_by: str = Field(description="Who made it.", examples=["ops@example.org"])
    last_used_at: Moment | None = Field(description="When it was last used, to about a minute.")
    revoked_at: Moment | None = Field(description="When it was revoked; null while it is valid.", examples=[None])
    revoked_by: str | None = Field(description="Who revoked it.", examples=[None])


class NewKey(Document):
    """A new key and its text, which is shown this once."""

    key: Key = Field(description="The key as lists show it.")
    text: str = Field(description="What its bearer sends.", examples=["msv_3f9k2m7q_…"])


class Event(RecordDocument[model.Event]):
    """One thing that happened: the `data` of an event of the stream. Never any content."""

    position: str = Field(description="Its place in the stream: the id of the event.", examples=["0000000000000017"])
    project_id: ProjectId
    kind: EventKind = Field(description="What happened: the name of the event.", examples=["knowledge:updated"])
    at: Moment = Field(description="When it happened.")
    subject: MemoryId = Field(description="The entry, memory or digest it happened to.")


class Page(Document, Generic[D]):
    """A page of a list; without a next cursor it is the last."""

    items: list[D] = Field(description="What is listed, in order.")
    next_cursor: str | None = Field(
        description="Send it as `cursor` for the next page; null on the last.", examples=[None]
    )


class EntryPage(Page[Entry]):
    """A page of entries."""


class ReceiptPage(Page[Receipt]):
    """A page of quarantine."""


class MemoryPage(Page[LongTermMemory]):
    """A page of long-term memories."""


class InsightPage(Page[Insight]):
    """A page of insights."""


class AuditPage(Page[AuditLine]):
    """A page of the audit log."""


class ProjectPage(Page[ProjectItem]):
    """A page of projects."""


class KeyPage(Page[Key]):
    """A page of keys."""
