"""What a command prints and how it exits: results to standard output, all else to standard error; exit codes."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from operator import methodcaller
from typing import TYPE_CHECKING, Any, Protocol

import typer

from memsieve.errors import (
    ConfigError,
    Conflict,
    EmbedderError,
    Forbidden,
    InvalidInput,
    JudgeError,
    KnowledgeBaseError,
    MemsieveError,
    NotFound,
    SchemaOutdated,
    StoreCorrupt,
    StoreUnavailable,
)
from memsieve.validate import UNSEEN

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from memsieve import documents
    from memsieve.cli import digest_screens
    from memsieve.cli import drawing as draw
else:

    class LazyModule:
        """A module that is imported when first used: JSON output needs no tables, and a screen no pydantic."""

        def __init__(self, name: str) -> None:
            self._name = name

        def __getattr__(self, attribute: str) -> Any:
            return getattr(import_module(self._name), attribute)

    documents, draw = LazyModule("memsieve.documents"), LazyModule("memsieve.cli.drawing")
    digest_screens = LazyModule("memsieve.cli.digest_screens")

__all__ = [
    "EXIT_CODES",
    "PROBLEM_FOUND",
    "USAGE",
    "Advance",
    "complain",
    "digest_screens",
    "documents",
    "draw",
    "exit_code",
    "json_line",
    "note",
    "printable",
    "progress",
    "say",
    "screen",
    "show",
    "wants_json",
]

# What an agent wrote must not move the cursor, colour the screen, turn the reading direction of a terminal, or hide.
_COMMANDING = re.compile(rf"[\x00-\x08\x0b-\x1f\x7f-\x9f{UNSEEN}]|[\ud800-\udfff]")
_UNESCAPED_BY_JSON = re.compile(r"[\x7f-\x9f\ud800-\udfff]")


USAGE = 2
PROBLEM_FOUND = 8

_CODES: dict[type[MemsieveError], int] = {
    InvalidInput: USAGE,
    ConfigError: USAGE,
    NotFound: 3,
    Conflict: 4,
    Forbidden: 5,
    StoreUnavailable: 6,
    StoreCorrupt: 6,
    SchemaOutdated: 6,
    KnowledgeBaseError: 6,
    EmbedderError: 7,
    JudgeError: 7,
}

EXIT_CODES = """\
[bold]Exit codes[/bold]
  0    done; an entry that the filter refused is done, too
  1    something unexpected: please report it; one of several has failed
  2    wrong usage, input or settings
  3    no such entry, insight, memory or project
  4    the request disagrees with what is stored
  5    not allowed: this needs a person, or a key that is valid and may do it
  6    the store is down, damaged or of another version; a knowledge base is missing or broken
  7    the embedder or the judge failed
  8    `doctor`, `audit verify`, `migrate --check` or `kb check` found something
  130  interrupted
"""


class Advance(Protocol):
    """Moves a progress bar to what is done, of a total where that is known only now."""

    def __call__(self, done: int, total: int | None = None, /) -> None: ...


def printable(text: str) -> str:
    """Return a text with control and invisible characters written out."""
    return _COMMANDING.sub(lambda found: found[0].encode("unicode_escape", "surrogatepass").decode(), text)


def wants_json(as_json: bool) -> bool:
    """Return whether to print JSON: asked for, or standard output is no terminal."""
    return as_json or not sys.stdout.isatty()


def show(document: dict[str, Any] | Callable[[], Any], picture: Callable[[], RenderableType], *, as_json: bool) -> None:
    """Print a command's one result: for programs, as JSON; for people, as a picture."""
    if wants_json(as_json):
        say(json_line(document() if callable(document) else document))
    else:
        screen().print(picture())


def json_line(document: Any) -> str:
    """Return a document, or an object of documents, as one line of JSON, readable in every language."""
    written = json.dumps(document, ensure_ascii=False, allow_nan=False, default=methodcaller("plain"))
    return _UNESCAPED_BY_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", written)


def say(text: str) -> None:
    """Print a line to standard output, in UTF-8 whatever the locale."""
    typer.echo(text.encode())


def note(text: str) -> None:
    """Print a line for people to standard error."""
    typer.echo(printable(text), err=True)


def complain(kind: str, message: str, *, as_json: bool) -> None:
    """Print an error to standard error."""
    if as_json:
        typer.echo(json_line({"error": {"type": kind, "message": message}}).encode(), err=True)
    else:
        typer.secho(f"Error: {printable(message)}", fg="red", err=True)


def screen(*, stderr: bool = False) -> Console:
    """Return a console for people, which takes text as it is."""
    from rich.console import Console

    return Console(stderr=stderr, highlight=False, markup=False, emoji=False)


@contextmanager
def progress(title: str, total: int | None = None) -> Iterator[Advance]:
    """Yield what moves a progress bar, which only a person at a terminal sees."""
    if not sys.stderr.isatty():
        yield lambda _done, _total=None: None
        return
    from rich.progress import Progress

    with Progress(console=screen(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=total)
        yield lambda done, total=None: bar.update(task, completed=done, total=total)


def exit_code(error: MemsieveError) -> int:
    """Return the exit code of an error: its own, or that of the nearest class above it."""
    return next((_CODES[kind] for kind in type(error).__mro__ if kind in _CODES), 1)
