"""Find atoms by words and vectors, as retrieval finds memories; what was read of them is kept until they change."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from memsieve import retrieval, validate
from memsieve.config import Settings
from memsieve.errors import EmbedderError, KnowledgeBaseError
from memsieve.kb import search_index as table
from memsieve.kb.files import document
from memsieve.kb.files.document import Document
from memsieve.kb.files.fingerprints import code_version, file_stamp
from memsieve.kb.files.layout import Layout
from memsieve.kb.files.tree import is_atom, walk_files
from memsieve.kb.search_index import Piece, Table, hash_of
from memsieve.model import Vector
from memsieve.ports import Embedder, Progress
from memsieve.retrieval.fusion import candidates_per_leg, fused
from memsieve.retrieval.index import Index
from memsieve.retrieval.retriever import MAX_QUERY_BYTES
from memsieve.review import chunking as splitter
from memsieve.runtime.event_loop import LoopThread
from memsieve.services.embedder import open_embedder
from memsieve.text.tokenize import tokenize

MOST_HITS = 100
# Less than this is chance: what has neither the words nor the sense.
_LEAST = 0.1
_CACHE = "search.npz"
# So much is lost at most when the first search is interrupted.
_FILES_AT_ONCE = 500
_TEXTS_AT_ONCE = 64
Embed = Callable[[Sequence[str]], "list[Vector | None]"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AtomHit:
    """An atom that a search found: the best part of it, and the line of its file where that begins."""

    path: str
    title: str
    score: float
    line: int
    excerpt: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AtomSearch:
    """What a search found, which atoms could not be read, and what was not asked."""

    hits: tuple[AtomHit, ...]
    unread: tuple[str, ...] = ()
    degraded: tuple[str, ...] = ()


def search(layout: Layout, query: str, limit: int, settings: Settings, progress: Progress | None = None) -> AtomSearch:
    """Return the atoms that fit a query best; `progress` is told of the vectors that must be made first."""
    validate.text(query, field="query", max_bytes=MAX_QUERY_BYTES)
    validate.whole_number(limit, field="limit", most=MOST_HITS)
    with _opened(settings) as (embed, name):
        shelf = _Shelf(layout, embed, name)
        shelf.refresh(progress)
        [vector] = shelf.vectors([query])
    return shelf.best(query, vector, limit)


@contextmanager
def _opened(settings: Settings) -> Iterator[tuple[Embed, str]]:
    """Open the embedder for synchronous code, also within an event loop."""
    loop = LoopThread()
    try:
        opening = open_embedder(settings)
        embedder: Embedder = loop.call(opening.__aenter__())
        try:
            yield (lambda texts: loop.call(_embedded(embedder, texts))), embedder.name
        finally:
            loop.call(opening.__aexit__(None, None, None))
    finally:
        loop.close()


async def _embedded(embedder: Embedder, texts: Sequence[str]) -> list[Vector | None]:
    return await embedder.embed(texts)


@dataclass
class _Shelf:
    """All atoms in pieces, as they were read last, brought up to what is on disk."""

    layout: Layout
    embed: Embed
    embedder: str
    rows: Table = field(init=False)
    states: dict[str, list[Any]] = field(init=False)
    degraded: bool = False

    def __post_init__(self) -> None:
        self.rows, kept = table.load(self._place, f"{_rules()} {self.embedder}")
        self.states = kept if _sound(kept, len(self.rows)) else {}
        if not self.states:
            self.rows = table.empty(self.rows.rules)

    @property
    def _place(self) -> Path:
        return self.layout.cache / _CACHE

    def refresh(self, progress: Progress | None) -> None:
        """Read what is new or has changed, and forget what is gone."""
        found = dict(_states(self.layout))
        changed = [path for path, state in found.items() if not state or self.states.get(path, [None])[0] != state]
        if not changed and found.keys() == self.states.keys():
            return
        known, anew = self.rows.known(), frozenset(changed)
        self._keep([path for path in found if path not in anew])
        for begin in range(0, len(changed), _FILES_AT_ONCE):
            self._add(changed[begin : begin + _FILES_AT_ONCE], found, known, _share(progress, begin, len(changed)))
            table.save(self._place, self.rows, self.states)
        if not changed:
            table.save(self._place, self.rows, self.states)

    def _keep(self, paths: Sequence[str]) -> None:
        rows, states = list[int](), dict[str, list[Any]]()
        for path in paths:
            state, title, first, count = self.states[path]
            states[path] = [state, title, len(rows), count]
            rows.extend(range(first, first + count))
        self.rows, self.states = self.rows.take(np.array(rows, np.int64)), states

    def _add(
        self, paths: Sequence[str], found: dict[str, Any], known: dict[bytes, Vector | None], progress: Progress | None
    ) -> None:
        pieces: list[Piece] = []
        for path in paths:
            read = self._read(path)
            parts = [] if read is None else list(_pieces(read))
            title = None if read is None else read.title(path)
            self.states[path] = [found[path], title, len(self.rows) + len(pieces), len(parts)]
            pieces += parts
        self._learn(pieces, known, progress)
        if self.degraded:
            # What has no vector for want of an embedder gets one when it answers again.
            for path in paths:
                self.states.get(path, [None])[0] = None
        self.rows = self.rows.joined(Table.of(self.rows.rules, pieces, known))

    def _read(self, path: str) -> Document | None:
        try:
            return document.read(self.layout.root / path)
        except (FileNotFoundError, KnowledgeBaseError):
            return None

    def _learn(self, pieces: Sequence[Piece], known: dict[bytes, Vector | None], progress: Progress | None) -> None:
        wanted = list(dict.fromkeys(piece.text for piece in pieces if hash_of(piece.text) not in known))
        for begin in range(0, len(wanted), _TEXTS_AT_ONCE):
            texts = wanted[begin : begin + _TEXTS_AT_ONCE]
            vectors = self.vectors(texts)
            if self.degraded:
                return
            known |= zip(map(hash_of, texts), vectors, strict=True)
            if progress is not None:
                progress(begin + len(texts), len(wanted))

    def vectors(self, texts: Sequence[str]) -> list[Vector | None]:
        """Return the vectors of texts, or none where the embedder fails: words find much as well."""
        try:
            return self.embed(texts)
        except EmbedderError:
            self.degraded = True
            return [None] * len(texts)

    def best(self, query: str, vector: Vector | None, limit: int) -> AtomSearch:
        """Return the best piece of each of the best atoms."""
        words = tokenize(query)
        # Neighbouring pieces of one atom may take each other's place.
        matches = Index.counted(self.rows.asked(words)).search(vector, words, 2 * candidates_per_leg(limit))
        scores = {match.position: fused(match) for match in matches}
        owners = np.repeat(np.arange(len(self.states)), [state[3] for state in self.states.values()])
        paths, hits = list(self.states), dict[str, AtomHit]()
        for row in sorted(scores, key=lambda row: (-scores[row], row)):
            path = paths[owners[row]]
            if len(hits) == limit or scores[row] < _LEAST:
                break
            if path not in hits and (hit := self._hit(path, row, scores[row], words)) is not None:
                hits[path] = hit
        return AtomSearch(
            hits=tuple(hits.values()),
            unread=tuple(path for path, state in self.states.items() if state[1] is None),
            degraded=("embedder",) if self.degraded else (),
        )

    def _hit(self, path: str, row: int, score: float, words: Sequence[str]) -> AtomHit | None:
        read = self._read(path)
        if read is None:
            return None
        excerpt = read.body[int(self.rows.begins[row]) : int(self.rows.ends[row])]
        line = int(self.rows.lines[row]) + _best_line(excerpt, frozenset(words))
        return AtomHit(path=path, title=str(self.states[path][1]), score=round(score, 4), line=line, excerpt=excerpt)


def _pieces(read: Document) -> Iterator[Piece]:
    """Yield the parts of an atom as promotion would split it, with their places."""
    begin, line, counted = 0, read.body_line, 0
    for text in splitter.split(read.body) if read.text else ():
        begin = read.body.index(text, begin)
        line, counted = line + read.body.count("\n", counted, begin), begin
        yield Piece(begin, line, text)
        begin += 1


def _best_line(excerpt: str, words: frozenset[str]) -> int:
    """Return which line of a part has the most of a query's words, from 0; the first where none has any."""
    held = [len(words.intersection(tokenize(line))) for line in excerpt.split("\n")]
    return held.index(max(held))


