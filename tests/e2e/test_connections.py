"""Connections of the server: whoever brings no whole request in time, or too large a head, is cut off."""

import asyncio
import json
import socket
import threading
import time
from collections.abc import Iterator

import pytest
import uvicorn

from memsieve.api.connections import END_STREAMS, HEAD_BYTES, HttpConnection

SECONDS = 0.5
REQUEST = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
CHUNKED = b"POST /headers HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"


async def application(scope, receive, send):
    """Answer every request; `/stream` until the server stops, `/slow` after a while."""
    if scope["type"] == "lifespan":
        await _live(scope, receive, send)
        return
    if scope["path"] == "/headers":
        await _read_body(receive)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/plain")]})
    if scope["path"] == "/headers":
        await send({"type": "http.response.body", "body": repr(scope["headers"]).encode(), "more_body": True})
    if scope["path"] == "/stream":
        await scope["state"]["stopped"].wait()
    if scope["path"] == "/slow":
        await asyncio.sleep(2 * SECONDS)
    await send({"type": "http.response.body", "body": b"answered"})


async def _read_body(receive):
    while (await receive()).get("more_body"):
        pass


async def _live(scope, receive, send):
    stopped = asyncio.Event()

    async def end_streams():
        stopped.set()

    scope["state"].update({"stopped": stopped, END_STREAMS: end_streams})
    await receive()
    await send({"type": "lifespan.startup.complete"})
    await receive()
    await send({"type": "lifespan.shutdown.complete"})


