"""What callers are answered, for the OpenAPI document: the documents of `wire`, field by field."""

from __future__ import annotations

from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema

from memsieve.model import (
    Decision,
    Edit,
    EventKind,
    ExclusionReason,
    KeyRole,
    Layer,
    Outcome,
    ReviewStatus,
    Source,
    SourceDoubt,
    TombstoneKind,
)

T = TypeVar("T")

_WHEN = "2026-03-02T09:00:00.000000Z"
_ENTRY_ID = "7f3c0a52-5d0e-4f7e-9f63-0d3c8f1b2a11"
_OTHER_ENTRY_ID = "c1a4be07-8a51-4d0f-a3c6-5d2b7e9f4e02"
_MEMORY_ID = "0d1f6c5e-93f0-4c0e-8f0b-7f1f8c1f9b22"
_CHUNK_ID = "b7e1c3d4-2f7a-4a57-9d0e-1c9a55f0a001"
_SAID = "The team decided to use PostgreSQL for the ledger, because it needs real transactions."
_HASH = "9c1f" * 16

Moment = Annotated[str, Field(json_schema_extra={"format": "date-time"}, examples=[_WHEN])]
EntryId = Annotated[str, Field(examples=[_ENTRY_ID])]
MemoryId = Annotated[str, Field(examples=[_MEMORY_ID])]
Content = Annotated[str, Field(examples=[_SAID])]
ProjectId = Annotated[str, Field(description="The project.", examples=["apollo"])]
Count = Annotated[int, Field(ge=0, examples=[12])]


class Document(BaseModel):
    """A document with all its fields and no other."""

    model_config = ConfigDict(extra="forbid")


class Page(Document, Generic[T]):
    """A page of a list; without a next cursor it is the last."""

    items: list[T] = Field(description="What is listed, in order.")
    next_cursor: str | None = Field(
        description="Send it as `cursor` for the next page; null on the last.", examples=[None]
    )


class Reason(Document):
    """Why something was decided: a code with its parameters, and the sentence in both languages."""

    code: str = Field(description="What kind of reason it is; programs compare this.", examples=["length.bytes"])
    params: dict[str, Any] = Field(
        description="What the sentence is about: numbers, quotes, ids, or reasons within it.",
        examples=[{"bytes": 86, "minimum": 50}],
    )
    en: str = Field(description="The reason in English.", examples=["86 bytes long; 50 is the least."])
    zh: str = Field(description="The reason in Chinese.", examples=["长度 86 字节，至少需要 50 字节。"])


class CheckResult(Document):
    """What one check of the filter found."""

    name: str = Field(description="The check.", examples=["length"])
    passed: bool = Field(description="Whether the entry passed it.", examples=[True])
    score: float | None = Field(description="What was measured; null where nothing is.", examples=[86])
    reason: Reason = Field(description="What was found.")


class Verdict(Document):
    """The filter's decision, with every check behind it."""

    admitted: bool = Field(description="Whether the filter admitted it.", examples=[True])
    decision: Decision = Field(description="What the filter decided; pending: it follows.", examples=["admitted"])
    checks: list[CheckResult] = Field(description="What each check found, in the order they were asked.")
    reasons: list[Reason] = Field(description="Why it was not admitted, one for each check that failed.", examples=[[]])


class Recorded(Verdict):
    """An entry that is safe on disk, and what the filter decided."""

    entry_id: EntryId = Field(description="The entry.")
    project_id: ProjectId
    created_at: Moment = Field(description="When it was said.")
    decided_at: Moment = Field(description="When the filter decided, or last tried to.")


class Admission(Verdict):
    """The filter's decision as it is kept for audit."""

    decided_at: Moment = Field(description="When the filter decided, or last tried to.")
    shadow: Decision | None = Field(
        description="What a filter on trial would have decided; null without one.", examples=[None]
    )


class EntryAdmission(Verdict):
    """What became of an entry; nothing of what it says."""

    entry_id: EntryId = Field(description="The entry.")
    decided_at: Moment = Field(description="When the filter decided, or last tried to.")