def _states(layout: Layout) -> Iterator[tuple[str, list[int] | None]]:
    """Yield every atom with its size and times; None for what may have changed without them."""
    now = time.time_ns()
    # Paths as text: as objects they would take longer than all the rest.
    beyond = len(str(layout.root)) + 1
    for entry in walk_files(layout.atoms):
        if is_atom(entry):
            state = file_stamp(entry.stat(follow_symlinks=False), now)
            yield entry.path[beyond:].replace(os.sep, "/"), state


def _share(progress: Progress | None, begin: int, total: int) -> Progress | None:
    """Return what tells the progress of one part of the work as that of the whole."""
    if progress is None:
        return None
    part = min(_FILES_AT_ONCE, total - begin)
    return lambda done, of: progress(begin + part * done // max(1, of), total)


def _sound(states: Any, rows: int) -> bool:
    """Say whether what was kept of the files is whole: their rows lie one behind the other."""
    if not isinstance(states, dict):
        return False
    first = 0
    for state in states.values():
        if not (isinstance(state, list) and len(state) == 4 and state[2] == first and isinstance(state[3], int)):  # noqa: PLR2004
            return False
        first += state[3]
    return first == rows


@cache
def _rules() -> str:
    """Return a mark of the rules that cut texts and words: by others, what was kept is worth nothing."""
    return code_version(retrieval, splitter)
