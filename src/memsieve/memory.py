"""AsyncMemory and Memory: open a memory, reach its projects."""

from __future__ import annotations

from contextlib import AsyncExitStack, ExitStack
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

from memsieve import validate
from memsieve.config import Settings, read_settings
from memsieve.embedded import AsyncMaintenance, EmbeddedProject, Maintenance
from memsieve.jobs.reembed import Reembedding
from memsieve.jobs.weekly import DigestRun
from memsieve.keyring import Keyring
from memsieve.model import Totals
from memsieve.ports import Clock, Embedder, EventLog, Progress
from memsieve.project import AsyncProject, Project
from memsieve.runtime.event_loop import Front, LoopThread, blocking
from memsieve.services.container import Services, open_services
from memsieve.services.stores import utc_now


class AsyncMemory:
    """A memory for asynchronous code: `async with AsyncMemory.open("./.memsieve") as memory`."""

    def __init__(self, settings: Settings, clock: Clock, embedder: Embedder | None = None) -> None:
        self.settings = settings
        self._embedder = embedder
        self._clock = clock
        self._stack = AsyncExitStack()
        self._services: Services | None = None

    @classmethod
    def open(
        cls,
        data: str | Path | None = None,
        *,
        settings: Settings | None = None,
        clock: Clock = utc_now,
        embedder: Embedder | None = None,
    ) -> Self:
        """Open the memory in a data folder; without settings, `memsieve.toml` and `MEMSIEVE_*` are read.

        An `embedder` of your own takes the place of the one the settings name.
        """
        if settings is None:
            settings = read_settings(data)
        elif data is not None:
            settings = replace(settings, data=Path(data))
        return cls(settings, clock, embedder)

    async def __aenter__(self) -> Self:
        self._services = await self._stack.enter_async_context(
            open_services(self.settings, self._clock, embedder=self._embedder)
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stack.aclose()

    def project(self, project_id: str, *, agent: str | None = None) -> AsyncProject:
        """Return one project's memory; nothing of any other project can be reached through it.

        What is proposed through it is proposed in the `agent`'s name.
        """
        return EmbeddedProject(self._opened, project_id, agent)

    def maintenance(self, project_id: str) -> AsyncMaintenance:
        """Return the maintenance of one project, for operators."""
        return AsyncMaintenance(self._opened, project_id)

    @property
    def keys(self) -> Keyring:
        """The API keys of all projects."""
        return self._opened.keys

    @property
    def events(self) -> EventLog:
        """What happened in all projects during the last 24 hours, without any content."""
        return self._opened.events

    @property
    def services(self) -> Services:
        """The services of this memory, for operators."""
        return self._opened

    async def totals(self) -> Totals:
        """Count what all projects hold together."""
        return await self._opened.statistics.totals()

    async def projects(self) -> list[str]:
        """List the projects that hold anything."""
        return await self._opened.statistics.projects()

    async def reembed(self, progress: Progress | None = None) -> Reembedding:
        """Make all vectors of another embedder again, now; by itself it is done slowly while a memory is open.

        `progress` is called with how many are done, and of how many. What fails is left as it was.
        """
        return await self._opened.reembedder.run(progress)

    async def forget_vectors(self, embedder: str) -> int:
        """Drop the vectors that a former embedder left on PostgreSQL, when nobody asks by it any more.

        Return how many there were. It raises Conflict for the embedder in use, and while texts wait for its vectors.
        """
        return await self._opened.reembedder.forget(validate.name(embedder, field="embedder"))

    async def make_due_digests(self, progress: Progress | None = None) -> list[DigestRun]:
        """Make every project's weekly digest that is due, now; by itself it is done while a memory is open.

        Each is made once, also where several memories are open. `progress` is called with how much is done, and of how
        much. A failure in one project does not stop the others: the result says what became of each.
        """
        return await self._opened.weekly.make_due(progress)

    @property
    def _opened(self) -> Services:
        if self._services is None:
            raise RuntimeError("Open this memory first: async with AsyncMemory.open(…) as memory")
        return self._services


class Keys(Front[Keyring]):
    """The API keys of all projects, for synchronous code; see `Keyring`."""

    make = blocking(Keyring.make)
    identify = blocking(Keyring.identify)
    list = blocking(Keyring.list)
    revoke = blocking(Keyring.revoke)
    any = blocking(Keyring.any)


class Memory(Front[AsyncMemory]):
    """A memory for synchronous code: `with Memory.open("./.memsieve") as memory`."""

    def __init__(self, inner: AsyncMemory) -> None:
        super().__init__(LoopThread(), inner)
        self.settings = inner.settings
        with ExitStack() as opening:
            opening.callback(self.loop.close)
            self.loop.call(inner.__aenter__())
            opening.pop_all()
        self._closed = False

    @classmethod
    def open(
        cls,
        data: str | Path | None = None,
        *,
        settings: Settings | None = None,
        clock: Clock = utc_now,
        embedder: Embedder | None = None,
    ) -> Self:
        """Open the memory in a data folder; see `AsyncMemory.open`."""
        return cls(AsyncMemory.open(data, settings=settings, clock=clock, embedder=embedder))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the memory; what is undecided is tried again when it is opened next."""
        if not self._closed:
            self._closed = True
            self.loop.call(self.inner.__aexit__(None, None, None))
            self.loop.close()

    def project(self, project_id: str, *, agent: str | None = None) -> Project:
        """Return one project's memory; see `AsyncMemory.project`."""
        return Project(self.loop, self.inner.project(project_id, agent=agent), owner=self)

    def maintenance(self, project_id: str) -> Maintenance:
        """Return the maintenance of one project, for operators."""
        return Maintenance(self.loop, self.inner.maintenance(project_id), owner=self)

    @property
    def keys(self) -> Keys:
        """The API keys of all projects."""
        return Keys(self.loop, self.inner.keys, owner=self)

    projects = blocking(AsyncMemory.projects)
    reembed = blocking(AsyncMemory.reembed)
    forget_vectors = blocking(AsyncMemory.forget_vectors)
    make_due_digests = blocking(AsyncMemory.make_due_digests)
