"""What the server logs: one line each to standard error, as JSON or, on a terminal, for people.

No line holds a secret, a header, an address's query, or anything that somebody recorded or asked.
"""

from __future__ import annotations

import json
import logging
import re
import sys
import traceback
from collections.abc import Mapping
from datetime import UTC, datetime
from types import TracebackType
from typing import Any

from memsieve.errors import MemsieveError
from memsieve.validate import UNSEEN

ACCESS = "memsieve.api.access"
# They say of every start and every connection what is of no use to whoever runs the server.
_TALKATIVE = ("uvicorn.error", "httpx", "httpcore", "psycopg.pool")
_COLOURS = {logging.WARNING: "\x1b[33m", logging.ERROR: "\x1b[31m", logging.CRITICAL: "\x1b[31m"}
_PLAIN = "\x1b[0m"
# What came from outside must not command the terminal.
_COMMANDING = re.compile(rf"[\x00-\x1f\x7f-\x9f{UNSEEN}]|[\ud800-\udfff]")

Failure = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


def configuration(*, as_json: bool) -> dict[str, Any]:
    """Return how Python's logging is to be set up, in this process or in a worker."""
    people = sys.stderr.isatty() and not as_json
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"()": PeopleLine if people else JsonLine}},
        "handlers": {"line": {"class": "logging.StreamHandler", "formatter": "line", "stream": "ext://sys.stderr"}},
        "root": {"handlers": ["line"], "level": "WARNING"},
        "loggers": {"memsieve": {"level": "INFO"}, **{name: {"level": "WARNING"} for name in _TALKATIVE}},
    }


class JsonLine(logging.Formatter):
    """Writes a record as one line of JSON, in ASCII; its `document` stands beside its words."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        said: Mapping[str, Any] = getattr(record, "document", {})
        line = {
            "at": _moment(record).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **{name: value for name, value in said.items() if value is not None},
        }
        if record.exc_info:
            line["trace"] = told(record.exc_info)
        return json.dumps(line, default=str)


class PeopleLine(logging.Formatter):
    """Writes a record for people at a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, and below it where an error came from."""
        words = _COMMANDING.sub(lambda found: ascii(found[0])[1:-1], record.getMessage())
        colour = _COLOURS.get(record.levelno)
        line = f"{_moment(record).astimezone():%H:%M:%S} {words}"
        if colour is not None:
            line = f"{colour}{line}{_PLAIN}"
        return f"{line}\n{told(record.exc_info)}" if record.exc_info else line


def told(failure: Failure) -> str:
    """Return where an error came from, without its own words unless they are ours.

    A driver's error repeats the row that it is about, and a parser's the text.
    """
    lines: list[str] = []
    error = failure[1]
    while error is not None:
        words = f": {error}" if isinstance(error, MemsieveError | OSError) else ""
        lines[:0] = [*_frames(error), f"{type(error).__name__}{words}"]
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return "\n".join(lines)


def _frames(error: BaseException) -> list[str]:
    return [line.rstrip("\n") for line in traceback.format_tb(error.__traceback__)]


def _moment(record: logging.LogRecord) -> datetime:
    return datetime.fromtimestamp(record.created, UTC)
