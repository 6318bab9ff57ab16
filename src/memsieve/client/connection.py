"""One server by HTTP: requests are sent again while that does no harm and may help."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from copy import copy
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import httpx
from pydantic import ValidationError

from memsieve.client import problems
from memsieve.documents import D, Page, R, RecordDocument
from memsieve.errors import ConfigError, InvalidInput
from memsieve.runtime.backoff import Backoff, retry_after

PREFIX = "/api/v1"
ACTOR_HEADER = "X-Memsieve-By"
CONNECT_SECONDS = 5.0
# The server says something every 15 seconds at least.
SILENT_SECONDS = 45.0
MAX_PAGE = 1000
FIRST_DELAY, LONGEST_DELAY = 0.1, 5.0
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


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
        """Return this connection with requests that say in whose name they are; the server compares it with the key."""
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
            raise problems.too_late(seconds, self.url) from exc

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
        """Open an answer that goes on; what ends it is raised as it is by httpx."""
        response = await self._client.send(self._request(call, None, silent=SILENT_SECONDS), stream=True)
        try:
            if not response.is_success:
                await response.aread()
                raise problems.error_of(response, self.url, call.subject)
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
                # Whoever could not connect has certainly done nothing.
                again = call.repeatable or isinstance(exc, httpx.ConnectError | httpx.ConnectTimeout)
                error = problems.unreachable(exc, self.url)
            else:
                if response.is_success:
                    return response
                again = response.status_code in (problems.PASSING if call.repeatable else {429})
                at_least = retry_after(response.headers.get("retry-after")) or 0.0
                error = problems.error_of(response, self.url, call.subject)
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
        if response.content and problems.media_type(response) != "application/json":
            raise problems.not_json(response, self.url)
        return response.content


def parsed(kind: type[D], written: bytes | str) -> D:
    """Return the document that a server wrote, or say what of it cannot be read."""
    try:
        return kind.read(written)
    except ValidationError as exc:
        raise problems.unreadable(exc) from exc


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
