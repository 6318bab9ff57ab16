"""Files on disk: written whole or not at all, never through a link, never over another."""

from __future__ import annotations

import errno
import os
import stat
import uuid
from pathlib import Path

from memsieve.errors import KnowledgeBaseError

TEMPORARY = ".tmp-"
MOST = 1024 * 1024
# Without O_NONBLOCK a pipe that nobody writes to would be waited for.
_READING = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_MAKING = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_NO_LINKS = frozenset({errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EACCES})
_LINK = "This is a link, and links are not followed. Put the file itself here, or remove it."


def read(path: Path, *, most: int = MOST) -> bytes:
    """Return what a regular file holds; refuse links, folders, devices and what is too large."""
    descriptor = _open(path)
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise KnowledgeBaseError(f"This is {_kind(found.st_mode)}, not a file. Move it away.", file=path)
        content = _all(descriptor, most + 1)
    finally:
        os.close(descriptor)
    if len(content) > most:
        size = max(found.st_size, len(content))
        raise KnowledgeBaseError(f"This file has {size} bytes; {most} is the most. Split it.", file=path)
    return content


def create(path: Path, content: bytes) -> None:
    """Write a new file, on disk when this returns; FileExistsError where something of that name is there."""
    temporary = _written(path, content)
    try:
        _put(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
    sync_folder(path.parent)


def create_if_missing(path: Path, content: bytes) -> bool:
    """Write a new file unless something of that name is there; say whether it was written."""
    if os.path.lexists(path):
        return False
    try:
        create(path, content)
    except FileExistsError:
        return False
    return True


def replace(path: Path, content: bytes) -> None:
    """Write a file anew, on disk when this returns: a reader sees the old one or the new one. Hold the lock."""
    mode = path.lstat().st_mode if os.path.lexists(path) else None
    if mode is not None and not stat.S_ISREG(mode):
        raise KnowledgeBaseError(f"This is {_kind(mode)}, and is not written over. Move it away.", file=path)
    temporary = _written(path, content)
    try:
        if mode is not None:
            temporary.chmod(stat.S_IMODE(mode))
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    sync_folder(path.parent)


def remove(path: Path) -> None:
    """Remove a file, or the link of that name; one that is gone already is no error."""
    path.unlink(missing_ok=True)
    sync_folder(path.parent)


def clear_temporary(folder: Path) -> list[Path]:
    """Remove what a writer that was killed left half-written in a folder. Hold the lock."""
    left = [path for path in folder.glob(f"{TEMPORARY}*") if stat.S_ISREG(path.lstat().st_mode)]
    for path in left:
        path.unlink(missing_ok=True)
    return left


def make_folder(folder: Path) -> None:
    """Make a folder if it is missing, durably; its parent must be there."""
    try:
        folder.mkdir()
    except FileExistsError:
        require_folder(folder)
    else:
        sync_folder(folder.parent)


def require_folder(folder: Path) -> None:
    """Refuse what stands where a folder must, such as a link or a file; a missing folder is fine."""
    try:
        mode = folder.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISDIR(mode):
        raise KnowledgeBaseError(f"This is {_kind(mode)} where a folder must be. Move it away.", file=folder)


def sync_folder(folder: Path) -> None:
    """Put the names in a folder on disk, where the system can."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as exc:
        # Some network file systems cannot; they keep names by themselves.
        if exc.errno not in {errno.EINVAL, errno.ENOTSUP}:
            raise
    finally:
        os.close(descriptor)


def _open(path: Path) -> int:
    if not hasattr(os, "O_NOFOLLOW") and path.is_symlink():
        raise KnowledgeBaseError(_LINK, file=path)
    try:
        return os.open(path, _READING)
    except OSError as exc:
        if exc.errno in {errno.ELOOP, errno.EMLINK}:
            raise KnowledgeBaseError(_LINK, file=path) from exc
        if exc.errno in {errno.ENXIO, errno.EISDIR}:
            raise KnowledgeBaseError("This is no regular file. Move it away.", file=path) from exc
        if exc.errno in {errno.EACCES, errno.EPERM}:
            raise KnowledgeBaseError("This cannot be read: no permission. Change its mode.", file=path) from exc
        raise


def _all(descriptor: int, most: int) -> bytes:
    parts: list[bytes] = []
    while most > 0 and (part := os.read(descriptor, most)):
        parts.append(part)
        most -= len(part)
    return b"".join(parts)


def _written(path: Path, content: bytes) -> Path:
    """Write a hidden file beside the one that it will be, and wait until it is on disk."""
    temporary = path.with_name(f"{TEMPORARY}{uuid.uuid4().hex}")
    descriptor = os.open(temporary, _MAKING, 0o666)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return temporary


def _put(temporary: Path, path: Path) -> None:
    try:
        os.link(temporary, path, follow_symlinks=False)
    except OSError as exc:
        if exc.errno not in _NO_LINKS:
            raise
        # A file system without hard links: whoever writes holds the lock, so nobody comes between.
        if os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, "File exists", str(path)) from exc
        temporary.rename(path)


def _kind(mode: int) -> str:
    kinds = {stat.S_IFLNK: "a link", stat.S_IFDIR: "a folder", stat.S_IFREG: "a file", stat.S_IFIFO: "a pipe"}
    return kinds.get(stat.S_IFMT(mode), "a device or socket")
