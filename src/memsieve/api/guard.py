"""What stands before every route: hosts, origins, how large and how slow a body may be, and the id of a request."""

from __future__ import annotations

import asyncio
import logging
import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass

from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memsieve.api import problems
from memsieve.config import Settings

READ_SECONDS = 30.0
LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})
_PORTS = {"http": "80", "https": "443"}
_SANE_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[\w.-]+)(?::(\d{1,5}))?", re.ASCII)
_METHODS = "GET, POST, DELETE"
_SENT = (
    "Authorization, Content-Type, Idempotency-Key, Last-Event-ID, X-Request-ID, "
    "Mcp-Method, Mcp-Name, Mcp-Protocol-Version"
)
# Another port of this machine is the same site to a browser, and yet somebody else's.
_ELSEWHERE = frozenset({"cross-site", "same-site"})
_NO_SNIFFING = (b"x-content-type-options", b"nosniff")
_NOT_STORED = (b"cache-control", b"no-store")
_VARIES = (b"vary", b"Origin")
_EXPOSED = (b"access-control-expose-headers", b"Location, Retry-After, X-Answer-ID, X-Request-ID")

_log = logging.getLogger(__name__)

Sent = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What the guard lets in; `hosts` is None where any name will do."""

    hosts: frozenset[str] | None
    origins: frozenset[str]
    body_bytes: int
    read_seconds: float = READ_SECONDS

    @classmethod
    def of(cls, settings: Settings, *, bound_to_loopback: bool, read_seconds: float = READ_SECONDS) -> Rules:
        """Return the rules of a server: whoever listens beyond loopback names its hosts, or takes any."""
        named = frozenset(host.lower() for host in settings.allowed_hosts)
        return cls(
            hosts=LOOPBACK_NAMES | named if bound_to_loopback or named else None,
            origins=frozenset(origin.lower() for origin in settings.allowed_origins),
            body_bytes=settings.max_body_bytes,
            read_seconds=read_seconds,
        )


class Guard:
    """ASGI middleware: refuses what must not reach a route, and lets no error out as anything but a problem."""

    def __init__(self, app: ASGIApp, rules: Rules) -> None:
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
        leaving = Leaving(send, request_id, origin if self._allowed(scope, headers, origin) else None)
        try:
            early = self._refused(scope, headers, origin) or _preflight(scope, headers)
            if early is None:
                await self._app(scope, self._bounded(receive), leaving)
            else:
                await early(scope, receive, leaving)
        except HTTPException as refused:
            await leaving.problem(scope, receive, refused.status_code, refused.detail)
        except Exception:  # noqa: BLE001 - it is logged with its trace, and nothing else may leave
            _log.exception("Request %s failed.", request_id)
            await leaving.problem(scope, receive, 500, problems.KINDS[500].example)

    def _refused(self, scope: Scope, headers: Sent, origin: str) -> Response | None:
        """Return why a request is not let in, before anything of its body is read."""
        request_id = scope["state"]["request_id"]

        def problem(status: int, detail: str) -> Response:
            return problems.answer(status, detail, request_id)

        host = headers.get("host", "")
        if not self._known_host(host):
            return problem(421, f"This server does not answer to {host[:100]!r}. Add the name to allowed_hosts.")
        crossing = headers.get("sec-fetch-site") in _ELSEWHERE and not _follows_link(scope, headers)
        if (origin or crossing) and not self._allowed(scope, headers, origin):
            return problem(403, "A page of another origin may not call this server. Add it to allowed_origins.")
        if headers.get("content-encoding", "identity").lower() != "identity":
            return problem(415, "Send the body as it is, without Content-Encoding.")
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdigit()):
            return problem(400, "Content-Length is no number.")
        # A number too long to be read is also too large.
        if len(length) > len(str(self._rules.body_bytes)) or int(length) > self._rules.body_bytes:
            return problem(413, self._too_large())
        return None

    def _known_host(self, host: str) -> bool:
        if self._rules.hosts is None:
            return True
        named = _HOST.fullmatch(host.lower())
        return named is not None and named[1] in self._rules.hosts

    def _allowed(self, scope: Scope, headers: Sent, origin: str) -> bool:
        if not origin:
            return False
        own = f"{scope['scheme']}://{headers.get('host', '').lower()}"
        return origin in self._rules.origins or _plain(origin) == _plain(own)

    def _bounded(self, receive: Receive) -> Receive:
        """Return a way to read a body that ends when it is too large or too slow."""
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


class Leaving:
    """Sends an answer on with the headers that every one has."""

    def __init__(self, send: Send, request_id: str, origin: str | None) -> None:
        self._send = send
        self._request_id = request_id
        self._origin = origin
        self._begun = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._begun = True
            self._add_headers(message["headers"])
        await self._send(message)

    async def problem(self, scope: Scope, receive: Receive, status: int, detail: str) -> None:
        """Send a problem, unless an answer has begun: that one is cut off."""
        if self._begun:
            raise ConnectionError(f"Request {self._request_id} failed while its answer was sent.")
        headers = {"Connection": "close"} if status in {408, 413} else None
        await problems.answer(status, detail, self._request_id, headers=headers)(scope, receive, self)

    def _add_headers(self, headers: list[tuple[bytes, bytes]]) -> None:
        there = {name for name, _ in headers}
        headers += [(b"x-request-id", self._request_id.encode()), _NO_SNIFFING]
        if b"cache-control" not in there:
            headers.append(_NOT_STORED)
        if b"vary" in there:
            MutableHeaders(raw=headers).add_vary_header("Origin")
        else:
            headers.append(_VARIES)
        if self._origin is not None:
            headers += [(b"access-control-allow-origin", self._origin.encode("latin-1")), _EXPOSED]


def _follows_link(scope: Scope, headers: Sent) -> bool:
    """Tell whether somebody follows a link to a page of the console; what is in it is asked of the API by itself."""
    asked = (scope["method"], headers.get("sec-fetch-mode"), headers.get("sec-fetch-dest"))
    return asked == ("GET", "navigate", "document") and not scope["path"].startswith("/api")


def _headers(scope: Scope) -> Sent:
    """Return what was sent, by names in small letters; of one that was sent twice the first counts."""
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in reversed(scope["headers"])}


def _request_id(headers: Sent) -> str:
    given = headers.get("x-request-id", "")
    return given if _SANE_ID.fullmatch(given) else uuid.uuid4().hex


def _preflight(scope: Scope, headers: Sent) -> Response | None:
    """Answer a browser that asks what a page may do; only pages that may come as far."""
    if scope["method"] != "OPTIONS" or "access-control-request-method" not in headers or "origin" not in headers:
        return None
    allowed = {
        "Access-Control-Allow-Methods": _METHODS,
        "Access-Control-Allow-Headers": _SENT,
        "Access-Control-Max-Age": "600",
    }
    return Response(status_code=204, headers=allowed)


def _plain(origin: str) -> str:
    """Return an origin without the port that its scheme has anyway."""
    scheme, _, host = origin.partition("://")
    return f"{scheme}://{host.removesuffix(':' + _PORTS.get(scheme, ''))}"
