"""A LangGraph store whose writes go to quarantine and whose search is retrieval."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

from langgraph.config import get_config
from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
)

from memsieve.errors import Forbidden, InvalidInput
from memsieve.integrations.outputs import recordings
from memsieve.integrations.recorder import Recorder
from memsieve.model import UNVERIFIED_LABEL, VERIFIED_LABEL, ContextItem, Entry, LongTermMemory

Namespace = tuple[str, ...]
_ANY = "*"
NODE = "store"
# The metadata field of an entry with the key that it was put under.
STORE_KEY = "store_key"
_LISTED = 1000


class MemoryStore(BaseStore):
    """A store over one project, or over several by namespace: `MemoryStore({("apollo",): project})`.

    A namespace is a project's, and a wall as that is: any other is refused. `put` records; what is put is found again
    when the filter has admitted it, or a person has promoted it. Only people delete.
    Further options are those of a `Recorder`.
    """

    supports_ttl = False

    def __init__(
        self, projects: Mapping[Namespace, Any] | Any, *, namespace: Namespace = ("memories",), **recording: Any
    ) -> None:
        given = projects if isinstance(projects, Mapping) else {namespace: projects}
        self._stores = {tuple(name): _ProjectStore(tuple(name), project, recording) for name, project in given.items()}

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations in order; if one of them is refused, none is run."""
        return [self._run(op) for op in self._allowed(ops)]

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations in order; if one of them is refused, none is run."""
        return [await self._arun(op) for op in self._allowed(ops)]

    def _run(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            store = self._stores[op.namespace]
            return store.bridge.call(store.get(op.key))
        if isinstance(op, SearchOp):
            found = [store.bridge.call(store.search(op)) for store in self._below(op.namespace_prefix)]
            return _page(op, found)
        if isinstance(op, PutOp):
            self._stores[op.namespace].put(op)
            return None
        return self._namespaces(op)

    async def _arun(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            store = self._stores[op.namespace]
            return await store.bridge.acall(store.get(op.key))
        if isinstance(op, SearchOp):
            found = [await store.bridge.acall(store.search(op)) for store in self._below(op.namespace_prefix)]
            return _page(op, found)
        if isinstance(op, PutOp):
            await self._stores[op.namespace].aput(op)
            return None
        return self._namespaces(op)

    def _allowed(self, ops: Iterable[Op]) -> list[Op]:
        asked = list(ops)
        for op in asked:
            if isinstance(op, PutOp) and op.value is None:
                raise Forbidden("Agents delete no memories. A person may: memsieve retire, dismiss or delete.")
            if isinstance(op, PutOp | GetOp) and op.namespace not in self._stores:
                raise self._unknown(op.namespace)
            if isinstance(op, SearchOp) and not self._below(op.namespace_prefix):
                raise self._unknown(op.namespace_prefix)
        return asked

    def _below(self, prefix: Namespace) -> list[_ProjectStore]:
        return [store for name, store in self._stores.items() if name[: len(prefix)] == tuple(prefix)]

    def _unknown(self, namespace: Namespace) -> InvalidInput:
        known = ", ".join(map(str, self._stores))
        return InvalidInput(f"No project belongs to the namespace {namespace}; there is {known}.", field="namespace")

    def _namespaces(self, op: ListNamespacesOp) -> list[Namespace]:
        names = [name for name in self._stores if all(_matches(name, one) for one in op.match_conditions or ())]
        cut = {name if op.max_depth is None else name[: op.max_depth] for name in names}
        return sorted(cut)[op.offset : op.offset + op.limit]


class _ProjectStore:
    """One project as a namespace: puts go to quarantine, gets and searches to working and long-term memory."""

    def __init__(self, namespace: tuple[str, ...], project: Any, recording: Mapping[str, Any]) -> None:
        self.namespace = namespace
        self.recorder = Recorder(project, **recording)
        self.bridge = self.recorder.bridge
        self._project = self.bridge.project

    def put(self, op: PutOp) -> None:
        """Record a value."""
        for text, about in self._recordings(op):
            self.recorder.record(text, **about)

    async def aput(self, op: PutOp) -> None:
        """Record a value."""
        for text, about in self._recordings(op):
            await self.recorder.arecord(text, **about)

    async def get(self, key: str) -> SearchItem | None:
        """Return the servable item with a key: the one it was put under, or the id of a memory."""
        for entry in await self._project.working():
            if key in (entry.id, entry.metadata.get(STORE_KEY)):
                return self._of_entry(entry)
        memory = await self._project.memory(key)
        return None if memory is None or memory.retired_at is not None else self._of_memory(memory)

    async def search(self, op: SearchOp) -> list[SearchItem]:
        """Return what is relevant to a query; without a query, everything, verified memories first."""
        most = min(_LISTED, op.offset + op.limit)
        if op.query:
            answer = await self._project.retrieve(
                op.query, max_results=most, max_unverified=most, session_id=self._session()
            )
            return [self._of_item(item) for item in answer.items]
        memories = await self._project.memories(limit=_LISTED)
        return [*map(self._of_memory, memories), *map(self._of_entry, await self._project.working())]

    def _recordings(self, op: PutOp) -> list[tuple[str, dict[str, Any]]]:
        about = {"session_id": self._session(), "node_id": NODE}
        details = {STORE_KEY: op.key, "store_namespace": list(op.namespace)}
        return [
            (one.text, {**one.about, **about, "metadata": {**one.metadata, **details}})
            for one in recordings(op.value, f"{NODE} {op.key}")
        ]

    def _session(self) -> str:
        if self.recorder.session_id is not None:
            return self.recorder.session_id
        try:
            thread = get_config().get("configurable", {}).get("thread_id")
        except RuntimeError:  # outside of a graph
            thread = None
        return str(thread or NODE)

    def _of_item(self, item: ContextItem) -> SearchItem:
        value = {"content": item.content, "verified": item.verified, "label": item.label, "source": str(item.source)}
        return self._item(item.id, value, item.created_at, item.score)

    def _of_entry(self, entry: Entry) -> SearchItem:
        value = {"content": entry.content, "verified": False, "label": UNVERIFIED_LABEL, "source": "hot"}
        return self._item(entry.id, value, entry.created_at)

    def _of_memory(self, memory: LongTermMemory) -> SearchItem:
        value = {"content": memory.approval.content, "verified": True, "label": VERIFIED_LABEL, "source": "cold"}
        return self._item(memory.id, value, memory.approval.at)

    def _item(self, key: str, value: dict[str, Any], at: datetime, score: float | None = None) -> SearchItem:
        return SearchItem(self.namespace, key, value, at, at, score)


def _page(op: SearchOp, found: list[list[Any]]) -> list[Any]:
    chosen = [item for items in found for item in items if _fits(item, op.filter or {})]
    if op.query:
        chosen.sort(key=lambda item: item.score or 0.0, reverse=True)
    return chosen[op.offset : op.offset + op.limit]


_COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "$eq": operator.eq,
    "$ne": operator.ne,
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}


def _fits(item: Item, wanted: Mapping[str, Any]) -> bool:
    return all(_compares(item.value.get(name), one) for name, one in wanted.items())


def _compares(value: Any, wanted: Any) -> bool:
    if not isinstance(wanted, Mapping):
        return bool(value == wanted)
    unknown = set(wanted) - set(_COMPARISONS)
    if unknown:
        known = ", ".join(_COMPARISONS)
        raise InvalidInput(f"A filter cannot be by {', '.join(sorted(unknown))}; use {known}.", field="filter")
    return value is not None and all(_COMPARISONS[name](value, one) for name, one in wanted.items())


def _matches(name: Namespace, condition: MatchCondition) -> bool:
    path = tuple(condition.path)
    if len(path) > len(name):
        return False
    part = name[: len(path)] if condition.match_type == "prefix" else name[-len(path) :]
    return all(asked in (_ANY, there) for asked, there in zip(path, part, strict=True))
