"""A person decides: promote, dismiss, retire, in the name of the key."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from memsieve import documents
from memsieve.api import cursors
from memsieve.api.caller import Right, review_of
from memsieve.api.requests import DismissBody, IngestBody, MemoriesQuery, PromoteBody, RetireBody
from memsieve.api.route import Api, answer
from memsieve.errors import NotFound

TAG = "Review"
_LIST = "longterm"


def add_to(api: Api) -> None:
    """Put the routes on an application."""
    api.add("POST", "/memory/ingest", ingest, right=Right.REVIEW, tag=TAG, answers={201: documents.Memory}, also=(409,))
    api.add(
        "POST",
        "/memory/promote",
        promote,
        right=Right.REVIEW,
        tag=TAG,
        answers={200: documents.Memory},
        also=(404, 409),
    )
    api.add(
        "POST",
        "/memory/dismiss",
        dismiss,
        right=Right.REVIEW,
        tag=TAG,
        answers={200: documents.Tombstone},
        also=(404, 409),
    )
    api.add(
        "POST",
        "/memory/retire",
        retire,
        right=Right.REVIEW,
        tag=TAG,
        answers={200: documents.Retirement},
        also=(404, 409),
    )
    api.add(
        "GET",
        "/memory/longterm",
        list_memories,
        right=Right.AUDIT,
        tag=TAG,
        answers={200: documents.MemoryPage},
        also=(404,),
    )


async def ingest(request: Request, body: IngestBody) -> Response:
    """Write a person's own text into long-term memory. Twice changes nothing."""
    review = await review_of(request, body)
    memory = await review.promote_text(body.content, atom=body.atom)
    return answer(documents.Memory.of(memory), 201)


async def promote(request: Request, body: PromoteBody) -> Response:
    """Write an insight or an entry into long-term memory. Twice changes nothing."""
    review = await review_of(request, body)
    return answer(documents.Memory.of(await review.promote(body.id, text=body.text)))


async def dismiss(request: Request, body: DismissBody) -> Response:
    """Reject an insight or an entry, so that nothing like it comes back."""
    review = await review_of(request, body)
    return answer(documents.Tombstone.of(await review.dismiss(body.id, reason=body.reason)))


async def retire(request: Request, body: RetireBody) -> Response:
    """Take a memory out of retrieval; the answer names everyone who was served it."""
    review = await review_of(request, body)
    retirement = await review.retire(body.id, reason=body.reason, superseded=body.superseded)
    return answer(documents.Retirement.of(retirement))


async def list_memories(request: Request, wanted: Annotated[MemoriesQuery, Query()]) -> Response:
    """List verified memories in the order they were approved, or those that were retired."""
    review = await review_of(request, wanted)
    after = cursors.place_of(_LIST, wanted.cursor)
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
        raise cursors.bad_cursor()
    return await cursors.page(_LIST, found, wanted.limit, documents.Memory.of, lambda one: one.id)
