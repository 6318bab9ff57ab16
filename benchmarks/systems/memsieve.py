"""memsieve itself, embedded: every text recorded in its session, and promoted where a person says so."""

from __future__ import annotations

import cProfile
import pstats
import uuid
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from unittest.mock import patch

import numpy as np
from benchmarks.systems.base import Embed, Found, Said

from memsieve import AsyncMemory, Memory
from memsieve.model import Admission, Approval, Chunk, ContextItem, Decision, Entry, Origin, Scope, Vector
from memsieve.models.embedders import LocalEmbedder
from memsieve.services import embedder
from memsieve.text.tokenize import tokenize

PERSON = "benchmark"
# So many go into one transaction.
BATCH = 1_000


class Memsieve:
    """A memory in one SQLite file; with a person who looks at every text, and promotes those found good."""

    def __init__(self, folder: Path, embed: Embed, person: Callable[[Said], bool] | None = None) -> None:
        self.name = "memsieve, filter alone" if person is None else "memsieve, promoted"
        self._person = person
        # A long text is served in parts, and each part stands for the whole.
        self._whole: dict[str, str] = {}
        with patch.object(embedder, "choose_embedder", lambda _settings, _stack: _Embedder(embed)):
            self.memory = Memory.open(folder)

    def record(self, project: str, said: Sequence[Said]) -> None:
        """Record texts in their sessions, each decided on by the filter, and promote those that the person wants."""
        place = self.memory.project(project)
        for one in said:
            receipt = place.record(one.text, session_id=one.session, agent_id=one.agent)
            if self._person is not None and self._person(one):
                self._whole[place.review(by=PERSON).promote(receipt.entry.id).id] = one.text

    def ask(self, project: str, question: str, most: int) -> list[Found]:
        """Return what is served, verified or not, best first and each text once."""
        answer = self.memory.project(project).retrieve(question, max_results=most, max_unverified=most)
        found = (Found(self._text(item), item.verified) for item in answer.items)
        return list(dict.fromkeys(found))[:most]

    def close(self) -> None:
        self.memory.close()

    def _text(self, item: ContextItem) -> str:
        return self._whole.get(item.memory_id or "", item.content)


async def profile(folder: Path, embed: Embed, project: str, questions: Sequence[str]) -> pstats.Stats:
    """Ask a memory in a loop of its own, and return where the time goes; the first question is not counted."""
    profiler = cProfile.Profile()
    with patch.object(embedder, "choose_embedder", lambda _settings, _stack: _Embedder(embed)):
        async with AsyncMemory.open(folder) as memory:
            asked = memory.project(project)
            await asked.retrieve(questions[0])
            with profiler:
                for question in questions:
                    await asked.retrieve(question)
    return pstats.Stats(profiler)


def promoted(folder: Path, embed: Embed) -> Memsieve:
    """Open a memory whose person finds everything good."""
    return Memsieve(folder, embed, lambda _: True)


async def fill(folder: Path, projects: Mapping[str, Sequence[Said]], embed: Embed) -> None:
    """Write promoted entries of sessions straight through the stores, without the filter and its models."""
    refused = Admission(decision=Decision.REFUSED, checks=(), decided_at=datetime.now(UTC))
    async with AsyncMemory.open(folder) as memory:
        for project, said in projects.items():
            person = Scope.person(project, PERSON)
            agent = Scope.agent(project)
            system = Scope.system(project)
            entries = _entries(project, said)
            approved = [
                _approved(entry, vector)
                for entry, vector in zip(entries, embed([one.text for one in said]), strict=True)
            ]
            for first in range(0, len(entries), BATCH):
                await memory.services.quarantine.add_all(agent, entries[first : first + BATCH])
                await memory.services.longterm.add_all(person, approved[first : first + BATCH])
            # What nobody has decided on would be decided on while others are timed.
            for entry in entries:
                await memory.services.quarantine.decide(system, entry.id, refused, None)


def _entries(project: str, said: Sequence[Said]) -> list[Entry]:
    began = datetime.now(UTC) - timedelta(seconds=len(said))
    return [
        Entry(
            id=str(uuid.uuid4()),
            project_id=project,
            session_id=one.session,
            agent_id=one.agent,
            content=one.text,
            created_at=began + timedelta(seconds=number),
        )
        for number, one in enumerate(said)
    ]


def _approved(entry: Entry, vector: Vector) -> tuple[Approval, list[Chunk]]:
    text = entry.content
    chunk = Chunk(id=str(uuid.uuid4()), position=0, content=text, words=tokenize(text), embedding=vector)
    approval = Approval(
        id=str(uuid.uuid4()),
        project_id=entry.project_id,
        content=text,
        by=PERSON,
        at=datetime.now(UTC),
        entry_ids=(entry.id,),
        origin=Origin(session_id=entry.session_id, at=entry.created_at),
    )
    return approval, [chunk]


class _Embedder:
    """The vectors of all systems, as a memory asks for them."""

    name = LocalEmbedder.name
    dimensions = LocalEmbedder.dimensions
    scripts = LocalEmbedder.scripts

    def __init__(self, embed: Embed) -> None:
        self._embed = embed

    async def embed(self, texts: Sequence[str]) -> list[Vector | None]:
        # At once, as the others are served: a thread for it would be a cost of embedding, which is taken out.
        rows = self._embed(texts) if texts else np.zeros((0, self.dimensions))
        return [row if row.any() else None for row in rows]
