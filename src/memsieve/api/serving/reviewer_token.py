"""The local reviewer's token: a file that only the user who runs the server can read."""

from __future__ import annotations

import os
import re
import secrets
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from memsieve.errors import ConfigError

FILE_NAME = "reviewer.token"
_TEXT = re.compile(r"msv_local_[A-Za-z0-9_-]{43}")
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
# Not on every system: follow no link, and do not wait for whoever might write into a pipe.
_CAREFULLY = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


def read_or_make(folder: Path) -> str:
    """Return the token in a data folder; the first to ask makes it."""
    path = folder / FILE_NAME
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Of two that start at once the second finds what the first has made.
        with suppress(FileNotFoundError):
            return _read(path)
        _make(path)
        return _read(path)
    except OSError as exc:
        raise ConfigError(
            f"Cannot use the token file {path}: {exc.strerror or exc}. Make it and its folder readable and writable "
            "for this user, or choose another folder with --data."
        ) from exc


def _read(path: Path) -> str:
    descriptor = os.open(path, os.O_RDONLY | _CAREFULLY)
    with open(descriptor, "rb") as file:  # noqa: PTH123 - a descriptor: what is looked at is what is read
        _require_private(path, os.fstat(descriptor))
        text = file.read(200).decode("ascii", "replace").strip()
    if not _TEXT.fullmatch(text):
        raise ConfigError(f"{path} holds no token. Remove it: the next start makes a new one.")
    return text


def _require_private(path: Path, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise ConfigError(f"{path} is no plain file. Remove it: the next start makes a new one.")
    if hasattr(os, "geteuid") and found.st_uid != os.geteuid():
        raise ConfigError(
            f"{path} belongs to another user, who could act as the reviewer. Remove it: the next start makes a new one."
        )
    if os.name == "posix" and found.st_mode & _OTHERS:
        raise ConfigError(
            f"Other users may read {path}, and with it act as the reviewer. Remove it, so that the next start makes a "
            f"new one; or, if nobody can have read it: chmod 600 {path}"
        )


def _make(path: Path) -> None:
    """Write a whole file beside it and put it in place at once, unless somebody else has."""
    # Made with mode 0600, and only if there is no such file.
    descriptor, beside = tempfile.mkstemp(dir=path.parent, prefix=f".{FILE_NAME}-")
    try:
        with open(descriptor, "w", encoding="ascii") as file:  # noqa: PTH123 - a descriptor
            file.write(f"msv_local_{secrets.token_urlsafe(32)}\n")
            file.flush()
            os.fsync(descriptor)
        with suppress(FileExistsError):
            os.link(beside, path)
    finally:
        os.unlink(beside)  # noqa: PTH108 - mkstemp gives a text
