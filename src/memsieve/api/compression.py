"""Large answers are sent compressed to whoever takes them so."""

from __future__ import annotations

import re

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

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
            return
        if _NO_GZIP.search(Headers(scope=scope).get("accept-encoding", "")):
            # Starlette looks for the word alone.
            del MutableHeaders(scope=scope)["accept-encoding"]
        await self._compressing(scope, receive, send)
