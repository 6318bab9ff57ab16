"""The connection to one server by HTTP: retries, pages, and problem documents as errors of memsieve's tree."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from copy import copy
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx
from pydantic import ValidationError

from memsieve.documents import D, Page, R, RecordDocument
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
from memsieve.runtime.backoff import Backoff, retry_after

PREFIX = "/api/v1"
ACTOR_HEADER = "X-Memsieve-By"
CONNECT_SECONDS = 5.0
# The server writes at least a comment every 15 seconds.
SILENT_SECONDS = 45.0
MAX_PAGE = 1000
FIRST_DELAY, LONGEST_DELAY = 0.1, 5.0
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request. `repeatable`: done twice it has the effect of once; `subject` is what it asks for."""

    method: str
    path: str
    query: Mapping[str, str | int | None] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    repeatable: bool = True
    subject: str = ""
    seconds: float | None = None


class Connection:
    """A server and the key to it. A call takes `timeout` seconds at most, and is not begun again after `patience`."""

    def __init__(self, url: str, key: str | None, timeout: float, patience: float) -> None:
        self.url = _checked_url(url)
        self.patience = patience
        self._timeout = timeout
        self._client = _client(self.url, _checked_key(key))
        self.headers: dict[str, str] = {}

    @staticmethod
    def backoff(patience: float) -> Backoff:
        """Return the delays between the attempts of one call."""
        return Backoff(FIRST_DELAY, LONGEST_DELAY, jitter=0.5, patience=patience)

    def acting_as(self, by: str) -> Connection:
        """Return this connection with the actor's name in each request; the server compares it with the key."""
        named = copy(self)
        named.headers = {ACTOR_HEADER: quote(by, safe="")}
        return named

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def send(self, call: Call) -> bytes:
        """Send a request, again if need be, and return the JSON it is answered with."""
        written, _ = await self.exchange(call)
        return written

    async def exchange(self, call: Call) -> tuple[bytes, Mapping[str, str]]:
        """Send a request, again if need be, and return the JSON it is answered with, and the answer's headers."""
        body = None if call.body is None else _encoded(call.body)
        seconds = self._timeout if call.seconds is None else max(call.seconds, self._timeout)
        try:
            async with asyncio.timeout(seconds):
                response = await self._send_patiently(call, body)
                return self._json(response), response.headers
        except TimeoutError as exc:
            raise too_late(seconds, self.url) from exc

    async def pages(
        self, path: str, query: Mapping[str, str | int | None], kind: type[Page[D]], size: int = MAX_PAGE
    ) -> AsyncIterator[D]:
        """Yield the items of a list, page by page."""
        cursor: str | None = None
        while True:
            wanted = {**query, "limit": min(max(size, 1), MAX_PAGE), "cursor": cursor}
            page = parsed(kind, await self.send(Call(method="GET", path=path, query=wanted)))
            for item in page.items:
                yield item
            cursor = page.next_cursor
            if cursor is None:
                return

    @asynccontextmanager
    async def stream(self, call: Call) -> AsyncIterator[AsyncIterator[bytes]]:
        """Open a streamed answer; httpx's own errors pass through."""
        response = await self._client.send(self._request(call, None, silent=SILENT_SECONDS), stream=True)
        try:
            if not response.is_success:
                await response.aread()
                raise error_of(response, self.url, call.subject)
            yield response.aiter_bytes()
        finally:
            await response.aclose()

    async def _send_patiently(self, call: Call, body: bytes | None) -> httpx.Response:
        backoff = self.backoff(self.patience)
        while True:
            at_least = 0.0
            try:
                response = await self._client.send(self._request(call, body))
            except httpx.TransportError as exc:
                # A request that could not connect has certainly had no effect.
                again = call.repeatable or isinstance(exc, httpx.ConnectError | httpx.ConnectTimeout)
                error = unreachable(exc, self.url)
            else:
                if response.is_success:
                    return response
                again = response.status_code in (PASSING if call.repeatable else {429})
                at_least = retry_after(response.headers.get("retry-after")) or 0.0
                error = error_of(response, self.url, call.subject)
            delay = backoff.next_delay(at_least)
            if not again or not backoff.permits(delay):
                raise error
            await asyncio.sleep(delay)

    def _request(self, call: Call, body: bytes | None, *, silent: float | None = None) -> httpx.Request:
        headers = {**self.headers, **call.headers}
        if body is not None:
            headers = {"Content-Type": "application/json", **headers}
        query = {name: value for name, value in call.query.items() if value is not None}
        return self._client.build_request(
            call.method,
            f"{self.url}{PREFIX}{call.path}",
            params=query or None,
            content=body,
            headers=headers,
            timeout=httpx.Timeout(silent, connect=CONNECT_SECONDS),  # `send` bounds the time of the whole call
        )

    def _json(self, response: httpx.Response) -> bytes:
        if response.content and media_type(response) != "application/json":
            raise not_json(response, self.url)
        return response.content


