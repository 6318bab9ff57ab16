"""Memory: the same for synchronous code, over one event loop in a thread of its own."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from memsieve.config import Settings
from memsieve.keyring import Keyring
from memsieve.memory import AsyncMemory
from memsieve.ports import Clock, Embedder
from memsieve.project import AsyncProject
from memsieve.runtime.event_loop import LoopThread, blocking
from memsieve.services.stores import utc_now


class Project:
    """One project's memory, for synchronous code; see `AsyncProject`."""

    def __init__(self, memory: Memory, loop: LoopThread, inner: AsyncProject) -> None:
        # A memory that nobody holds any more is closed: a project in use holds its own.
        self._memory = memory
        self._loop = loop
        self._inner = inner
        self.id = inner.id

    record = blocking(AsyncProject.record)
    bring = blocking(AsyncProject.bring)
    bring_history = blocking(AsyncProject.bring_history)
    retrieve = blocking(AsyncProject.retrieve)
    history_context = blocking(AsyncProject.history_context)
    promote = blocking(AsyncProject.promote)
    promote_text = blocking(AsyncProject.promote_text)
    promote_texts = blocking(AsyncProject.promote_texts)
    dismiss = blocking(AsyncProject.dismiss)
    digest = blocking(AsyncProject.digest)
    last_digest = blocking(AsyncProject.last_digest)
    insights = blocking(AsyncProject.insights)
    insight = blocking(AsyncProject.insight)
    retire = blocking(AsyncProject.retire)
    retired = blocking(AsyncProject.retired)
    delete = blocking(AsyncProject.delete)
    log = blocking(AsyncProject.log)
    entry = blocking(AsyncProject.entry)
    admission = blocking(AsyncProject.admission)
    propose = blocking(AsyncProject.propose)
    note = blocking(AsyncProject.note)
    audit_log = blocking(AsyncProject.audit_log)
    working = blocking(AsyncProject.working)
    restore_working = blocking(AsyncProject.restore_working)
    missing_from_working = blocking(AsyncProject.missing_from_working)
    memories = blocking(AsyncProject.memories)
    memory = blocking(AsyncProject.memory)
    lineage = blocking(AsyncProject.lineage)
    stats = blocking(AsyncProject.stats)
    flow = blocking(AsyncProject.flow)
    retry = blocking(AsyncProject.retry)
    replay = blocking(AsyncProject.replay)
    verify_audit = blocking(AsyncProject.verify_audit)


class Keys:
    """The keys of the HTTP door, for synchronous code; see `Keyring`."""

    def __init__(self, memory: Memory, loop: LoopThread, inner: Keyring) -> None:
        # As a project does.
        self._memory = memory
        self._loop = loop
        self._inner = inner

    make = blocking(Keyring.make)
    identify = blocking(Keyring.identify)
    list = blocking(Keyring.list)
    revoke = blocking(Keyring.revoke)
    any = blocking(Keyring.any)


class Memory:
    """A memory for synchronous code: `with Memory.open("./.memsieve") as memory`."""

    def __init__(self, inner: AsyncMemory) -> None:
        self._inner = inner
        self.settings = inner.settings
        self._loop = LoopThread()
        with ExitStack() as opening:
            opening.callback(self._loop.close)
            self._loop.call(inner.__aenter__())
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
            self._loop.call(self._inner.__aexit__(None, None, None))
            self._loop.close()

    def project(self, project_id: str) -> Project:
        """Return one project's memory; nothing of any other project can be reached through it."""
        return Project(self, self._loop, self._inner.project(project_id))

    @property
    def keys(self) -> Keys:
        """The keys of the HTTP door, of all projects."""
        return Keys(self, self._loop, self._inner.keys)

    projects = blocking(AsyncMemory.projects)
    reembed = blocking(AsyncMemory.reembed)
    forget_vectors = blocking(AsyncMemory.forget_vectors)
    make_due_digests = blocking(AsyncMemory.make_due_digests)
