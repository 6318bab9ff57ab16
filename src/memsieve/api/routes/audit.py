"""The audit log: read it, and verify that it is whole."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from memsieve import documents
from memsieve.api import cursors
from memsieve.api.caller import Right, review_of
from memsieve.api.requests import AuditQuery, Named
from memsieve.api.route import Api, answer

TAG = "Audit"
_LIST = "audit"
_BACK = "audit back"


def add_to(api: Api) -> None:
    """Put the routes on an application."""
    api.add("GET", "/audit", list_audit, right=Right.AUDIT, tag=TAG, answers={200: documents.AuditPage})
    api.add(
        "GET", "/audit/verification", verify_audit, right=Right.AUDIT, tag=TAG, answers={200: documents.Verification}
    )


async def list_audit(request: Request, wanted: Annotated[AuditQuery, Query()]) -> Response:
    """List who did what, when and why, in order or the newest first."""
    review = await review_of(request, wanted)
    kind = _BACK if wanted.newest_first else _LIST
    after, before, place = wanted.after, wanted.before, cursors.number_of(kind, wanted.cursor)
    if place and wanted.newest_first:
        before = place if before is None else min(before, place)
    elif place:
        after = max(after, place)
    found = await review.audit_log(
        after=after,
        before=before,
        limit=wanted.limit + 1,
        newest_first=wanted.newest_first,
    )
    return await cursors.page(kind, found, wanted.limit, documents.AuditLine.of, lambda one: str(one.sequence))


async def verify_audit(request: Request, of: Annotated[Named, Query()]) -> Response:
    """Check the log's hash chain, and that every memory has its line in it."""
    review = await review_of(request, of)
    found = await review.verify_audit()
    return answer(documents.Verification.of(found, project_id=review.project_id))
