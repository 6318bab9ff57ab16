"""Tier 2 on Redis."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from memsieve.model import Admission, Entry, Scope
from memsieve.ports import WORKING_CAP, WORKING_LIFE, Clock
from memsieve.runtime.lru_cache import ProjectCache
from memsieve.stores.admitted import admitted_life
from memsieve.stores.redis.client import Client
from memsieve.stores.redis.errors import foreign
from memsieve.stores.redis.packing import ALL_ORDERS, entry_from, keys_of, microseconds, pack, project_of, times, unpack
from memsieve.stores.redis.script import script

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Held:
    """A project's entries as they were read, each by the line that names it; such a line never changes its meaning."""

    entries: dict[bytes, Entry]
    known: bytes


class RedisWorking:
    """Implements `ports.WorkingStore`. The time is the Redis server's unless a clock is given."""

    def __init__(self, client: Client, embedder: str, clock: Clock | None = None) -> None:
        self._client = client
        self._embedder = embedder
        self._clock = clock
        self._held: ProjectCache[Held] = ProjectCache()

    async def put(self, scope: Scope, entry: Entry, admission: Admission, life: timedelta = WORKING_LIFE) -> None:
        age = WORKING_LIFE - admitted_life(scope, entry, admission, life)
        values = (entry.id, pack(entry, self._embedder), microseconds(age), WORKING_CAP)
        await self._run("put", scope, *values)

    async def list(self, scope: Scope) -> list[Entry]:
        before = self._held.get(scope.project_id) or Held({}, b"")
        living, *unread = await self._run("list", scope, WORKING_CAP, before.known)
        if living == before.known:
            return [*before.entries.values()]
        return [*self._read(scope.project_id, before, living.split(b"\n") if living else [], unread)]

    async def forget(self, scope: Scope, entry_ids: Sequence[str]) -> int:
        return int(await self._run("forget", scope, *entry_ids))

    async def count(self, scope: Scope) -> int:
        """Return how many living entries a project has."""
        return await self._count(keys_of(scope.project_id))

    async def count_all(self) -> int:
        """Return how many living entries all projects have."""
        projects = [project_of(order) for order in await self._client.keys(ALL_ORDERS)]
        return sum(await asyncio.gather(*(self._count(keys_of(project)) for project in projects)))

    async def _count(self, keys: tuple[str, str]) -> int:
        return int(await self._client.run(script("count"), keys, times(self._clock)))

    async def _run(self, name: str, scope: Scope, *values: str | bytes | int) -> Any:
        return await self._client.run(script(name), keys_of(scope.project_id), (*times(self._clock), *values))

    def _read(
        self, project_id: str, before: Held, living: Sequence[bytes], unread: Sequence[bytes | None]
    ) -> Sequence[Entry]:
        packed, entries, known = iter(unread), [], {}
        for line in living:
            entry, ours = before.entries.get(line), True
            if entry is None:
                entry, ours = self._unpacked(project_id, line, next(packed))
            if entry is not None:
                entries.append(entry)
                # What another embedder saw is read again each time, until it is embedded anew.
                if ours:
                    known[line] = entry
        self._held.set(project_id, Held(known, b"\n".join(known)))
        return entries

    def _unpacked(self, project_id: str, line: bytes, packed: bytes | None) -> tuple[Entry | None, bool]:
        if packed is None:
            _log.warning(
                "Redis has lost an entry of working memory in project %r. If it throws keys away for want of memory, "
                "raise its maxmemory and set maxmemory-policy to noeviction.",
                project_id,
            )
            return None, False
        score, _, entry_id = line.partition(b" ")
        parts = unpack(packed, project_id)
        if not score.isdigit() or parts.text.get("id") != entry_id.decode():
            raise foreign(keys_of(project_id))
        return entry_from(parts, project_id, int(score), self._embedder), parts.embedder == self._embedder
