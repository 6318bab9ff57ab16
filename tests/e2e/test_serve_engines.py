"""`memsieve serve` with two workers on PostgreSQL and Redis: they are one server, also when one of them dies."""

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress

import psutil
import pytest

from memsieve.testing import ServedMemory

CONTENT = "The team decided to use PostgreSQL for the ledger, because it needs real transactions."
SECOND = "The northern warehouse keeps its cold store at four degrees all year."
THIRD = "Every harbour of the fleet reports its tides to the office in Bergen."
QUESTION = "Which database does the ledger use?"
API = "/api/v1/memory"
STREAM = b"GET /api/v1/events?project_id=apollo HTTP/1.1\r\nHost: localhost\r\n\r\n"
MANY = 50


class Stream:
    """A listener to what happens in project apollo, once it listens."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        self.port = self.socket.getsockname()[1]
        self.heard = ""

    def listen(self) -> None:
        self.socket.sendall(STREAM)
        self.hear(": listening")

    def hear(self, words: str) -> None:
        """Listen until these words come."""
        while words not in self.heard:
            piece = self.socket.recv(65536)
            assert piece, self.heard
            self.heard += piece.decode()

    def await_end(self) -> None:
        """Listen until the connection ends."""
        with suppress(ConnectionError):
            while self.socket.recv(65536):
                pass


@pytest.fixture
def server(serve, start_engine) -> ServedMemory:
    engine = start_engine("postgres-18+redis")
    urls = {"MEMSIEVE_DATABASE_URL": engine.database_url, "MEMSIEVE_REDIS_URL": engine.redis_url}
    return serve("--workers", "2", **urls)


@pytest.fixture
def listeners(server) -> Iterator[Callable[[], dict[int, Stream]]]:
    """Connect until each worker has a listener; return them by the worker's process."""
    with ExitStack() as stack:

        def connect() -> dict[int, Stream]:
            found: dict[int, Stream] = {}
            deadline = time.monotonic() + 60
            while len(found) < 2:
                assert time.monotonic() < deadline, "One worker takes every connection."
                # Many at once, or whoever is awake takes them all.
                streams = [Stream(server.port) for _ in range(MANY)]
                for stream in streams:
                    stack.callback(stream.socket.close)
                time.sleep(0.2)
                found = {**_held(server, streams), **found}
            for stream in found.values():
                stream.listen()
            return found

        yield connect


def _held(server: ServedMemory, streams: list[Stream]) -> dict[int, Stream]:
    """Return for each worker one of the streams that it holds the other end of."""
    by_port = {stream.port: stream for stream in streams}
    return {
        worker.pid: by_port[held.raddr.port]
        for worker in server.workers()
        for held in worker.net_connections("tcp")
        if held.raddr and held.raddr.port in by_port
    }


def recorded(server: ServedMemory, content: str) -> str:
    """Record something by a new connection, see it admitted, and return its id."""
    body = {"project_id": "apollo", "session_id": "s1", "content": content, "confidence": 0.93}
    with server.client() as agent:
        entry = agent.post(f"{API}/quarantine", json=body).json()
    assert entry["decision"] == "admitted"
    return str(entry["entry_id"])


def test_two_workers_on_postgresql_and_redis_are_one_server_and_outlive_each_other(server, listeners, data):
    token = (data / "reviewer.token").read_text("ascii").strip()
    streams = listeners()
    first = recorded(server, CONTENT)
    with server.client(token) as person:
        promoted = person.post(f"{API}/promote", json={"project_id": "apollo", "id": first}).json()
    # The deeds were done by one worker, and both tell of them.
    for stream in streams.values():
        for kind in ("recorded", "admitted", "promoted", "knowledge:updated"):
            stream.hear(f"event: {kind}\n")
    assert {found["content"] for found in _asked(server)} == {promoted["content"]} == {CONTENT}

    (dead, cut), (living, spared) = streams.items()
    psutil.Process(dead).kill()
    cut.await_end()
    # Nobody is refused meanwhile: what the dead one did not accept, the other one does.
    spared.hear(recorded(server, SECOND))
    _await_workers(server, without=dead)
    assert living in {worker.pid for worker in server.workers()}
    later = listeners()
    third = recorded(server, THIRD)
    for stream in (spared, *later.values()):
        stream.hear(third)
    assert {found["content"] for found in _asked(server)} >= {CONTENT}
    assert server.stop() == 0


def _asked(server: ServedMemory) -> list[dict]:
    """Ask by several connections, so that both workers may answer; they say the same."""
    answers = []
    for _ in range(6):
        with server.client() as client:
            answers.append(client.post(f"{API}/query", json={"project_id": "apollo", "query": QUESTION}).json())
    assert all(answer["degraded"] == [] for answer in answers)
    assert all(answer["results"] == answers[0]["results"] for answer in answers)
    return answers[0]["results"]


def _await_workers(server: ServedMemory, *, without: int) -> None:
    deadline = time.monotonic() + 60
    while len({worker.pid for worker in server.workers()} - {without}) < 2:
        assert time.monotonic() < deadline, server.log
        time.sleep(0.1)
