"""memsieve itself, embedded: every text recorded in its session, and promoted where a person says so."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from unittest.mock import patch

import numpy as np
from benchmarks.systems.base import Embed, Found, Said

from memsieve import Memory, bootstrap
from memsieve.embedders.local import LocalEmbedder
from memsieve.model import ContextItem, Vector

PERSON = "benchmark"


class Memsieve:
    """A memory in one SQLite file; with a person who looks at every text, and promotes those found good."""

    def __init__(self, folder: Path, embed: Embed, person: Callable[[Said], bool] | None = None) -> None:
        self.name = "memsieve, filter alone" if person is None else "memsieve, promoted"
        self._person = person
        # A long text is served in parts, and each part stands for the whole.
        self._whole: dict[str, str] = {}
        with patch.object(bootstrap, "_embedder", lambda _settings, _stack: _Embedder(embed)):
            self.memory = Memory.open(folder)

    def record(self, project: str, said: Sequence[Said]) -> None:
        """Record texts in their sessions, each decided on by the filter, and promote those that the person wants."""
        place = self.memory.project(project)
        for one in said:
            receipt = place.record(one.text, session_id=one.session, agent_id=one.agent)
            if self._person is not None and self._person(one):
                self._whole[place.promote(receipt.entry.id, by=PERSON).id] = one.text

    def ask(self, project: str, question: str, most: int) -> list[Found]:
        """Return what is served, verified or not, best first and each text once."""
        answer = self.memory.project(project).retrieve(question, max_results=most, max_unverified=most)
        found = (Found(self._text(item), item.verified) for item in answer.items)
        return list(dict.fromkeys(found))[:most]

    def close(self) -> None:
        self.memory.close()

    def _text(self, item: ContextItem) -> str:
        return self._whole.get(item.memory_id or "", item.content)


def promoted(folder: Path, embed: Embed) -> Memsieve:
    """Open a memory whose person finds everything good."""
    return Memsieve(folder, embed, lambda _: True)


class _Embedder:
    """The vectors of all systems, as a memory asks for them."""

    name = LocalEmbedder.name
    dimensions = LocalEmbedder.dimensions
    scripts = LocalEmbedder.scripts

    def __init__(self, embed: Embed) -> None:
        self._embed = embed

    async def embed(self, texts: Sequence[str]) -> list[Vector | None]:
        rows = await asyncio.to_thread(self._embed, texts) if texts else np.zeros((0, self.dimensions))
        return [row if row.any() else None for row in rows]
