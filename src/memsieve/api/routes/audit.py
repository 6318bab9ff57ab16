"""The audit log: list it, and verify its hash chain."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from pydantic import Field
from pydantic.json_schema import SkipJsonSchema
from starlette.requests import Request
from starlette.responses import Response

from memsieve import documents
from memsieve.api import pagination
from memsieve.api.auth import review_of
from memsieve.api.requests import Line, ProjectPageQuery, ProjectQuery, Switch
from memsieve.api.routing import Routes, json_response
from memsieve.model import Right

routes = Routes("Audit")
_LIST = "audit"
_BACK = "audit back"


class AuditQuery(ProjectPageQuery):
    """Which lines of the audit log to list."""

    after: Line = Field(default=0, description="Only lines after this one.")
    before: Line | SkipJsonSchema[None] = Field(default=None, description="Only lines before this one.")
    newest_first: Switch = Field(default=False, description="The newest first, in place of the oldest.")


@routes.add("GET", "/audit", Right.AUDIT, {200: documents.AuditPage})
async def list_audit(request: Request, wanted: Annotated[AuditQuery, Query()]) -> Response:
    """List who did what, when and why, in order or the newest first."""
    review = await review_of(request, wanted)
    kind = _BACK if wanted.newest_first else _LIST
    after, before, place = wanted.after, wanted.before, pagination.decode_number(kind, wanted.cursor)
    if place and wanted.newest_first:
        before = place if before is None else min(before, place)
    elif place:
        after = max(after, place)
    found = await review.audit_log(after=after, before=before, limit=wanted.limit + 1, newest_first=wanted.newest_first)
    return await pagination.page(kind, found, wanted.limit, documents.AuditLine.of, lambda one: str(one.sequence))


@routes.add("GET", "/audit/verification", Right.AUDIT, {200: documents.Verification})
async def verify_audit(request: Request, of: Annotated[ProjectQuery, Query()]) -> Response:
    """Check the log's hash chain, and that every memory has its line in it."""
    review = await review_of(request, of)
    found = await review.verify_audit()
    return json_response(documents.Verification.of(found, project_id=review.project_id))
