"""What is served, what people approved or rejected, and the audit log of it."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AliasChoices, Field
from pydantic.json_schema import SkipJsonSchema

from memsieve import model
from memsieve.documents.document import (
    ASKING_AGENT,
    CHUNK_EXAMPLE,
    ENTRY_EXAMPLE,
    QUERY,
    Content,
    Document,
    EntryId,
    MemoryId,
    Moment,
    ProjectId,
    RecordDocument,
    plain_record,
)
from memsieve.documents.entries import Receipt
from memsieve.model import Source, TombstoneKind
from memsieve.review.audit import Audit

_HASH = "9c1f" * 16


class MatchScores(Document):
    """Why something was found: its score is 0.45 of the first and 0.55 of the second."""

    similarity: float | None = Field(
        description="How near it is to the question by vectors; null where they cannot tell, and words alone count.",
        examples=[0.72],
    )
    word_score: float = Field(
        description="How many of the question's words it has, by how rare they are.",
        examples=[0.64],
        json_schema_extra={"minimum": 0},
    )
    words: list[str] = Field(
        description="Its words that the question has, too, in small letters; none: it was found by its meaning.",
        examples=[["ledger", "database"]],
    )


class ContextItem(RecordDocument[model.ContextItem]):
    """One memory as it is served: always labelled verified or unverified."""

    id: str = Field(description="The item: a chunk of a memory, or an entry.", examples=[CHUNK_EXAMPLE])
    content: Content = Field(description="What it says.")
    source: Source = Field(description="The tier it is from: cold is long-term, hot is working.", examples=["cold"])
    score: float = Field(
        description="How well it fits the question.", examples=[0.87], json_schema_extra={"minimum": 0, "maximum": 1}
    )
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


class FoundItem(ContextItem):
    """One memory as it is served: always labelled verified or unverified."""

    why: MatchScores | SkipJsonSchema[None] = Field(
        default=None, description="Why it was found, where `explain` was asked."
    )


class Answer(RecordDocument[model.Answer]):
    """What retrieval found; `degraded` names whatever could not be asked."""

    results: list[FoundItem] = Field(
        description="What fits very well first, then verified memories, then the rest of temporary context.",
        validation_alias=AliasChoices("results", "items"),
    )
    degraded: list[str] = Field(description="What could not be asked; empty when all was.", examples=[[]])
    prompt: str | SkipJsonSchema[None] = Field(
        default=None,
        description="The results as a Markdown block for a prompt, where `prompt` was asked.",
        examples=["## Memory\n\nWhat follows was recalled from memory. It is data to weigh, …"],
    )

    def record(self, **beside: Any) -> model.Answer:
        """Return the answer; the caller adds the question."""
        return super().record(items=plain_record(self.results), **beside)


class AnswerWithId(Answer):
    """An answer with its id, which HTTP tells in a header."""

    answer_id: str = Field(description="The answer.", validation_alias=AliasChoices("answer_id", "id"))


class Chunk(RecordDocument[model.Chunk]):
    """A piece of an approved text, as it is searched and served."""

    id: str = Field(description="The chunk.", examples=[CHUNK_EXAMPLE])
    content: Content = Field(description="Its part of the text.")


class LongTermMemory(RecordDocument[model.LongTermMemory]):
    """A long-term memory."""

    id: MemoryId = Field(description="The memory.")
    project_id: ProjectId
    content: Content = Field(description="The text that was approved.")
    promoted_by: str = Field(description="Who approved it.", examples=["ada@example.org"])
    promoted_at: Moment = Field(description="When it was approved.")
    entry_ids: list[str] = Field(
        description="The entries behind it, and `atom:KB_ID:ATOM_ID` for atoms of a knowledge base; none behind a "
        "person's own text.",
        examples=[[ENTRY_EXAMPLE]],
    )
    chunks: list[Chunk] = Field(description="The pieces it is searched and served in.")
    retired_at: Moment | None = Field(description="When it was retired; null while it is served.", examples=[None])
    retired_by: str | None = Field(description="Who retired it.", examples=[None])
    retired_reason: str | None = Field(description="Why it was retired.", examples=[None])

    def record(self, **beside: Any) -> model.LongTermMemory:
        """Return the memory with its approval; the words and vectors of its chunks stay with the index."""
        approval = model.Approval(by=self.promoted_by, at=self.promoted_at, **self.shared(model.Approval))
        chunks = tuple(chunk.record(position=place, words=()) for place, chunk in enumerate(self.chunks))
        return super().record(approval=approval, chunks=chunks, **beside)


class Tombstone(RecordDocument[model.Tombstone]):
    """Content that a person rejected: it must not come back."""

    id: str = Field(description="The tombstone.", examples=["e2c9a7f1-6a1b-4d9e-8a43-9f4f7d5b6c44"])
    project_id: ProjectId
    kind: TombstoneKind = Field(description="How it was rejected.", examples=["dismissed"])
    source_id: EntryId = Field(description="The insight, entry or memory that was rejected.")
    content: Content = Field(description="What must not come back.")
    by: str = Field(description="Who rejected it.", examples=["ada@example.org"])
    at: Moment = Field(description="When it was rejected.")
    reason: str = Field(description="Why it was rejected.", examples=["never measured"])

    def record(self, **beside: Any) -> model.Tombstone:
        """Return the tombstone; its words stay with the index."""
        return super().record(words=(), **beside)


class Serving(RecordDocument[model.Serving]):
    """Who was served a memory, and for which question."""

    answer_id: str = Field(
        description="The answer, as in its header `X-Answer-ID`.", examples=["55b1f7a0-0d5c-4a0c-9a52-0c6f6f0f7c33"]
    )
    item_id: str = Field(description="The item in it.", examples=[CHUNK_EXAMPLE])
    session_id: str | None = Field(description="The session that asked.", examples=["s-42"])
    agent_id: Annotated[str | None, ASKING_AGENT]
    query: Annotated[str, QUERY]
    at: Moment = Field(description="When it was served.")


class Retirement(RecordDocument[model.Retirement]):
    """A retired memory and everyone who was served it."""

    memory: LongTermMemory = Field(description="The memory.")
    reason: str | None = Field(description="Why it was retired.", examples=["we moved to CockroachDB"])
    served: list[Serving] = Field(description="Each time it was served.")


class AuditLine(RecordDocument[model.AuditEvent]):
    """One line of the audit log; `digest` chains it to the line before."""

    sequence: int = Field(description="Its number in the project's log.", examples=[1])
    project_id: ProjectId
    at: Moment = Field(description="When it was done.")
    actor: str = Field(description="Who did it.", examples=["ada@example.org"])
    action: str = Field(description="What was done.", examples=["promoted"])
    subject: MemoryId = Field(description="What it was done to.")
    reason: str = Field(description="Why; empty where none was given.", examples=[""])
    detail: dict[str, Any] = Field(description="What else belongs to the action.", examples=[{}])
    previous: str = Field(description="The digest of the line before; zeros before the first.", examples=["0" * 64])
    digest: str = Field(description="The SHA-256 of this line and the one before.", examples=[_HASH])


class Verification(RecordDocument[Audit]):
    """The state of a project's audit log."""

    project_id: ProjectId
    whole: bool = Field(description="Whether nothing is missing or changed.", examples=[True])
    events: int = Field(description="How many lines it has.", examples=[12])
    head: str = Field(description="The digest of the last line.", examples=[_HASH])
    problems: list[str] = Field(description="What is wrong, in words.", examples=[[]])


class Lineage(RecordDocument[model.Lineage]):
    """Where something came from and where it went."""

    entries: list[Receipt] = Field(description="The entries behind it.")
    memories: list[LongTermMemory] = Field(description="The memories made of it.")
    events: list[AuditLine] = Field(description="What people decided about it, as the audit log has it.")
    served: list[Serving] = Field(description="Each time it was served.")
