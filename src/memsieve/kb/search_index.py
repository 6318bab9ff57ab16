"""On-disk search index: the chunks of all atoms as arrays, with position, words and vector of each."""

from __future__ import annotations

import io
import json
import zipfile
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from memsieve.errors import KnowledgeBaseError
from memsieve.kb.files import atomic
from memsieve.model import Vector
from memsieve.retrieval.index import Counted
from memsieve.text.tokenize import is_chinese, tokenize

MOST_BYTES = 2**30
_HASH = 16
# Stored as JSON; every other field is stored as the array it is.
_TEXTS = ("rules", "vocabulary")
_BROKEN = (
    *(OSError, KnowledgeBaseError, zipfile.BadZipFile, EOFError, MemoryError),
    *(ValueError, KeyError, TypeError, AttributeError, NotImplementedError),
)
Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class AtomChunk:
    """A part of an atom's body: its offset, its line in the file, and its text."""

    begin: int
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class SearchIndex:
    """One row per chunk; `words` and `counts` of row n are at `offsets[n]` to `offsets[n + 1]`."""

    rules: str
    vocabulary: list[str]
    begins: Numbers
    ends: Numbers
    lines: Numbers
    hashes: npt.NDArray[np.uint8]
    chinese: npt.NDArray[np.bool_]
    offsets: Numbers
    words: npt.NDArray[np.int32]
    counts: npt.NDArray[np.float32]
    vectors: npt.NDArray[np.float32]
    readable: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.begins)

    @classmethod
    def of(cls, rules: str, chunks: Sequence[AtomChunk], known: dict[bytes, Vector | None]) -> SearchIndex:
        """Build rows from chunks; `known` has the vectors by text hash."""
        cuts = [tokenize(chunk.text) for chunk in chunks]
        counted = [Counter(words) for words in cuts]
        numbers = {word: number for number, word in enumerate(dict.fromkeys(w for words in counted for w in words))}
        vectors = [known.get(text_hash(chunk.text)) for chunk in chunks]
        width = next((len(vector) for vector in vectors if vector is not None), 0)
        return cls(
            rules=rules,
            vocabulary=list(numbers),
            begins=np.array([chunk.begin for chunk in chunks], np.int64),
            ends=np.array([chunk.begin + len(chunk.text) for chunk in chunks], np.int64),
            lines=np.array([chunk.line for chunk in chunks], np.int64),
            hashes=np.array([list(text_hash(chunk.text)) for chunk in chunks], np.uint8).reshape(len(chunks), _HASH),
            chinese=np.array([is_chinese(words) for words in cuts], np.bool_),
            offsets=np.cumsum([0, *map(len, counted)], dtype=np.int64),
            words=np.array([numbers[word] for words in counted for word in words], np.int32),
            counts=np.array([often for words in counted for often in words.values()], np.float32),
            vectors=np.array([np.zeros(width) if v is None else v for v in vectors], np.float32).reshape(
                len(vectors), width
            ),
            readable=np.array([vector is not None for vector in vectors], np.bool_),
        )

    def take(self, rows: Numbers) -> SearchIndex:
        """Return an index of these rows, in this order."""
        lengths = np.diff(self.offsets)[rows]
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        # The positions of all their words: from the begin of each row on.
        at = np.arange(offsets[-1]) + np.repeat(self.offsets[:-1][rows] - offsets[:-1], lengths)
        taken = {
            each.name: getattr(self, each.name)[rows]
            for each in fields(self)
            if each.name not in {*_TEXTS, "offsets", "words", "counts"}
        }
        return replace(self, **taken, offsets=offsets, words=self.words[at], counts=self.counts[at])

    def joined(self, other: SearchIndex) -> SearchIndex:
        """Return an index of these rows and then the other's, with one vocabulary."""
        if not len(self) or not len(other):
            return self if len(self) else other
        words = {word: number for number, word in enumerate(dict.fromkeys([*self.vocabulary, *other.vocabulary]))}
        theirs = np.array([words[word] for word in other.vocabulary], np.int32)
        width = max(self.vectors.shape[1], other.vectors.shape[1])
        joined: dict[str, Any] = {
            each.name: np.concatenate([getattr(self, each.name), getattr(other, each.name)])
            for each in fields(self)
            if each.name not in {*_TEXTS, "offsets", "words", "vectors"}
        }
        return replace(
            self,
            vocabulary=list(words),
            **joined,
            offsets=np.concatenate([self.offsets, other.offsets[1:] + self.offsets[-1]]),
            words=np.concatenate([self.words, theirs[other.words]]).astype(np.int32),
            vectors=np.concatenate([_widened(self.vectors, width), _widened(other.vectors, width)]),
        )

    def known(self) -> dict[bytes, Vector | None]:
        """Return all vectors by text hash."""
        return {self.hashes[row].tobytes(): self.vectors[row] for row in np.flatnonzero(self.readable)}

    def for_query(self, words: Sequence[str]) -> Counted:
        """Return the rows with the postings of these words, for `retrieval.index.Index`."""
        wanted = frozenset(words)
        owners = np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.offsets))
        postings = {}
        for number, word in enumerate(self.vocabulary):
            if word in wanted:
                at = self.words == number
                postings[word] = (owners[at], self.counts[at])
        lengths = np.add.reduceat(np.append(self.counts, 0), self.offsets[:-1]) if len(self) else self.counts
        lengths[np.diff(self.offsets) == 0] = 0
        return Counted(
            matrix=self.vectors,
            readable=self.readable,
            chinese=self.chinese,
            lengths=lengths.astype(np.float32),
            postings=postings,
        )


