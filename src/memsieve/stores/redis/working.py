"""Tier 2 on Redis, how its entries are packed, and the vectors of it that another embedder made."""

from __future__ import annotations

import asyncio
import json
import logging
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote, unquote

from memsieve.errors import InvalidInput
from memsieve.model import Admission, Entry, Layer, Scope, Vector
from memsieve.ports import CLOCK_SKEW, KEY_SHARE, SESSION_SHARE, WORKING_CAP, WORKING_LIFE, Clock, StaleText
from memsieve.runtime.lru_cache import ProjectCache
from memsieve.stores.redis.client import RedisClient, script
from memsieve.stores.redis.server import foreign
from memsieve.stores.rows import ENTRY, blob_vector, entry_document, entry_of, vector_blob
from memsieve.stores.working_policy import admitted_life

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CachedEntries:
    """A project's entries as they were read, each by the line that names it; such a line never changes its meaning."""

    entries: dict[bytes, Entry]
    known: bytes


class RedisWorking:
    """Implements `ports.WorkingStore`. The time is the Redis server's unless a clock is given."""

    def __init__(self, client: RedisClient, embedder: str, clock: Clock | None = None) -> None:
        self._client = client
        self._embedder = embedder
        self._clock = clock
        self._cache: ProjectCache[CachedEntries] = ProjectCache()

    async def put(self, scope: Scope, entry: Entry, admission: Admission, life: timedelta = WORKING_LIFE) -> None:
        age = WORKING_LIFE - admitted_life(scope, entry, admission, life)
        values = (entry.id, pack(entry, self._embedder), microseconds(age), WORKING_CAP)
        shares = (entry.recorded_by or "", entry.session_id, KEY_SHARE, SESSION_SHARE)
        await self._run("put", scope, *values, *shares)

    async def list(self, scope: Scope) -> list[Entry]:
        before = self._cache.get(scope.project_id) or CachedEntries({}, b"")
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

    async def _count(self, keys: tuple[str, ...]) -> int:
        return int(await self._client.run(script("count"), keys, times(self._clock)))

    async def _run(self, name: str, scope: Scope, *values: str | bytes | int) -> Any:
        return await self._client.run(script(name), keys_of(scope.project_id), (*times(self._clock), *values))

    def _read(
        self, project_id: str, before: CachedEntries, living: Sequence[bytes], unread: Sequence[bytes | None]
    ) -> Sequence[Entry]:
        packed, entries, known = iter(unread), [], {}
        for name in living:
            entry, ours = before.entries.get(name), True
            if entry is None:
                entry, ours = self._unpacked(project_id, name, next(packed))
            if entry is not None:
                entries.append(entry)
                # What another embedder saw is read again each time, until it is embedded anew.
                if ours:
                    known[name] = entry
        self._cache.set(project_id, CachedEntries(known, b"\n".join(known)))
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


_KIND = "working"
# From the newest back: minus the sequence, and the project.
_Position = tuple[int, str]


class RedisVectors:
    """Implements `ports.VectorStore` for working memory alone. A text's sequence is its entry's score."""

    def __init__(self, client: RedisClient, embedder: str) -> None:
        self._client = client
        self._embedder = embedder
        # What was stale when working memory was begun with: to look through all projects for each batch takes too long.
        self._positions: list[_Position] | None = None

    async def stale(self) -> int:
        return len(await self._look())

    async def next_stale(self, after: StaleText | None, limit: int) -> list[StaleText]:
        if after is None or self._positions is None:
            self._positions = await self._look()
        found: list[StaleText] = []
        begin = 0 if after is None else bisect_right(self._positions, (-after.sequence, after.project_id))
        while len(found) < limit and begin < len(self._positions):
            end = begin + limit - len(found)
            found += await self._texts(self._positions[begin:end])
            begin = end
        return found

    async def put(self, made: Sequence[tuple[StaleText, Vector | None]]) -> list[StaleText]:
        by_project: dict[str, list[tuple[StaleText, Vector | None]]] = defaultdict(list)
        for text, vector in made:
            if text.kind != _KIND:
                raise InvalidInput(f"Redis keeps working memory only, and nothing of kind {text.kind!r}.", field="kind")
            by_project[text.project_id].append((text, vector))
        put = {text for project_id, some in by_project.items() for text in await self._put(project_id, some)}
        return [text for text, _ in made if text in put]

    async def forget(self, embedder: str) -> int:  # noqa: ARG002 - an entry has one vector here
        return 0

    async def _look(self) -> list[_Position]:
        positions: list[_Position] = []
        for key in await self._client.keys(ALL_ORDERS):
            project_id = project_of(key)
            scores = await self._run("stale", project_id, line(self._embedder))
            positions += [(-int(score), project_id) for score in scores]
        return sorted(positions)

    async def _texts(self, positions: Sequence[_Position]) -> list[StaleText]:
        """Return the texts in these positions, without those that are gone or embedded by now."""
        scores: dict[str, list[int]] = defaultdict(list)
        for minus, project_id in positions:
            scores[project_id].append(-minus)
        texts: dict[_Position, StaleText] = {}
        for project_id, some in scores.items():
            packed = await self._run("read", project_id, *some)
            for score, one in zip(some, packed, strict=True):
                if one is not None:
                    texts[-score, project_id] = _stale(project_id, score, one)
        found = (texts[place] for place in positions if place in texts)
        return [text for text in found if text.embedder != self._embedder]

    async def _put(self, project_id: str, made: Sequence[tuple[StaleText, Vector | None]]) -> list[StaleText]:
        values = [value for text, vector in made for value in (text.sequence, line(text.embedder), pack_vector(vector))]
        put = await self._run("revector", project_id, line(self._embedder), *values)
        return [text for (text, _), done in zip(made, put, strict=True) if done]

    async def _run(self, name: str, project_id: str, *values: str | bytes | int) -> Any:
        return await self._client.run(script(name), keys_of(project_id), (*times(None), *values))


