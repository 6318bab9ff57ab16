"""One writer at a time in a knowledge base, in whatever process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from filelock import FileLock, Timeout

from memsieve.errors import KnowledgeBaseError
from memsieve.kb import files
from memsieve.kb.layout import Layout

PATIENCE = 60.0


@contextmanager
def locked(layout: Layout, *, patience: float = PATIENCE) -> Iterator[None]:
    """Hold a knowledge base for writing; the system lets go of it when a process dies. Not to be taken twice."""
    layout.require_plain()
    for folder in (layout.root, layout.workspace):
        files.make_folder(folder)
    if layout.lock.is_symlink():
        raise KnowledgeBaseError("The lock is a link, and links are not followed. Remove it.", file=layout.lock)
    lock = FileLock(layout.lock, timeout=patience)
    try:
        lock.acquire()
    except Timeout as exc:
        raise KnowledgeBaseError(
            f"Another process has been writing for {patience:g} s, such as a `memsieve kb refine`. Wait until it is "
            "done, or end it, and try again.",
            file=layout.lock,
        ) from exc
    try:
        yield
    finally:
        lock.release()
