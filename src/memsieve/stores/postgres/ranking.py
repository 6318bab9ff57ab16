"""What a search found on PostgreSQL, ranked by the scores of `retrieval.index`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from memsieve.model import Hit, Place
from memsieve.retrieval.fuse import fuse
from memsieve.retrieval.index import LENGTH_WEIGHT, SATURATION, rarity
from memsieve.retrieval.languages import likely_words
from memsieve.retrieval.lending import Parts, Sessions
from memsieve.stores.postgres.words import told

SHORTEST = SATURATION * (1 - LENGTH_WEIGHT)
BY_LENGTH = SATURATION * LENGTH_WEIGHT


@dataclass(frozen=True, slots=True, kw_only=True)
class Bm25:
    """How much each word of the question weighs in this project, and the length of a text against it."""

    weights: dict[int, float]
    reachable: float
    per_word: float

    @classmethod
    def of(cls, holding: Mapping[int, int], texts: int, length: int) -> Bm25:
        """Weigh words by how many of so many texts, of this length together, hold them."""
        weights = {word: weight for word, held in holding.items() if (weight := rarity(held, texts))}
        per_word = BY_LENGTH / max(1.0, length / texts)
        return cls(weights=weights, reachable=sum(weights.values()), per_word=per_word)

    def parts(self, sent: Sequence[bytes], lengths: npt.NDArray[np.float64]) -> Parts:
        """Return for each text and word the share of what one of average length with each word once would have."""
        words = sorted(self.weights)
        held = told(sent, np.array(words, np.int64))
        norms = SHORTEST + self.per_word * lengths
        weights = np.array([self.weights[word] for word in words])[held.words]
        reached = weights * (SATURATION + 1) * held.often / (held.often + norms[held.texts])
        parts = np.zeros((len(sent), len(words)))
        parts[held.texts, held.words] = reached / (self.reachable or 1.0)
        return parts


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a question wants: so many in the end, of so many by each leg, and nothing older."""

    chinese: bool
    limit: int
    by_leg: int
    since: datetime | None


def best(rows: Sequence[dict[str, Any]], bm25: Bm25, wanted: Wanted) -> list[Hit]:
    """Return what has the best fused score among the nearest, the best by words, and what was said around them."""
    if not rows:
        return []
    rows = sorted(rows, key=itemgetter("sequence"))
    # A text that nobody made a vector of has no number there.
    similarities = np.array([row["similarity"] for row in rows], np.float64)
    lengths = np.array([row["length"] for row in rows], np.float64)
    parts = bm25.parts([row["counts"] for row in rows], lengths)
    words = parts.sum(axis=1)
    foreign = [row["chinese"] is not wanted.chinese for row in rows]
    if any(foreign):
        likely = np.nan_to_num(likely_words(similarities.astype(np.float32)))
        words = np.where(foreign, np.maximum(words, likely), words)
    allowed = None if wanted.since is None else np.array([row["promoted_at"] >= wanted.since for row in rows])
    kept = _sessions(rows).lend(_found(rows, words, wanted.by_leg), words, parts.__getitem__, lengths, allowed)
    order = kept[np.argsort(-fuse(similarities[kept], words[kept]), kind="stable")[: wanted.limit]]
    return [_hit(rows[place], float(words[place])) for place in order.tolist()]


def _found(rows: Sequence[dict[str, Any]], words: npt.NDArray[np.float64], most: int) -> npt.NDArray[np.intp]:
    """Return where the nearest and the best by words are, without what only came along."""
    by_words = np.where([row["near"] is None for row in rows], 0.0, words)
    found = np.array([row["near"] is True for row in rows])
    found[np.argsort(-by_words, kind="stable")[: min(most, np.count_nonzero(by_words))]] = True
    return np.flatnonzero(found)


def _sessions(rows: Sequence[dict[str, Any]]) -> Sessions:
    sessions = Sessions()
    for position, row in enumerate(rows):
        if row["session_id"] is not None:
            sessions.add(position, Place(session_id=row["session_id"], at=row["said_at"]))
    return sessions


def _hit(row: dict[str, Any], word_score: float) -> Hit:
    return Hit(
        chunk_id=row["id"],
        memory_id=row["approval_id"],
        content=row["content"],
        promoted_by=row["promoted_by"],
        promoted_at=row["promoted_at"],
        similarity=row["similarity"],
        word_score=word_score,
    )
