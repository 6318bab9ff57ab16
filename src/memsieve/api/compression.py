"""Large answers are sent compressed to whoever takes them so."""

from __future__ import annotations

import re

from starlette.datastructures import MutableHeaders
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memsieve.api.route import PREFIX

LEAST_BYTES = 1024
# Higher ones take twice the time for a few bytes.
LEVEL = 5
# What shows a secret beside words that somebody else chose: by its length one could guess the secret.
PLAIN = {("POST", f"{PREFIX}/keys")}
_NO_GZIP = re.compile(r"gzip\s*;\s*q=0(\.0*)?\s*(,|$)", re.IGNORECASE)


class Compression:
    """ASGI middleware: gzip for answers over 1 KiB, never for a stream of events or a new key."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._compressing = GZipMiddleware(app, minimum_size=LEAST_BYTES, compresslevel=LEVEL)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or (scope["method"], scope["path"]) in PLAIN:
            await self._app(scope, receive, send)
        elif _taken(scope):
            await self._compressing(scope, receive, send)
        else:
            await self._app(scope, receive, _Plainly(send))


class _Plainly:
    """Sends an answer on as it is, and says where others would get it compressed."""

    def __init__(self, send: Send) -> None:
        self._send = send

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start" and _is_large(message):
            MutableHeaders(raw=message["headers"]).add_vary_header("Accept-Encoding")
        await self._send(message)


def _taken(scope: Scope) -> bool:
    """Tell whether a caller takes gzip; Starlette looks for the word alone."""
    accepted = next((value for name, value in scope["headers"] if name == b"accept-encoding"), b"").decode("latin-1")
    return "gzip" in accepted and _NO_GZIP.search(accepted) is None


def _is_large(message: Message) -> bool:
    """Tell whether an answer is so large; of a stream of events nobody knows."""
    length = next((value for name, value in message["headers"] if name == b"content-length"), b"0")
    return int(length) >= LEAST_BYTES
