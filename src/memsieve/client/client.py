"""AsyncClient: a memory that another process serves."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from types import TracebackType
from typing import Self

from memsieve import documents, validate
from memsieve.client import stream
from memsieve.client.connection import Connection
from memsieve.client.keys import AsyncKeys
from memsieve.client.project import AsyncClientProject
from memsieve.errors import InvalidInput
from memsieve.model import Event

TIMEOUT = 60.0
PATIENCE = 20.0


class AsyncClient:
    """A memory on a server, for asynchronous code: `async with AsyncClient("http://localhost:8080") as client`.

    A call takes `timeout` seconds at most, all attempts together, and none is begun later than `patience` seconds
    after the first. A digest may take ten minutes.
    """

    def __init__(
        self, url: str, *, key: str | None = None, timeout: float = TIMEOUT, patience: float = PATIENCE
    ) -> None:
        self._connection = Connection(url, key, timeout, patience)
        self.url = self._connection.url
        self.keys = AsyncKeys(self._connection)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.url!r})"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self._connection.close()

    def project(self, project_id: str) -> AsyncClientProject:
        """Return one project's memory; nothing of any other project can be reached through it."""
        return AsyncClientProject(self._connection, project_id)

    async def projects(self) -> list[str]:
        """List the projects that hold anything; a key of a project sees its own."""
        pages = self._connection.pages("/projects", {}, documents.ProjectPage)
        return [one.project_id async for one in pages]

    def events(self, project_id: str, after: str | None = None) -> AsyncGenerator[Event, None]:
        """Yield what happens in a project from now on, or after a position, without an end.

        The stream is connected again whenever it breaks off, and goes on after what came last. A position that the
        server knows no more raises Conflict.
        """
        if after is not None and not (after.isascii() and after.isprintable()):
            raise InvalidInput(f"after is {after!r}, which is no position of a happening.", field="after")
        return stream.events(self._connection, validate.project_name(project_id), after)
