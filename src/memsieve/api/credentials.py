"""Credentials other than a key: the console's split key, and the token of the local reviewer.

The console's key is sent in two halves: one in a cookie, the other in a header that the page sets. Browsers send a
host's cookies to all its ports; what a page keeps is read by its own origin alone. Neither half says anything about the
key without the other, and the cookie is accepted only from a page of this server's own origin.

The reviewer's token is in a file that only the user who runs the server can read.
"""

from __future__ import annotations

import os
import re
import secrets
import stat
import tempfile
from base64 import b64decode, urlsafe_b64encode
from contextlib import suppress
from pathlib import Path

from starlette.requests import Request

from memsieve.errors import ConfigError, Forbidden

HALF_HEADER = "X-Memsieve-Half"
TOKEN_FILE = "reviewer.token"  # noqa: S105 - a file's name
_COOKIE = "memsieve_key"
_COOKIE_PATH = "/api/v1"
_SAFE_METHODS = frozenset({"GET", "HEAD"})
_TOKEN = re.compile(r"msv_local_[A-Za-z0-9_-]{43}")
_OTHER_USERS = stat.S_IRWXG | stat.S_IRWXO
# Not on every system: follow no link, and do not wait for the writer of a pipe.
_OPEN_FLAGS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


def key_from_halves(request: Request) -> str | None:
    """Return the key that cookie and header make, None where neither is sent, and an empty text where they make none.

    A cookie from another page raises Forbidden.
    """
    cookies, halves = _cookies(request), request.headers.getlist(HALF_HEADER)
    if not cookies and not halves:
        return None
    if cookies and not _from_own_page(request):
        raise Forbidden("The console's cookie is taken from its own pages only. Other programs send a key.")
    return _join(cookies[0], halves[0]) if len(cookies) == len(halves) == 1 else ""


def split_key(key: str) -> tuple[str, str]:
    """Return the halves of a key, for the cookie and for the page; each by itself is random."""
    text = key.encode("ascii")
    half = secrets.token_bytes(len(text))
    return _encode(_xor(text, half)), _encode(half)


def set_cookie(request: Request, text: str) -> dict[str, str]:
    """Return the header that sets the cookie until the browser is closed."""
    return {"Set-Cookie": f"{_cookie_name(request)}={text}; {_attributes(request)}"}


def clear_cookie(request: Request) -> dict[str, str]:
    """Return the header that removes the cookie; none where none was sent."""
    if not _cookies(request):
        return {}
    return {"Set-Cookie": f"{_cookie_name(request)}=; Max-Age=0; {_attributes(request)}"}


def _join(one: str, other: str) -> str:
    try:
        return _xor(_decode(one), _decode(other)).decode("ascii")
    except ValueError:  # not base64, not of one length, or no text
        return ""


def _xor(one: bytes, other: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(one, other, strict=True))


def _encode(half: bytes) -> str:
    return urlsafe_b64encode(half).decode("ascii").rstrip("=")


def _decode(text: str) -> bytes:
    return b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)


def _cookie_name(request: Request) -> str:
    """Return the cookie's name: browsers share cookies between ports, and two servers on a machine should not."""
    port = request.headers.get("host", "").rpartition(":")[2]
    return f"{_COOKIE}_{port}" if port.isascii() and port.isdigit() else _COOKIE


def _cookies(request: Request) -> list[str]:
    lines = request.headers.getlist("cookie")
    if not lines:
        return []
    name = _cookie_name(request)
    pairs = (pair.partition("=") for line in lines for pair in line.split(";"))
    return [text.strip() for found, _, text in pairs if found.strip() == name]


def _from_own_page(request: Request) -> bool:
    """Return whether a page of this origin asks.

    Browsers send `Sec-Fetch-Site` over https and on this machine. Elsewhere every request that changes anything has an
    origin, and SameSite keeps other sites from reading.
    """
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if site is not None:
        return site == "same-origin"
    if origin is not None:
        return origin.partition("://")[2].lower() == request.headers.get("host", "").lower()
    return request.method in _SAFE_METHODS


def _attributes(request: Request) -> str:
    # Behind a proxy that ends https, only the origin of the page shows that the browser uses it.
    secure = request.url.scheme == "https" or request.headers.get("origin", "").startswith("https://")
    return f"Path={_COOKIE_PATH}; HttpOnly; SameSite=Strict{'; Secure' if secure else ''}"


def reviewer_token(folder: Path) -> str:
    """Return the local reviewer's token in a data folder; the first call makes it."""
    path = folder / TOKEN_FILE
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Of two servers that start at once the second finds the token of the first.
        with suppress(FileNotFoundError):
            return _read_token(path)
        _make_token(path)
        return _read_token(path)
    except OSError as exc:
        raise ConfigError(
            f"Cannot use the token file {path}: {exc.strerror or exc}. Make it and its folder readable and writable "
            "for this user, or choose another folder with --data."
        ) from exc


def _read_token(path: Path) -> str:
    descriptor = os.open(path, os.O_RDONLY | _OPEN_FLAGS)
    with open(descriptor, "rb") as file:  # noqa: PTH123 - a descriptor: the file that is checked is the one read
        _require_private(path, os.fstat(descriptor))
        text = file.read(200).decode("ascii", "replace").strip()
    if not _TOKEN.fullmatch(text):
        raise ConfigError(f"{path} holds no token. Remove it: the next start makes a new one.")
    return text


def _require_private(path: Path, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise ConfigError(f"{path} is no plain file. Remove it: the next start makes a new one.")
    if hasattr(os, "geteuid") and found.st_uid != os.geteuid():
        raise ConfigError(
            f"{path} belongs to another user, who could act as the reviewer. Remove it: the next start makes a new one."
        )
    if os.name == "posix" and found.st_mode & _OTHER_USERS:
        raise ConfigError(
            f"Other users may read {path}, and with it act as the reviewer. Remove it, so that the next start makes a "
            f"new one; or, if nobody can have read it: chmod 600 {path}"
        )


def _make_token(path: Path) -> None:
    """Write a temporary file, and link it into place unless another process was first."""
    # mkstemp makes it with mode 0600.
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{TOKEN_FILE}-")
    try:
        with open(descriptor, "w", encoding="ascii") as file:  # noqa: PTH123 - a descriptor
            file.write(f"msv_local_{secrets.token_urlsafe(32)}\n")
            file.flush()
            os.fsync(descriptor)
        with suppress(FileExistsError):
            os.link(temporary, path)
    finally:
        os.unlink(temporary)  # noqa: PTH108 - mkstemp gives a text
