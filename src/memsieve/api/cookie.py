"""A key in a cookie, for the console: only a page of this server's own origin may have it sent along."""

from __future__ import annotations

from starlette.requests import Request

from memsieve.errors import Forbidden

PATH = "/api/v1"
_NAME = "memsieve_key"
_SAFE = frozenset({"GET", "HEAD"})


def name_of(request: Request) -> str:
    """Return the cookie's name: browsers share cookies between ports, and two servers on a machine should not."""
    port = request.headers.get("host", "").rpartition(":")[2]
    return f"{_NAME}_{port}" if port.isascii() and port.isdigit() else _NAME


def key_of(request: Request) -> str | None:
    """Return the key of the cookie, and an empty text where there are two; from another page it raises Forbidden."""
    texts = _texts(request)
    if not texts:
        return None
    if not _from_own_page(request):
        raise Forbidden("The console's cookie is taken from its own pages only. Other programs send a key.")
    return texts[0] if len(texts) == 1 else ""


def given(request: Request, key: str) -> dict[str, str]:
    """Return the header that sets the cookie, until the browser is closed."""
    return {"Set-Cookie": f"{name_of(request)}={key}; {_attributes(request)}"}


def taken(request: Request) -> dict[str, str]:
    """Return the header that removes the cookie; none where none was sent."""
    if not _texts(request):
        return {}
    return {"Set-Cookie": f"{name_of(request)}=; Max-Age=0; {_attributes(request)}"}


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
