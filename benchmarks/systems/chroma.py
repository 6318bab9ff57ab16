"""Chroma, persistent, a collection for each project: its HNSW index over cosines, and no other leg."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import chromadb
from benchmarks.systems.base import Embed, Found, Said
from chromadb.config import Settings


class Chroma:
    """`chromadb.PersistentClient`, given the vectors with the texts."""

    name = "chroma"

    def __init__(self, folder: Path, embed: Embed) -> None:
        self._client = chromadb.PersistentClient(str(folder), Settings(anonymized_telemetry=False))
        self._batch = self._client.get_max_batch_size()
        self._embed = embed
        self._opened: dict[str, Any] = {}

    def record(self, project: str, said: Sequence[Said]) -> None:
        """Add texts with their session, as many at once as it takes."""
        for first in range(0, len(said), self._batch):
            some = said[first : first + self._batch]
            texts = [one.text for one in some]
            self._collection(project).add(
                ids=[str(uuid.uuid4()) for _ in some],
                documents=texts,
                embeddings=self._embed(texts),
                metadatas=[{"session": one.session, "agent": one.agent} for one in some],
            )

    def ask(self, project: str, question: str, most: int) -> list[Found]:
        asked = self._embed([question])
        answer = self._collection(project).query(query_embeddings=asked, n_results=most, include=["documents"])
        return [Found(text) for text in answer["documents"][0]]

    def close(self) -> None:
        self._opened.clear()
        self._client.close()

    def _collection(self, project: str) -> Any:
        if project not in self._opened:
            # A collection's name may hold Latin letters alone.
            name = hashlib.sha256(project.encode()).hexdigest()
            self._opened[project] = self._client.get_or_create_collection(
                name, embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
            )
        return self._opened[project]
