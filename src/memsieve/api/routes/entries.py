"""Entries: record, propose, list, read, trace and delete them."""

from __future__ import annotations

from typing import Annotated, Literal, cast
from urllib.parse import quote

from fastapi import Header, Path, Query
from pydantic import BaseModel, ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema
from starlette.requests import Request
from starlette.responses import Response

from memsieve import documents
from memsieve.api import pagination
from memsieve.api.auth import caller_of, project_of, review_of
from memsieve.api.requests import (
    MAX_REASON,
    TEXT,
    Id,
    IdempotencyKey,
    Metadata,
    Moment,
    Name,
    ProjectBody,
    ProjectPageQuery,
    ProjectQuery,
    Reason,
    Search,
    Switch,
    Text,
)
from memsieve.api.routing import PREFIX, Routes, json_response
from memsieve.documents.document import AGENT, CONFIDENCE, CONTENT_EXAMPLE, ENTRY_EXAMPLE, METADATA, NODE, SESSION
from memsieve.errors import NotFound
from memsieve.model import CALLER_FIELDS, Decision, EntryFields, EntryFilter, Receipt, ReviewStatus, Right
from memsieve.project import AsyncReview

recording = Routes("Recording")
quarantine = Routes("Quarantine")
_LIST = "quarantine"


class RecordBody(ProjectBody):
    """An entry to record."""

    session_id: Annotated[Name, SESSION]
    content: Text = Field(description="The text, at most `max_content_bytes` in UTF-8.", examples=[CONTENT_EXAMPLE])
    agent_id: Annotated[Name | None, AGENT] = None
    node_id: Annotated[Name | None, NODE] = None
    confidence: Annotated[Annotated[float, Field(ge=0, le=1)] | None, CONFIDENCE] = None
    metadata: Annotated[Metadata | None, METADATA] = None

    def entry_fields(self) -> EntryFields:
        """Return the optional fields of the entry."""
        return cast("EntryFields", {name: getattr(self, name) for name in CALLER_FIELDS})


