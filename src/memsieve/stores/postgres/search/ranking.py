"""What a search found on PostgreSQL, ranked by the scores of `retrieval.index`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
import numpy.typing as npt

from memsieve.model import Origin, SearchHit
from memsieve.retrieval.fusion import fuse
from memsieve.retrieval.index import LENGTH_WEIGHT, SATURATION, expected_word_scores, idf
from memsieve.retrieval.neighbours import Parts, Sessions
from memsieve.stores.postgres.psycopg_internals import Columns, decode_term_counts

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
        """Weigh words by how many of the `texts`, of this length together, hold them."""
        weights = {word: weight for word, number in holding.items() if (weight := idf(number, texts))}
        per_word = BY_LENGTH / max(1.0, length / texts)
        return cls(weights=weights, reachable=sum(weights.values()), per_word=per_word)

    def parts(self, sent: Sequence[bytes], lengths: npt.NDArray[np.float64]) -> Parts:
        """Return for each text and word the share of what one of average length with each word once would have."""
        words = sorted(self.weights)
        counts = decode_term_counts(sent, np.array(words, np.int64))
        norms = SHORTEST + self.per_word * lengths
        weights = np.array([self.weights[word] for word in words])[counts.words]
        reached = weights * (SATURATION + 1) * counts.often / (counts.often + norms[counts.texts])
        parts = np.zeros((len(sent), len(words)))
        parts[counts.texts, counts.words] = reached / (self.reachable or 1.0)
        return parts


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a query wants: `limit` hits, of `by_leg` candidates from each leg, and nothing older."""

    chinese: bool
    limit: int
    by_leg: int
    since: datetime | None


def best(found: Columns, bm25: Bm25, wanted: Wanted) -> list[SearchHit]:
    """Return what has the best fused score among the nearest, the best by words, and what was said around them.

    All that was found comes in the order in which it was promoted.
    """
    if not found["sequence"]:
        return []
    # A text that nobody made a vector of has no number there.
    similarities = np.array(found["similarity"], np.float64)
    lengths = np.array(found["length"], np.float64)
    parts = bm25.parts(found["counts"], lengths)
    words = parts.sum(axis=1)
    foreign = np.array(found["chinese"]) != wanted.chinese
    if foreign.any():
        likely = np.nan_to_num(expected_word_scores(similarities.astype(np.float32)))
        words = np.where(foreign, np.maximum(words, likely), words)
    allowed = None if wanted.since is None else np.array([at >= wanted.since for at in found["promoted_at"]])
    legs = _by_leg(found["near"], words, wanted.by_leg)
    kept = _sessions(found).expand(legs, words, parts.__getitem__, lengths, allowed)
    order = kept[np.argsort(-fuse(similarities[kept], words[kept]), kind="stable")[: wanted.limit]]
    return [_hit(found, place, float(words[place])) for place in order.tolist()]


def _by_leg(near: Sequence[bool | None], words: npt.NDArray[np.float64], most: int) -> npt.NDArray[np.intp]:
    """Return where the nearest and the best by words are, without what only came along."""
    by_words = np.where([one is None for one in near], 0.0, words)
    legs = np.array([one is True for one in near])
    legs[np.argsort(-by_words, kind="stable")[: min(most, np.count_nonzero(by_words))]] = True
    return np.flatnonzero(legs)


def _sessions(found: Columns) -> Sessions:
    sessions = Sessions()
    for position, (session_id, at) in enumerate(zip(found["session_id"], found["said_at"], strict=True)):
        if session_id is not None:
            sessions.add(position, Origin(session_id=session_id, at=at))
    return sessions


def _hit(found: Columns, place: int, word_score: float) -> SearchHit:
    return SearchHit(
        chunk_id=found["id"][place],
        memory_id=found["approval_id"][place],
        content=found["content"][place],
        promoted_by=found["promoted_by"][place],
        promoted_at=found["promoted_at"][place],
        similarity=found["similarity"][place],
        word_score=word_score,
    )
