"""A reviewer's decisions: promote, dismiss and retire; and the list of long-term memory."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

from fastapi import Query
from pydantic import Field
from pydantic.json_schema import SkipJsonSchema
from starlette.requests import Request
from starlette.responses import Response

from memsieve import documents
from memsieve.api import pagination
from memsieve.api.auth import review_of
from memsieve.api.requests import (
    ATOM,
    Days,
    Name,
    Offset,
    ProjectBody,
    ProjectPageQuery,
    ProjectQuery,
    Reason,
    Search,
    Switch,
    Text,
)
from memsieve.api.routing import Routes, json_response
from memsieve.documents.document import ENTRY_EXAMPLE, MEMORY_EXAMPLE
from memsieve.errors import NotFound
from memsieve.model import Right

routes = Routes("Review")
_LIST = "longterm"


class IngestBody(ProjectBody):
    """A person's own text for long-term memory."""

    content: Text = Field(
        description="The text, at most `max_content_bytes` in UTF-8.", examples=["The ledger runs on PostgreSQL."]
    )
    atom: Annotated[str, Field(pattern=ATOM)] | None = Field(
        default=None,
        description="The atom of a knowledge base that the text is, as `KB_ID:ATOM_ID`; it becomes a source.",
        examples=[None],
    )


class PromoteBody(ProjectBody):
    """An insight or entry to promote."""

    id: Name = Field(description="The insight or the entry.", examples=[ENTRY_EXAMPLE])
    text: Text | None = Field(
        default=None, description="Your words for it, in place of its own.", examples=["The ledger runs on PostgreSQL."]
    )


class DismissBody(ProjectBody):
    """An insight or entry to dismiss."""

    id: Name = Field(description="The insight or the entry.", examples=[ENTRY_EXAMPLE])
    reason: Reason


class RetireBody(ProjectBody):
    """A memory to retire."""

    id: Name = Field(description="The memory, or a chunk of it.", examples=[MEMORY_EXAMPLE])
    reason: Reason
    superseded: bool = Field(
        default=False,
        description="Whether others took its place: then text that a living memory still has gets no tombstone.",
    )


class FlowQuery(ProjectQuery):
    """Which days to count."""

    days: Days = Field(default=30, description="How many days, with today.")
    offset_minutes: Offset = Field(default=0, description="The offset of the days' time zone from UTC, in minutes.")


class MemoriesQuery(ProjectPageQuery):
    """Which memories to list."""

    after_id: Name | SkipJsonSchema[None] = Field(default=None, description="Only what follows this one in the list.")
    search: Search | SkipJsonSchema[None] = Field(default=None, description="Only memories with this text.")
    retired: Switch = Field(default=False, description="Those that were retired, in place of those that are served.")
    newest_first: Switch = Field(default=False, description="The newest first, in place of the oldest.")


@routes.add("POST", "/memory/ingest", Right.REVIEW, {201: documents.LongTermMemory}, also=(409,))
async def ingest(request: Request, body: IngestBody) -> Response:
    """Write a person's own text into long-term memory. Twice changes nothing."""
    review = await review_of(request, body)
    memory = await review.promote_text(body.content, atom=body.atom)
    return json_response(documents.LongTermMemory.of(memory), 201)


@routes.add("POST", "/memory/promote", Right.REVIEW, {200: documents.LongTermMemory}, also=(404, 409))
async def promote(request: Request, body: PromoteBody) -> Response:
    """Write an insight or an entry into long-term memory. Twice changes nothing."""
    review = await review_of(request, body)
    return json_response(documents.LongTermMemory.of(await review.promote(body.id, text=body.text)))


@routes.add("POST", "/memory/dismiss", Right.REVIEW, {200: documents.Tombstone}, also=(404, 409))
async def dismiss(request: Request, body: DismissBody) -> Response:
    """Reject an insight or an entry, so that nothing like it comes back."""
    review = await review_of(request, body)
    return json_response(documents.Tombstone.of(await review.dismiss(body.id, reason=body.reason)))


@routes.add("POST", "/memory/retire", Right.REVIEW, {200: documents.Retirement}, also=(404, 409))
async def retire(request: Request, body: RetireBody) -> Response:
    """Take a memory out of retrieval; the answer names everyone who was served it."""
    review = await review_of(request, body)
    retirement = await review.retire(body.id, reason=body.reason, superseded=body.superseded)
    return json_response(documents.Retirement.of(retirement))


@routes.add("GET", "/memory/longterm", Right.AUDIT, {200: documents.MemoryPage}, also=(404,))
async def list_memories(request: Request, wanted: Annotated[MemoriesQuery, Query()]) -> Response:
    """List verified memories in the order they were approved, or those that were retired."""
    review = await review_of(request, wanted)
    after = pagination.decode_cursor(_LIST, wanted.cursor)
    if wanted.after_id is not None and after is None:
        memory = await review.memory(wanted.after_id)
        if memory is None:
            raise NotFound(
                f"No memory {wanted.after_id!r} in project {review.project_id!r}. Begin without it.",
                subject=wanted.after_id,
            )
        after = memory.id
    found = await review.memories(
        after_id=after,
        limit=wanted.limit + 1,
        text=wanted.search,
        retired=wanted.retired,
        newest_first=wanted.newest_first,
    )
    if not found and after is not None and await review.memory(after) is None:
        raise pagination.invalid_cursor()
    return await pagination.page(_LIST, found, wanted.limit, documents.LongTermMemory.of, lambda one: one.id)


@routes.add("GET", "/flow", Right.AUDIT, {200: documents.Flow})
async def read_flow(request: Request, wanted: Annotated[FlowQuery, Query()]) -> Response:
    """Count what was recorded, admitted, refused and decided on each of the last days, and how old it all is."""
    review = await review_of(request, wanted)
    flow = await review.flow(days=wanted.days, offset=timedelta(minutes=wanted.offset_minutes))
    return json_response(documents.Flow.of(flow))
