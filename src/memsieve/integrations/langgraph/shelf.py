"""One project as a namespace of a LangGraph store."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from langgraph.config import get_config
from langgraph.store.base import PutOp, SearchItem, SearchOp

from memsieve.integrations.outputs import recordings
from memsieve.integrations.recorder import Recorder
from memsieve.model import UNVERIFIED_LABEL, VERIFIED_LABEL, ContextItem, Entry, LongTermMemory

NODE = "store"
# Under this name an entry's metadata tell by which key it was put.
STORE_KEY = "store_key"
_LISTED = 1000


class Shelf:
    """Puts into quarantine, and finds in working and long-term memory."""

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
        """Return what may be served under a key: one that it was put by, or the id of a memory."""
        for entry in await self._project.working():
            if key in (entry.id, entry.metadata.get(STORE_KEY)):
                return self._of_entry(entry)
        memory = await self._project.memory(key)
        return None if memory is None or memory.retired_at is not None else self._of_memory(memory)

    async def search(self, op: SearchOp) -> list[SearchItem]:
        """Return what is relevant to a query; without one, what there is: verified memories first."""
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
        told = {STORE_KEY: op.key, "store_namespace": list(op.namespace)}
        return [
            (one.text, {**one.about, **about, "metadata": {**one.metadata, **told}})
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
        told = {"content": item.content, "verified": item.verified, "label": item.label, "source": str(item.source)}
        return self._item(item.id, told, item.created_at, item.score)

    def _of_entry(self, entry: Entry) -> SearchItem:
        told = {"content": entry.content, "verified": False, "label": UNVERIFIED_LABEL, "source": "hot"}
        return self._item(entry.id, told, entry.created_at)

    def _of_memory(self, memory: LongTermMemory) -> SearchItem:
        told = {"content": memory.approval.content, "verified": True, "label": VERIFIED_LABEL, "source": "cold"}
        return self._item(memory.id, told, memory.approval.at)

    def _item(self, key: str, value: dict[str, Any], at: datetime, score: float | None = None) -> SearchItem:
        return SearchItem(self.namespace, key, value, at, at, score)
