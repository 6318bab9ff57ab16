"""The built console: files read once into memory, and served wherever no route matches."""

from __future__ import annotations

import base64
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

BUILT = Path(__file__).parent / "console"
INDEX = "/index.html"
# Their names contain a hash of their content.
HASHED = "/assets/"
IMMUTABLE = "public, max-age=31536000, immutable"
REVALIDATE = "no-cache"
POLICY = (
    "default-src 'self'; img-src 'self' data:; style-src 'self'; script-src 'self'; connect-src 'self'; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
)
# Not the system's table, which may be configured otherwise: a browser runs no script of another type.
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
_LEAST_COMPRESSED_BYTES = 1024
_COMPRESSED_TYPES = frozenset({".png", ".woff2"})

# The page in place of a console that is not built: how to build it.
_STYLE = """
:root { color-scheme: light dark; font: 1.05rem/1.6 system-ui, "PingFang SC", "Noto Sans CJK SC", sans-serif; }
body { max-width: 38rem; margin: 12vh auto; padding: 0 1.5rem; }
h1 { font-size: 1.4rem; margin: 0 0 .5rem; }
section { margin-bottom: 2.5rem; }
code { padding: .1rem .35rem; border-radius: .3rem; background: color-mix(in srgb, currentColor 10%, transparent); }
"""
_UNBUILT_PAGE = f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>memsieve</title>
<style>{_STYLE}</style>
</head>
<body>
<main>
<section>
<h1>The server runs; its console is not built</h1>
<p>In the repository, with Node 20.19 or newer: <code>make console</code>. Then start the server again.</p>
<p>The API needs no console: <a href="/openapi.json">openapi.json</a> describes it, and <a href="/readyz">readyz</a>
says whether all is well.</p>
</section>
<section lang="zh">
<h1>服务器正在运行，控制台尚未构建</h1>
<p>请在代码仓库中运行 <code>make console</code>（需要 Node 20.19 或更高版本），然后重新启动服务器。</p>
<p>API 无需控制台即可使用：说明见 <a href="/openapi.json">openapi.json</a>，
运行状态见 <a href="/readyz">readyz</a>。</p>
</section>
</main>
</body>
</html>
"""
_STYLE_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()

_UNBUILT = _UNBUILT_PAGE.encode()
_UNBUILT_POLICY = (
    f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """A file in its encodings; the empty name is the file itself."""

    media_type: str
    caching: str
    bodies: Mapping[str, bytes]
    tag: str
    policy: str = POLICY

    def response(self, request: Headers) -> Response:
        """Return the file in an encoding that the client accepts, or 304."""
        accepted = _accepted(request.get("accept-encoding", ""))
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
        if tag in {one.strip().removeprefix("W/") for one in request.get("if-none-match", "").split(",")}:
            return Response(status_code=304, headers=headers)
        encoded = {"Content-Encoding": encoding} if encoding else {}
        return Response(self.bodies[encoding], headers=headers | encoded, media_type=self.media_type)


class StaticFiles:
    """ASGI application: the console's files, and another application for all other addresses."""

    # The route in logs and metrics.
    path = "console"

    def __init__(self, files: Mapping[str, File], otherwise: ASGIApp) -> None:
        self._files = files
        self._otherwise = otherwise

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with a file, or with the index page for an address of the console."""
        found = self._found(Request(scope)) if scope["type"] == "http" else None
        if found is None:
            await self._otherwise(scope, receive, send)
            return
        scope["route"] = self
        await found.response(Headers(scope=scope))(scope, receive, send)

    def _found(self, request: Request) -> File | None:
        path = request.scope["path"]
        if request.method not in {"GET", "HEAD"}:
            return None
        if path == "/" or (path not in self._files and _is_page(path, request.headers)):
            return self._files[INDEX]
        return self._files.get(path)


def add_to(app: FastAPI, folder: Path = BUILT) -> None:
    """Serve a console where an application has no route."""
    app.router.default = StaticFiles(read(folder), app.router.default)


def read(folder: Path) -> dict[str, File]:
    """Read a built console, or return a page that says how to build one."""
    found = {
        f"/{path.relative_to(folder).as_posix()}": _file(folder, path)
        for path in sorted(folder.rglob("*"))
        if path.suffix in TYPES and path.is_file()
    }
    return found if INDEX in found else {INDEX: _make(_UNBUILT, ".html", REVALIDATE, _UNBUILT_POLICY)}


def _file(folder: Path, path: Path) -> File:
    hashed = path.relative_to(folder).as_posix().startswith(HASHED.strip("/") + "/")
    compressed_paths = {name: path.with_name(path.name + suffix) for name, suffix in _ENCODINGS.items()}
    compressed = {name: one.read_bytes() for name, one in compressed_paths.items() if one.is_file()}
    return _make(path.read_bytes(), path.suffix, IMMUTABLE if hashed else REVALIDATE, POLICY, compressed)


def _make(body: bytes, suffix: str, caching: str, policy: str, compressed: Mapping[str, bytes] | None = None) -> File:
    bodies = {"": body, **(compressed or {})}
    if suffix not in _COMPRESSED_TYPES and len(body) >= _LEAST_COMPRESSED_BYTES and "gzip" not in bodies:
        bodies["gzip"] = gzip.compress(body, mtime=0)
    tag = hashlib.sha256(body).hexdigest()[:32]
    return File(media_type=TYPES[suffix], caching=caching, bodies=bodies, tag=tag, policy=policy)


def _accepted(header: str) -> set[str]:
    """Return the encodings that a client accepts."""
    parts = (part.partition(";") for part in header.lower().split(","))
    return {name.strip() for name, _, weight in parts if weight.replace(" ", "").rstrip("0.") != "q="}


def _is_page(path: str, headers: Headers) -> bool:
    """Return whether a browser asks for a page of the console: not below the API, and no file."""
    first, *_ = path.lstrip("/").split("/")
    last = path.rpartition("/")[2]
    return first != "api" and "." not in last and "text/html" in headers.get("accept", "")