def parsed(kind: type[D], written: bytes | str) -> D:
    """Return the document that a server wrote, or raise SchemaOutdated naming the field that cannot be read."""
    try:
        return kind.read(written)
    except ValidationError as exc:
        raise unreadable(exc) from exc


def read(kind: type[RecordDocument[R]], written: bytes | str) -> R:
    """Return the record that a server wrote."""
    return parsed(kind, written).record()


def _encoded(body: Mapping[str, Any]) -> bytes:
    """Write a body as JSON, field by field, so that the one that cannot be written is named."""
    return b"{" + b", ".join(_field(name, value) for name, value in body.items() if value is not None) + b"}"


def _field(name: str, value: Any) -> bytes:
    try:
        return f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False, allow_nan=False)}".encode()
    except (TypeError, ValueError, RecursionError) as exc:
        raise InvalidInput(f"{name} cannot be written as JSON: {exc}. Correct it.", field=name) from exc


def _checked_url(url: str) -> str:
    """Return the address without a slash at its end, or refuse it without repeating a password in it."""
    try:
        parsed = httpx.URL(url.strip())
    except (httpx.InvalidURL, AttributeError) as exc:
        raise _wrong_url() from exc
    if parsed.userinfo:
        raise ConfigError("The server's address holds a user or password. Give the key apart from it.")
    if parsed.scheme not in {"http", "https"} or not parsed.host or parsed.query or parsed.fragment:
        raise _wrong_url()
    return str(parsed).rstrip("/").removesuffix(PREFIX)


def _wrong_url() -> ConfigError:
    return ConfigError("The server's address is not one like http://localhost:8080. Correct it.")


def _checked_key(key: str | None) -> str | None:
    """Return the key as it can stand in a header, None if it is blank."""
    stripped = (key or "").strip()
    if not (stripped.isascii() and stripped.isprintable()) or " " in stripped:
        raise ConfigError("The key holds a character that no key has, a line break perhaps. Copy it again.")
    return stripped or None


def _client(url: str, key: str | None) -> httpx.AsyncClient:
    headers = {"Accept": "application/json"}
    if key is not None:
        headers["Authorization"] = f"Bearer {key}"
    return httpx.AsyncClient(
        headers=headers,
        follow_redirects=False,  # the key and the content would go along
        verify=url.startswith("https:"),  # reading certificates takes 50 ms, and plain HTTP shows none
        trust_env=httpx.URL(url).host not in _LOOPBACK,  # a proxy is no way to this machine
    )


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
    """Return the error for an answer that memsieve did not write: it comes from a proxy or another program."""
    status = response.status_code
    found = f"{url} answered {status}, and it was not memsieve that did{_quoted(response)}."
    if status in PASSING:
        return StoreUnavailable(f"{found} Something between is up and the server is not: try again later.")
    if status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
        return Forbidden(f"{found} A proxy refuses the request: ask whoever runs it.")
    if response.has_redirect_location:
        return ConfigError(f"{found} It redirects to {response.headers['location']}: use the final address.")
    return ConfigError(f"{found} Check the address of the server.")


def _quoted(response: httpx.Response) -> str:
    written = " ".join(response.content[: 4 * MAX_QUOTED].decode(errors="replace").split())[:MAX_QUOTED]
    return f" ({written})" if written else ""