class RecordQuery(BaseModel):
    """When to answer: after a slow judge, the filter, or the durable write."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    wait: Switch = Field(default=False, description="Wait for the decision, also where an LLM judges.")
    decide: Literal["now", "later"] = Field(
        default="now",
        description="`later`: answer when it is on disk, and decide after that; not for those who `wait`.",
    )


class ProposeBody(ProjectBody):
    """A proposal to promote an entry."""

    id: Name = Field(description="The entry.", examples=[ENTRY_EXAMPLE])
    reason: Annotated[str, Field(pattern=TEXT, max_length=MAX_REASON)] = Field(
        description="Why a person should promote it; they read it.", examples=["Three sessions measured it."]
    )


class QuarantineQuery(ProjectPageQuery):
    """Filters of entries; all must match."""

    session_id: Name | SkipJsonSchema[None] = Field(default=None, description="Only this session.")
    agent_id: Name | SkipJsonSchema[None] = Field(default=None, description="Only this agent.")
    decision: Decision | SkipJsonSchema[None] = Field(default=None, description="Only what the filter decided so.")
    review: ReviewStatus | SkipJsonSchema[None] = Field(default=None, description="Only what a person decided so.")
    check: Name | SkipJsonSchema[None] = Field(default=None, description="Only what did not pass this check.")
    search: Search | SkipJsonSchema[None] = Field(default=None, description="Only entries with this text.")
    since: Moment | SkipJsonSchema[None] = Field(default=None, description="Only entries since then.")
    until: Moment | SkipJsonSchema[None] = Field(
        default=None, description="Only entries before then.", examples=["2026-03-09T09:00:00Z"]
    )
    beyond_id: Name | SkipJsonSchema[None] = Field(
        default=None, description="Only what follows this entry in the list."
    )
    oldest_first: Switch = Field(default=False, description="The oldest first, in place of the newest.")


class DeleteQuery(ProjectQuery):
    """Why an entry is deleted."""

    reason: Reason


@recording.add(
    "POST",
    "/memory/quarantine",
    Right.RECORD,
    {201: documents.Recorded, 202: documents.Recorded},
    also=(409,),
    headers=("Location",),
)
async def record(
    request: Request,
    body: RecordBody,
    how: Annotated[RecordQuery, Query()],
    idempotency_key: Annotated[
        IdempotencyKey | SkipJsonSchema[None],
        Header(description="The same key with the same content is stored once, and answered as the first time."),
    ] = None,
) -> Response:
    """Record an entry; it is on disk before the answer.

    201 when the filter has decided. 202 when the decision follows: `Location` leads to it. The same idempotency key
    again is answered the same way, with the first entry; with other content it is a conflict.
    """
    project = await project_of(request, body)
    receipt = await project.record(
        body.content,
        session_id=body.session_id,
        idempotency_key=idempotency_key,
        wait=how.wait,
        decide="now" if how.wait else how.decide,
        **body.entry_fields(),
    )
    pending = receipt.admission.decision is Decision.PENDING
    where = {"Location": f"{PREFIX}/memory/entries/{receipt.entry.id}/admission?project_id={quote(project.id)}"}
    entry = receipt.entry
    recorded = documents.Recorded.of(
        receipt.admission, entry_id=entry.id, project_id=entry.project_id, created_at=entry.created_at
    )
    return json_response(recorded, 202 if pending else 201, where)


@recording.add("GET", "/memory/entries/{id}/admission", Right.RECORD, {200: documents.EntryAdmission}, also=(404,))
async def read_admission(request: Request, id: Annotated[Id, Path()], of: Annotated[ProjectQuery, Query()]) -> Response:  # noqa: A002
    """Return the filter's decision on an entry, without its content.

    Reasons quote the entry, which another agent may have recorded: agents get the checks without them.
    """
    project = await project_of(request, of)
    found = await project.admission(id)
    if found is None:
        raise NotFound(f"No entry {id!r} in project {project.id!r}. Recording it returned its id.", subject=id)
    shown = found if caller_of(request).may(Right.AUDIT) else found.withheld()
    return json_response(documents.EntryAdmission.of(shown, entry_id=id))


@recording.add("POST", "/memory/propose", Right.RECORD, {200: documents.Proposal}, also=(404, 409))
async def propose(request: Request, body: ProposeBody) -> Response:
    """Propose an admitted entry to a person, with a reason; nothing is promoted. Idempotent."""
    project = await project_of(request, body)
    return json_response(documents.Proposal.of(await project.propose(body.id, reason=body.reason)))


@quarantine.add("GET", "/memory/quarantine", Right.AUDIT, {200: documents.ReceiptPage}, also=(404,))
async def list_quarantine(request: Request, wanted: Annotated[QuarantineQuery, Query()]) -> Response:
    """List entries with their checks, newest first unless asked otherwise."""
    review = await review_of(request, wanted)
    beyond = pagination.decode_cursor(_LIST, wanted.cursor)
    if wanted.beyond_id is not None and beyond is None:
        beyond = (await _found(review, wanted.beyond_id)).entry.id
    narrowed = EntryFilter(
        session_id=wanted.session_id,
        agent_id=wanted.agent_id,
        decision=wanted.decision,
        review=wanted.review,
        check=wanted.check,
        text=wanted.search,
        since=wanted.since,
        until=wanted.until,
        beyond_id=beyond,
        limit=wanted.limit + 1,
        oldest_first=wanted.oldest_first,
    )
    found = await review.log(narrowed)
    if not found and beyond is not None and await review.entry(beyond) is None:
        raise pagination.invalid_cursor()
    return await pagination.page(_LIST, found, wanted.limit, documents.Receipt.of, lambda one: one.entry.id)


@quarantine.add("GET", "/memory/entries/{id}", Right.AUDIT, {200: documents.Receipt}, also=(404,))
async def read_entry(request: Request, id: Annotated[Id, Path()], of: Annotated[ProjectQuery, Query()]) -> Response:  # noqa: A002
    """Read one entry, with all checks and what a person decided."""
    review = await review_of(request, of)
    return json_response(documents.Receipt.of(await _found(review, id)))


@quarantine.add("GET", "/memory/entries/{id}/lineage", Right.AUDIT, {200: documents.Lineage}, also=(404,))
async def read_lineage(request: Request, id: Annotated[Id, Path()], of: Annotated[ProjectQuery, Query()]) -> Response:  # noqa: A002
    """Trace where an entry, an insight or a memory came from, and who was served it."""
    review = await review_of(request, of)
    return json_response(documents.Lineage.of(await review.lineage(id)))


@quarantine.add("DELETE", "/memory/entries/{id}", Right.REVIEW, {204: None}, also=(404, 409))
async def delete_entry(request: Request, id: Annotated[Id, Path()], why: Annotated[DeleteQuery, Query()]) -> Response:  # noqa: A002
    """Delete an entry for good; the audit log keeps that, and why."""
    review = await review_of(request, why)
    await review.delete(id, reason=why.reason)
    return Response(status_code=204)


async def _found(review: AsyncReview, entry_id: str) -> Receipt:
    found = await review.entry(entry_id)
    if found is None:
        raise NotFound(
            f"No entry {entry_id!r} in project {review.project_id!r}. List them at /memory/quarantine.",
            subject=entry_id,
        )
    return found
