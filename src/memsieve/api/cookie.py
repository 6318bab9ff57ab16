"""A key for the console, in two halves: the browser sends one as a cookie, and the page the other as a header.

Browsers send a host's cookies to all its ports; what a page keeps is read by its own origin alone. Neither half says
anything of the key without the other, and only a page of this server's own origin may have the cookie sent along.
"""

from __future__ import annotations

import secrets
from base64 import b64decode, urlsafe_b64encode

from starlette.requests import Request

from memsieve.errors import Forbidden

PATH = "/api/v1"
HALF = "X-Memsieve-Half"
_NAME = "memsieve_key"
_SAFE = frozenset({"GET", "HEAD"})


def name_of(request: Request) -> str:
    """Return the cookie's name: browsers share cookies between ports, and two servers on a machine should not."""
    port = request.headers.get("host", "").rpartition(":")[2]
    return f"{_NAME}_{port}" if port.isascii() and port.isdigit() else _NAME


def key_of(request: Request) -> str | None:
    """Return the key of both halves, None where neither is sent, and an empty text where they make none.

    A cookie from another page raises Forbidden.
    """
    cookies, halves = _texts(request), request.headers.getlist(HALF)
    if not cookies and not halves:
        return None
    if cookies and not _from_own_page(request):
        raise Forbidden("The console's cookie is taken from its own pages only. Other programs send a key.")
    return _joined(cookies[0], halves[0]) if len(cookies) == len(halves) == 1 else ""


def split(key: str) -> tuple[str, str]:
    """Return the halves of a key, for the cookie and for the page; each by itself is random."""
    text = key.encode("ascii")
    half = secrets.token_bytes(len(text))
    return _written(_mixed(text, half)), _written(half)


def given(request: Request, text: str) -> dict[str, str]:
    """Return the header that sets the cookie, until the browser is closed."""
    return {"Set-Cookie": f"{name_of(request)}={text}; {_attributes(request)}"}


def taken(request: Request) -> dict[str, str]:
    """Return the header that removes the cookie; none where none was sent."""
    if not _texts(request):
        return {}
    return {"Set-Cookie": f"{name_of(request)}=; Max-Age=0; {_attributes(request)}"}


def _joined(one: str, other: str) -> str:
    try:
        return _mixed(_read(one), _read(other)).decode("ascii")
    except ValueError:  # not base64, not of one length, or no text
        return ""


def _mixed(one: bytes, other: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(one, other, strict=True))


def _written(half: bytes) -> str:
    return urlsafe_b64encode(half).decode("ascii").rstrip("=")


def _read(text: str) -> bytes:
    return b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)


def _texts(request: Request) -> list[str]:
    lines = request.headers.getlist("cookie")
    if not lines:
        return []
    name = name_of(request)
    pairs = (pair.partition("=") for line in lines for pair in line.split(";"))
    return [text.strip() for found, _, text in pairs if found.strip() == name]


def _from_own_page(request: Request) -> bool:
    """Tell whether a page of this origin asks.

    Browsers tell the site of a page where they trust the connection: over https, and on this machine. Elsewhere the
    origin says it, which comes with all that changes anything; what only reads, SameSite keeps from other sites.
    """
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if site is not None:
        return site == "same-origin"
    if origin is not None:
        return origin.partition("://")[2].lower() == request.headers.get("host", "").lower()
    return request.method in _SAFE


def _attributes(request: Request) -> str:
    # Where a proxy speaks https with the browser and http with this server, the origin of the page tells.
    secure = request.url.scheme == "https" or request.headers.get("origin", "").startswith("https://")
    return f"Path={PATH}; HttpOnly; SameSite=Strict{'; Secure' if secure else ''}"
