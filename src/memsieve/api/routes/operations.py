"""Liveness, readiness and metrics, for those who run the server."""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any, Literal

from fastapi import FastAPI, Request
from pydantic import Field
from starlette.responses import JSONResponse, Response

from memsieve.api import problems
from memsieve.api.auth import authenticate, is_local
from memsieve.api.observability.metrics import CONTENT_TYPE
from memsieve.api.routing import Endpoint, json_response
from memsieve.api.state import state_of
from memsieve.doctor import Health
from memsieve.documents import Document
from memsieve.model import Right

TAG = "Operations"
Documented = dict[int | str, dict[str, Any]]
# The problems that come from the guard.
_GUARD_PROBLEMS = (400, 403, 408, 413, 415, 421, 500)


class Alive(Document):
    """The process lives."""

    status: Literal["ok"] = Field(description="Always `ok`.")


class Part(Document):
    """One thing that the server needs."""

    name: str = Field(
        description="`database`, `schema`, `redis` where there is one, or `embedder`.", examples=["database"]
    )
    health: Health = Field(
        description="`ok`; `warn`: it serves without this; `fail`: it cannot serve.", examples=["ok"]
    )
    message: str = Field(description="What was found.", examples=["It answers."])
    advice: str | None = Field(description="What to do about it, unless all is well.", examples=[None])


class Readiness(Document):
    """Whether the server can serve, and what is missing."""

    ready: bool = Field(description="Whether it can serve.", examples=[True])
    parts: list[Part] = Field(description="What it needs, one by one.")


def add_to(app: FastAPI, *, keyless: bool) -> None:
    """Put the routes on an application."""
    _add(app, "/healthz", health, {200: {"model": Alive}})
    _add(app, "/readyz", readiness, {200: {"model": Readiness}, 503: _not_ready()})
    _add(app, "/metrics", metrics, _exposed(), [{"key": []}, {}] if keyless else [{"key": []}])
    # For load balancers; the server leaves out the body. The OpenAPI document has the GET alone.
    for path, endpoint in (("/healthz", health), ("/readyz", readiness)):
        app.router.add_api_route(path, endpoint, methods=["HEAD"], response_model=None, include_in_schema=False)


def _add(
    app: FastAPI, path: str, endpoint: Endpoint, answers: Documented, security: Sequence[dict[str, list[str]]] = ()
) -> None:
    guarded: Documented = {status: problems.documented(status) for status in _GUARD_PROBLEMS}
    app.router.add_api_route(
        path,
        endpoint,
        methods=["GET"],
        response_model=None,
        response_class=JSONResponse if endpoint is not metrics else Response,
        responses={**guarded, **answers},
        tags=[TAG],
        operation_id=endpoint.__name__,
        summary=(endpoint.__doc__ or "").removesuffix("."),
        openapi_extra={"security": list(security)},
    )


async def health() -> Response:
    """Return that the process is alive."""
    return json_response(Alive(status="ok"))


async def readiness(request: Request) -> Response:
    """Return whether the server can serve, and what is missing."""
    findings = await state_of(request).monitor.findings()
    ready = all(finding.health is not Health.FAIL for finding in findings)
    document = Readiness.of(ready=ready, parts=[Part.of(one, advice=one.advice or None) for one in findings])
    return json_response(document, HTTPStatus.OK if ready else HTTPStatus.SERVICE_UNAVAILABLE)


async def metrics(request: Request) -> Response:
    """Return the server's numbers for Prometheus, to programs on this machine or with an admin's key."""
    state = state_of(request)
    if "authorization" in request.headers or not is_local(request, state):
        request.state.caller = await authenticate(request, Right.KEYS)
    return Response(await state.monitor.exposition(), media_type=CONTENT_TYPE)


def _not_ready() -> dict[str, Any]:
    down = {"name": "database", "health": "fail", "message": "It does not answer.", "advice": "Start PostgreSQL."}
    example = {"ready": False, "parts": [down]}
    return {"model": Readiness, "description": "Not ready", "content": {"application/json": {"example": example}}}


def _exposed() -> Documented:
    text = {"description": "Prometheus's text format", "content": {"text/plain": {"schema": {"type": "string"}}}}
    return {200: text, **{status: problems.documented(status) for status in (401, 429, 503)}}
