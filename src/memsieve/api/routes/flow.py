"""What went through a project day by day."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

from fastapi import Query
from pydantic import Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from memsieve import wire
from memsieve.api.caller import Right, project_of
from memsieve.api.requests import FlowQuery
from memsieve.api.responses import Count, Document, Moment, ProjectId
from memsieve.api.route import Api

TAG = "Review"


class FlowDay(Document):
    """What became of the entries said on a day, and the deeds done on it."""

    day: str = Field(description="The day.", examples=["2026-03-02"], json_schema_extra={"format": "date"})
    recorded: Count = Field(description="Entries said on it.")
    admitted: Count = Field(description="Those that the filter admitted.")
    refused: Count = Field(description="Those that it refused.")
    pending: Count = Field(description="Those that it has yet to decide on.")
    refused_by: dict[str, int] = Field(description="How many each check refused.", examples=[{"duplicate": 3}])
    promoted: Count = Field(description="Memories that were approved on it.")
    dismissed: Count = Field(description="Insights and entries that were dismissed on it.")
    retired: Count = Field(description="Memories that were retired on it.")


class AgeBucket(Document):
    """How many are of an age."""

    up_to_days: int | None = Field(
        description="They are not yet so many days old, but older than those of the line before; null: any age.",
        examples=[7],
    )
    count: Count = Field(description="How many.")


class Flow(Document):
    """What went through a project day by day, and how old is what it holds."""

    project_id: ProjectId
    days: list[FlowDay] = Field(description="Every day, the oldest first.")
    memory_ages: list[AgeBucket] = Field(description="Memories that are served, by how long ago they were approved.")
    insight_ages: list[AgeBucket] = Field(description="Insights that wait, by how long they do.")
    oldest_insight: Moment | None = Field(description="Since when the oldest of them waits.")
    oldest_pending: Moment | None = Field(
        description="When the oldest entry was said that the filter has yet to decide on."
    )


def add_to(api: Api) -> None:
    """Put the route on an application."""
    api.add("GET", "/flow", read_flow, right=Right.AUDIT, tag=TAG, answers={200: Flow})


async def read_flow(request: Request, wanted: Annotated[FlowQuery, Query()]) -> Response:
    """Count what was recorded, admitted, refused and decided on each of the last days, and how old it all is."""
    project = await project_of(request, wanted)
    flow = await project.flow(days=wanted.days, offset=timedelta(minutes=wanted.offset_minutes))
    return JSONResponse(wire.flow(flow))
