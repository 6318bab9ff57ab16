"""Log lines on standard error, of the server and of workers: as JSON, or as text for people.

No line contains a secret, a header, a URL's query, or any content that was recorded or asked.
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
# They log every start and every connection.
_VERBOSE = ("uvicorn.error", "httpx", "httpcore", "psycopg.pool")
_COLOURS = {logging.WARNING: "\x1b[33m", logging.ERROR: "\x1b[31m", logging.CRITICAL: "\x1b[31m"}
_RESET = "\x1b[0m"
# Text from outside must not control the terminal.
_CONTROL = re.compile(rf"[\x00-\x1f\x7f-\x9f{UNSEEN}]|[\ud800-\udfff]")

ExceptionInfo = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


def server_logging(*, as_json: bool) -> dict[str, Any]:
    """Return the `logging` configuration of a server's process: JSON, or text on a terminal."""
    text = sys.stderr.isatty() and not as_json
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"()": TextFormatter if text else JsonFormatter}},
        "handlers": {"line": {"class": "logging.StreamHandler", "formatter": "line", "stream": "ext://sys.stderr"}},
        "root": {"handlers": ["line"], "level": "WARNING"},
        "loggers": {"memsieve": {"level": "INFO"}, **{name: {"level": "WARNING"} for name in _VERBOSE}},
    }


class JsonFormatter(logging.Formatter):
    """Formats a record as one line of JSON in ASCII, with the fields of its `document`."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        document: Mapping[str, Any] = getattr(record, "document", {})
        line = {
            "at": _moment(record).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **{name: value for name, value in document.items() if value is not None},
        }
        if record.exc_info:
            line["trace"] = safe_trace(record.exc_info)
        return json.dumps(line, default=str)


class TextFormatter(logging.Formatter):
    """Formats a record for people: on a terminal with colours and the time of day, else with date and level."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, and below it the trace of an error."""
        message = _CONTROL.sub(lambda found: ascii(found[0])[1:-1], record.getMessage())
        if sys.stderr.isatty():
            colour = _COLOURS.get(record.levelno)
            line = f"{_moment(record).astimezone():%H:%M:%S} {message}"
            line = line if colour is None else f"{colour}{line}{_RESET}"
        else:
            line = f"{_moment(record).isoformat(timespec='seconds')} {record.levelname.lower()} {message}"
        return f"{line}\n{safe_trace(record.exc_info)}" if record.exc_info else line


def safe_trace(error_info: ExceptionInfo) -> str:
    """Return the trace of an error, with the messages of memsieve's and the system's own errors alone.

    A driver's error quotes the row that it is about, and a parser's the text.
    """
    lines: list[str] = []
    error = error_info[1]
    while error is not None:
        message = f": {error}" if isinstance(error, MemsieveError | OSError) else ""
        frames = [line.rstrip("\n") for line in traceback.format_tb(error.__traceback__)]
        lines[:0] = [*frames, f"{type(error).__name__}{message}"]
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return "\n".join(lines)


def _moment(record: logging.LogRecord) -> datetime:
    return datetime.fromtimestamp(record.created, UTC)
