"""Search atoms by words and vectors, as retrieval searches memories; a cached index is updated first."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from memsieve import retrieval, text, validate
from memsieve.config import Settings
from memsieve.errors import EmbedderError, KnowledgeBaseError
from memsieve.kb import search_index
from memsieve.kb.files import document
from memsieve.kb.files.document import MarkdownDocument
from memsieve.kb.files.fingerprints import code_version, file_stamp
from memsieve.kb.files.layout import Layout
from memsieve.kb.files.tree import is_atom, walk_files
from memsieve.kb.search_index import AtomChunk, SearchIndex, text_hash
from memsieve.model import Vector
from memsieve.ports import Embedder, Progress
from memsieve.retrieval.fusion import candidates_per_leg, fused
from memsieve.retrieval.index import Index
from memsieve.retrieval.retriever import MAX_QUERY_BYTES
from memsieve.review import chunking
from memsieve.runtime.event_loop import LoopThread
from memsieve.services.embedder import open_embedder
from memsieve.text.tokenize import tokenize

MOST_HITS = 100
# A lower score is chance: neither words nor meaning match.
_LEAST = 0.1
_CACHE_FILE = "search.npz"
# The index is saved after so many files: no more is lost when the first search is interrupted.
_FILES_AT_ONCE = 500
_TEXTS_AT_ONCE = 64
Embed = Callable[[Sequence[str]], "list[Vector | None]"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AtomHit:
    """A found atom: its best chunk, and the line of the file that matches best."""

    path: str
    title: str
    score: float
    line: int
    excerpt: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AtomSearch:
    """The hits, the atoms that could not be read, and `embedder` in `degraded` if only words were compared."""

    hits: tuple[AtomHit, ...]
    unread: tuple[str, ...] = ()
    degraded: tuple[str, ...] = ()


def search(layout: Layout, query: str, limit: int, settings: Settings, progress: Progress | None = None) -> AtomSearch:
    """Return the atoms that match a query best; `progress` is called as vectors are made."""
    validate.text(query, field="query", max_bytes=MAX_QUERY_BYTES)
    validate.whole_number(limit, field="limit", most=MOST_HITS)
    with _opened(settings) as (embed, name):
        atoms = _IndexedAtoms(layout, embed, name)
        atoms.refresh(progress)
        [vector] = atoms.vectors([query])
    return atoms.best(query, vector, limit)


@contextmanager
def _opened(settings: Settings) -> Iterator[tuple[Embed, str]]:
    """Open the embedder on a loop thread, for synchronous code."""
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


class _IndexedFile(NamedTuple):
    """The state of an atom's file, and its rows in the index; an unreadable one has no title."""

    stamp: list[int] | None
    title: str | None
    first: int
    chunks: int


