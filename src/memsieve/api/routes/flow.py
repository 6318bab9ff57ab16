"""What went through a project day by day."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from memsieve import documents
from memsieve.api.caller import Right, review_of
from memsieve.api.requests import FlowQuery
from memsieve.api.route import Api, answer

TAG = "Review"


def add_to(api: Api) -> None:
    """Put the route on an application."""
    api.add("GET", "/flow", read_flow, right=Right.AUDIT, tag=TAG, answers={200: documents.Flow})


async def read_flow(request: Request, wanted: Annotated[FlowQuery, Query()]) -> Response:
    """Count what was recorded, admitted, refused and decided on each of the last days, and how old it all is."""
    review = await review_of(request, wanted)
    flow = await review.flow(days=wanted.days, offset=timedelta(minutes=wanted.offset_minutes))
    return answer(documents.Flow.of(flow))
