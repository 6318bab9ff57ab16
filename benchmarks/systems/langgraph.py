"""LangGraph's store as people keep it in a file: `SqliteStore`, a namespace for each project, with its vector index."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from pathlib import Path

# Many builds of Python leave out the loading of extensions, which the vector index needs.
import pysqlite3
from benchmarks.systems.base import DIMENSIONS, Embed, Found, Said
from langgraph.store.base import PutOp
from langgraph.store.sqlite import SqliteStore

BATCH = 500


class LangGraph:
    """`SqliteStore` in one file."""

    name = "langgraph"

    def __init__(self, folder: Path, embed: Embed) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        connection = pysqlite3.connect(str(folder / "store.db"), check_same_thread=False, isolation_level=None)
        index = {"dims": DIMENSIONS, "embed": lambda texts: embed(texts).tolist()}
        self._store = SqliteStore(connection, index=index)
        self._store.setup()

    def record(self, project: str, said: Sequence[Said]) -> None:
        """Put texts under keys of their own, some hundred in a transaction."""
        for first in range(0, len(said), BATCH):
            self._store.batch([_put(project, one) for one in said[first : first + BATCH]])

    def ask(self, project: str, question: str, most: int) -> list[Found]:
        return [Found(item.value["text"]) for item in self._store.search((project,), query=question, limit=most)]

    def close(self) -> None:
        self._store.conn.close()


def _put(project: str, said: Said) -> PutOp:
    value = {"text": said.text, "session": said.session, "agent": said.agent}
    # Named with every text: this store reads no `fields` from its settings, and would embed the whole value as JSON.
    return PutOp((project,), str(uuid.uuid4()), value, index=["text"])