class Running:
    """A server in a thread."""

    def __init__(self, **options: object) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        config = uvicorn.Config(
            application, http=HttpConnection, ws="none", lifespan="on", log_config=None, server_header=False, **options
        )
        self.server = uvicorn.Server(config)
        self.thread = threading.Thread(target=self.server.run, args=([self.listener],), daemon=True)

    def connect(self) -> socket.socket:
        return socket.create_connection(self.listener.getsockname(), timeout=10)

    def stop(self) -> None:
        self.server.should_exit = True
        self.thread.join(10)

    def start(self) -> None:
        self.thread.start()
        # Connections wait in the listener's queue until the server is there.
        with self.connect() as client:
            client.sendall(REQUEST.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
            assert b"answered" in _read_to_end(client)


@pytest.fixture
def running(monkeypatch) -> Iterator[Running]:
    monkeypatch.setattr(HttpConnection, "head_seconds", SECONDS)
    server = Running()
    server.start()
    yield server
    server.stop()


@pytest.fixture
def full() -> Iterator[Running]:
    """A server that holds one connection, and refuses while there is another."""
    server = Running(limit_concurrency=2)
    server.start()
    yield server
    server.stop()


def _read_to_end(client: socket.socket) -> bytes:
    pieces = []
    while piece := client.recv(65536):
        pieces.append(piece)
    return b"".join(pieces)


def _read_answer(client: socket.socket) -> bytes:
    """Read one answer, which ends with the chunk of no bytes."""
    answer = b""
    while not answer.endswith(b"\r\n0\r\n\r\n"):
        piece = client.recv(65536)
        assert piece, answer
        answer += piece
    return answer


def _problem(answer: bytes, status: int) -> dict[str, str]:
    """Read a problem from the last answer of a connection, and return its headers."""
    head, _, body = answer.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
    assert first.startswith(f"HTTP/1.1 {status} ")
    assert headers["content-type"] == "application/problem+json"
    assert headers["connection"].lower() == "close"
    assert int(headers["content-length"]) == len(body)
    problem = json.loads(body)
    assert set(problem) == {"type", "title", "status", "detail", "instance"}
    assert problem["type"].startswith("urn:memsieve:problem:")
    assert problem["status"] == status
    assert all(problem.values())
    assert headers["x-request-id"] == problem["instance"]
    return headers


@pytest.mark.parametrize(
    "nonsense", [b"nonsense\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00", b"GET http://[ HTTP/1.1\r\n\r\n"]
)
def test_what_is_no_http_is_refused_with_a_problem(running, nonsense):
    with running.connect() as client:
        client.sendall(nonsense)
        _problem(_read_to_end(client), 400)


def test_nonsense_after_a_request_does_not_run_into_its_answer(running):
    with running.connect() as client:
        client.sendall(REQUEST.replace(b" / ", b" /slow "))
        assert client.recv(1000).startswith(b"HTTP/1.1 200")
        client.sendall(b"nonsense\r\n\r\n")
        assert b"HTTP/1.1" not in _read_to_end(client)


def test_a_server_that_holds_no_more_connections_says_when_to_come_again(full):
    with full.connect() as first:
        first.sendall(REQUEST.replace(b" / ", b" /slow "))
        assert first.recv(1000).startswith(b"HTTP/1.1 200")
        with full.connect() as second:
            second.sendall(REQUEST)
            headers = _problem(_read_to_end(second), 503)
        assert int(headers["retry-after"]) > 0


def test_a_head_that_drips_in_is_cut_off(running):
    with running.connect() as client:
        began = time.monotonic()
        client.sendall(b"GET / HTTP/1.1\r\n")
        client.settimeout(SECONDS / 10)
        answer = b""
        while time.monotonic() - began < 20 * SECONDS:
            try:
                answer = client.recv(1000)
                break
            except TimeoutError:
                client.sendall(b"X-Drip: x\r\n")
        _problem(answer, 408)
        assert 0.9 * SECONDS <= time.monotonic() - began < 20 * SECONDS


def test_a_connection_that_says_nothing_is_cut_off(running):
    with running.connect() as client:
        began = time.monotonic()
        _problem(_read_to_end(client), 408)
        assert 0.9 * SECONDS <= time.monotonic() - began < 20 * SECONDS


def test_the_second_request_of_a_connection_has_no_more_time_than_the_first(running):
    with running.connect() as client:
        client.sendall(REQUEST)
        assert b"answered" in _read_answer(client)
        client.sendall(REQUEST[:20])
        _problem(_read_to_end(client), 408)


def test_a_request_that_takes_long_to_answer_is_answered(running):
    with running.connect() as client:
        client.sendall(REQUEST.replace(b" / ", b" /slow ").replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
        assert b"answered" in _read_to_end(client)


def test_a_connection_is_kept_between_two_requests_for_longer_than_a_head_may_take(running):
    with running.connect() as client:
        for pause in (2 * SECONDS, 0):
            client.sendall(REQUEST)
            assert b"answered" in _read_answer(client)
            time.sleep(pause)


def test_a_head_without_end_is_cut_off_by_its_size(running):
    with running.connect() as client:
        client.sendall(b"GET / HTTP/1.1\r\nX-Long: " + b"x" * HEAD_BYTES)
        _problem(_read_to_end(client), 431)


@pytest.mark.parametrize(
    "head",
    [
        b"GET / HTTP/1.1\r\nX-Long: " + b"x" * HEAD_BYTES,
        b"GET /" + b"x" * HEAD_BYTES + b" HTTP/1.1\r\nHost: localhost",
        b"GET / HTTP/1.1" + b"\r\nX-Many: x" * (HEAD_BYTES // 11 + 1),
    ],
    ids=["one header", "the address", "many headers"],
)
def test_a_head_that_comes_whole_and_too_large_is_refused(running, head):
    with running.connect() as client:
        client.sendall(head + b"\r\n\r\n")
        _problem(_read_to_end(client), 431)


def test_a_head_that_is_as_large_as_it_may_be_is_read(running):
    line = b"GET / HTTP/1.1\r\nX-Long: "
    with running.connect() as client:
        client.sendall(line + b"x" * (HEAD_BYTES - len(line) - 4) + b"\r\n\r\n")
        assert b"answered" in _read_answer(client)


def test_what_comes_after_a_body_is_no_header(running):
    with running.connect() as client:
        for trailer in (b"Authorization: Bearer late\r\n", b""):
            client.sendall(CHUNKED + b"2\r\nhi\r\n0\r\n" + trailer + b"\r\n")
            answer = _read_answer(client)
            assert b"transfer-encoding" in answer
            assert b"authorization" not in answer
            assert b"late" not in answer


@pytest.mark.parametrize("path", [b"/headers", b"/"])
@pytest.mark.parametrize("piece", [b"x: " + b"a" * 1000 + b"\r\n", b"a" * 1000], ids=["headers", "one header"])
def test_trailers_without_end_are_cut_off_by_their_size(running, path, piece):
    with running.connect() as client:
        client.sendall(CHUNKED.replace(b"/headers", path) + b"2\r\nhi\r\n0\r\nx: ")
        with pytest.raises((BrokenPipeError, ConnectionResetError)):
            client.sendall(piece * 10_000)


def test_trailers_that_come_whole_and_too_large_are_refused(running):
    with running.connect() as client:
        client.sendall(CHUNKED + b"0\r\n" + (b"x: " + b"a" * 1000 + b"\r\n") * 70 + b"\r\n")
        _problem(_read_to_end(client), 431)


def test_a_body_in_many_small_pieces_is_read_whole(running):
    with running.connect() as client:
        client.sendall(CHUNKED)
        for _ in range(40):
            client.sendall(b"1\r\nx\r\n" * 1000)
        client.sendall(b"0\r\n\r\n")
        assert _read_answer(client).startswith(b"HTTP/1.1 200")


def test_requests_that_come_together_are_not_one_large_head(running):
    body = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n" + b"x" * 100_000
    with running.connect() as client:
        client.sendall(body + REQUEST[:20])
        assert b"answered" in _read_answer(client)
        client.sendall(REQUEST[20:])
        assert b"answered" in _read_answer(client)


def test_event_streams_end_when_the_server_stops(running):
    with running.connect() as stream, running.connect() as other:
        for client in (stream, other):
            client.sendall(REQUEST.replace(b" / ", b" /stream "))
            assert client.recv(1000).startswith(b"HTTP/1.1 200")
        began = time.monotonic()
        running.stop()
        assert not running.thread.is_alive()
        assert time.monotonic() - began < 5
        assert b"answered" in _read_to_end(stream)
        assert b"answered" in _read_to_end(other)
