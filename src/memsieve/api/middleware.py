"""ASGI middlewares before every route: hosts, origins, limits of bodies, request ids, CORS and compression."""

from __future__ import annotations

import asyncio
import logging
import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass

from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memsieve.api import problems
from memsieve.api.routing import PREFIX
from memsieve.config import Settings

READ_SECONDS = 30.0
LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})
_PORTS = {"http": "80", "https": "443"}
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[\w.-]+)(?::(\d{1,5}))?", re.ASCII)
_METHODS = "GET, POST, DELETE"
_REQUEST_HEADERS = (
    "Authorization, Content-Type, Idempotency-Key, Last-Event-ID, X-Request-ID, "
    "Mcp-Method, Mcp-Name, Mcp-Protocol-Version"
)
# Another port of this machine is the same site to a browser, and may be another user's.
_OTHER_SITES = frozenset({"cross-site", "same-site"})
_NO_SNIFF = (b"x-content-type-options", b"nosniff")
_NO_STORE = (b"cache-control", b"no-store")
_VARY_BY_ORIGIN = (b"vary", b"Origin")
_EXPOSED_HEADERS = (b"access-control-expose-headers", b"Location, Retry-After, X-Answer-ID, X-Request-ID")
# Smaller answers are sent as they are.
COMPRESSED_BYTES = 1024
# Higher levels take twice the time for a few bytes.
GZIP_LEVEL = 5
# It contains a secret beside words that a caller chose: the compressed length would help to guess it.
UNCOMPRESSED = {("POST", f"{PREFIX}/keys")}
_REFUSES_GZIP = re.compile(r"gzip\s*;\s*q=0(\.0*)?\s*(,|$)", re.IGNORECASE)

_log = logging.getLogger(__name__)

Headers = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardRules:
    """What the guard accepts; `hosts` is None where any name will do."""

    hosts: frozenset[str] | None
    origins: frozenset[str]
    body_bytes: int
    read_seconds: float = READ_SECONDS

    @classmethod
    def of(cls, settings: Settings, *, bound_to_loopback: bool, read_seconds: float = READ_SECONDS) -> GuardRules:
        """Return the rules of a server; beyond loopback any host will do unless the settings name some."""
        named = frozenset(host.lower() for host in settings.allowed_hosts)
        return cls(
            hosts=LOOPBACK_NAMES | named if bound_to_loopback or named else None,
            origins=frozenset(origin.lower() for origin in settings.allowed_origins),
            body_bytes=settings.max_body_bytes,
            read_seconds=read_seconds,
        )


class RequestGuard:
    """ASGI middleware: refuses what must not reach a route, and turns every error into a problem."""

    def __init__(self, app: ASGIApp, rules: GuardRules) -> None:
        self._app = app
        self._rules = rules

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = _headers(scope)
        request_id = _request_id(headers)
        scope.setdefault("state", {})["request_id"] = request_id
        origin = headers.get("origin", "").lower()
        sender = ResponseSender(send, request_id, origin if self._allowed(scope, headers, origin) else None)
        try:
            early = self._refused(scope, headers, origin) or _preflight(scope, headers)
            if early is None:
                await self._app(scope, self._bounded(receive), sender)
            else:
                await early(scope, receive, sender)
        except HTTPException as refused:
            await sender.problem(scope, receive, refused.status_code, refused.detail)
        except Exception:  # noqa: BLE001 - it is logged with its trace, and answered without its words
            _log.exception("Request %s failed.", request_id)
            await sender.problem(scope, receive, 500, problems.KINDS[500].example)

    def _refused(self, scope: Scope, headers: Headers, origin: str) -> Response | None:
        """Return the refusal of a request, before its body is read; None where it is accepted."""
        request_id = scope["state"]["request_id"]

        def problem(status: int, detail: str) -> Response:
            return problems.answer(status, detail, request_id)

        host = headers.get("host", "")
        if not self._known_host(host):
            return problem(421, f"This server does not answer to {host[:100]!r}. Add the name to allowed_hosts.")
        crossing = headers.get("sec-fetch-site") in _OTHER_SITES and not _follows_link(scope, headers)
        if (origin or crossing) and not self._allowed(scope, headers, origin):
            return problem(403, "A page of another origin may not call this server. Add it to allowed_origins.")
        if headers.get("content-encoding", "identity").lower() != "identity":
            return problem(415, "Send the body as it is, without Content-Encoding.")
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdigit()):
            return problem(400, "Content-Length is no number.")
        # One with more digits is too large, and need not be parsed.
        if len(length) > len(str(self._rules.body_bytes)) or int(length) > self._rules.body_bytes:
            return problem(413, self._too_large())
        return None

    def _known_host(self, host: str) -> bool:
        if self._rules.hosts is None:
            return True
        named = _HOST.fullmatch(host.lower())
        return named is not None and named[1] in self._rules.hosts

    def _allowed(self, scope: Scope, headers: Headers, origin: str) -> bool:
        if not origin:
            return False
        own = f"{scope['scheme']}://{headers.get('host', '').lower()}"
        return origin in self._rules.origins or _without_default_port(origin) == _without_default_port(own)

    def _bounded(self, receive: Receive) -> Receive:
        """Return a `receive` that refuses a body that is too large or too slow."""
        taken, ended = 0, False
        deadline: float | None = None

        async def bounded() -> Message:
            nonlocal taken, ended, deadline
            if ended:
                return await receive()
            deadline = deadline or asyncio.get_running_loop().time() + self._rules.read_seconds
            try:
                async with asyncio.timeout_at(deadline):
                    message = await receive()
            except TimeoutError:
                seconds = f"{self._rules.read_seconds:g}"
                raise HTTPException(408, f"The body did not arrive within {seconds} s. Send it again.") from None
            taken += len(message.get("body", b""))
            if taken > self._rules.body_bytes:
                raise HTTPException(413, self._too_large())
            ended = not message.get("more_body", False)
            return message

        return bounded

    def _too_large(self) -> str:
        return f"The body has more than {self._rules.body_bytes} bytes. Send less, or raise max_body_bytes."


