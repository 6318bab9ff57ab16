"""Fixtures of the command line: commands for programs, and commands at a terminal."""

import json
import os
import pty
import re
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
from typer.main import get_command
from typer.testing import CliRunner

from memsieve.cli.app import app
from memsieve.testing import ServedMemory
from memsieve.testing.server import wait_until

DECISION = "The team decided to use PostgreSQL for the ledger, because it needs real transactions."


class Cli:
    """Runs commands on one data folder."""

    def __init__(self, data: Path) -> None:
        self.data = data

    def at(self, data: Path) -> "Cli":
        """Return the same for another folder."""
        return Cli(data)

    def run(self, *arguments: str, code: int = 0, stdin: bytes | str | None = None):
        result = CliRunner().invoke(app, [*arguments, "--data", str(self.data)], input=stdin)
        assert result.exit_code == code, result.output
        return result

    def json(self, *arguments: str, code: int = 0) -> Any:
        return json.loads(self.run(*arguments, code=code).stdout)

    def refused(self, *arguments: str, code: int) -> str:
        result = self.run(*arguments, code=code)
        assert result.stdout == ""
        return result.stderr

    def record(self, text: str = DECISION, *options: str) -> Any:
        return self.json("record", "--project", "apollo", *options, text)


@pytest.fixture
def cli(data: Path, small_embedder: object) -> Cli:
    return Cli(data)


@pytest.fixture(params=[80, 120])
def on_terminal(request, monkeypatch, data, small_embedder) -> Callable[..., str]:
    """Run a command with standard output and standard error on a terminal; return what it shows."""
    monkeypatch.setenv("COLUMNS", str(request.param))
    monkeypatch.setenv("TERM", "xterm-256color")

    def run(*arguments: str, code: int = 0) -> str:
        reader, terminal = pty.openpty()
        seen: list[bytes] = []
        reading = threading.Thread(target=_drain, args=(reader, seen))
        reading.start()
        with open(terminal, "w", encoding="utf-8") as screen, monkeypatch.context() as patch:  # noqa: PTH123 - a descriptor
            patch.setattr(sys, "stdout", screen)
            patch.setattr(sys, "stderr", screen)
            with pytest.raises(SystemExit) as exit_:
                get_command(app).main([*arguments, "--data", str(data)], "memsieve")
        reading.join()
        os.close(reader)
        assert (exit_.value.code or 0) == code
        shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", b"".join(seen).decode())
        assert max(map(len, shown.splitlines()), default=0) <= request.param
        return shown

    return run


@pytest.fixture
def serve(data: Path) -> Iterator[Callable[..., ServedMemory]]:
    """Start servers on the test's folder; those that still run in the end are stopped."""
    with ExitStack() as stack:

        def start(*options: str, folder: Path = data, **environment: str) -> ServedMemory:
            return stack.enter_context(ServedMemory(folder, *options, environment=environment))

        yield start


class ServedHere:
    """The server in a thread of this process, on a real socket: for tests that neither signal nor kill it."""

    def __init__(self, data: Path, **settings: Any) -> None:
        import uvicorn

        from memsieve.api.app import create_app
        from memsieve.api.connections import HttpConnection, address_of, listen
        from memsieve.api.credentials import reviewer_token
        from memsieve.config import Settings

        listener = listen("127.0.0.1", 0)
        self.url = address_of(listener)
        self.key = reviewer_token(data)
        application = create_app(Settings(data=data, **settings), token=self.key)
        config = uvicorn.Config(application, http=HttpConnection, ws="none", log_config=None, proxy_headers=False)
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, args=([listener],))
        self._thread.start()
        wait_until(lambda: self._server.started or not self._thread.is_alive())

    def client(self) -> httpx.Client:
        """Return a bare client, without a key."""
        return httpx.Client(base_url=self.url, timeout=60)

    def close(self) -> None:
        self._server.should_exit = True
        self._thread.join()


@pytest.fixture
def serve_here(data: Path) -> Iterator[Callable[..., ServedHere]]:
    """Start servers in this process on the test's folder, with settings by name."""
    with ExitStack() as stack:

        def start(**settings: Any) -> ServedHere:
            return stack.enter_context(closing(ServedHere(data, **settings)))

        yield start