def _stale(project_id: str, score: int, packed: bytes) -> StaleText:
    parts = unpack(packed, project_id)
    return StaleText(
        kind=_KIND, project_id=project_id, sequence=score, embedder=parts.embedder, content=parts.text["content"]
    )


ALL_ORDERS = "wm:{*}:order"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
# The key names the project.
_PACKED = ENTRY.keys() - {"project_id"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Packed:
    """The three parts of a packed entry."""

    text: dict[str, Any]
    embedder: str
    vector: bytes


def keys_of(project_id: str) -> tuple[str, str, str]:
    """Return a project's keys, which one node of a cluster holds: their order, the entries, and whose they are."""
    tag = quote(project_id, safe=":@")
    return f"wm:{{{tag}}}:order", f"wm:{{{tag}}}:entries", f"wm:{{{tag}}}:holders"


def project_of(key: str) -> str:
    """Return the project that a key belongs to."""
    return unquote(key.partition("{")[2].rpartition("}")[0])


def times(clock: Clock | None) -> tuple[str | int, int, int]:
    """Return what every script begins with: the time, empty for the server's own, a whole life, and the skew."""
    return "" if clock is None else microseconds(clock() - _EPOCH), microseconds(WORKING_LIFE), microseconds(CLOCK_SKEW)


def microseconds(span: timedelta) -> int:
    """Return a time span in microseconds."""
    return span // _MICROSECOND


def pack(entry: Entry, embedder: str) -> bytes:
    """Return an entry as Redis stores it."""
    text = {name: value for name, value in entry_document(entry).items() if name in _PACKED}
    return b"\n".join((line(text), line(embedder), pack_vector(entry.embedding)))


def pack_vector(vector: Vector | None) -> bytes:
    """Return a vector as Redis stores it, empty for none."""
    return vector_blob(vector) or b""


def line(value: object) -> bytes:
    """Return a value as one line, which holds no line break."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def unpack(packed: bytes, project_id: str) -> Packed:
    """Return the parts of a packed entry."""
    try:
        text, embedder, vector = packed.split(b"\n", 2)
        return Packed(text=dict(json.loads(text)), embedder=str(json.loads(embedder)), vector=vector)
    except (TypeError, ValueError) as exc:
        raise foreign(keys_of(project_id)) from exc


def entry_from(packed: Packed, project_id: str, score: int, embedder: str) -> Entry:
    """Return an entry as it is in working memory; a vector of another embedder is left out."""
    try:
        # A later version may have packed fields that this one does not know.
        return entry_of(
            {name: value for name, value in packed.text.items() if name in _PACKED},
            project_id=project_id,
            layer=Layer.WORKING,
            embedding=blob_vector(packed.vector or None) if packed.embedder == embedder else None,
            expires_at=_EPOCH + timedelta(milliseconds=score // 1000) + WORKING_LIFE,
        )
    except (KeyError, TypeError, ValueError) as exc:
        raise foreign(keys_of(project_id)) from exc
