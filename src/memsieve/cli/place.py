"""Where a command works: on data that it opens itself, or on a server."""

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
    from memsieve.sync import Memory

    Opened: TypeAlias = Union[Memory, Client]  # noqa: UP007 - both are known to the type checker only

SERVER = "MEMSIEVE_SERVER"
KEY = "MEMSIEVE_KEY"
# A person waits at the terminal: a server that restarts is waited for, one that is down is soon told of.
PATIENCE = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The data folder or the server of a command; `option` is how it was named, to be pasted behind other commands."""

    data: Path | None
    server: str | None
    option: str

    @classmethod
    def of(cls, data: Path | None, server: str | None) -> Place:
        """Return the place that options name, or else the variables: an option wins over each of them."""
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
            from memsieve.sync import Memory

            return Memory.open(self.data)
        from memsieve.client import Client

        return Client(self.server, key=os.environ.get(KEY), patience=PATIENCE)

    def person(self, by: str | None) -> dict[str, str]:
        """Return who answers for a deed, as its method takes it: a server knows that by the key."""
        if self.server is None:
            if by is None:
                raise typer.BadParameter("Name yourself with --by: a person answers for this.")
            return {"by": by}
        if by is not None:
            raise typer.BadParameter(f"A server acts in the name of the key in ${KEY}: leave out --by.")
        return {}

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