def empty(rules: str) -> SearchIndex:
    """Return an index without rows."""
    return SearchIndex.of(rules, (), {})


def text_hash(text: str) -> bytes:
    """Return the hash by which the vector of a text is found."""
    return blake2b(text.encode(), digest_size=_HASH).digest()


def save(place: Path, index: SearchIndex, states: Any) -> None:
    """Save an index and the states of its files; if that fails, the next search builds it again."""
    arrays = {each.name: getattr(index, each.name) for each in fields(index) if each.name not in _TEXTS}
    texts = {name: _bytes(getattr(index, name)) for name in _TEXTS}
    written = io.BytesIO()
    np.savez(written, allow_pickle=False, states=_bytes(states), **texts, **arrays)
    with suppress(OSError, KnowledgeBaseError):
        atomic.make_folder(place.parent)
        atomic.replace(place, written.getvalue())


def load(place: Path, rules: str) -> tuple[SearchIndex, Any]:
    """Load the index saved by this version and the states of its files; an empty one if it is broken or older."""
    with suppress(*_BROKEN):
        atomic.require_folder(place.parent)
        content = io.BytesIO(atomic.read(place, most=MOST_BYTES))
        _require_plain(content)
        with np.load(content, allow_pickle=False) as kept:
            if json.loads(kept["rules"].tobytes()) == rules:
                texts = {name: json.loads(kept[name].tobytes()) for name in _TEXTS}
                arrays = {each.name: kept[each.name] for each in fields(SearchIndex) if each.name not in _TEXTS}
                return _checked(SearchIndex(**texts, **arrays)), json.loads(kept["states"].tobytes())
    return empty(rules), {}


def _require_plain(content: io.BytesIO) -> None:
    """Refuse a compressed file: it came with a repository, and may be a zip bomb."""
    with zipfile.ZipFile(content) as packed:
        if any(member.compress_type != zipfile.ZIP_STORED for member in packed.infolist()):
            raise ValueError
    content.seek(0)


def _checked(index: SearchIndex) -> SearchIndex:
    """Refuse arrays whose sizes or offsets do not match."""
    rows = len(index)
    sizes = {len(getattr(index, name)) for name in ("ends", "lines", "hashes", "chinese", "vectors", "readable")}
    sound = sizes == {rows} and len(index.offsets) == rows + 1 and len(index.words) == len(index.counts)
    steps = np.diff(index.offsets)
    if not sound or steps.min(initial=0) < 0 or index.offsets[0] != 0 or index.offsets[-1] != len(index.words):
        raise ValueError
    if index.words.size and not 0 <= index.words.min() <= index.words.max() < len(index.vocabulary):
        raise ValueError
    return index


def _bytes(value: Any) -> npt.NDArray[np.uint8]:
    return np.frombuffer(json.dumps(value).encode(), np.uint8)


def _widened(vectors: npt.NDArray[np.float32], width: int) -> npt.NDArray[np.float32]:
    return np.pad(vectors, ((0, 0), (0, width - vectors.shape[1])))
