"""Where words go: results to standard output, as JSON or for people; everything else to standard error."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from operator import methodcaller
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol

import typer

from memsieve.validate import UNSEEN

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

# What an agent wrote must not move the cursor, colour the screen, turn the reading direction of a terminal, or hide.
_COMMANDING = re.compile(rf"[\x00-\x08\x0b-\x1f\x7f-\x9f{UNSEEN}]|[\ud800-\udfff]")
_UNESCAPED_BY_JSON = re.compile(r"[\x7f-\x9f\ud800-\udfff]")


class Advance(Protocol):
    """Moves a progress bar to what is done, of a total where that is known only now."""

    def __call__(self, done: int, total: int | None = None, /) -> None: ...


def printable(text: str) -> str:
    """Return a text with everything that would command the terminal, or that nobody sees, written out."""
    return _COMMANDING.sub(lambda found: found[0].encode("unicode_escape", "surrogatepass").decode(), text)


def wants_json(as_json: bool) -> bool:
    """Say whether the result is for a program: asked for, or standard output is no terminal."""
    return as_json or not sys.stdout.isatty()


def show(
    document: dict[str, Any] | Callable[[ModuleType], Any],
    picture: Callable[[ModuleType], RenderableType],
    *,
    as_json: bool,
    drawn_by: str = "screens",
) -> None:
    """Print a command's one result: for programs, made of `memsieve.documents`; for people, by a module of screens."""
    # Either is imported here: a program need not wait for tables, and a person not for pydantic.
    if wants_json(as_json):
        say(json_line(document(import_module("memsieve.documents")) if callable(document) else document))
        return
    screen().print(picture(import_module(f"memsieve.cli.{drawn_by}")))


def json_line(document: Any) -> str:
    """Return a document, or an object that holds some, as one line of JSON, readable in every language."""
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
