"""The listening socket, and connections with limits on a request's head: uvicorn has none on its size or its time.

Without them a client that sends a header every few seconds would keep a connection for ever. uvicorn also takes
trailers, which come after a body, for headers, without a limit; here they are dropped. What is refused before any
application sees it is answered with a problem like every other error.
"""

from __future__ import annotations

import asyncio
import errno
import json
import socket
import uuid
from http import HTTPStatus
from typing import TYPE_CHECKING

from uvicorn.protocols.http.flow_control import service_unavailable
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from memsieve.api import problems
from memsieve.errors import ConfigError

if TYPE_CHECKING:
    from uvicorn._types import ASGI3Application, ASGIReceiveCallable, ASGISendCallable, Scope
    from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

BACKLOG = 2048
MAX_CONNECTIONS = 10_000
MIN_CONNECTIONS = 64
# Files that are open for other reasons: databases, models, logs.
OTHER_FILES = 256
HEAD_SECONDS = 15.0
HEAD_BYTES = 64 * 1024
# The name in the lifespan's state of the function that ends all event streams.
END_STREAMS = "end_streams"
_LATE = "No whole request came in time. Send it again."
_LARGE = (
    f"The request's head, or what comes after its body, has more than {HEAD_BYTES} bytes. Send a shorter address and "
    "fewer headers."
)
_MALFORMED = "This is no valid HTTP/1.1 request. See that a client for HTTP sends it, without TLS."
_FULL = "The server has as many connections as it can hold. Try again soon."
# Between a header's name and its value, and after it.
_AROUND_HEADER = len(": \r\n")


class _HeadTooLarge(Exception):
    """Stops the parser."""


class HttpConnection(HttpToolsProtocol):
    """uvicorn's httptools protocol; ends a connection on which no whole request comes in time."""

    head_seconds = HEAD_SECONDS
    _timer: asyncio.TimerHandle | None = None
    _in_head = False
    _in_body = False
    # Bytes of the head, or of what comes between and after pieces of a body: received at least, and in whole headers.
    _arrived = 0
    _parsed = 0
    _packet = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn has it
        """Start the timer for the first request."""
        super().connection_made(transport)
        self._start_timer()

    def data_received(self, data: bytes) -> None:
        """Start the timer for the rest of a head, or stop it once the head is complete."""
        self._packet = len(data)
        super().data_received(data)
        if self._in_head or self._in_body:
            self._arrived += self._packet
            if self._arrived > HEAD_BYTES:
                self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, _LARGE)
        if self._answering:
            self._stop_timer()
        elif self._timer is None and not self.transport.is_closing():
            self._start_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer."""
        self._stop_timer()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """Let the current request finish, but end all event streams at once."""
        super().shutdown()
        end_streams = self.app_state.pop(END_STREAMS, None)
        if end_streams is not None:
            ending = self.loop.create_task(end_streams())
            # The server waits for these before it closes the application.
            self.tasks.add(ending)
            ending.add_done_callback(self.tasks.discard)

    def on_message_begin(self) -> None:
        """Start counting the head."""
        self._in_head, self._in_body, self._arrived, self._parsed = True, False, 0, 0
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        """Count the URL."""
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Count a header; drop it if it comes after the body, when the caller is authenticated already."""
        self._count(len(name) + len(value) + _AROUND_HEADER)
        if self._in_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Restart the count: it is unknown how much of this packet is the head."""
        self._in_head, self._in_body = False, True
        self._packet = self._arrived = self._parsed = 0
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Do not count a packet with a part of the body, which has its own limit."""
        self._packet = self._arrived = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Do not count this packet for the next head: it is unknown how much of it belongs there."""
        self._in_body, self._packet = False, 0
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """Refuse what the parser could not read, with a problem."""
        del msg
        if self._parsed > HEAD_BYTES:
            self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, _LARGE)
        else:
            self._refuse(HTTPStatus.BAD_REQUEST, _MALFORMED)

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        super()._start_asgi_task(cycle, _unavailable if app is service_unavailable else app)

    def _count(self, size: int) -> None:
        self._parsed += size
        if self._parsed > HEAD_BYTES:
            raise _HeadTooLarge

    @property
    def _answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _start_timer(self) -> None:
        self._timer = self.loop.call_later(self.head_seconds, self._time_out)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _time_out(self) -> None:
        self._timer = None
        if not self._answering:
            self._refuse(HTTPStatus.REQUEST_TIMEOUT, _LATE)

    def _refuse(self, status: HTTPStatus, detail: str) -> None:
        """Answer a request before any application sees it, and end the connection."""
        if self.transport.is_closing():
            return
        # In the middle of another response it would be taken for a part of that.
        if not self._answering or not self.cycle.response_started:
            self.transport.write(_refusal(status, detail))
        self.transport.close()


def _refusal(status: HTTPStatus, detail: str) -> bytes:
    request_id = uuid.uuid4().hex
    body = json.dumps(problems.problem(status, detail, request_id))
    head = (
        f"HTTP/1.1 {status.value} {status.phrase}\r\ncontent-type: {problems.MEDIA_TYPE}\r\n"
        f"content-length: {len(body)}\r\nx-request-id: {request_id}\r\nconnection: close\r\n\r\n"
    )
    return (head + body).encode("ascii")


async def _unavailable(scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
    """ASGI application: answer that there are too many connections."""
    request_id = uuid.uuid4().hex
    headers = {**problems.RETRY_AFTER, "Connection": "close", "X-Request-ID": request_id}
    answer = problems.answer(HTTPStatus.SERVICE_UNAVAILABLE, _FULL, request_id, headers=headers)
    await answer(scope, receive, send)  # type: ignore[arg-type] # both have their own names for the same types


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket; connections wait in its backlog until the server is ready."""
    try:
        # IPv4 first, since `localhost` is both and most mean the older one.
        addresses = sorted(socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE))
        family, kind, number, _, address = addresses[0]
        listener = socket.socket(family, kind, number)
    except OSError as exc:
        raise ConfigError(f"No such address: {host} ({exc.strerror or exc}). Choose another --host.") from exc
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(BACKLOG)
        listener.set_inheritable(True)
    except OSError as exc:
        listener.close()
        raise ConfigError(_listen_error(exc, host, port)) from exc
    return listener


def address_of(listener: socket.socket) -> str:
    """Return the URL of a listening socket, with its real port."""
    host, port, *_ = listener.getsockname()
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def raise_connection_limit() -> int:
    """Raise the limit on open files as far as allowed, and return how many connections fit."""
    try:
        import resource
    except ImportError:
        return MAX_CONNECTIONS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_CONNECTIONS + OTHER_FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    if soft == resource.RLIM_INFINITY:
        return MAX_CONNECTIONS
    return max(MIN_CONNECTIONS, min(MAX_CONNECTIONS, soft - OTHER_FILES))


def _listen_error(error: OSError, host: str, port: int) -> str:
    match error.errno:
        case errno.EADDRINUSE:
            return (
                f"Port {port} of {host} is taken: another program listens there. Stop it, or choose another port, "
                f"0 for any that is free: memsieve serve --port {port + 1}"
            )
        case errno.EACCES:
            return f"This user may not listen on port {port}. Choose one from 1024 on: memsieve serve --port 8080"
        case errno.EADDRNOTAVAIL:
            return f"This machine has no address {host}. Choose another --host: 127.0.0.1 is this machine alone."
    return f"Cannot listen on {host}, port {port}: {error.strerror or error}. Choose another --host or --port."
