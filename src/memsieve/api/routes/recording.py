"""Record what an agent said, and tell what became of it."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

from fastapi import Header, Path, Query
from pydantic.json_schema import SkipJsonSchema
from starlette.requests import Request
from starlette.responses import Response

from memsieve import documents
from memsieve.api.caller import Right, caller_of, project_of
from memsieve.api.requests import Id, IdempotencyKey, Named, ProposeBody, RecordBody, Waiting
from memsieve.api.route import PREFIX, Api, answer
from memsieve.errors import NotFound
from memsieve.model import Decision

TAG = "Recording"


def add_to(api: Api) -> None:
    """Put the routes on an application."""
    api.add(
        "POST",
        "/memory/quarantine",
        record,
        right=Right.RECORD,
        tag=TAG,
        answers={201: documents.Recorded, 202: documents.Recorded},
        also=(409,),
        headers=("Location",),
    )
    api.add(
        "GET",
        "/memory/entries/{id}/admission",
        read_admission,
        right=Right.RECORD,
        tag=TAG,
        answers={200: documents.EntryAdmission},
        also=(404,),
    )
    api.add(
        "POST",
        "/memory/propose",
        propose,
        right=Right.RECORD,
        tag=TAG,
        answers={200: documents.Proposal},
        also=(404, 409),
    )


async def record(
    request: Request,
    body: RecordBody,
    how: Annotated[Waiting, Query()],
    idempotency_key: Annotated[
        IdempotencyKey | SkipJsonSchema[None],
        Header(description="The same key with the same content is stored once, and answered as the first time."),
    ] = None,
) -> Response:
    """Record what an agent said; it is on disk before the answer.

    201 when the filter has decided. 202 when the decision follows: `Location` leads to it. The same idempotency key
    again is answered the same way, with the first entry; with other content it is a conflict.
    """
    project = await project_of(request, body)
    receipt = await project.record(
        body.content,
        session_id=body.session_id,
        idempotency_key=idempotency_key,
        wait=how.wait,
        decide="now" if how.wait else how.decide,
        **body.entry_fields(),
    )
    pending = receipt.admission.decision is Decision.PENDING
    where = {"Location": f"{PREFIX}/memory/entries/{receipt.entry.id}/admission?project_id={quote(project.id)}"}
    entry = receipt.entry
    recorded = documents.Recorded.of(
        receipt.admission, entry_id=entry.id, project_id=entry.project_id, created_at=entry.created_at
    )
    return answer(recorded, 202 if pending else 201, where)


async def read_admission(request: Request, id: Annotated[Id, Path()], of: Annotated[Named, Query()]) -> Response:  # noqa: A002
    """Tell what the filter decided on an entry; nothing of what it says.

    Reasons quote the entry, which another agent may have recorded: agents are told which checks it passed.
    """
    project = await project_of(request, of)
    found = await project.admission(id)
    if found is None:
        raise NotFound(f"No entry {id!r} in project {project.id!r}. Recording it told its id.", subject=id)
    shown = found if caller_of(request).may(Right.AUDIT) else found.withheld()
    return answer(documents.EntryAdmission.of(shown, entry_id=id))


async def propose(request: Request, body: ProposeBody) -> Response:
    """Put an admitted entry before a person, with a reason; nothing is promoted by it. Twice changes nothing."""
    project = await project_of(request, body)
    return answer(documents.Proposal.of(await project.propose(body.id, reason=body.reason)))
