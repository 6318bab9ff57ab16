"""Words as PostgreSQL's index holds them, and which of a question's words to look candidates up by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from itertools import chain, combinations
from math import prod
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from memsieve.retrieval.index import SATURATION

# As many as a sparse vector can have dimensions. Of 100,000 words of a project about five share their number with
# another, and such a pair counts as one word.
NUMBERS = 1_000_000_000
# Looking at this many texts takes a few milliseconds.
MOST_TEXTS = 4000
# Each conjunction of words is one more look into the index.
MOST_TOGETHER = 24
_WORDS_TOGETHER = 6


@lru_cache(maxsize=2**17)
def hash_term(project_id: str, word: str) -> int:
    """Return the number of a word in a project."""
    [(_, made)] = _hashes(project_id, [word])
    return made


def _hashes(project_id: str, words: Iterable[str]) -> list[tuple[str, int]]:
    before = f"{project_id}\0".encode()
    return [
        (word, int.from_bytes(blake2b(before + word.encode(), digest_size=8).digest(), "big") % NUMBERS)
        for word in words
    ]


class HashedTerms(NamedTuple):
    """Words of texts one after the other, how much of BM25's saturation each reaches, and where each text ends."""

    words: npt.NDArray[np.int64]
    reached: npt.NDArray[np.float64]
    ends: list[int]


def hash_terms(project_id: str, texts: Sequence[Sequence[str]]) -> HashedTerms:
    """Return each text's words as the index holds them, in order and each once."""
    # Not one by one: all words of an import would only drive those of questions out of the cache.
    known = dict(_hashes(project_id, set(chain.from_iterable(texts))))
    every = np.fromiter(map(known.__getitem__, chain.from_iterable(texts)), np.int64)
    places = np.arange(len(texts) + 1) * NUMBERS
    found, often = np.unique(every + np.repeat(places[:-1], [len(words) for words in texts]), return_counts=True)
    return HashedTerms(found % NUMBERS, often / (often + SATURATION), np.searchsorted(found, places[1:]).tolist())


@dataclass(frozen=True, slots=True, kw_only=True)
class TermLookup:
    """Texts that hold one of the words `alone`, or all of some that stand `together`; if they are few, any other."""

    alone: Sequence[int] = ()
    together: Sequence[Sequence[int]] = ()
    otherwise: Sequence[int] = ()


def plan_lookup(holding: Mapping[int, int], texts: int, most: int = MOST_TEXTS) -> TermLookup:
    """Choose what to look up so that about `most` texts are found, with those of rare words before all others."""
    known = sorted((one for one, count in holding.items() if count), key=holding.__getitem__)
    alone: list[int] = []
    for one in known:
        if holding[one] > most:
            break
        alone.append(one)
        most -= holding[one]
    common = known[len(alone) :]
    if not common:
        return TermLookup(alone=alone)
    shares = {one: holding[one] / texts for one in common}
    return TermLookup(alone=alone, together=_together(shares, most / texts), otherwise=known)


def _together(shares: Mapping[int, float], room: float) -> list[Sequence[int]]:
    """Return sets of common words that few texts hold all of, as if words were strangers to each other."""
    chosen: list[Sequence[int]] = []
    rarest = list(shares)[:_WORDS_TOGETHER]
    for size in range(2, len(rarest) + 1):
        for words in sorted(combinations(rarest, size), key=lambda words: prod(shares[one] for one in words)):
            expected = prod(shares[one] for one in words)
            found_already = any(set(smaller) <= set(words) for smaller in chosen)
            if expected <= room and not found_already and len(chosen) < MOST_TOGETHER:
                chosen.append(words)
                room -= expected
    return chosen or [tuple(shares)] if len(shares) > 1 else []
