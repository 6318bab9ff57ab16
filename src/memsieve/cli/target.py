"""What a command works on: data that it opens itself, or a server."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, Union

import typer

from memsieve.errors import ConfigError

if TYPE_CHECKING:
    from memsieve.client import Client
    from memsieve.memory import Memory
    from memsieve.project import Review

    Opened: TypeAlias = Union[Memory, Client]  # noqa: UP007 - both are known to the type checker only

SERVER = "MEMSIEVE_SERVER"
KEY = "MEMSIEVE_KEY"
# A person waits at the terminal: a server that restarts is waited for, one that is down is soon told of.
PATIENCE = 5.0


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
            raise typer.BadParameter("Choose one of --data and --server: the data lies in one place.")
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
        """Return in whose name it is done: `by`, or else whom the key belongs to, or whoever is logged in here."""
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
        """Return how much of standard input is taken; a server has its own limit, and says so."""
        from memsieve.config import Settings, read_settings

        return read_settings(self.data).max_content_bytes if self.server is None else Settings().max_body_bytes

    def require_data(self, what: str) -> None:
        """Refuse what a server does not offer."""
        if self.server is not None:
            raise ConfigError(
                f"{what} works on the data itself, and the server {self.server} is named. Run it on the server's "
                f"machine, with --data, or without {SERVER}."
            )