class ResponseSender:
    """Sends a response with the headers that all have."""

    def __init__(self, send: Send, request_id: str, origin: str | None) -> None:
        self._send = send
        self._request_id = request_id
        self._origin = origin
        self._started = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._started = True
            self._add_headers(message["headers"])
        await self._send(message)

    async def problem(self, scope: Scope, receive: Receive, status: int, detail: str) -> None:
        """Send a problem; if a response has begun, cut it off."""
        if self._started:
            raise ConnectionError(f"Request {self._request_id} failed while its answer was sent.")
        headers = {"Connection": "close"} if status in {408, 413} else None
        await problems.answer(status, detail, self._request_id, headers=headers)(scope, receive, self)

    def _add_headers(self, headers: list[tuple[bytes, bytes]]) -> None:
        names = {name for name, _ in headers}
        headers += [(b"x-request-id", self._request_id.encode()), _NO_SNIFF]
        if b"cache-control" not in names:
            headers.append(_NO_STORE)
        if b"vary" in names:
            MutableHeaders(raw=headers).add_vary_header("Origin")
        else:
            headers.append(_VARY_BY_ORIGIN)
        if self._origin is not None:
            headers += [(b"access-control-allow-origin", self._origin.encode("latin-1")), _EXPOSED_HEADERS]


def _follows_link(scope: Scope, headers: Headers) -> bool:
    """Return whether a browser follows a link to a page of the console; the page asks the API by itself."""
    asked = (scope["method"], headers.get("sec-fetch-mode"), headers.get("sec-fetch-dest"))
    return asked == ("GET", "navigate", "document") and not scope["path"].startswith("/api")


def _headers(scope: Scope) -> Headers:
    """Return headers by name in lower case; the first of a repeated one counts."""
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in reversed(scope["headers"])}


def _request_id(headers: Headers) -> str:
    given = headers.get("x-request-id", "")
    return given if _REQUEST_ID.fullmatch(given) else uuid.uuid4().hex


def _preflight(scope: Scope, headers: Headers) -> Response | None:
    """Return the answer to a CORS preflight of an allowed origin; None for all other requests."""
    if scope["method"] != "OPTIONS" or "access-control-request-method" not in headers or "origin" not in headers:
        return None
    allowed = {
        "Access-Control-Allow-Methods": _METHODS,
        "Access-Control-Allow-Headers": _REQUEST_HEADERS,
        "Access-Control-Max-Age": "600",
    }
    return Response(status_code=204, headers=allowed)


def _without_default_port(origin: str) -> str:
    """Return an origin without the default port of its scheme."""
    scheme, _, host = origin.partition("://")
    return f"{scheme}://{host.removesuffix(':' + _PORTS.get(scheme, ''))}"


class Compression:
    """ASGI middleware: gzip for answers over 1 KiB, never for a stream of events or a new key."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._compressing = GZipMiddleware(app, minimum_size=COMPRESSED_BYTES, compresslevel=GZIP_LEVEL)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or (scope["method"], scope["path"]) in UNCOMPRESSED:
            await self._app(scope, receive, send)
        elif _accepts_gzip(scope):
            await self._compressing(scope, receive, send)
        else:
            await self._app(scope, receive, _UncompressedSender(send))


class _UncompressedSender:
    """Sends a response as it is, with `Vary` where other clients would get it compressed."""

    def __init__(self, send: Send) -> None:
        self._send = send

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start" and _is_large(message):
            MutableHeaders(raw=message["headers"]).add_vary_header("Accept-Encoding")
        await self._send(message)


def _accepts_gzip(scope: Scope) -> bool:
    """Return whether a client accepts gzip; Starlette ignores `q=0`."""
    accepted = next((value for name, value in scope["headers"] if name == b"accept-encoding"), b"").decode("latin-1")
    return "gzip" in accepted and _REFUSES_GZIP.search(accepted) is None


def _is_large(message: Message) -> bool:
    """Return whether a response would be compressed; an event stream has no length."""
    length = next((value for name, value in message["headers"] if name == b"content-length"), b"0")
    return int(length) >= COMPRESSED_BYTES
