"""The console's files, as they were built: read once, and answered wherever no route is."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from fastapi import FastAPI
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from memsieve.api.unbuilt import UNBUILT, UNBUILT_POLICY

BUILT = Path(__file__).parent / "console"
INDEX = "/index.html"
# Their names hold a hash of what is in them.
HASHED = "/assets/"
FOR_EVER = "public, max-age=31536000, immutable"
ASK_AGAIN = "no-cache"
POLICY = (
    "default-src 'self'; img-src 'self' data:; style-src 'self'; script-src 'self'; connect-src 'self'; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
)
# Not left to the system, which may have been told otherwise: a browser runs no script of another type.
TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}
_ENCODINGS = {"br": ".br", "gzip": ".gz"}
_WORTH_PACKING = 1024
_PACKED = frozenset({".png", ".woff2"})


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """A file in all the encodings that there are of it; the empty name is the file itself."""

    kind: str
    caching: str
    bodies: Mapping[str, bytes]
    tag: str
    policy: str = POLICY

    def answer(self, asked: Headers) -> Response:
        """Answer with the file, packed as whoever asks takes it, or say that they have it already."""
        accepted = _accepted(asked.get("accept-encoding", ""))
        encoding = next((one for one in _ENCODINGS if one in self.bodies and one in accepted), "")
        tag = f'"{self.tag}{encoding and "-"}{encoding}"'
        headers = {
            "Cache-Control": self.caching,
            "Content-Security-Policy": self.policy,
            "Cross-Origin-Opener-Policy": "same-origin",
            "ETag": tag,
            "Referrer-Policy": "no-referrer",
        }
        if encoding:
            headers["Vary"] = "Accept-Encoding"
        if tag in {one.strip().removeprefix("W/") for one in asked.get("if-none-match", "").split(",")}:
            return Response(status_code=304, headers=headers)
        packed = {"Content-Encoding": encoding} if encoding else {}
        return Response(self.bodies[encoding], headers=headers | packed, media_type=self.kind)


class Site:
    """An ASGI application: a built console, and for all that is none of its own another application."""

    # As the log and the numbers call it.
    path = "console"

    def __init__(self, files: Mapping[str, File], otherwise: ASGIApp) -> None:
        self._files = files
        self._otherwise = otherwise

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with a file, or the page that all of the console's addresses are."""
        found = self._found(Request(scope)) if scope["type"] == "http" else None
        if found is None:
            await self._otherwise(scope, receive, send)
            return
        scope["route"] = self
        await found.answer(Headers(scope=scope))(scope, receive, send)

    def _found(self, request: Request) -> File | None:
        path = request.scope["path"]
        if request.method not in {"GET", "HEAD"}:
            return None
        if path == "/" or (path not in self._files and _is_page(path, request.headers)):
            return self._files[INDEX]
        return self._files.get(path)


def add_to(app: FastAPI, folder: Path = BUILT) -> None:
    """Let an application answer with a console where it has no route."""
    app.router.default = Site(read(folder), app.router.default)


def read(folder: Path) -> dict[str, File]:
    """Read a built console; where there is none, a page that says how to build it."""
    found = {
        f"/{path.relative_to(folder).as_posix()}": _file(folder, path)
        for path in sorted(folder.rglob("*"))
        if path.suffix in TYPES and path.is_file()
    }
    return found if INDEX in found else {INDEX: _made(UNBUILT, ".html", ASK_AGAIN, UNBUILT_POLICY)}


def _file(folder: Path, path: Path) -> File:
    hashed = path.relative_to(folder).as_posix().startswith(HASHED.strip("/") + "/")
    beside = {name: path.with_name(path.name + suffix) for name, suffix in _ENCODINGS.items()}
    packed = {name: one.read_bytes() for name, one in beside.items() if one.is_file()}
    return _made(path.read_bytes(), path.suffix, FOR_EVER if hashed else ASK_AGAIN, POLICY, packed)


def _made(body: bytes, suffix: str, caching: str, policy: str, packed: Mapping[str, bytes] | None = None) -> File:
    bodies = {"": body, **(packed or {})}
    if suffix not in _PACKED and len(body) >= _WORTH_PACKING and "gzip" not in bodies:
        bodies["gzip"] = gzip.compress(body, mtime=0)
    tag = hashlib.sha256(body).hexdigest()[:32]
    return File(kind=TYPES[suffix], caching=caching, bodies=bodies, tag=tag, policy=policy)


def _accepted(header: str) -> set[str]:
    """Return the encodings that somebody takes."""
    parts = (part.partition(";") for part in header.lower().split(","))
    return {name.strip() for name, _, weight in parts if weight.replace(" ", "").rstrip("0.") != "q="}


def _is_page(path: str, headers: Headers) -> bool:
    """Tell whether a browser asks for a page of the console: none below the API, and no file."""
    first, *_ = path.lstrip("/").split("/")
    last = path.rpartition("/")[2]
    return first != "api" and "." not in last and "text/html" in headers.get("accept", "")