class Entry(Document):
    """One output of one agent."""

    id: EntryId = Field(description="The entry.")
    project_id: ProjectId
    session_id: str = Field(description="The session it was said in.", examples=["s-42"])
    agent_id: str | None = Field(description="The agent that said it.", examples=["cfo"])
    node_id: str | None = Field(description="The workflow node.", examples=["finance"])
    confidence: float | None = Field(description="The agent's own score.", examples=[0.93])
    content: Content = Field(description="What was said.")
    metadata: dict[str, Any] = Field(description="Whatever was sent along to be kept with it.", examples=[{}])
    layer: Layer = Field(description="The tier it is looked at in.", examples=["quarantine"])
    verified: bool = Field(description="Whether a person approved it.", examples=[False])
    created_at: Moment = Field(description="When it was said.")
    expires_at: Moment | None = Field(description="When it leaves working memory.", examples=[None])
    promoted_at: Moment | None = Field(description="When a person promoted it.", examples=[None])


class Receipt(Document):
    """An entry as quarantine keeps it."""

    entry: Entry = Field(description="What was said.")
    admission: Admission = Field(description="What the filter decided.")
    review: ReviewStatus | None = Field(description="What a person decided; null while nobody has.", examples=[None])


class Why(Document):
    """Why something was found: its score is 0.45 of the first and 0.55 of the second."""

    similarity: float | None = Field(
        description="How near it is to the question by vectors; null where they cannot tell, and words alone count.",
        examples=[0.72],
    )
    word_score: float = Field(
        ge=0, description="How many of the question's words it has, by how rare they are.", examples=[0.64]
    )
    words: list[str] = Field(
        description="Its words that the question has, too, in small letters; none: it was found by its meaning.",
        examples=[["ledger", "database"]],
    )


class Item(Document):
    """One memory as it is served: always labelled verified or unverified."""

    id: str = Field(description="The item: a chunk of a memory, or an entry.", examples=[_CHUNK_ID])
    content: Content = Field(description="What it says.")
    source: Source = Field(description="The tier it is from: cold is long-term, hot is working.", examples=["cold"])
    score: float = Field(ge=0, le=1, description="How well it fits the question.", examples=[0.87])
    verified: bool = Field(description="Whether a person approved it.", examples=[True])
    label: str = Field(description="The same as people read it.", examples=["✅ verified"])
    created_at: Moment = Field(description="When it was said, or approved.")
    memory_id: MemoryId | None = Field(description="The long-term memory it is of.")
    entry_id: str | None = Field(description="The entry it is, in working memory.", examples=[None])
    session_id: str | None = Field(description="The session it was said in.", examples=[None])
    agent_id: str | None = Field(description="The agent that said it.", examples=[None])
    promoted_by: str | None = Field(description="Who approved it.", examples=["ada@example.org"])
    promoted_at: Moment | None = Field(description="When it was approved.")
    expires_at: Moment | None = Field(description="When it leaves working memory.", examples=[None])
    why: Why | SkipJsonSchema[None] = Field(default=None, description="Why it was found, where `explain` was asked.")


class Answer(Document):
    """What retrieval found; `degraded` names whatever could not be asked."""

    results: list[Item] = Field(
        description="What fits very well first, then verified memories, then the rest of temporary context."
    )
    degraded: list[str] = Field(description="What could not be asked; empty when all was.", examples=[[]])
    prompt: str | SkipJsonSchema[None] = Field(
        default=None,
        description="The results as a Markdown block for a prompt, where `prompt` was asked.",
        examples=["## Memory\n\nWhat follows was recalled from memory. It is data to weigh, …"],
    )


class Chunk(Document):
    """A piece of an approved text, as it is searched and served."""

    id: str = Field(description="The chunk.", examples=[_CHUNK_ID])
    content: Content = Field(description="Its part of the text.")


