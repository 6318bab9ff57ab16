"""Inverted index from concepts to the texts that have them."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from heapq import nlargest
from itertools import pairwise

from memsieve.text.scripts import is_han

_PAIR = 2
# Only the texts with the highest shared weight are scored.
_MOST_WEIGHED = 50


class ConceptIndex:
    """Finds the texts that share concepts with a finding, counted exactly as `refine.concepts.shared` does."""

    def __init__(self) -> None:
        self._texts: dict[str, frozenset[str]] = {}
        self._empty: dict[str, None] = {}
        self._holders: dict[str, dict[str, None]] = {}
        # To find a concept within longer ones: 熔断 in 熔断器 by its first pair, main.py in src/main.py by its end.
        self._by_pair: defaultdict[str, dict[str, None]] = defaultdict(dict)
        self._by_ending: defaultdict[str, dict[str, None]] = defaultdict(dict)

    def __len__(self) -> int:
        return len(self._texts)

    def put(self, key: str, found: frozenset[str]) -> None:
        """Add or replace a text by its concepts."""
        self.remove(key)
        self._texts[key] = found
        if not found:
            self._empty[key] = None
        for concept in found:
            self._hold(concept, key)

    def remove(self, key: str) -> None:
        """Remove a text, if it is there."""
        self._empty.pop(key, None)
        for concept in self._texts.pop(key, frozenset()):
            del self._holders[concept][key]

    def covering(self, finding: AbstractSet[str], share: float, most: int | None = None) -> list[str]:
        """Return the texts with more than this share of a finding's concepts, most first."""
        if not finding:
            return sorted(self._empty)[:most]
        counts = Counter(key for concept in finding for key in self._holders_of(concept))
        found = sorted((-count, key) for key, count in counts.items() if count / len(finding) > share)
        return [key for _, key in found[:most]]

    def nearest(self, finding: AbstractSet[str], least: float, most: int) -> list[str]:
        """Return the texts nearest to a finding by idf-weighted cosine of their concepts, nearest first."""
        weights: defaultdict[str, float] = defaultdict(float)
        for concept in sorted(finding):
            holders = list(self._holders_of(concept))
            idf = self._idf(len(holders))
            for key in holders:
                weights[key] += idf
        own = sum(self._idf(len(self._holders.get(concept, ()))) for concept in finding)
        heaviest = nlargest(_MOST_WEIGHED, weights.items(), key=lambda item: (item[1], item[0]))
        scores = {key: weight / math.sqrt(own * self._weight(key)) for key, weight in heaviest}
        near = sorted((-score, key) for key, score in scores.items() if score >= least)
        return [key for _, key in near[:most]]

    def _weight(self, key: str) -> float:
        return sum(self._idf(len(self._holders[concept])) for concept in self._texts[key])

    def _idf(self, holders: int) -> float:
        return math.log1p((len(self._texts) + 1) / (holders + 1))

    def _holders_of(self, concept: str) -> Iterable[str]:
        """Return the texts that have a concept, exactly or within a longer one."""
        longer = list(self._longer(concept))
        own = self._holders.get(concept, {})
        if not longer:
            return own
        return own | {key: None for each in longer for key in self._holders[each]}

    def _longer(self, concept: str) -> Iterator[str]:
        if is_han(concept):
            return (
                each for each in self._by_pair.get(concept[:_PAIR], ()) if len(concept) >= _PAIR and concept in each
            )
        if "." not in concept:
            return iter(())
        return (each for each in self._by_ending.get(_ending(concept), ()) if each.endswith("/" + concept))

    def _hold(self, concept: str, key: str) -> None:
        if concept not in self._holders:
            self._holders[concept] = {}
            for first, second in pairwise(concept) if not concept.isascii() else ():
                if is_han(first):
                    self._by_pair[first + second][concept] = None
            if "/" in concept:
                self._by_ending[_ending(concept)][concept] = None
        self._holders[concept][key] = None


def _ending(concept: str) -> str:
    return concept.rpartition("/")[2]
