"""Sign in and out with a cookie, for the console; and who one is."""

from __future__ import annotations

from pydantic import Field
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from memsieve.api import cookie
from memsieve.api.caller import RIGHTS, Right, caller_of, credential
from memsieve.api.route import Api, answer
from memsieve.documents import Document, Session

TAG = "Session"
_CHALLENGE = {"WWW-Authenticate": "Bearer"}


class Half(Document):
    """The page's part of a key that was signed in with."""

    half: str = Field(
        description=f"What the page sends as `{cookie.HALF}` beside the cookie; it is of no use without it.",
        examples=["pq3kX0fJ8m2bV7cQ"],
    )


def add_to(api: Api) -> None:
    """Put the routes on an application."""
    api.add("GET", "/session", read_session, right=Right.QUERY, tag=TAG, answers={200: Session})
    api.add("POST", "/session", sign_in, right=Right.QUERY, tag=TAG, answers={200: Half}, headers=("Set-Cookie",))
    api.add("DELETE", "/session", sign_out, right=Right.QUERY, tag=TAG, answers={204: None})


async def read_session(request: Request) -> Response:
    """Say who calls, and what they may."""
    caller = caller_of(request)
    rights = [right for right in RIGHTS if caller.may(right)]
    return answer(Session.of(caller, project_id=caller.project, rights=rights, keyless=credential(request) is None))


async def sign_in(request: Request) -> Response:
    """Split the key that is sent into a cookie and a half, which the console's pages send in its place.

    The page keeps the half and sends it as `X-Memsieve-Half`. The cookie is read by no script, sent by no page of
    another origin, and gone when the browser is closed. Neither is of use without the other.
    """
    key = credential(request)
    if not key or "authorization" not in request.headers:
        raise HTTPException(401, "Send the key to sign in with: `Authorization: Bearer msv_…`.", _CHALLENGE)
    text, half = cookie.split(key)
    return answer(Half(half=half), headers=cookie.given(request, text))


async def sign_out(request: Request) -> Response:
    """Remove the cookie; the key stays valid."""
    return Response(status_code=204, headers=cookie.taken(request))
