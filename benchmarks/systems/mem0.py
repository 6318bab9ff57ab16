"""mem0 without an LLM (`infer=False`), on the vector store that it comes with: qdrant in a local folder.

As `pip install mem0ai` leaves it, it answers by vectors alone; `mem0_keywords.py` gives it its other leg.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any

from benchmarks.systems.base import DIMENSIONS, Embed, Found, Said

# Both are read when it is imported.
os.environ["MEM0_TELEMETRY"] = "False"
os.environ.setdefault("MEM0_DIR", str(Path(__file__).parents[2] / ".cache" / "mem0"))

import mem0
from mem0.embeddings.base import EmbeddingBase

# It warns with every opening that the keyword leg is off.
logging.getLogger("mem0").setLevel(logging.ERROR)

# Nothing is asked of it, but one has to be named.
NO_MODEL = {"provider": "openai", "config": {"api_key": "none"}}


class Mem0:
    """`mem0.Memory`: a project is a user, and a session a run."""

    name = "mem0"

    def __init__(self, folder: Path, embed: Embed) -> None:
        store = {
            "collection_name": "memories",
            "embedding_model_dims": DIMENSIONS,
            "path": str(folder / "qdrant"),
            "on_disk": True,
        }
        self._memory = mem0.Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": store},
                "embedder": NO_MODEL,
                "llm": NO_MODEL,
                "history_db_path": str(folder / "history.db"),
            }
        )
        self._memory.embedding_model = _Vectors(embed)
        # As where `fastembed` is missing; where it is there, it would look for its files on the network.
        self._memory.vector_store._bm25_encoder = False  # noqa: SLF001 - it offers no other way

    def record(self, project: str, said: Sequence[Said]) -> None:
        """Add the texts of each session as its messages, raw."""
        for session, some in groupby(said, key=attrgetter("session")):
            messages = [{"role": "user", "name": one.agent, "content": one.text} for one in some]
            self._memory.add(messages, user_id=_id(project), run_id=_id(session), infer=False)

    def ask(self, project: str, question: str, most: int) -> list[Found]:
        """Return the nearest; a threshold of 0, as it would keep back what the others return."""
        answer = self._memory.search(question, filters={"user_id": _id(project)}, top_k=most, threshold=0.0)
        return [Found(result["memory"]) for result in answer["results"]]

    def close(self) -> None:
        self._memory.close()
        self._memory.vector_store.client.close()


def _id(name: str) -> str:
    """Return a name without the white space that it refuses."""
    return "-".join(name.split())


class _Vectors(EmbeddingBase):
    """The vectors of all systems, as mem0 asks for them."""

    def __init__(self, embed: Embed) -> None:
        super().__init__()
        self._embed = embed

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:  # noqa: ARG002 - mem0's own face
        return self._embed([text])[0].tolist()

    def embed_batch(self, texts: Sequence[str], memory_action: str = "add") -> list[Any]:  # noqa: ARG002
        return self._embed(texts).tolist()
