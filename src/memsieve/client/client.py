"""AsyncClient and Client: a memory that another process serves, and its keys."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator
from contextlib import suppress
from types import TracebackType
from typing import Self
from urllib.parse import quote

from memsieve import documents, validate
from memsieve.client.connection import Call, Connection, parsed, read
from memsieve.client.events import follow_events
from memsieve.client.project import RemoteProject
from memsieve.errors import InvalidInput, StoreUnavailable
from memsieve.model import ApiKey, Event, KeyRole
from memsieve.project import AsyncProject, Project
from memsieve.runtime.event_loop import Front, LoopThread, blocking

TIMEOUT = 60.0
PATIENCE = 20.0


class AsyncKeys:
    """Makes, lists and revokes keys, for an admin: `by` is the name of the admin's key."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def make(self, *, name: str, role: KeyRole, project_id: str | None, by: str) -> tuple[ApiKey, str]:
        """Make a key; the text returned with it is its only copy.

        It is not sent again if the connection breaks: there would be two keys.
        """
        project = None if project_id is None else validate.project_name(project_id)
        body = {"name": validate.name(name, field="name"), "role": str(role), "project_id": project}
        call = Call(method="POST", path="/keys", body=body, repeatable=False)
        written = await self._acting_as(by).send(call)
        made = parsed(documents.NewKey, written)
        return made.key.record(), made.text

    async def list(self, project_id: str | None = None) -> list[ApiKey]:
        """List the keys of a project, or all there are, revoked ones too, newest first."""
        query = {"project_id": None if project_id is None else validate.project_name(project_id)}
        return [one.record() async for one in self._connection.pages("/keys", query, documents.KeyPage)]

    async def revoke(self, key_id: str, *, by: str) -> ApiKey:
        """Revoke a key for good, from the next request on. Twice changes nothing."""
        checked = validate.name(key_id, field="id")
        call = Call(method="DELETE", path=f"/keys/{quote(checked, safe='')}", subject=checked)
        return read(documents.Key, await self._acting_as(by).send(call))

    def _acting_as(self, by: str) -> Connection:
        return self._connection.acting_as(validate.name(by, field="by"))


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

    def project(self, project_id: str, *, agent: str | None = None) -> AsyncProject:
        """Return one project's memory; nothing of any other project can be reached through it.

        The server knows the agent by the key, and refuses all that is done in the name of another `agent`.
        """
        return RemoteProject(self._connection, project_id, agent)

    async def whoami(self) -> str:
        """Return the name of the key, in which all is done."""
        return parsed(documents.Session, await self._connection.send(Call(method="GET", path="/session"))).name

    async def projects(self) -> list[str]:
        """List the projects that hold anything; a key of a project sees its own."""
        pages = self._connection.pages("/projects", {}, documents.ProjectPage)
        return [one.project_id async for one in pages]

    def events(self, project_id: str, after: str | None = None) -> AsyncGenerator[Event, None]:
        """Yield what happens in a project from now on, or after a position, without an end.

        The stream reconnects when it breaks off, and continues after the last event. A position that the server has
        forgotten raises Conflict.
        """
        if after is not None and not (after.isascii() and after.isprintable()):
            raise InvalidInput(f"after is {after!r}, which is no position of an event.", field="after")
        return follow_events(self._connection, validate.project_name(project_id), after)


class ClientKeys(Front[AsyncKeys]):
    """The keys of a server, for synchronous code; see `AsyncKeys`."""

    make = blocking(AsyncKeys.make)
    list = blocking(AsyncKeys.list)
    revoke = blocking(AsyncKeys.revoke)


class Client(Front[AsyncClient]):
    """A memory on a server, for synchronous code: `with Client("http://localhost:8080") as client`."""

    def __init__(
        self, url: str, *, key: str | None = None, timeout: float = TIMEOUT, patience: float = PATIENCE
    ) -> None:
        super().__init__(LoopThread(), AsyncClient(url, key=key, timeout=timeout, patience=patience))
        self.url = self.inner.url
        self.keys = ClientKeys(self.loop, self.inner.keys)
        self._closed = False

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.url!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        if not self._closed:
            self._closed = True
            self.loop.call(self.inner.close())
            self.loop.close()

    def project(self, project_id: str, *, agent: str | None = None) -> Project:
        """Return one project's memory; see `AsyncClient.project`."""
        return Project(self.loop, self.inner.project(project_id, agent=agent), owner=self)

    projects = blocking(AsyncClient.projects)
    whoami = blocking(AsyncClient.whoami)

    def events(self, project_id: str, after: str | None = None) -> Generator[Event, None, None]:
        """Yield what happens in a project from now on, or after a position; see `AsyncClient.events`."""
        events = self.inner.events(project_id, after)

        async def following() -> Event:
            return await anext(events)

        async def end() -> None:
            await events.aclose()

        try:
            while True:
                yield self.loop.call(following())
        finally:
            # Closed with the client, if that was first.
            with suppress(StoreUnavailable):
                self.loop.call(end())
