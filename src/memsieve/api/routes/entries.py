"""Quarantine for a person's audit: list, read, trace and delete what was said."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query
from starlette.requests import Request
from starlette.responses import Response

from memsieve import documents
from memsieve.api import cursors
from memsieve.api.caller import Right, review_of
from memsieve.api.requests import Id, Named, QuarantineQuery, Why
from memsieve.api.route import Api, answer
from memsieve.errors import NotFound
from memsieve.model import EntryFilter, Receipt
from memsieve.project import AsyncReview

TAG = "Quarantine"
_LIST = "quarantine"


def add_to(api: Api) -> None:
    """Put the routes on an application."""
    api.add(
        "GET",
        "/memory/quarantine",
        list_quarantine,
        right=Right.AUDIT,
        tag=TAG,
        answers={200: documents.ReceiptPage},
        also=(404,),
    )
    api.add(
        "GET",
        "/memory/entries/{id}",
        read_entry,
        right=Right.AUDIT,
        tag=TAG,
        answers={200: documents.Receipt},
        also=(404,),
    )
    api.add(
        "GET",
        "/memory/entries/{id}/lineage",
        read_lineage,
        right=Right.AUDIT,
        tag=TAG,
        answers={200: documents.Lineage},
        also=(404,),
    )
    api.add(
        "DELETE",
        "/memory/entries/{id}",
        delete_entry,
        right=Right.REVIEW,
        tag=TAG,
        answers={204: None},
        also=(404, 409),
    )


async def list_quarantine(request: Request, wanted: Annotated[QuarantineQuery, Query()]) -> Response:
    """List what was said, newest first unless asked otherwise, and why it got in or not."""
    review = await review_of(request, wanted)
    beyond = cursors.place_of(_LIST, wanted.cursor)
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
        raise cursors.bad_cursor()
    return await cursors.page(_LIST, found, wanted.limit, documents.Receipt.of, lambda one: one.entry.id)


async def read_entry(request: Request, id: Annotated[Id, Path()], of: Annotated[Named, Query()]) -> Response:  # noqa: A002
    """Read one entry, with all checks and what a person decided."""
    review = await review_of(request, of)
    return answer(documents.Receipt.of(await _found(review, id)))


async def read_lineage(request: Request, id: Annotated[Id, Path()], of: Annotated[Named, Query()]) -> Response:  # noqa: A002
    """Trace where an entry, an insight or a memory came from, and who was served it."""
    review = await review_of(request, of)
    return answer(documents.Lineage.of(await review.lineage(id)))


async def delete_entry(request: Request, id: Annotated[Id, Path()], why: Annotated[Why, Query()]) -> Response:  # noqa: A002
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
