"""Atomic file operations: a file is written whole or not at all, and never through a link."""

from __future__ import annotations

import errno
import os
import stat
import uuid
from pathlib import Path

from memsieve.errors import KnowledgeBaseError

TEMPORARY = ".tmp-"
MOST = 1024 * 1024
# Without O_NONBLOCK, opening a pipe without a writer would block.
_READ_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_CREATE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_NO_HARD_LINKS = frozenset({errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EACCES})
_NO_LINK_FOLLOWED = "This is a link, and links are not followed. Put the file itself here, or remove it."


def read(path: Path, *, most: int = MOST) -> bytes:
    """Read a regular file; refuse links, folders, devices and files over the limit."""
    descriptor = _open(path)
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise KnowledgeBaseError(f"This is {_kind(found.st_mode)}, not a file. Move it away.", file=path)
        content = _read_up_to(descriptor, most + 1)
    finally:
        os.close(descriptor)
    if len(content) > most:
        size = max(found.st_size, len(content))
        raise KnowledgeBaseError(f"This file has {size} bytes; {most} is the most. Split it.", file=path)
    return content


def create(path: Path, content: bytes) -> None:
    """Create a file, durable on return; FileExistsError if something has that name."""
    temporary = _write_temporary(path, content)
    try:
        _link(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
    sync_folder(path.parent)


def create_if_missing(path: Path, content: bytes) -> bool:
    """Create a file unless something has that name; say whether it was created."""
    if os.path.lexists(path):
        return False
    try:
        create(path, content)
    except FileExistsError:
        return False
    return True


def replace(path: Path, content: bytes) -> None:
    """Replace a file, durable on return: a reader sees the old content or the new. Hold the lock."""
    mode = path.lstat().st_mode if os.path.lexists(path) else None
    if mode is not None and not stat.S_ISREG(mode):
        raise KnowledgeBaseError(f"This is {_kind(mode)}, and is not written over. Move it away.", file=path)
    temporary = _write_temporary(path, content)
    try:
        if mode is not None:
            temporary.chmod(stat.S_IMODE(mode))
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    sync_folder(path.parent)


def remove(path: Path) -> None:
    """Delete a file or link durably; a missing one is no error."""
    path.unlink(missing_ok=True)
    sync_folder(path.parent)


def clear_temporary(folder: Path) -> list[Path]:
    """Delete the temporary files of killed writers in a folder. Hold the lock."""
    left = [path for path in folder.glob(f"{TEMPORARY}*") if stat.S_ISREG(path.lstat().st_mode)]
    for path in left:
        path.unlink(missing_ok=True)
    return left


def make_folder(folder: Path) -> None:
    """Create a folder if it is missing, durably; its parent must exist."""
    try:
        folder.mkdir()
    except FileExistsError:
        require_folder(folder)
    else:
        sync_folder(folder.parent)


def require_folder(folder: Path) -> None:
    """Refuse a link or a file in place of a folder; a missing folder is fine."""
    try:
        mode = folder.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISDIR(mode):
        raise KnowledgeBaseError(f"This is {_kind(mode)} where a folder must be. Move it away.", file=folder)


def sync_folder(folder: Path) -> None:
    """Flush the names in a folder to disk, if the system can."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as exc:
        # Some network file systems cannot; they flush names by themselves.
        if exc.errno not in {errno.EINVAL, errno.ENOTSUP}:
            raise
    finally:
        os.close(descriptor)


def _open(path: Path) -> int:
    if not hasattr(os, "O_NOFOLLOW") and path.is_symlink():
        raise KnowledgeBaseError(_NO_LINK_FOLLOWED, file=path)
    try:
        return os.open(path, _READ_FLAGS)
    except OSError as exc:
        if exc.errno in {errno.ELOOP, errno.EMLINK}:
            raise KnowledgeBaseError(_NO_LINK_FOLLOWED, file=path) from exc
        if exc.errno in {errno.ENXIO, errno.EISDIR}:
            raise KnowledgeBaseError("This is no regular file. Move it away.", file=path) from exc
        if exc.errno in {errno.EACCES, errno.EPERM}:
            raise KnowledgeBaseError("This cannot be read: no permission. Change its mode.", file=path) from exc
        raise


def _read_up_to(descriptor: int, most: int) -> bytes:
    parts: list[bytes] = []
    while most > 0 and (part := os.read(descriptor, most)):
        parts.append(part)
        most -= len(part)
    return b"".join(parts)


def _write_temporary(path: Path, content: bytes) -> Path:
    """Write a temporary file beside the target and flush it to disk."""
    temporary = path.with_name(f"{TEMPORARY}{uuid.uuid4().hex}")
    descriptor = os.open(temporary, _CREATE_FLAGS, 0o666)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return temporary


def _link(temporary: Path, path: Path) -> None:
    try:
        os.link(temporary, path, follow_symlinks=False)
    except OSError as exc:
        if exc.errno not in _NO_HARD_LINKS:
            raise
        # A file system without hard links: the writer holds the lock, so there is no race.
        if os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, "File exists", str(path)) from exc
        temporary.rename(path)


def _kind(mode: int) -> str:
    kinds = {stat.S_IFLNK: "a link", stat.S_IFDIR: "a folder", stat.S_IFREG: "a file", stat.S_IFIFO: "a pipe"}
    return kinds.get(stat.S_IFMT(mode), "a device or socket")
