"""Context expansion: texts are found by the words of the messages next to them in their session.

An answer rarely repeats the words of its question, but the messages just before or after it do. Only indexed texts
take part: long-term memory's index holds what a person verified and nothing else.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta

import numpy as np
import numpy.typing as npt

from memsieve.model import Origin

# Weight of a query term found only in the adjacent message, and in the next but one.
# Chosen on LoCoMo, where recall at 10 stays within a point for 0.6 to 0.7 and 0.4 to 0.5; `ENOUGH` on QMSum, too.
SHARES = (0.6, 0.4)
# A text with this many words takes the full share; "Yes, please." says little, whatever its neighbours say.
ENOUGH = 12
# Sessions may go on for years under one name; a message of another day is no context.
NEAR = timedelta(days=1).total_seconds()

# Rows of three: a text, a neighbour of it in its session, and the number of messages between the two.
Links = npt.NDArray[np.intp]
Positions = npt.NDArray[np.intp]
# One row per text, one column per query term: the term's score in the text.
Parts = npt.NDArray[np.float64]


class Sessions:
    """Positions of texts in the order of time, by session."""

    def __init__(self) -> None:
        self._origins: dict[int, tuple[list[tuple[float, int]], float]] = {}
        self._sessions: dict[str, list[tuple[float, int]]] = {}

    def add(self, position: int, origin: Origin) -> None:
        """Add one text."""
        session, moment = self._sessions.setdefault(origin.session_id, []), origin.at.timestamp()
        self._origins[position] = session, moment
        insort(session, (moment, position))

    def links(self, positions: Iterable[int]) -> Links:
        """Return the links of some texts to their neighbours."""
        links = [link for position in positions if position in self._origins for link in self._around(position)]
        return np.array(links, np.intp).reshape(-1, 3)

    def expand(
        self,
        found: Positions,
        word_scores: npt.NDArray[np.floating],
        parts: Callable[[Positions], Parts],
        lengths: npt.NDArray[np.floating],
        allowed: npt.NDArray[np.bool_] | None = None,
    ) -> Positions:
        """Return the found texts with their neighbours, and raise the `word_scores` of both by each other's words."""
        if not self._origins:
            return found
        links = self.links(found.tolist())
        if allowed is not None:
            links = links[allowed[links[:, 1]]]
        rows = np.union1d(found, links[:, 1])
        links[:, :2] = np.searchsorted(rows, links[:, :2])
        expanded = expand_with_neighbours(parts(rows), lengths[rows], links)
        word_scores[rows] = np.maximum(word_scores[rows], expanded)
        return rows

    def _around(self, position: int) -> Iterator[tuple[int, int, int]]:
        session, moment = self._origins[position]
        here = bisect_left(session, (moment, position))
        for between in range(len(SHARES)):
            for there in (here - 1 - between, here + 1 + between):
                if 0 <= there < len(session) and abs(session[there][0] - moment) <= NEAR:
                    yield position, session[there][1], between


def expand_with_neighbours(parts: Parts, lengths: npt.NDArray[np.floating], links: Links) -> npt.NDArray[np.float64]:
    """Return each text's word score, with its share of the terms that its neighbours hold."""
    ones, others, between = links.T
    most, shares, due = parts.copy(), np.array(SHARES)[between], np.minimum(1.0, lengths / ENOUGH)
    for to, by in ((ones, others), (others, ones)):
        np.maximum.at(most, to, (shares * due[to])[:, None] * parts[by])
    scores: npt.NDArray[np.float64] = most.sum(axis=1)
    return scores
