"""A small HTTP server that speaks the OpenAI protocol, for tests of what calls a remote model."""

from __future__ import annotations

import hashlib
import json
import threading
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

DIMENSIONS = 32
CHAT = "/v1/chat/completions"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What the server was sent; header names are in lower case."""

    path: str
    headers: Mapping[str, str]
    payload: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One scripted reply. Without a body it is the server's usual answer, or an empty one if the status is an error.

    `delay` is in seconds; a reply that should never come has a delay of infinity.
    """

    status: int = HTTPStatus.OK
    body: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0

    @classmethod
    def json(cls, value: object, *, status: int = HTTPStatus.OK) -> Reply:
        """Reply with a JSON value."""
        return cls(status=status, body=json.dumps(value).encode())

    @classmethod
    def chat(cls, text: str | None, *, finish_reason: str = "stop") -> Reply:
        """Reply with a chat completion."""
        return cls.json(_completion(text, finish_reason))


class OpenAIServer:
    """Listens on a free port of the loopback while the context lasts.

    Scripted replies are given in order, one for each request; after them, chat is answered by `answer`, a function of
    the last message, and every text is embedded by its words, so that texts that share words are alike.
    """

    def __init__(self, answer: Callable[[str], str] = lambda _message: "NO\nNothing in it disagrees.") -> None:
        self.requests: list[Request] = []
        self.answer = answer
        self.closing = threading.Event()
        self._script: deque[Reply] = deque()
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    @property
    def prompts(self) -> list[str]:
        """The text of each chat request, oldest first."""
        chats = [request.payload["messages"] for request in self.requests if request.path == CHAT]
        return ["\n".join(message["content"] for message in messages) for messages in chats]

    def script(self, *replies: Reply) -> None:
        """Add replies to come before the usual answers."""
        self._script.extend(replies)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def reply_to(self, request: Request) -> Reply:
        """Keep a request and return the reply that is due."""
        self.requests.append(request)
        reply = self._script.popleft() if self._script else Reply()
        if reply.body is not None or reply.status != HTTPStatus.OK:
            return reply
        usual = self._usual(request)
        return Reply(status=usual.status, body=usual.body, headers=reply.headers, delay=reply.delay)

    def _usual(self, request: Request) -> Reply:
        if request.path == CHAT:
            return Reply.chat(self.answer(request.payload["messages"][-1]["content"]))
        if request.path == "/v1/embeddings":
            return Reply.json({"object": "list", "data": _embeddings(request.payload["input"])})
        return Reply.json({"error": {"message": f"no such path: {request.path}"}}, status=HTTPStatus.NOT_FOUND)


class _Server(ThreadingHTTPServer):
    daemon_threads = False

    def __init__(self, owner: OpenAIServer) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.owner = owner


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(path=self.path, headers=headers, payload=json.loads(body))
        reply = self.server.owner.reply_to(request)
        if reply.delay and self.server.owner.closing.wait(min(reply.delay, threading.TIMEOUT_MAX)):
            return
        with suppress(ConnectionError):
            self._send(reply)

    def _send(self, reply: Reply) -> None:
        body = reply.body or b""
        self.send_response(reply.status)
        for name, value in {"Content-Type": "application/json", **reply.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
        """Stay silent."""


def _completion(text: str | None, finish_reason: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    return {"object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": finish_reason}]}


def _embeddings(texts: list[str]) -> list[dict[str, Any]]:
    return [{"object": "embedding", "index": at, "embedding": _embedding(text)} for at, text in enumerate(texts)]


def _embedding(text: str) -> list[float]:
    """Add up one pseudo-random vector for each word."""
    digests = [hashlib.sha256(word.encode()).digest() for word in text.lower().split()]
    return [sum(digest[at] - 127.5 for digest in digests) / 128 for at in range(DIMENSIONS)]
