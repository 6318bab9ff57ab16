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
# To look at so many texts takes a few milliseconds.
MOST_TEXTS = 4000
# Each conjunction of words is one more look into the index.
MOST_TOGETHER = 24
_WORDS_TOGETHER = 6
# So many bytes PostgreSQL sends of a sparse vector before what is in it.
_HEAD = 12


@lru_cache(maxsize=2**17)
def number(project_id: str, word: str) -> int:
    """Return what stands for a word in a project."""
    [(_, made)] = _numbers(project_id, [word])
    return made


def _numbers(project_id: str, words: Iterable[str]) -> list[tuple[str, int]]:
    before = f"{project_id}\0".encode()
    return [
        (word, int.from_bytes(blake2b(before + word.encode(), digest_size=8).digest(), "big") % NUMBERS)
        for word in words
    ]


class Numbered(NamedTuple):
    """Words of texts one after the other, how much of BM25's saturation each reaches, and where each text ends."""

    words: npt.NDArray[np.int64]
    reached: npt.NDArray[np.float64]
    ends: list[int]


def numbered(project_id: str, texts: Sequence[Sequence[str]]) -> Numbered:
    """Return each text's words as the index holds them, in order and each once."""
    # Not one by one: all words of an import would only drive those of questions out of the cache.
    known = dict(_numbers(project_id, set(chain.from_iterable(texts))))
    every = np.fromiter(map(known.__getitem__, chain.from_iterable(texts)), np.int64)
    places = np.arange(len(texts) + 1) * NUMBERS
    found, often = np.unique(every + np.repeat(places[:-1], [len(words) for words in texts]), return_counts=True)
    return Numbered(found % NUMBERS, often / (often + SATURATION), np.searchsorted(found, places[1:]).tolist())


class Told(NamedTuple):
    """Words of a question that texts hold: in which text, which of the words, and how often."""

    texts: npt.NDArray[np.int64]
    words: npt.NDArray[np.int64]
    often: npt.NDArray[np.float64]


def told(sent: Sequence[bytes], wanted: npt.NDArray[np.int64]) -> Told:
    """Return where the wanted words are, which are in order, from what `sparsevec_send` made of each text's words.

    To read them into vectors would take as long as the search itself: three numbers come first, then those of the
    words, then their values.
    """
    ends = [(_HEAD + len(one)) // 2 for one in sent]
    numbers = np.frombuffer(b"".join([one[_HEAD:end] for one, end in zip(sent, ends, strict=True)]), ">i4")
    values = np.frombuffer(b"".join([one[end:] for one, end in zip(sent, ends, strict=True)]), ">f4")
    # The database counts dimensions from 1, and sends them from 0.
    words = np.searchsorted(wanted, numbers)
    [held] = np.nonzero(wanted.take(words, mode="clip") == numbers if len(wanted) else ())
    reached = values[held].astype(np.float64)
    texts = np.repeat(np.arange(len(sent)), [(end - _HEAD) // 4 for end in ends])
    return Told(texts[held], words[held], np.rint(SATURATION * reached / (1 - reached)))


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
