"""Words as PostgreSQL's index holds them, and which of a question's words to look candidates up by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from itertools import chain, combinations
from math import prod
from struct import Struct, unpack_from

import numpy as np
import numpy.typing as npt
from pgvector import SparseVector

from memsieve.retrieval.index import SATURATION

# As many as a sparse vector can have dimensions. Of 100,000 words of a project about five share their number with
# another, and such a pair counts as one word.
NUMBERS = 1_000_000_000
# To look at so many texts takes a few milliseconds.
MOST_TEXTS = 4000
# Each conjunction of words is one more look into the index.
MOST_TOGETHER = 24
_WORDS_TOGETHER = 6
_HEAD = Struct(">3i")


@lru_cache(maxsize=2**17)
def number(project_id: str, word: str) -> int:
    """Return what stands for a word in a project."""
    digest = blake2b(f"{project_id}\0{word}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") % NUMBERS


def numbered(project_id: str, words: Iterable[str]) -> SparseVector:
    """Return the numbers of a text's words, and how much of BM25's saturation each reaches."""
    found: dict[int, int] = {}
    for word, often in Counter(words).items():
        one = number(project_id, word)
        found[one] = found.get(one, 0) + often
    return SparseVector({one: often / (often + SATURATION) for one, often in found.items()}, NUMBERS)


def numbered_all(
    project_id: str, texts: Sequence[Sequence[str]]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64], list[int]]:
    """Return what `numbered` says of many texts one after the other, and where each of them ends."""
    known = {word: number(project_id, word) for word in set(chain.from_iterable(texts))}
    every = np.fromiter(map(known.__getitem__, chain.from_iterable(texts)), np.int64)
    places = np.arange(len(texts) + 1) * NUMBERS
    found, often = np.unique(every + np.repeat(places[:-1], [len(words) for words in texts]), return_counts=True)
    ends: list[int] = np.searchsorted(found, places[1:]).tolist()
    return found % NUMBERS, often / (often + SATURATION), ends


def times(sent: bytes, wanted: Container[int]) -> dict[int, int]:
    """Return how often each of the wanted words is there, from what `sparsevec_send` made of a text's words.

    To read all of them into a vector would take as long as the search itself: three numbers come first, of which the
    second counts the words, then their numbers, then their values.
    """
    _, count, _ = _HEAD.unpack_from(sent)
    told = unpack_from(f">{count}i{count}f", sent, _HEAD.size)
    # The database counts dimensions from 1, and sends them from 0.
    reached = zip(told[:count], told[count:], strict=True)
    return {one: round(SATURATION * value / (1 - value)) for one, value in reached if one in wanted}


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookup:
    """Texts that hold one of the words `alone`, or all of some that stand `together`; if they are few, any other."""

    alone: Sequence[int] = ()
    together: Sequence[Sequence[int]] = ()
    otherwise: Sequence[int] = ()


def lookup(holding: Mapping[int, int], texts: int, most: int = MOST_TEXTS) -> Lookup:
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
        return Lookup(alone=alone)
    shares = {one: holding[one] / texts for one in common}
    return Lookup(alone=alone, together=_together(shares, most / texts), otherwise=known)


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
