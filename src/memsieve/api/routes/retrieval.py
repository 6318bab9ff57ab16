"""Retrieval, working memory, statistics and the list of projects."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from memsieve import documents
from memsieve.api import pagination
from memsieve.api.auth import caller_of, project_of
from memsieve.api.requests import MAX_QUESTION, TEXT, MostItems, Name, PageQuery, ProjectBody, ProjectQuery
from memsieve.api.routing import Routes, json_response
from memsieve.api.state import state_of
from memsieve.documents.document import ASKING_AGENT, QUERY
from memsieve.model import ContextItem, Right
from memsieve.retrieval.prompt import history_context
from memsieve.retrieval.retriever import MAX_DAYS
from memsieve.text.tokenize import shared_terms

routes = Routes("Retrieval")
_PROJECTS = "projects"
# The answer's own id, by which the audit knows what was served in it.
ANSWER_ID = "X-Answer-ID"


class QueryBody(ProjectBody):
    """A question with its options."""

    query: Annotated[str, Field(pattern=TEXT, max_length=MAX_QUESTION), QUERY]
    max_results: MostItems = Field(default=5, description="Most verified memories.")
    max_unverified: MostItems = Field(default=10, description="Most items of temporary context.")
    time_range_days: Annotated[float, Field(ge=0, le=MAX_DAYS)] | None = Field(
        default=None, description="Only what is at most this many days old.", examples=[30]
    )
    relevance_threshold: Annotated[float, Field(ge=0, le=1)] = Field(default=0.0, description="The least score.")
    session_id: Name | None = Field(
        default=None,
        description="The session that asks: what it is served cannot come back from it as new evidence.",
        examples=["s-42"],
    )
    agent_id: Annotated[Name | None, ASKING_AGENT] = None
    explain: bool = Field(default=False, description="Add to each result why it was found.")
    prompt: bool = Field(default=False, description="Add the results as a Markdown block for a prompt.")


@routes.add("POST", "/memory/query", Right.QUERY, {200: documents.Answer}, headers=(ANSWER_ID,))
async def query(request: Request, body: QueryBody) -> Response:
    """Ask verified and working memory; every result has its source.

    `X-Answer-ID` in the answer's head is the id by which the audit knows what was served in it.
    """
    project = await project_of(request, body)
    found = await project.retrieve(
        body.query,
        max_results=body.max_results,
        max_unverified=body.max_unverified,
        time_range_days=body.time_range_days,
        relevance_threshold=body.relevance_threshold,
        session_id=body.session_id,
        agent_id=body.agent_id,
    )
    more: dict[str, object] = {}
    if body.explain:
        more["results"] = [documents.FoundItem.of(item, why=_why(item, body.query)) for item in found.items]
    if body.prompt:
        more["prompt"] = history_context(found)
    return json_response(documents.Answer.of(found, **more), headers={ANSWER_ID: found.id})


@routes.add("GET", "/memory/working", Right.QUERY, {200: documents.EntryPage})
async def list_working(request: Request, of: Annotated[ProjectQuery, Query()]) -> Response:
    """List working memory, newest first: at most 50 entries, none of them verified."""
    project = await project_of(request, of)
    return await pagination.single_page(await project.working(), documents.Entry.of)


@routes.add("GET", "/stats", Right.QUERY, {200: documents.Stats})
async def read_stats(request: Request, of: Annotated[ProjectQuery, Query()]) -> Response:
    """Count what a project holds, and what the filter refused."""
    project = await project_of(request, of)
    return json_response(documents.Stats.of(await project.stats()))


@routes.add("GET", "/projects", Right.QUERY, {200: documents.ProjectPage})
async def list_projects(request: Request, wanted: Annotated[PageQuery, Query()]) -> Response:
    """List the projects that hold anything; a key of a project sees its own."""
    own = caller_of(request).project
    names = await state_of(request).memory.projects() if own is None else [own]
    return await pagination.paginate_list(_PROJECTS, names, wanted.cursor, wanted.limit, _project)


def _why(item: ContextItem, query: str) -> documents.MatchScores:
    return documents.MatchScores.of(item, words=shared_terms(query, item.content))


def _project(name: str) -> documents.ProjectItem:
    return documents.ProjectItem(project_id=name)
