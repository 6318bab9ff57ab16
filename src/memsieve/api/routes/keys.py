"""Keys: make, list and revoke them; an admin alone may."""

from __future__ import annotations

from typing import Annotated

from fastapi import Body, Path, Query
from starlette.requests import Request
from starlette.responses import Response

from memsieve import documents
from memsieve.api import cursors
from memsieve.api.caller import Right, caller_of, project_of
from memsieve.api.requests import Id, KeyBody, KeysQuery, ProjectKeyBody
from memsieve.api.route import Api, answer
from memsieve.api.state import state_of
from memsieve.model import KeyRole

TAG = "Keys"
_LIST = "keys"


def add_to(api: Api) -> None:
    """Put the routes on an application."""
    api.add("POST", "/keys", make_key, right=Right.KEYS, tag=TAG, answers={201: documents.NewKey})
    api.add("GET", "/keys", list_keys, right=Right.KEYS, tag=TAG, answers={200: documents.KeyPage})
    api.add("DELETE", "/keys/{id}", revoke_key, right=Right.KEYS, tag=TAG, answers={200: documents.Key}, also=(404,))


async def make_key(request: Request, body: Annotated[KeyBody, Body()]) -> Response:
    """Make a key; its text is in this answer and nowhere else."""
    project_id = None
    if isinstance(body, ProjectKeyBody):
        project_id = (await project_of(request, body)).id
    key, text = await state_of(request).memory.keys.make(
        name=body.name, role=KeyRole(body.role), project_id=project_id, by=caller_of(request).name
    )
    return answer(documents.NewKey.of(key=key, text=text), 201)


async def list_keys(request: Request, wanted: Annotated[KeysQuery, Query()]) -> Response:
    """List the keys of a project, or all there are, newest first, revoked ones too."""
    project_id = None
    if wanted.project_id is not None or wanted.group_id is not None:
        project_id = (await project_of(request, wanted)).id
    found = await state_of(request).memory.keys.list(project_id)
    return await cursors.cut(_LIST, found, wanted.cursor, wanted.limit, documents.Key.of)


async def revoke_key(request: Request, id: Annotated[Id, Path()]) -> Response:  # noqa: A002
    """Revoke a key for good, from the next request on. Twice changes nothing."""
    return answer(documents.Key.of(await state_of(request).memory.keys.revoke(id, by=caller_of(request).name)))
