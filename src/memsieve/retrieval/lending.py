"""Texts that were said side by side lend each other words: an answer rarely repeats the words of its question.

Only what an index holds lends, and long-term memory's index holds what a person verified and nothing else.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta

import numpy as np
import numpy.typing as npt

from memsieve.model import Place

# What a word of the text next to it counts in a text that does not hold the word itself, and of the next but one.
# Chosen on LoCoMo, where recall at 10 stays within a point for 0.6 to 0.7 and 0.4 to 0.5; `ENOUGH` on QMSum, too.
SHARES = (0.6, 0.4)
# "Yes, please." says little whatever was said before it: a text is lent in full if it has so many words of its own.
ENOUGH = 12
# Sessions may go on for years under one name; what was said on another day is no context.
NEAR = timedelta(days=1).total_seconds()

# Rows of three: a text, another that was said around it, and how many others were said between the two.
Links = npt.NDArray[np.intp]
Positions = npt.NDArray[np.intp]
# A row for each text, which says what each of the question's words counts in it.
Parts = npt.NDArray[np.float64]


class Sessions:
    """Positions of texts in the order in which they were said."""

    def __init__(self) -> None:
        self._places: dict[int, tuple[list[tuple[float, int]], float]] = {}
        self._said: dict[str, list[tuple[float, int]]] = {}

    def add(self, position: int, place: Place) -> None:
        """Take in one text."""
        said, moment = self._said.setdefault(place.session_id, []), place.at.timestamp()
        self._places[position] = said, moment
        insort(said, (moment, position))

    def links(self, positions: Iterable[int]) -> Links:
        """Return the links of some texts to what was said around them."""
        links = [link for position in positions if position in self._places for link in self._around(position)]
        return np.array(links, np.intp).reshape(-1, 3)

    def lend(
        self,
        found: Positions,
        word_scores: npt.NDArray[np.floating],
        parts: Callable[[Positions], Parts],
        lengths: npt.NDArray[np.floating],
        allowed: npt.NDArray[np.bool_] | None = None,
    ) -> Positions:
        """Let what was found and what was said around it lend each other words in `word_scores`, and return both."""
        if not self._places:
            return found
        links = self.links(found.tolist())
        if allowed is not None:
            links = links[allowed[links[:, 1]]]
        rows = np.union1d(found, links[:, 1])
        links[:, :2] = np.searchsorted(rows, links[:, :2])
        word_scores[rows] = np.maximum(word_scores[rows], lent(parts(rows), lengths[rows], links))
        return rows

    def _around(self, position: int) -> Iterator[tuple[int, int, int]]:
        said, moment = self._places[position]
        here = bisect_left(said, (moment, position))
        for between in range(len(SHARES)):
            for there in (here - 1 - between, here + 1 + between):
                if 0 <= there < len(said) and abs(said[there][0] - moment) <= NEAR:
                    yield position, said[there][1], between


def lent(parts: Parts, lengths: npt.NDArray[np.floating], links: Links) -> npt.NDArray[np.float64]:
    """Return each text's score by words, with those that it is lent."""
    ones, others, between = links.T
    most, shares, due = parts.copy(), np.array(SHARES)[between], np.minimum(1.0, lengths / ENOUGH)
    for to, by in ((ones, others), (others, ones)):
        np.maximum.at(most, to, (shares * due[to])[:, None] * parts[by])
    scores: npt.NDArray[np.float64] = most.sum(axis=1)
    return scores