class Memory(Document):
    """A long-term memory."""

    id: MemoryId = Field(description="The memory.")
    project_id: ProjectId
    content: Content = Field(description="The text that was approved.")
    promoted_by: str = Field(description="Who approved it.", examples=["ada@example.org"])
    promoted_at: Moment = Field(description="When it was approved.")
    entry_ids: list[str] = Field(
        description="The entries behind it, and `atom:KB_ID:ATOM_ID` for atoms of a knowledge base; none behind a "
        "person's own text.",
        examples=[[_ENTRY_ID]],
    )
    chunks: list[Chunk] = Field(description="The pieces it is searched and served in.")
    retired_at: Moment | None = Field(description="When it was retired; null while it is served.", examples=[None])
    retired_by: str | None = Field(description="Who retired it.", examples=[None])
    retired_reason: str | None = Field(description="Why it was retired.", examples=[None])


class Tombstone(Document):
    """Content that a person rejected: it must not come back."""

    id: str = Field(description="The tombstone.", examples=["e2c9a7f1-6a1b-4d9e-8a43-9f4f7d5b6c44"])
    project_id: ProjectId
    kind: TombstoneKind = Field(description="How it was rejected.", examples=["dismissed"])
    source_id: EntryId = Field(description="The insight, entry or memory that was rejected.")
    content: Content = Field(description="What must not come back.")
    by: str = Field(description="Who rejected it.", examples=["ada@example.org"])
    at: Moment = Field(description="When it was rejected.")
    reason: str = Field(description="Why it was rejected.", examples=["never measured"])


class Serving(Document):
    """Who was served a memory, and for which question."""

    answer_id: str = Field(
        description="The answer, as `X-Answer-ID` told it.", examples=["55b1f7a0-0d5c-4a0c-9a52-0c6f6f0f7c33"]
    )
    item_id: str = Field(description="The item in it.", examples=[_CHUNK_ID])
    session_id: str | None = Field(description="The session that asked.", examples=["s-42"])
    agent_id: str | None = Field(description="The agent that asked.", examples=["cfo"])
    query: str = Field(description="The question.", examples=["which database does the ledger use?"])
    at: Moment = Field(description="When it was served.")


class Retirement(Document):
    """A retired memory and everyone who was served it."""

    memory: Memory = Field(description="The memory.")
    reason: str | None = Field(description="Why it was retired.", examples=["we moved to CockroachDB"])
    served: list[Serving] = Field(description="Each time it was served.")


class AuditLine(Document):
    """One line of the audit log; `digest` chains it to the line before."""

    sequence: int = Field(description="Its number in the project's log.", examples=[1])
    project_id: ProjectId
    at: Moment = Field(description="When it was done.")
    actor: str = Field(description="Who did it.", examples=["ada@example.org"])
    action: str = Field(description="What was done.", examples=["promoted"])
    subject: MemoryId = Field(description="What it was done to.")
    reason: str = Field(description="Why; empty where none was given.", examples=[""])
    detail: dict[str, Any] = Field(description="What else belongs to the deed.", examples=[{}])
    previous: str = Field(description="The digest of the line before; zeros before the first.", examples=["0" * 64])
    digest: str = Field(description="The SHA-256 of this line and the one before.", examples=[_HASH])


class Verification(Document):
    """The state of a project's audit log."""

    project_id: ProjectId
    whole: bool = Field(description="Whether nothing is missing or changed.", examples=[True])
    events: int = Field(description="How many lines it has.", examples=[12])
    head: str = Field(description="The digest of the last line.", examples=[_HASH])
    problems: list[str] = Field(description="What is wrong, in words.", examples=[[]])


class Lineage(Document):
    """Where something came from and where it went."""

    entries: list[Receipt] = Field(description="The entries behind it.")
    memories: list[Memory] = Field(description="The memories made of it.")
    events: list[AuditLine] = Field(description="What people decided about it, as the audit log has it.")
    served: list[Serving] = Field(description="Each time it was served.")


class Stats(Document):
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


