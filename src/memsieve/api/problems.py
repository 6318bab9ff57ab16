"""Every error as a problem document (RFC 9457), and one table from error to status."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match, Route

from memsieve import errors
from memsieve.api.requests import PATTERN_HINTS
from memsieve.model import KeyRole
from memsieve.runtime.log_throttle import LogThrottle

MEDIA_TYPE = "application/problem+json"
RETRY_AFTER = {"Retry-After": "5"}
_RETRY_HINT = "Try again in a few seconds; the log of the server says more, by the request id."

_log = logging.getLogger(__name__)


class Problem(BaseModel):
    """What went wrong, and what to do about it."""

    model_config = ConfigDict(extra="forbid")

    type: str = Field(description="What kind of problem it is; stays the same between versions.")
    title: str = Field(description="The kind of problem in a few words.")
    status: int = Field(description="The status of the answer.")
    detail: str = Field(description="What happened, and what to do next.")
    instance: str = Field(description="The id of the request, as in X-Request-ID.")
    field: str | None = Field(default=None, description="The field that is wrong, where one is.")


@dataclass(frozen=True, slots=True)
class ProblemKind:
    """A kind of problem: its name, which never changes, its title, and an example of its detail."""

    name: str
    title: str
    example: str
    field: str | None = None


KINDS = {
    400: ProblemKind(
        "bad-request", "Malformed request", "The body is not JSON: Expecting value at position 12. Correct it."
    ),
    401: ProblemKind("unauthorized", "Unknown caller", "Send a key that is valid: Authorization: Bearer msv_…"),
    403: ProblemKind("forbidden", "Not allowed", "This key is for project 'apollo' and reaches no other."),
    404: ProblemKind("not-found", "Not found", "No entry '7f3c' in project 'apollo'. `memsieve log` lists them."),
    405: ProblemKind("method-not-allowed", "Method not allowed", "This address takes GET, not PUT."),
    408: ProblemKind("request-timeout", "Too slow", "The body did not arrive within 30 seconds. Send it again."),
    409: ProblemKind("conflict", "Conflict", "The same idempotency key stands for other content. Use a new key."),
    413: ProblemKind(
        "too-large", "Too large", "The body has more than 1048576 bytes. Send less, or raise max_body_bytes."
    ),
    415: ProblemKind(
        "unsupported-media-type", "Unsupported media type", "Send JSON, with Content-Type: application/json."
    ),
    421: ProblemKind(
        "misdirected-request", "Wrong host", "This server does not answer to 'evil.example'. See allowed_hosts."
    ),
    422: ProblemKind("invalid-input", "Invalid input", "content is empty. Write something in it.", field="content"),
    429: ProblemKind(
        "too-many-requests", "Too many requests", "More than 1000 requests a second. Try again in 1 second."
    ),
    431: ProblemKind(
        "head-too-large",
        "Head too large",
        "The request's head has more than 65536 bytes. Send a shorter address and fewer headers.",
    ),
    500: ProblemKind(
        "server-error", "Server error", "Something went wrong on the server. Its log has more, by the request id."
    ),
    503: ProblemKind("unavailable", "Not available now", f"The database cannot be used now. {_RETRY_HINT}"),
}

# The most derived class of an error counts.
STATUSES: Mapping[type[errors.MemsieveError], int] = {
    errors.InvalidInput: 422,
    errors.NotFound: 404,
    errors.Conflict: 409,
    errors.Forbidden: 403,
    errors.StoreUnavailable: 503,
    errors.EmbedderError: 503,
    errors.JudgeError: 503,
    errors.ConfigError: 500,
    errors.StoreCorrupt: 500,
    errors.SchemaOutdated: 500,
    errors.MemsieveError: 500,
}

# Public messages of errors whose own may contain files, hosts and URLs: any agent may be the caller.
UNAVAILABLE: Mapping[type[errors.MemsieveError], str] = {
    errors.StoreUnavailable: f"The database cannot be used now. {_RETRY_HINT}",
    errors.EmbedderError: f"No vector can be made now. {_RETRY_HINT}",
    errors.JudgeError: f"The judge gives no verdict now. {_RETRY_HINT}",
}


def status_of(error: errors.MemsieveError) -> int:
    """Return the HTTP status of an error."""
    return next(STATUSES[kind] for kind in type(error).__mro__ if kind in STATUSES)


def public_message(error: errors.MemsieveError) -> str:
    """Return an error's message without the server's own paths and hosts."""
    match status_of(error):
        case HTTPStatus.INTERNAL_SERVER_ERROR:
            return KINDS[500].example
        case HTTPStatus.SERVICE_UNAVAILABLE:
            return next(UNAVAILABLE[kind] for kind in type(error).__mro__ if kind in UNAVAILABLE)
    return str(error)


def answer(
    status: int, detail: str, request_id: str, *, field: str | None = None, headers: Mapping[str, str] | None = None
) -> Response:
    """Return a problem as a response."""
    document = problem(status, detail, request_id, field)
    # A quoted part of a request may be invalid Unicode.
    body = json.dumps(document, ensure_ascii=False).encode("utf-8", "backslashreplace")
    return Response(body, status, dict(headers or {}), MEDIA_TYPE)


def problem(status: int, detail: str, request_id: str, field: str | None = None) -> dict[str, Any]:
    """Return a problem as JSON carries it."""
    kind = KINDS.get(status) or ProblemKind(f"status-{status}", HTTPStatus(status).phrase, "")
    document = {
        "type": f"urn:memsieve:problem:{kind.name}",
        "title": kind.title,
        "status": status,
        "detail": detail,
        "instance": request_id,
    }
    return document if field is None else {**document, "field": field}


def documented(status: int) -> dict[str, Any]:
    """Return the entry of a problem in the OpenAPI document."""
    kind = KINDS[status]
    example = problem(status, kind.example, "0b9f6c1e4d2a4c5f8e7a6b5c4d3e2f1a", kind.field)
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}, "example": example}}
    return {"description": kind.title, "content": content}


def handle_all(app: FastAPI) -> None:
    """Answer every error of an application with a problem."""
    app.add_exception_handler(errors.MemsieveError, partial(_on_error, LogThrottle()))
    app.add_exception_handler(RequestValidationError, _on_invalid)
    app.add_exception_handler(HTTPException, _on_refused)


def request_id(request: Request) -> str:
    """Return the id that the guard gave a request."""
    return str(request.state.request_id)


async def _on_error(throttle: LogThrottle, request: Request, error: Exception) -> Response:
    assert isinstance(error, errors.MemsieveError)  # noqa: S101 - it was registered so
    status = status_of(error)
    if status == HTTPStatus.INTERNAL_SERVER_ERROR:
        _log.error("Request %s failed: %s: %s", request_id(request), type(error).__name__, error)
        return answer(status, public_message(error), request_id(request))
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        # During an outage every request fails alike.
        if throttle.should_log(error):
            _log.warning("Request %s was not served: %s: %s", request_id(request), type(error).__name__, error)
        return answer(status, public_message(error), request_id(request), headers=RETRY_AFTER)
    field = error.field if isinstance(error, errors.InvalidInput) else None
    return answer(status, str(error), request_id(request), field=field)


async def _on_invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # noqa: S101 - it was registered so
    first = error.errors()[0]
    field = _field(first)
    return answer(422, f"{field} {_wrong(first)}. Correct it and send it again.", request_id(request), field=field)


def _wrong(error: Mapping[str, Any]) -> str:
    """Return in words what is wrong with a field."""
    match error["type"]:
        case "missing" | "union_tag_not_found":
            return "is missing"
        case "union_tag_invalid":
            return f"must be one of {error['ctx']['expected_tags']}"
        case "extra_forbidden":
            return "is not known here"
        case "string_pattern_mismatch" if error["ctx"]["pattern"] in PATTERN_HINTS:
            return PATTERN_HINTS[error["ctx"]["pattern"]]
        case _:
            return f"is wrong: {error['msg']}"


def _field(error: Mapping[str, Any]) -> str:
    """Return the field of an error: `metadata.turn`; the whole body is `body`."""
    where, *names = error["loc"]
    if error["type"].startswith("union_tag"):
        return str(error["ctx"]["discriminator"]).strip("'")
    # Parts of a location that name a branch of a union are left out.
    shown = names[:1] if where != "body" else names[1:] if names[:1] and names[0] in set(KeyRole) else names
    return ".".join(map(str, shown)) or str(where)


async def _on_refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 - it was registered so
    headers = dict(error.headers or {})
    if error.status_code == HTTPStatus.NOT_FOUND:
        return answer(404, "There is nothing at this address. /openapi.json lists what there is.", request_id(request))
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        allowed = ", ".join(_methods(request))
        detail = f"This address takes {allowed}, not {request.method}."
        return answer(405, detail, request_id(request), headers={"Allow": allowed})
    return answer(error.status_code, error.detail, request_id(request), headers=headers)


def _methods(request: Request) -> list[str]:
    """Return all methods of a URL; each is a route of its own."""
    found: set[str] = set()
    for route in request.app.routes:
        if isinstance(route, Route) and route.matches(request.scope)[0] is not Match.NONE:
            found |= route.methods or set()
    return sorted(found)
