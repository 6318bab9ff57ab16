"""The options that commands share, the data or server that they name, and how values are read."""

from __future__ import annotations

import os
import shlex
import sys
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias, Union

import typer

from memsieve.errors import ConfigError, InvalidInput

if TYPE_CHECKING:
    from memsieve.client import Client
    from memsieve.config import Settings
    from memsieve.memory import Memory
    from memsieve.project import Review

    Opened: TypeAlias = Union[Memory, Client]  # noqa: UP007 - both are known to the type checker only

SERVER = "MEMSIEVE_SERVER"
KEY = "MEMSIEVE_KEY"
# Seconds in which a call is retried. A person waits at the terminal: enough for a restart, short for an outage.
PATIENCE = 5.0

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
Reason = Annotated[str, typer.Option("--reason", help="Why; for the audit log.")]
Days = Annotated[float | None, typer.Option("--days", help="Only this many days back.", show_default=False)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The data folder or the server of a command; `option` is how it was named, to be pasted behind other commands."""

    data: Path | None
    server: str | None
    option: str

    @classmethod
    def of(cls, data: Path | None, server: str | None) -> Target:
        """Return the target that options name, or else the variables: an option wins over each of them."""
        if data is not None and server is not None:
            raise typer.BadParameter("Choose one of --data and --server.")
        option = "" if data is None else f" --data {shlex.quote(str(data))}"
        option = option if server is None else f" --server {shlex.quote(server)}"
        if data is None and server is None:
            server = os.environ.get(SERVER) or None
        return cls(data=data, server=server, option=option)

    def open(self) -> Opened:
        """Open the memory, or a client of the server that has it."""
        if self.server is None:
            from memsieve.memory import Memory

            return Memory.open(self.data)
        from memsieve.client import Client

        return Client(self.server, key=os.environ.get(KEY), patience=PATIENCE)

    def require_person(self, by: str | None) -> None:
        """Refuse a decision that no person answers for; a server knows them by the key."""
        if self.server is None and by is None:
            raise typer.BadParameter("Name yourself with --by: a person answers for this.")

    def person(self, memory: Opened, by: str | None = None) -> str:
        """Return the actor's name: `by`, else the owner of the server's key, else the user who is logged in."""
        if by is not None:
            return by
        if hasattr(memory, "whoami"):
            return memory.whoami()
        from memsieve.config import login_name

        return login_name()

    def review(self, memory: Opened, project_id: str, by: str | None = None) -> Review:
        """Open the review of a project in a person's name."""
        return memory.project(project_id).review(by=self.person(memory, by))

    def most_bytes(self) -> int:
        """Return how many bytes of standard input to read; a server enforces its own limit."""
        from memsieve.config import Settings, read_settings

        return read_settings(self.data).max_content_bytes if self.server is None else Settings().max_body_bytes

    def require_data(self, what: str) -> None:
        """Refuse what a server does not offer."""
        if self.server is not None:
            raise ConfigError(
                f"{what} works on the data itself, and the server {self.server} is named. Run it on the server's "
                f"machine, with --data, or without {SERVER}."
            )


def examples(*lines: str) -> str:
    """Return examples for below a command's help, ready to paste."""
    from textwrap import indent

    shown = "\n".join(lines).replace("[", "\\[")
    return f"[bold]Examples[/bold]\n{indent(shown, '  ')}"


def open_data(data: Path | None) -> Memory:
    """Open the memory of a command that works on the data itself."""
    from memsieve.memory import Memory

    return Memory.open(settings=settings_of(data))


def note_if_unknown(memory: Opened, project_id: str) -> None:
    """Note on standard error that an empty answer comes from a project without entries."""
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
    """Return the time this many days ago."""
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
    """Return standard input as text; raise InvalidInput if it is too long or not UTF-8."""
    # One byte for a final newline, one to notice that there is more: an endless stream is never read to its end.
    read = sys.stdin.buffer.read(most + 2)
    content = read.removesuffix(b"\n")
    if len(content) > most:
        raise InvalidInput(f"Standard input holds more than {most} bytes. {advice}", field="content")
    try:
        return content.decode()
    except UnicodeDecodeError as exc:
        raise InvalidInput(
            f"Standard input is not valid UTF-8: byte 0x{content[exc.start]:02x} at position {exc.start}. "
            "Convert it first, for example with iconv.",
            field="content",
        ) from exc
