"""What goes on in a process that runs for long: one line each to standard error, for people or as JSON."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import typer

from memsieve.cli.output import json_line, note, printable

# A worker says itself, in words, what these would say with a traceback each time.
_KNOWN = ("psycopg.pool",)
_COLOURS = {logging.WARNING: "yellow", logging.ERROR: "red", logging.CRITICAL: "red"}


class Lines(logging.Handler):
    """Writes each record as one line; a mapping as its `document` says in JSON what the words say to people."""

    def __init__(self, *, as_json: bool) -> None:
        super().__init__()
        self._as_json = as_json

    def emit(self, record: logging.LogRecord) -> None:
        """Write one line."""
        try:
            self._write(record)
        except Exception:  # noqa: BLE001 - a line that cannot be written must not end the work
            self.handleError(record)

    def _write(self, record: logging.LogRecord) -> None:
        at = datetime.fromtimestamp(record.created, UTC)
        trace = logging.Formatter().formatException(record.exc_info) if record.exc_info else None
        if self._as_json:
            typer.echo(json_line(_document(record, at, trace)).encode(), err=True)
            return
        if sys.stderr.isatty():
            line = f"{at.astimezone():%H:%M:%S} {printable(record.getMessage())}"
            typer.secho(line, fg=_COLOURS.get(record.levelno), err=True)
        else:
            note(f"{at.isoformat(timespec='seconds')} {record.levelname.lower()} {record.getMessage()}")
        if trace:
            typer.echo("\n".join(map(printable, trace.splitlines())), err=True)


def _document(record: logging.LogRecord, at: datetime, trace: str | None) -> dict[str, Any]:
    said: Mapping[str, Any] = getattr(record, "document", None) or {"message": record.getMessage()}
    document = {"at": at.isoformat(timespec="milliseconds"), "level": record.levelname.lower(), **said}
    return document if trace is None else {**document, "trace": trace}


@contextmanager
def lines(*, as_json: bool) -> Iterator[None]:
    """Write what memsieve logs, and what goes wrong anywhere, while the block lasts."""
    ours, root, handler = logging.getLogger("memsieve"), logging.getLogger(), Lines(as_json=as_json)
    handler.addFilter(_wanted)
    level = ours.level
    root.addHandler(handler)
    ours.setLevel(logging.INFO)
    try:
        yield
    finally:
        root.removeHandler(handler)
        ours.setLevel(level)


def _wanted(record: logging.LogRecord) -> bool:
    if record.levelno < logging.WARNING and not record.name.startswith("memsieve"):
        return False
    failed = record.exc_info[1] if record.exc_info else None
    outage = type(failed).__module__.startswith(("procrastinate", "psycopg"))
    return not outage and record.name not in _KNOWN and getattr(record, "action", "") != "job_error"
