"""The options that commands share, and how their values are read."""

from __future__ import annotations

import sys
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memsieve.cli.target import Target
from memsieve.errors import InvalidInput

if TYPE_CHECKING:
    from memsieve.cli.target import Opened
    from memsieve.config import Settings
    from memsieve.memory import Memory

Project = Annotated[
    str, typer.Option("--project", "--group", help="The project; nothing of any other project is reached.")
]
Data = Annotated[
    Path | None,
    typer.Option(
        "--data", help="The data folder; else $MEMSIEVE_DATA, else ./.memsieve.", show_default=False, metavar="PATH"
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, as when the output is piped.")]
Server = Annotated[
    str | None,
    typer.Option(
        "--server", help="A server instead, with the key in $MEMSIEVE_KEY.", show_default=False, metavar="URL"
    ),
]
By = Annotated[
    str | None,
    typer.Option(
        "--by",
        help="Your name: a person answers for this. A server knows it by the key.",
        metavar="WHO",
        show_default=False,
    ),
]
Reason = Annotated[str, typer.Option("--reason", help="Why; it stands in the audit log.")]
Days = Annotated[float | None, typer.Option("--days", help="Only the last so many days.", show_default=False)]


def examples(*lines: str) -> str:
    """Return the examples that stand below a command's help, as they can be pasted."""
    from textwrap import indent

    shown = "\n".join(lines).replace("[", "\\[")
    return f"[bold]Examples[/bold]\n{indent(shown, '  ')}"


def open_data(data: Path | None) -> Memory:
    """Open the memory of a command that works on the data itself."""
    from memsieve.memory import Memory

    return Memory.open(settings=settings_of(data))


def note_if_unknown(memory: Opened, project_id: str) -> None:
    """Say on standard error that an empty answer comes from a project nobody has written to."""
    from memsieve.cli.output import note

    names = memory.projects()
    if project_id not in names:
        known = f"Projects there: {', '.join(names[:10])}" if names else "There is no project there yet"
        where = f"at {memory.url}" if hasattr(memory, "url") else f"in {memory.settings.data}"
        note(f"Project {project_id!r} {where} holds nothing. {known}.")


def settings_of(data: Path | None) -> Settings:
    """Read the settings of a command that works on the data itself."""
    from memsieve.config import read_settings

    Target.of(data, None).require_data("This command")
    return read_settings(data)


def since(days: float | None) -> datetime | None:
    """Return the moment so many days ago."""
    from memsieve import validate
    from memsieve.retrieval.retriever import MAX_DAYS
    from memsieve.services.stores import utc_now

    if days is None:
        return None
    return utc_now() - timedelta(days=validate.number(days, field="days", most=MAX_DAYS))


def text_of(argument: str, target: Target) -> str:
    """Return the text that an argument gives, or standard input where it is `-`."""
    return standard_input(target.most_bytes()) if argument == "-" else argument


def standard_input(most: int, advice: str = "Split it, or raise MEMSIEVE_MAX_CONTENT_BYTES.") -> str:
    """Return what standard input holds, if that is text and not too much."""
    # One byte for a final newline, one to notice that there is more: an endless stream is never read to its end.
    read = sys.stdin.buffer.read(most + 2)
    content = read.removesuffix(b"\n")
    if len(content) > most:
        raise InvalidInput(
            f"Standard input holds more than {most} bytes. {advice}",
            field="content",
        )
    try:
        return content.decode()
    except UnicodeDecodeError as exc:
        raise InvalidInput(
            f"Standard input is not valid UTF-8: byte 0x{content[exc.start]:02x} at position {exc.start}. "
            "Convert it first, for example with iconv.",
            field="content",
        ) from exc
