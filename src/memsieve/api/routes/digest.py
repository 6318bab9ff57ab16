"""Digests and the insights that wait in them."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query
from starlette.requests import Request
from starlette.responses import Response

from memsieve import documents
from memsieve.api import cursors
from memsieve.api.caller import Right, review_of
from memsieve.api.requests import DigestBody, Id, InsightsQuery, Named
from memsieve.api.route import Api, answer
from memsieve.errors import NotFound
from memsieve.model import Insight
from memsieve.project import AsyncReview

TAG = "Digest"


def add_to(api: Api) -> None:
    """Put the routes on an application."""
    api.add(
        "POST", "/memory/digest", make_digest, right=Right.REVIEW, tag=TAG, answers={200: documents.Digest}, also=(409,)
    )
    api.add(
        "GET", "/memory/digest", read_digest, right=Right.AUDIT, tag=TAG, answers={200: documents.Digest}, also=(404,)
    )
    api.add(
        "GET",
        "/memory/insights",
        list_insights,
        right=Right.AUDIT,
        tag=TAG,
        answers={200: documents.InsightPage},
        also=(404,),
    )
    api.add(
        "GET",
        "/memory/insights/{id}",
        read_insight,
        right=Right.AUDIT,
        tag=TAG,
        answers={200: documents.Insight},
        also=(404,),
    )


async def make_digest(request: Request, body: DigestBody) -> Response:
    """Make a digest now: the last days, and all that still waits, as at most ten insights."""
    review = await review_of(request, body)
    return answer(documents.Digest.of(await review.digest(days=body.days)))


async def read_digest(request: Request, of: Annotated[Named, Query()]) -> Response:
    """Read the newest digest with what waits now; nothing is made."""
    review = await review_of(request, of)
    found = await review.last_digest()
    if found is None:
        raise NotFound(
            f"No digest of project {review.project_id!r} was made yet. POST /memory/digest makes one.",
            subject=review.project_id,
        )
    return answer(documents.Digest.of(found))


async def list_insights(request: Request, wanted: Annotated[InsightsQuery, Query()]) -> Response:
    """List all insights that wait, first to be decided on first, or those that are decided."""
    review = await review_of(request, wanted)
    after = None if wanted.after_id is None else (await _found(review, wanted.after_id)).id
    if not wanted.decided:
        # By number: the insight that a page ended with may be decided by the time the next one is asked for.
        waiting = await review.insights(after_id=after)
        return await cursors.cut("insights", waiting, wanted.cursor, wanted.limit, documents.Insight.of)
    after = cursors.place_of("decided", wanted.cursor) or after
    found = await review.insights(decided=True, after_id=after, limit=wanted.limit + 1)
    if not found and after is not None and await review.insight(after) is None:
        raise cursors.bad_cursor()
    return await cursors.page("decided", found, wanted.limit, documents.Insight.of, lambda one: one.id)


async def read_insight(request: Request, id: Annotated[Id, Path()], of: Annotated[Named, Query()]) -> Response:  # noqa: A002
    """Read one insight with all its sources, and what was decided."""
    review = await review_of(request, of)
    return answer(documents.Insight.of(await _found(review, id)))


async def _found(review: AsyncReview, insight_id: str) -> Insight:
    found = await review.insight(insight_id)
    if found is None:
        raise NotFound(
            f"No insight {insight_id!r} in project {review.project_id!r}. List them at /memory/insights.",
            subject=insight_id,
        )
    return found
