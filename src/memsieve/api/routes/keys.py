"""Sessions and keys: sign in and out with a cookie, and make, list and revoke keys."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Body, Path, Query
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from memsieve import documents
from memsieve.api import pagination
from memsieve.api.auth import caller_of, credential, project_of
from memsieve.api.credentials import HALF_HEADER, clear_cookie, set_cookie, split_key
from memsieve.api.requests import Id, Name, ProjectBody, ProjectPageQuery
from memsieve.api.routing import Routes, json_response
from memsieve.api.state import state_of
from memsieve.documents import Document, Session
from memsieve.model import RIGHTS, KeyRole, Right

session = Routes("Session")
keys = Routes("Keys")
_LIST = "keys"
_CHALLENGE = {"WWW-Authenticate": "Bearer"}


class AdminKeyBody(BaseModel):
    """An admin's key, for all projects."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    name: Name = Field(description="Whom the key is for.", examples=["ops@example.org"])
    role: Literal["admin"] = Field(description="What the key lets them do: everything, in every project.")


class ProjectKeyBody(ProjectBody):
    """A key of one project."""

    model_config = ConfigDict(
        json_schema_extra={
            "anyOf": [
                {"required": [name], "properties": {name: {"type": "string"}}} for name in ("project_id", "group_id")
            ]
        }
    )

    name: Name = Field(description="Whom the key is for: the actor of all done with it.", examples=["cfo-agent"])
    role: Literal["agent", "reviewer", "auditor"] = Field(
        description="What the key lets them do: an agent records and asks, an auditor reads, a reviewer decides."
    )


KeyBody = Annotated[AdminKeyBody | ProjectKeyBody, Field(discriminator="role")]


class KeysQuery(ProjectPageQuery):
    """Which keys to list: of one project, or all."""


class Half(Document):
    """The page's part of a key that was signed in with."""

    half: str = Field(
        description=f"The value of `{HALF_HEADER}`, sent with the cookie and useless without it.",
        examples=["pq3kX0fJ8m2bV7cQ"],
    )


@session.add("GET", "/session", Right.QUERY, {200: Session})
async def read_session(request: Request) -> Response:
    """Return the caller and their rights."""
    caller = caller_of(request)
    rights = [right for right in RIGHTS if caller.may(right)]
    return json_response(
        Session.of(caller, project_id=caller.project, rights=rights, keyless=credential(request) is None)
    )


@session.add("POST", "/session", Right.QUERY, {200: Half}, headers=("Set-Cookie",))
async def sign_in(request: Request) -> Response:
    """Split the key that is sent into a cookie and a half, which the console's pages send in its place.

    The page keeps the half and sends it as `X-Memsieve-Half`. The cookie is read by no script, sent by no page of
    another origin, and gone when the browser is closed. Neither is of use without the other.
    """
    key = credential(request)
    if not key or "authorization" not in request.headers:
        raise HTTPException(401, "Send the key to sign in with: `Authorization: Bearer msv_…`.", _CHALLENGE)
    text, half = split_key(key)
    return json_response(Half(half=half), headers=set_cookie(request, text))


@session.add("DELETE", "/session", Right.QUERY, {204: None})
async def sign_out(request: Request) -> Response:
    """Remove the cookie; the key stays valid."""
    return Response(status_code=204, headers=clear_cookie(request))


@keys.add("POST", "/keys", Right.KEYS, {201: documents.NewKey})
async def make_key(request: Request, body: Annotated[KeyBody, Body()]) -> Response:
    """Make a key; its text is in this answer and nowhere else."""
    project_id = None
    if isinstance(body, ProjectKeyBody):
        project_id = (await project_of(request, body)).id
    key, text = await state_of(request).memory.keys.make(
        name=body.name, role=KeyRole(body.role), project_id=project_id, by=caller_of(request).name
    )
    return json_response(documents.NewKey.of(key=key, text=text), 201)


@keys.add("GET", "/keys", Right.KEYS, {200: documents.KeyPage})
async def list_keys(request: Request, wanted: Annotated[KeysQuery, Query()]) -> Response:
    """List the keys of a project, or all there are, newest first, revoked ones too."""
    project_id = None
    if wanted.project_id is not None or wanted.group_id is not None:
        project_id = (await project_of(request, wanted)).id
    found = await state_of(request).memory.keys.list(project_id)
    return await pagination.paginate_list(_LIST, found, wanted.cursor, wanted.limit, documents.Key.of)


@keys.add("DELETE", "/keys/{id}", Right.KEYS, {200: documents.Key}, also=(404,))
async def revoke_key(request: Request, id: Annotated[Id, Path()]) -> Response:  # noqa: A002
    """Revoke a key for good, from the next request on. Twice changes nothing."""
    return json_response(documents.Key.of(await state_of(request).memory.keys.revoke(id, by=caller_of(request).name)))