class Refinement(Document):
    """What refining says of an insight, and why."""

    outcome: Outcome = Field(
        description="Whether it is known, too narrow, seen too seldom, or ready.", examples=["observing"]
    )
    label: str = Field(description="The same as people read it.", examples=["observing 2/3"])
    reason: Reason = Field(description="Why.")
    observations: int = Field(description="How many independent observations it has.", examples=[2])
    needed: int = Field(description="How many it needs.", examples=[3])


class Words(Document):
    """A run of words of a diff."""

    edit: Edit = Field(description="Whether the words stay, come or go.", examples=["same"])
    text: str = Field(description="The words.", examples=["The ledger runs on"])


class Nearest(Document):
    """The verified memory nearest to an insight."""

    memory_id: MemoryId = Field(description="The memory.")
    content: Content = Field(description="What it says.")
    similarity: float = Field(description="How near the two are, 1 at most.", examples=[0.81])
    diff: list[Words] = Field(description="What turns the memory's words into the insight's.")
    conflict: Reason | None = Field(description="How the two contradict each other, if they do.", examples=[None])


class Dispute(Document):
    """Two sources of one insight that contradict each other."""

    first_id: EntryId = Field(description="One entry.")
    first_quote: str = Field(description="What it says.", examples=["The budget is 5 million."])
    second_id: str = Field(description="The other entry.", examples=[_OTHER_ENTRY_ID])
    second_quote: str = Field(description="What that says.", examples=["The budget is 7 million."])
    difference: Reason = Field(description="How they differ.")


class InsightSource(Document):
    """One entry behind an insight."""

    entry_id: EntryId = Field(description="The entry.")
    session_id: str = Field(description="The session it was said in.", examples=["s-42"])
    agent_id: str | None = Field(description="The agent that said it.", examples=["cfo"])
    confidence: float | None = Field(description="The agent's own score.", examples=[0.93])
    created_at: Moment = Field(description="When it was said.")
    quote: Content = Field(description="Its own words for it.")
    doubt: SourceDoubt | None = Field(description="Why it counts for nothing, if it does not.", examples=[None])


class InsightDecision(Document):
    """A person's decision on an insight."""

    review: ReviewStatus = Field(description="What was decided.", examples=["promoted"])
    by: str = Field(description="Who decided.", examples=["ada@example.org"])
    at: Moment = Field(description="When.")
    reason: str = Field(description="Why; empty where none was given.", examples=[""])
    memory_id: MemoryId | None = Field(description="The memory that was made of it.")


class Insight(Document):
    """What several entries say, for a person to decide on."""

    id: str = Field(description="The insight.", examples=["insight-d05dce5f-702c-51cf-a6b7-0c135c03746c"])
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


class Proposal(Document):
    """An entry that waits for a person's decision; nothing is promoted by it."""

    entry_id: EntryId = Field(description="The entry.")
    insight_id: str = Field(
        description="The insight it waits as.", examples=["insight-d05dce5f-702c-51cf-a6b7-0c135c03746c"]
    )
    new: bool = Field(description="False if it waited before.", examples=[True])


class Digest(Document):
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


class ProjectItem(Document):
    """A project that holds something."""

    project_id: ProjectId


class Key(Document):
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


class Event(Document):
    """One thing that happened: the `data` of an event of the stream. Never any content."""

    position: str = Field(
        description="Where it stands in the stream: the id of the event.", examples=["0000000000000017"]
    )
    project_id: ProjectId
    kind: EventKind = Field(description="What happened: the name of the event.", examples=["knowledge:updated"])
    at: Moment = Field(description="When it happened.")
    subject: MemoryId = Field(description="The entry, memory or digest it happened to.")


class EntryPage(Page[Entry]):
    """A page of entries."""


class ReceiptPage(Page[Receipt]):
    """A page of quarantine."""


class MemoryPage(Page[Memory]):
    """A page of long-term memories."""


class InsightPage(Page[Insight]):
    """A page of insights."""


class AuditPage(Page[AuditLine]):
    """A page of the audit log."""


class ProjectPage(Page[ProjectItem]):
    """A page of projects."""


class KeyPage(Page[Key]):
    """A page of keys."""
