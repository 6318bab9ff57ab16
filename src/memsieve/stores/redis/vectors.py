"""Vectors of working memory that another embedder made, on Redis: how many, the next, and others in their place."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from memsieve.errors import InvalidInput
from memsieve.model import Vector
from memsieve.ports import StaleText
from memsieve.stores.redis.client import Client
from memsieve.stores.redis.packing import ALL_ORDERS, keys_of, line, pack_vector, project_of, times, unpack
from memsieve.stores.redis.script import script

KIND = "working"
# From the newest back: minus the sequence, and the project.
_Place = tuple[int, str]


class RedisVectors:
    """Implements `ports.VectorStore` for working memory alone. A text's sequence is its entry's score."""

    def __init__(self, client: Client, embedder: str) -> None:
        self._client = client
        self._embedder = embedder
        # What was stale when working memory was begun with: to look through all projects for each batch takes too long.
        self._places: list[_Place] | None = None

    async def stale(self) -> int:
        return len(await self._look())

    async def next_stale(self, after: StaleText | None, limit: int) -> list[StaleText]:
        if after is None or self._places is None:
            self._places = await self._look()
        found: list[StaleText] = []
        begin = 0 if after is None else bisect_right(self._places, (-after.sequence, after.project_id))
        while len(found) < limit and begin < len(self._places):
            end = begin + limit - len(found)
            found += await self._texts(self._places[begin:end])
            begin = end
        return found

    async def put(self, made: Sequence[tuple[StaleText, Vector | None]]) -> list[StaleText]:
        by_project: dict[str, list[tuple[StaleText, Vector | None]]] = defaultdict(list)
        for text, vector in made:
            if text.kind != KIND:
                raise InvalidInput(f"Redis keeps working memory only, and nothing of kind {text.kind!r}.", field="kind")
            by_project[text.project_id].append((text, vector))
        put = {text for project_id, some in by_project.items() for text in await self._put(project_id, some)}
        return [text for text, _ in made if text in put]

    async def forget(self, embedder: str) -> int:  # noqa: ARG002 - an entry has one vector here
        return 0

    async def _look(self) -> list[_Place]:
        places: list[_Place] = []
        for key in await self._client.keys(ALL_ORDERS):
            project_id = project_of(key)
            scores = await self._run("stale", project_id, line(self._embedder))
            places += [(-int(score), project_id) for score in scores]
        return sorted(places)

    async def _texts(self, places: Sequence[_Place]) -> list[StaleText]:
        """Return the texts in these places, without those that are gone or embedded by now."""
        scores: dict[str, list[int]] = defaultdict(list)
        for minus, project_id in places:
            scores[project_id].append(-minus)
        texts: dict[_Place, StaleText] = {}
        for project_id, some in scores.items():
            packed = await self._run("read", project_id, *some)
            for score, one in zip(some, packed, strict=True):
                if one is not None:
                    texts[-score, project_id] = _stale(project_id, score, one)
        found = (texts[place] for place in places if place in texts)
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
        kind=KIND, project_id=project_id, sequence=score, embedder=parts.embedder, content=parts.text["content"]
    )