@dataclass
class _IndexedAtoms:
    """The search index of all atoms, with the state of each file in the order of its rows."""

    layout: Layout
    embed: Embed
    embedder: str
    index: SearchIndex = field(init=False)
    files: dict[str, _IndexedFile] = field(init=False)
    degraded: bool = False

    def __post_init__(self) -> None:
        self.index, rows = search_index.load(self._path, f"{_version()} {self.embedder}")
        self.files = _indexed_files(rows, len(self.index))
        if not self.files:
            self.index = search_index.empty(self.index.rules)

    @property
    def _path(self) -> Path:
        return self.layout.cache / _CACHE_FILE

    def refresh(self, progress: Progress | None) -> None:
        """Index new and changed atoms, and remove deleted ones."""
        found = dict(_stamps(self.layout))
        indexed = {path: file.stamp for path, file in self.files.items()}
        changed = [path for path, stamp in found.items() if stamp is None or indexed.get(path) != stamp]
        if not changed and found.keys() == indexed.keys():
            return
        known, stale = self.index.known(), frozenset(changed)
        self._keep([path for path in found if path not in stale])
        for begin in range(0, len(changed), _FILES_AT_ONCE):
            advance = _batch_progress(progress, begin, len(changed))
            self._add(changed[begin : begin + _FILES_AT_ONCE], found, known, advance)
            search_index.save(self._path, self.index, self.files)
        if not changed:
            search_index.save(self._path, self.index, self.files)

    def _keep(self, paths: Sequence[str]) -> None:
        rows, files = list[int](), dict[str, _IndexedFile]()
        for path in paths:
            file = self.files[path]
            files[path] = file._replace(first=len(rows))
            rows.extend(range(file.first, file.first + file.chunks))
        self.index, self.files = self.index.take(np.array(rows, np.int64)), files

    def _add(
        self, paths: Sequence[str], found: dict[str, Any], known: dict[bytes, Vector | None], progress: Progress | None
    ) -> None:
        chunks: list[AtomChunk] = []
        for path in paths:
            read = self._read(path)
            parts = [] if read is None else list(_chunks(read))
            title = None if read is None else read.title(path)
            self.files[path] = _IndexedFile(found[path], title, len(self.index) + len(chunks), len(parts))
            chunks += parts
        self._embed_new(chunks, known, progress)
        if self.degraded:
            # Without a stamp they are indexed again, with vectors, once the embedder answers.
            self.files |= {path: self.files[path]._replace(stamp=None) for path in paths}
        self.index = self.index.joined(SearchIndex.of(self.index.rules, chunks, known))

    def _read(self, path: str) -> MarkdownDocument | None:
        try:
            return document.read(self.layout.root / path)
        except (FileNotFoundError, KnowledgeBaseError):
            return None

    def _embed_new(
        self, chunks: Sequence[AtomChunk], known: dict[bytes, Vector | None], progress: Progress | None
    ) -> None:
        wanted = list(dict.fromkeys(chunk.text for chunk in chunks if text_hash(chunk.text) not in known))
        for begin in range(0, len(wanted), _TEXTS_AT_ONCE):
            texts = wanted[begin : begin + _TEXTS_AT_ONCE]
            vectors = self.vectors(texts)
            if self.degraded:
                return
            known |= zip(map(text_hash, texts), vectors, strict=True)
            if progress is not None:
                progress(begin + len(texts), len(wanted))

    def vectors(self, texts: Sequence[str]) -> list[Vector | None]:
        """Return the vectors of texts, or None for each if the embedder fails: words alone find much as well."""
        try:
            return self.embed(texts)
        except EmbedderError:
            self.degraded = True
            return [None] * len(texts)

    def best(self, query: str, vector: Vector | None, limit: int) -> AtomSearch:
        """Return the best atoms, each by its best chunk."""
        words = tokenize(query)
        # Several chunks of one atom may be among the matches.
        matches = Index.counted(self.index.for_query(words)).search(vector, words, 2 * candidates_per_leg(limit))
        scores = {match.position: fused(match) for match in matches}
        owners = np.repeat(np.arange(len(self.files)), [file.chunks for file in self.files.values()])
        paths, hits = list(self.files), dict[str, AtomHit]()
        for row in sorted(scores, key=lambda row: (-scores[row], row)):
            path = paths[owners[row]]
            if len(hits) == limit or scores[row] < _LEAST:
                break
            if path not in hits and (hit := self._hit(path, row, scores[row], words)) is not None:
                hits[path] = hit
        return AtomSearch(
            hits=tuple(hits.values()),
            unread=tuple(path for path, file in self.files.items() if file.title is None),
            degraded=("embedder",) if self.degraded else (),
        )

    def _hit(self, path: str, row: int, score: float, words: Sequence[str]) -> AtomHit | None:
        read = self._read(path)
        if read is None:
            return None
        excerpt = read.body[int(self.index.begins[row]) : int(self.index.ends[row])]
        line = int(self.index.lines[row]) + _best_line(excerpt, frozenset(words))
        return AtomHit(path=path, title=str(self.files[path].title), score=round(score, 4), line=line, excerpt=excerpt)


def _chunks(read: MarkdownDocument) -> Iterator[AtomChunk]:
    """Yield the chunks of an atom, split as promotion splits a text."""
    begin, line, counted = 0, read.body_line, 0
    for part in chunking.split(read.body) if read.text else ():
        begin = read.body.index(part, begin)
        line, counted = line + read.body.count("\n", counted, begin), begin
        yield AtomChunk(begin, line, part)
        begin += 1


def _best_line(excerpt: str, words: frozenset[str]) -> int:
    """Return the line of an excerpt, from 0, that has the most words of a query; the first if none has any."""
    shared = [len(words.intersection(tokenize(line))) for line in excerpt.split("\n")]
    return shared.index(max(shared))


def _stamps(layout: Layout) -> Iterator[tuple[str, list[int] | None]]:
    """Yield every atom with its file stamp; None if it may change without a change of stamp."""
    now = time.time_ns()
    # Strings: making path objects would take longer than all the rest.
    prefix = len(str(layout.root)) + 1
    for entry in walk_files(layout.atoms):
        if is_atom(entry):
            yield entry.path[prefix:].replace(os.sep, "/"), file_stamp(entry.stat(follow_symlinks=False), now)


def _batch_progress(progress: Progress | None, begin: int, total: int) -> Progress | None:
    """Return a callback that reports the progress of a batch as that of the whole."""
    if progress is None:
        return None
    part = min(_FILES_AT_ONCE, total - begin)
    return lambda done, of: progress(begin + part * done // max(1, of), total)


def _indexed_files(rows: Any, length: int) -> dict[str, _IndexedFile]:
    """Return the saved states of files; none unless their rows follow one another and fill the index."""
    files: dict[str, _IndexedFile] = {}
    first = 0
    with suppress(TypeError, AttributeError):
        for path, row in rows.items():
            files[path] = file = _IndexedFile(*row)
            if file.first != first or not isinstance(file.chunks, int):
                return {}
            first += file.chunks
    return files if first == length else {}


@cache
def _version() -> str:
    """Return the version of the code that splits and tokenizes: an index is valid for that version only."""
    return code_version(retrieval, text, chunking)