class Api:
    """The HTTP door in this process, and a key of each role to project `apollo`."""

    TOKEN = "msv_local_" + "0" * 52

    def __init__(self, client: Any, admin: str) -> None:
        self.client = client
        self.keys = {"admin": admin} | {role: self.key(role, by=admin) for role in ("agent", "reviewer", "auditor")}

    def key(self, role: str, project: str = "apollo", *, by: str | None = None) -> str:
        """Make a key."""
        body = {"name": f"the-{role}", "role": role} | ({} if role == "admin" else {"project_id": project})
        return self.post("/keys", body, key=by or self.keys["admin"]).json()["text"]

    def send(self, method: str, path: str, *, key: str | None = None, **request: Any) -> Any:
        """Send a request below the prefix, as somebody."""
        headers = {**({} if key is None else {"Authorization": f"Bearer {key}"}), **request.pop("headers", {})}
        return self.client.request(method, f"/api/v1{path}", headers=headers, **request)

    def get(self, path: str, *, key: str | None = None, **parameters: Any) -> Any:
        return self.send("GET", path, key=key, params=parameters)

    def post(self, path: str, body: Any, *, key: str | None = None, **headers: str) -> Any:
        return self.send("POST", path, key=key, json=body, headers=headers)

    def record(self, content: str = DECISION, project: str = "apollo") -> Any:
        """Record something, and return what is told of it."""
        body = {"project_id": project, "session_id": "s1", "content": content, "confidence": 0.93}
        return self.post("/memory/quarantine", body, key=self.keys["admin"]).json()


@pytest.fixture
def open_api(data: Path, small_embedder: object) -> Iterator[Callable[..., Api]]:
    """Serve the test's folder in this process, to callers of this machine."""
    from starlette.testclient import TestClient

    from memsieve.api.app import create_app
    from memsieve.config import Settings
    from memsieve.memory import Memory
    from memsieve.model import KeyRole

    with ExitStack() as stack:

        def open_(*, peer: str = "127.0.0.1", settings: Settings | None = None, **options: Any) -> Api:
            chosen = replace(settings or Settings(), data=data)
            with Memory.open(settings=chosen) as memory:
                _, admin = memory.keys.make(name="the-admin", role=KeyRole.ADMIN, project_id=None, by="test")
            options = {"token": Api.TOKEN, "user": "ada", "stream_seconds": 0.01, **options}
            client = TestClient(create_app(chosen, **options), base_url="http://localhost:8080", client=(peer, 50000))
            return Api(stack.enter_context(client), admin)

        yield open_


@pytest.fixture
def api(open_api: Callable[..., Api]) -> Api:
    return open_api()


def _drain(reader: int, seen: list[bytes]) -> None:
    # A terminal that its last writer closed reads as an error on Linux.
    while True:
        try:
            piece = os.read(reader, 65536)
        except OSError:
            return
        if not piece:
            return
        seen.append(piece)


Answer = tuple[int, dict[str, str], bytes]


class Failing:
    """A small HTTP server that answers as it is told, in turn; the last answer stands."""

    def __init__(self) -> None:
        self.answers: list[Answer | None] = []
        self.seen: list[tuple[str, str, dict[str, str], bytes]] = []
        self.url = ""
        self.behind: str | None = None

    def add(self, status: int, body: Any = None, kind: str = "application/problem+json", **headers: str) -> None:
        written = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.answers.append((status, {"Content-Type": kind, **headers}, written))

    def cut(self) -> None:
        """Break the next connection off without an answer."""
        self.answers.append(None)

    def next(self) -> Answer | None:
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    def keys(self) -> list[str]:
        return [headers["idempotency-key"] for _, _, headers, _ in self.seen]


@contextmanager
def _running(server: Failing) -> Iterator[Failing]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_any(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            server.seen.append((self.command, self.path, headers, body))
            told = self.relayed(headers, body) if server.behind else server.next()
            self.close_connection = told is None
            if told is None:
                return
            status, extra, content = told
            self.send_response(status)
            for name, value in {**extra, "Content-Length": str(len(content))}.items():
                self.send_header(name.replace("_", "-"), value)
            self.end_headers()
            self.wfile.write(content)

        def relayed(self, headers: dict[str, str], body: bytes) -> Answer | None:
            """Let the server behind do it, and lose its answer the first time."""
            passed = {
                name: headers[name] for name in ("authorization", "content-type", "idempotency-key") if name in headers
            }
            done = httpx.request(self.command, f"{server.behind}{self.path}", headers=passed, content=body)
            lost = len([one for one in server.seen if one[1] == self.path and one[3] == body]) == 1
            return None if lost else (done.status_code, {"Content-Type": done.headers["content-type"]}, done.content)

        do_GET = do_POST = do_DELETE = handle_any  # noqa: N815 - as the standard library names them

        def log_message(self, *_: object) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    serving = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02})
    serving.start()
    server.url = f"http://127.0.0.1:{http.server_port}"
    yield server
    http.shutdown()
    serving.join()
    http.server_close()


@pytest.fixture
def failing() -> Iterator[Failing]:
    with _running(Failing()) as server:
        yield server
