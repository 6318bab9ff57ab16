"""Client: the same for synchronous code, over one event loop in a thread of its own."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import suppress
from types import TracebackType
from typing import Self

from memsieve.client.client import PATIENCE, TIMEOUT, AsyncClient
from memsieve.client.keys import AsyncKeys
from memsieve.client.project import AsyncClientProject
from memsieve.errors import StoreUnavailable
from memsieve.model import Event
from memsieve.runtime.event_loop import LoopThread, blocking


class ClientProject:
    """One project's memory on a server, for synchronous code; see `AsyncClientProject`."""

    def __init__(self, loop: LoopThread, inner: AsyncClientProject) -> None:
        self._loop = loop
        self._inner = inner
        self.id = inner.id

    record = blocking(AsyncClientProject.record)
    retrieve = blocking(AsyncClientProject.retrieve)
    history_context = blocking(AsyncClientProject.history_context)
    promote = blocking(AsyncClientProject.promote)
    promote_text = blocking(AsyncClientProject.promote_text)
    propose = blocking(AsyncClientProject.propose)
    dismiss = blocking(AsyncClientProject.dismiss)
    digest = blocking(AsyncClientProject.digest)
    last_digest = blocking(AsyncClientProject.last_digest)
    insights = blocking(AsyncClientProject.insights)
    insight = blocking(AsyncClientProject.insight)
    retire = blocking(AsyncClientProject.retire)
    delete = blocking(AsyncClientProject.delete)
    log = blocking(AsyncClientProject.log)
    entry = blocking(AsyncClientProject.entry)
    admission = blocking(AsyncClientProject.admission)
    audit_log = blocking(AsyncClientProject.audit_log)
    working = blocking(AsyncClientProject.working)
    memories = blocking(AsyncClientProject.memories)
    memory = blocking(AsyncClientProject.memory)
    lineage = blocking(AsyncClientProject.lineage)
    stats = blocking(AsyncClientProject.stats)
    flow = blocking(AsyncClientProject.flow)
    verify_audit = blocking(AsyncClientProject.verify_audit)


class ClientKeys:
    """The keys of a server, for synchronous code; see `AsyncKeys`."""

    def __init__(self, loop: LoopThread, inner: AsyncKeys) -> None:
        self._loop = loop
        self._inner = inner

    make = blocking(AsyncKeys.make)
    list = blocking(AsyncKeys.list)
    revoke = blocking(AsyncKeys.revoke)


class Client:
    """A memory on a server, for synchronous code: `with Client("http://localhost:8080") as client`."""

    def __init__(
        self, url: str, *, key: str | None = None, timeout: float = TIMEOUT, patience: float = PATIENCE
    ) -> None:
        self._inner = AsyncClient(url, key=key, timeout=timeout, patience=patience)
        self.url = self._inner.url
        self._loop = LoopThread()
        self.keys = ClientKeys(self._loop, self._inner.keys)
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
            self._loop.call(self._inner.close())
            self._loop.close()

    def project(self, project_id: str) -> ClientProject:
        """Return one project's memory; nothing of any other project can be reached through it."""
        return ClientProject(self._loop, self._inner.project(project_id))

    projects = blocking(AsyncClient.projects)

    def events(self, project_id: str, after: str | None = None) -> Generator[Event, None, None]:
        """Yield what happens in a project from now on, or after a position; see `AsyncClient.happenings`."""
        told = self._inner.events(project_id, after)

        async def following() -> Event:
            return await anext(told)

        async def end() -> None:
            await told.aclose()

        try:
            while True:
                yield self._loop.call(following())
        finally:
            # Closed with the client, if that was first.
            with suppress(StoreUnavailable):
                self._loop.call(end())
