"""Ask what is known: retrieval, working memory, counts, projects."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from memsieve import documents
from memsieve.api import cursors
from memsieve.api.caller import Right, caller_of, project_of
from memsieve.api.requests import Named, PageQuery, QueryBody
from memsieve.api.route import Api, answer
from memsieve.api.state import state_of
from memsieve.model import ContextItem
from memsieve.retrieval.prompt import history_context
from memsieve.text.tokenize import shared_terms

TAG = "Retrieval"
_PROJECTS = "projects"
# The answer's own id, by which the audit knows what was served in it.
ANSWER_ID = "X-Answer-ID"


def add_to(api: Api) -> None:
    """Put the routes on an application."""
    api.add(
        "POST",
        "/memory/query",
        query,
        right=Right.QUERY,
        tag=TAG,
        answers={200: documents.Answer},
        headers=(ANSWER_ID,),
    )
    api.add(
        "GET",
        "/memory/working",
        list_working,
        right=Right.QUERY,
        tag=TAG,
        answers={200: documents.EntryPage},
    )
    api.add("GET", "/stats", read_stats, right=Right.QUERY, tag=TAG, answers={200: documents.Stats})
    api.add("GET", "/projects", list_projects, right=Right.QUERY, tag=TAG, answers={200: documents.ProjectPage})


async def query(request: Request, body: QueryBody) -> Response:
    """Ask verified and working memory; every result says which it is from.

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
        more["results"] = [documents.Item.of(item, why=_why(item, body.query)) for item in found.items]
    if body.prompt:
        more["prompt"] = history_context(found)
    return answer(documents.Answer.of(found, **more), headers={ANSWER_ID: found.id})


async def list_working(request: Request, of: Annotated[Named, Query()]) -> Response:
    """List working memory, newest first: at most 50 entries, none of them verified."""
    project = await project_of(request, of)
    return await cursors.whole(await project.working(), documents.Entry.of)


async def read_stats(request: Request, of: Annotated[Named, Query()]) -> Response:
    """Count what a project holds, and what the filter refused."""
    project = await project_of(request, of)
    return answer(documents.Stats.of(await project.stats()))


async def list_projects(request: Request, wanted: Annotated[PageQuery, Query()]) -> Response:
    """List the projects that hold anything; a key of a project sees its own."""
    own = caller_of(request).project
    names = await state_of(request).memory.projects() if own is None else [own]
    return await cursors.cut(_PROJECTS, names, wanted.cursor, wanted.limit, _project)


def _why(item: ContextItem, query: str) -> documents.Why:
    return documents.Why.of(item, words=shared_terms(query, item.content))


def _project(name: str) -> documents.ProjectItem:
    return documents.ProjectItem(project_id=name)
