"""Which task is at hand: what was named, or else one that lasts until the next refine."""

from __future__ import annotations

import os
import uuid

from memsieve import validate
from memsieve.errors import InvalidInput, KnowledgeBaseError
from memsieve.kb import files
from memsieve.kb.document import decode
from memsieve.kb.layout import Layout

VARIABLE = "MEMSIEVE_TASK"
_MOST = 4096


def named(task: str | None = None) -> str | None:
    """Return the task that the caller or $MEMSIEVE_TASK names, if any."""
    given = os.environ.get(VARIABLE) or None if task is None else task
    return None if given is None else validate.name(given, field="task")


def peek(layout: Layout) -> str | None:
    """Return the base's own task at hand, or None before its first item is written."""
    try:
        text = decode(files.read(layout.task, most=_MOST), file=layout.task)
    except FileNotFoundError:
        return None
    try:
        return validate.name(text, field="task")
    except InvalidInput as exc:
        raise KnowledgeBaseError(f"This is no name of a task: {exc} Or remove the file.", file=layout.task) from exc


def current(layout: Layout, task: str | None = None) -> str:
    """Return the task of what is written now; the base's own begins where none is named. Hold the lock."""
    return named(task) or peek(layout) or _begin(layout)


def renew(layout: Layout) -> None:
    """End the base's own task; what is written next begins another. Hold the lock."""
    files.remove(layout.task)


def _begin(layout: Layout) -> str:
    made = f"task-{uuid.uuid4()}"
    files.replace(layout.task, f"{made}\n".encode())
    return made
