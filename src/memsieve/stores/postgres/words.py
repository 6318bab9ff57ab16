"""Words as PostgreSQL's index holds them, and which of a question's words to look candidates up by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from itertools import combinations
from math import prod

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


def times(numbered_words: SparseVector) -> dict[int, int]:
    """Return how often each word is there."""
    reached = zip(numbered_words.indices(), numbered_words.values(), strict=True)
    return {one: round(SATURATION * value / (1 - value)) for one, value in reached}


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
