"""Answers that are no success, as errors of memsieve's own tree, with what to do next."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import httpx
from pydantic import ValidationError

from memsieve.errors import (
    ConfigError,
    Conflict,
    Forbidden,
    InvalidInput,
    MemsieveError,
    NotFound,
    SchemaOutdated,
    StoreUnavailable,
)

MEDIA_TYPE = "application/problem+json"
# A later attempt may succeed, if it does no harm to send the request twice.
PASSING = frozenset({429, 502, 503, 504})
MAX_QUOTED = 200
MAX_SHOWN = 60
_REFUSED_INPUT = frozenset({400, 408, 413, 415, 422})
_PLAIN: Mapping[int, type[MemsieveError]] = {
    401: Forbidden,
    403: Forbidden,
    409: Conflict,
    421: ConfigError,
    **dict.fromkeys(PASSING, StoreUnavailable),
}


def error_of(response: httpx.Response, url: str, subject: str) -> MemsieveError:
    """Return the error that an answer stands for; `subject` is what was asked for."""
    problem = _problem(response)
    if problem is None:
        return _foreign(response, url)
    status, detail = response.status_code, str(problem.get("detail") or problem.get("title") or "No reason was given.")
    if status == HTTPStatus.NOT_FOUND:
        return NotFound(detail, subject=subject)
    if status in _REFUSED_INPUT:
        return InvalidInput(detail, field=str(problem.get("field") or "body"))
    if status in _PLAIN:
        return _PLAIN[status](detail)
    return MemsieveError(f"{url} answered {status}: {detail} Request id: {problem.get('instance')}.")


def not_json(response: httpx.Response, url: str) -> MemsieveError:
    """Return the error for a success whose content nobody here can read."""
    return ConfigError(
        f"{url} answered {response.status_code}, but with no JSON{_quoted(response)}. Is this the address of a "
        "memsieve server, and not of a proxy or another program?"
    )


def unreadable(error: ValidationError) -> SchemaOutdated:
    """Return the error for an answer that is no document of its kind, with the path to what is wrong."""
    first = error.errors(include_url=False)[0]
    path = ".".join(map(str, first["loc"])) or "the document"
    shown = repr(first["input"])
    found = f"is {shown if len(shown) <= MAX_SHOWN else shown[:MAX_SHOWN] + '…'}, and "
    wanted = first["msg"].removeprefix("Input ")
    what = "is missing" if first["type"] == "missing" else f"{found}{wanted[0].lower()}{wanted[1:]}"
    return SchemaOutdated(
        f"In the server's answer {path} {what}. Server and client seem to be of different versions: "
        "update the older one."
    )


def media_type(response: httpx.Response) -> str:
    """Return what kind of content an answer has, without its parameters."""
    return str(response.headers.get("content-type", "")).partition(";")[0].strip().lower()


def unreachable(error: Exception, url: str) -> MemsieveError:
    """Return the error for a server that cannot be reached, or that broke off."""
    reason = str(error) or type(error).__name__
    return StoreUnavailable(f"{url} does not answer: {reason}. Is `memsieve serve` running there? Then try again.")


def too_late(seconds: float, url: str) -> MemsieveError:
    """Return the error for a server that took too long."""
    return StoreUnavailable(f"{url} did not answer within {seconds:g} seconds. Try again later, or allow it more time.")


def _problem(response: httpx.Response) -> dict[str, Any] | None:
    if media_type(response) != MEDIA_TYPE:
        return None
    try:
        document = json.loads(response.content)
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def _foreign(response: httpx.Response, url: str) -> MemsieveError:
    """Return the error for an answer that memsieve did not write: a proxy stands between, or another program."""
    status = response.status_code
    told = f"{url} answered {status}, and it was not memsieve that did{_quoted(response)}."
    if status in PASSING:
        return StoreUnavailable(f"{told} Something between is up and the server is not: try again later.")
    if status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
        return Forbidden(f"{told} A proxy refuses the request: ask whoever runs it.")
    if response.has_redirect_location:
        return ConfigError(f"{told} It redirects to {response.headers['location']}: use the final address.")
    return ConfigError(f"{told} Check the address of the server.")


def _quoted(response: httpx.Response) -> str:
    written = " ".join(response.content[: 4 * MAX_QUOTED].decode(errors="replace").split())[:MAX_QUOTED]
    return f" ({written})" if written else ""
