"""Write-ahead journal of a refine run: each step is durable before it is carried out, so the next run can finish it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

from memsieve.kb.files import atomic
from memsieve.kb.refine.report import RefinedFile

_APPEND_FLAGS = os.O_WRONLY | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True, slots=True)
class Write:
    """A file to write; `before` is the hash of its content when this was decided, None if there was no file."""

    path: str
    text: str
    before: str | None


@dataclass(frozen=True, slots=True)
class Delete:
    """A file to delete, if its content still has the hash `before`."""

    path: str
    before: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RefineStep:
    """The decision on findings that say the same; it is idempotent, and writes come before deletions."""

    items: tuple[RefinedFile, ...]
    write: Write | None = None
    deletes: tuple[Delete, ...] = ()
    # The path of a new atom: its relations link back to it before the finding is deleted.
    atom: str | None = None

    def row(self) -> dict[str, Any]:
        """Return the step as a row of the journal."""
        return asdict(self)

    @classmethod
    def read(cls, row: Mapping[str, Any]) -> Self:
        """Parse a row of the journal."""
        return cls(
            items=tuple(RefinedFile.read(each) for each in row["items"]),
            write=None if row["write"] is None else Write(**row["write"]),
            deletes=tuple(Delete(**each) for each in row["deletes"]),
            atom=row["atom"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RefineRun:
    """One run of refine: its id, the task that it ends, and its start."""

    id: str
    task: str | None
    at: str


@dataclass(slots=True)
class Journal:
    """The steps of a run, one JSON line each; a dry run keeps them in memory."""

    path: Path
    run: RefineRun
    steps: list[RefineStep] = field(default_factory=list)
    resumed: bool = False
    dry: bool = False

    @classmethod
    def open(cls, path: Path, run: RefineRun, *, dry: bool) -> Journal:
        """Resume the journal of an interrupted run, or begin one for this run."""
        rows = list(_rows(path))
        begun = [each for row in rows if (each := _run(row)) is not None]
        if begun:
            return cls(
                path, begun[0], [step for row in rows if (step := _step(row)) is not None], resumed=True, dry=dry
            )
        journal = cls(path, run, dry=dry)
        journal._append({"run": asdict(run)}, anew=True)
        return journal

    def add(self, step: RefineStep) -> None:
        """Append a step, durable on return."""
        self._append({"step": step.row()})
        self.steps.append(step)

    def close(self) -> None:
        """Delete the journal of a finished run."""
        if not self.dry:
            atomic.remove(self.path)

    def _append(self, row: dict[str, Any], *, anew: bool = False) -> None:
        if self.dry:
            return
        start = os.O_CREAT | os.O_TRUNC if anew else 0
        # A line that a crash cut short must not merge with this one.
        line = b"\n" + json.dumps(row).encode() + b"\n"
        handle = os.open(self.path, _APPEND_FLAGS | start, 0o644)
        try:
            with os.fdopen(handle, "wb", closefd=False) as file:
                file.write(line)
            os.fsync(handle)
        finally:
            os.close(handle)
        if anew:
            atomic.sync_folder(self.path.parent)


def unfinished(path: Path) -> bool:
    """Say whether an interrupted run waits to be finished."""
    return any(_run(row) is not None for row in _rows(path))


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the complete lines of a journal; a line that a crash cut short was not carried out."""
    if path.is_symlink() or not path.is_file():
        return
    with path.open("rb") as lines:
        for line in lines:
            with suppress(ValueError, RecursionError):
                row = json.loads(line)
                if isinstance(row, dict):
                    yield row


def _run(row: dict[str, Any]) -> RefineRun | None:
    try:
        run = RefineRun(**row["run"])
    except (KeyError, TypeError):
        return None
    return run if isinstance(run.id, str) and isinstance(run.at, str) else None


def _step(row: dict[str, Any]) -> RefineStep | None:
    try:
        return RefineStep.read(row["step"])
    except (KeyError, TypeError, ValueError):
        return None
