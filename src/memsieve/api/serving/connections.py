"""Connections that cannot be held open by saying nothing: a request's head comes in time and in bounds, or they end.

uvicorn has no limit on either: whoever sends a header every few seconds would keep a connection for ever. It takes
trailers, which come after a body, for headers, and as many as come; here they are dropped. What it refuses itself,
before any application sees it, leaves as a problem here like every other error.
"""

from __future__ import annotations

import asyncio
import json
import uuid
from http import HTTPStatus
from typing import TYPE_CHECKING

from uvicorn.protocols.http.flow_control import service_unavailable
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from memsieve.api import problems

if TYPE_CHECKING:
    from uvicorn._types import ASGI3Application, ASGIReceiveCallable, ASGISendCallable, Scope
    from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

HEAD_SECONDS = 15.0
HEAD_BYTES = 64 * 1024
# By this name of its lifespan's state an application says how to end what would never end by itself.
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


class Connection(HttpToolsProtocol):
    """uvicorn's quickest protocol; ends a connection that has no request to answer and brings none in time."""

    head_seconds = HEAD_SECONDS
    _ending: asyncio.TimerHandle | None = None
    _in_head = False
    _in_body = False
    # Of the head that is read now, or of what comes between and after pieces of a body: how much has come at least, and
    # how much of it is in whole headers.
    _arrived = 0
    _parsed = 0
    _packet = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn has it
        """Wait for the first request."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Wait for the rest of a head, or no longer once it is there."""
        self._packet = len(data)
        super().data_received(data)
        if self._in_head or self._in_body:
            self._arrived += self._packet
            if self._arrived > HEAD_BYTES:
                self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, _LARGE)
        if self._answering:
            self._wait_no_longer()
        elif self._ending is None and not self.transport.is_closing():
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._wait_no_longer()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """Finish the request in hand; event streams, which never would, are ended all at once."""
        super().shutdown()
        end_streams = self.app_state.pop(END_STREAMS, None)
        if end_streams is not None:
            ending = self.loop.create_task(end_streams())
            # The server waits for these before it closes the application.
            self.tasks.add(ending)
            ending.add_done_callback(self.tasks.discard)

    def on_message_begin(self) -> None:
        """Begin to count."""
        self._in_head, self._in_body, self._arrived, self._parsed = True, False, 0, 0
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        """Count the address."""
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Count a header, also one that came whole in one packet; drop it if it comes after the body.

        The application has the head already, and may have answered by it: a credential that comes later is none.
        """
        self._count(len(name) + len(value) + _AROUND_HEADER)
        if self._in_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Count anew: of this packet it is not known how much is the head."""
        self._in_head, self._in_body = False, True
        self._packet = self._arrived = self._parsed = 0
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Count nothing of a packet that brings some of the body, which has its own limit."""
        self._packet = self._arrived = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Take no part of this packet for the next head: how much of it that is, is not known."""
        self._in_body, self._packet = False, 0
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """Refuse what the parser could not read, in our words."""
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

    def _wait(self) -> None:
        self._ending = self.loop.call_later(self.head_seconds, self._end)

    def _wait_no_longer(self) -> None:
        if self._ending is not None:
            self._ending.cancel()
            self._ending = None

    def _end(self) -> None:
        self._ending = None
        if not self._answering:
            self._refuse(HTTPStatus.REQUEST_TIMEOUT, _LATE)

    def _refuse(self, status: HTTPStatus, detail: str) -> None:
        """Answer a request that no application has seen, and end the connection."""
        if self.transport.is_closing():
            return
        # In the midst of another answer these words would be taken for a part of it.
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
    """Answer, as an application does, that there are too many connections."""
    request_id = uuid.uuid4().hex
    headers = {**problems.RETRY_AFTER, "Connection": "close", "X-Request-ID": request_id}
    answer = problems.answer(HTTPStatus.SERVICE_UNAVAILABLE, _FULL, request_id, headers=headers)
    await answer(scope, receive, send)  # type: ignore[arg-type] # both have their own names for the same types
