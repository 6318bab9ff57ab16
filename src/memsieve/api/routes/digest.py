"""Digests, and the insights in them."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query
from pydantic import Field
from pydantic.json_schema import SkipJsonSchema
from starlette.requests import Request
from starlette.responses import Response

from memsieve import documents
from memsieve.api import pagination
from memsieve.api.auth import review_of
from memsieve.api.requests import Id, Name, ProjectBody, ProjectPageQuery, ProjectQuery, Switch
from memsieve.api.routing import Routes, json_response
from memsieve.digest.pipeline import MOST_DAYS
from memsieve.errors import NotFound
from memsieve.model import Insight, Right
from memsieve.project import AsyncReview

routes = Routes("Digest")


class DigestBody(ProjectBody):
    """Which digest is to be made."""

    days: Annotated[float, Field(ge=0, le=MOST_DAYS)] = Field(default=7, description="How many days it looks back.")


class InsightsQuery(ProjectPageQuery):
    """Which insights to list."""

    decided: Switch = Field(default=False, description="Those that are decided on, in place of those that wait.")
    after_id: Name | SkipJsonSchema[None] = Field(default=None, description="Only what follows this one in the list.")


@routes.add("POST", "/memory/digest", Right.REVIEW, {200: documents.Digest}, also=(409,))
async def make_digest(request: Request, body: DigestBody) -> Response:
    """Make a digest now: the last days, and all that still waits, as at most ten insights."""
    review = await review_of(request, body)
    return json_response(documents.Digest.of(await review.digest(days=body.days)))


@routes.add("GET", "/memory/digest", Right.AUDIT, {200: documents.Digest}, also=(404,))
async def read_digest(request: Request, of: Annotated[ProjectQuery, Query()]) -> Response:
    """Read the newest digest with what waits now; nothing is made."""
    review = await review_of(request, of)
    found = await review.last_digest()
    if found is None:
        raise NotFound(
            f"No digest of project {review.project_id!r} was made yet. POST /memory/digest makes one.",
            subject=review.project_id,
        )
    return json_response(documents.Digest.of(found))


@routes.add("GET", "/memory/insights", Right.AUDIT, {200: documents.InsightPage}, also=(404,))
async def list_insights(request: Request, wanted: Annotated[InsightsQuery, Query()]) -> Response:
    """List all insights that wait, first to be decided on first, or those that are decided."""
    review = await review_of(request, wanted)
    after = None if wanted.after_id is None else (await _found(review, wanted.after_id)).id
    if not wanted.decided:
        # By number: the insight that a page ended with may be decided by the time the next one is asked for.
        waiting = await review.insights(after_id=after)
        return await pagination.paginate_list("insights", waiting, wanted.cursor, wanted.limit, documents.Insight.of)
    after = pagination.decode_cursor("decided", wanted.cursor) or after
    found = await review.insights(decided=True, after_id=after, limit=wanted.limit + 1)
    if not found and after is not None and await review.insight(after) is None:
        raise pagination.invalid_cursor()
    return await pagination.page("decided", found, wanted.limit, documents.Insight.of, lambda one: one.id)


@routes.add("GET", "/memory/insights/{id}", Right.AUDIT, {200: documents.Insight}, also=(404,))
async def read_insight(request: Request, id: Annotated[Id, Path()], of: Annotated[ProjectQuery, Query()]) -> Response:  # noqa: A002
    """Read one insight with all its sources, and what was decided."""
    review = await review_of(request, of)
    return json_response(documents.Insight.of(await _found(review, id)))


async def _found(review: AsyncReview, insight_id: str) -> Insight:
    found = await review.insight(insight_id)
    if found is None:
        raise NotFound(
            f"No insight {insight_id!r} in project {review.project_id!r}. List them at /memory/insights.",
            subject=insight_id,
        )
    return found
