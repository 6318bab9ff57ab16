"""Score a group of statements: find the one that the others support, and say how much it weighs."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from memsieve.digest.cluster import tfidf
from memsieve.digest.window import DedupedStatement, Window
from memsieve.model import Vector
from memsieve.retrieval.index import expected_word_scores
from memsieve.text.tokenize import is_chinese

# The least closeness at which one statement supports another: by vectors, and by vectors and words together.
ALIKE_BY_VECTOR = 0.6
ALIKE = 0.5
# Between two languages vectors alone tell.
ALIKE_ACROSS = 0.7
# At this closeness a statement adds no weight to another; its share grows to all of it over this much more.
_NO_STRENGTH, _TO_FULL_STRENGTH = 0.45, 0.25
# The most sessions weighed for one wording: equal words may be copies.
_MOST_COPIES = 3
# The weight of further agents of one session: they heard each other.
_OTHER_AGENT = 0.3
_MOST_FROM_OTHERS = 0.6
# Ten sessions are not ten times as much as one; a single session weighs less.
_GROWTH = 0.85
_ALONE = 0.75
# The penalty of a lead for what no other statement supports.
_BARE = 2
# A statement with this many content words is complete.
_WHOLE = 9
# The least clarity and worth of what one session says alone, among much else, little, or no noise. Annotators of
# Chinese speech, which is long, highlight what is less clear than this, and what speaks of what counts.
_AMONG_MANY, _AMONG_FEW, _PURE = (0.85, 0.6), (0.7, 0.5), (0.55, 0.3)
# What is left of the value of a lead that cannot be decided on, where another of its session may.
_PASSED_OVER = 0.01
# The least similarity of a document's statement to the task for which it was read.
_ABOUT_TASK = 0.28
# What is left of the quality of a statement that is hardly likely one, and what a deviation towards the centre adds.
_LEAST_LIKELY = 0.3
_CENTRAL = 0.3


@dataclass(frozen=True, slots=True)
class ScoredStatement:
    """A statement as it can be compared with others, with the weights of its words."""

    deduped: DedupedStatement
    tfidf: Mapping[str, float]
    chinese: bool

    @property
    def text(self) -> str:
        return self.deduped.statement.text

    @property
    def vector(self) -> Vector | None:
        return self.deduped.vector


@dataclass(frozen=True, slots=True)
class Cluster:
    """A group of statements: the lead, which the others support best, and those for and against it, nearest first.

    It is `contradicting` if it contradicts verified memory, or itself.
    """

    lead: ScoredStatement
    support: tuple[ScoredStatement, ...]
    value: float
    against: tuple[ScoredStatement, ...] = ()
    contradicting: bool = False

    @property
    def entries(self) -> list[int]:
        """The entries behind it, in the order they were recorded."""
        return sorted({entry for one in (*self.support, *self.against) for entry in one.deduped.quotes})


def can_be_decided(cluster: Cluster, sessions: int) -> bool:
    """Say whether a person could decide on a cluster: what one session says alone must be good by itself.

    Of a document that an agent read, only what is about its task is knowledge of the project.
    """
    return sessions > 1 or cluster.contradicting or _stands_alone(cluster.lead)


def _stands_alone(one: ScoredStatement) -> bool:
    deduped, statement = one.deduped, one.deduped.statement
    least_clear, least_worth = _PURE if deduped.pure else _AMONG_MANY if deduped.crowded else _AMONG_FEW
    clear = statement.clarity >= least_clear and statement.worth >= least_worth
    if one.chinese:
        clear = statement.emphasis > 0 or not deduped.crowded
    beside = deduped.task is not None and one.vector is not None and float(deduped.task @ one.vector) < _ABOUT_TASK
    return clear and not beside


def scored(deduped: DedupedStatement, weights: Mapping[str, float]) -> ScoredStatement:
    """Return a statement as it can be compared with others."""
    words = deduped.statement.words
    return ScoredStatement(deduped, tfidf(words, weights), is_chinese(words))


def score_cluster(group: Sequence[ScoredStatement], window: Window, weights: Mapping[str, float]) -> Cluster | None:
    """Return the cluster of a group: each statement is tried as the lead that the others support.

    None where no statement is of an entry that counts.
    """
    close = closeness(group)
    sessions = {window.entry(number).session_id for one in group for number in one.deduped.quotes}
    values = [
        _evidence(near, group, window) * _worth(one, weights) if window.counts(one.deduped) else 0.0
        for near, one in zip(close, group, strict=True)
    ]
    if len(sessions) == 1:
        values = [value * (_PASSED_OVER, 1)[_stands_alone(one)] for value, one in zip(values, group, strict=True)]
    # What a lead adds would be believed along with what the others support: leads that add more score less.
    best = int(
        np.argmax([value * share**_BARE for value, share in zip(values, _shares(close, group, window), strict=True)])
    )
    if values[best] <= 0:
        return None
    return Cluster(group[best], _supporters(close[best], group), max(values))


def gather_support(cluster: Cluster, more: Sequence[ScoredStatement]) -> Cluster:
    """Return a cluster with those of other statements that support its lead as well."""
    group = [cluster.lead, *(one for one in (*cluster.support, *more) if one is not cluster.lead)]
    near = closeness(group)[0]
    return Cluster(cluster.lead, _supporters(near, group), cluster.value)


def _shares(close: npt.NDArray[np.float64], group: Sequence[ScoredStatement], window: Window) -> list[float]:
    """Return how much of each statement is supported, beside the best; without company it counts as the least."""
    shares = [supported_share(one, _supporters(near, group), window) for near, one in zip(close, group, strict=True)]
    known = [share for share in shares if share is not None] or [1.0]
    return [(min(known) if share is None else share) / (max(known) or 1.0) for share in shares]


def supported_share(one: ScoredStatement, others: Sequence[ScoredStatement], window: Window) -> float | None:
    """Return the share of a statement's word weights that other sessions state too, 0..1; the rest it adds alone.

    None where nobody else says it in its language, so that there is nothing to compare.
    """
    sessions = _sessions(one, window)
    elsewhere = [each for each in others if each.chinese == one.chinese and _sessions(each, window) - sessions]
    if len(sessions) > 1:
        return 1.0
    if not elsewhere:
        return None
    stated = {word for each in elsewhere for word in each.tfidf}
    return sum(weight * weight for word, weight in one.tfidf.items() if word in stated)


def _sessions(one: ScoredStatement, window: Window) -> set[str]:
    return {window.entry(number).session_id for number in one.deduped.quotes if window.doubt(number) is None}


def closeness(group: Sequence[ScoredStatement]) -> npt.NDArray[np.float64]:
    """Return for each two statements how near they are, 0 where they do not support each other."""
    near, cosines, both = _near(group)
    chinese = np.array([one.chinese for one in group])
    least = np.where(chinese[:, None] != chinese[None, :], ALIKE_ACROSS, ALIKE_BY_VECTOR)
    close = np.where((near >= ALIKE) & (~both | (cosines >= least)), near, 0.0)
    np.fill_diagonal(close, 1.0)
    return close


def nearness(group: Sequence[ScoredStatement]) -> npt.NDArray[np.float64]:
    """Return for each two statements how near they are, 0..1."""
    return _near(group)[0]


def _near(
    group: Sequence[ScoredStatement],
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float32], npt.NDArray[np.bool_]]:
    """Return how near each two statements are by words and vectors, by vectors alone, and whether both have one."""
    words = np.array([[_shared(a.tfidf, b.tfidf) for b in group] for a in group])
    known = np.array([one.vector is not None for one in group])
    both = known[:, None] & known[None, :]
    size = next((len(one.vector) for one in group if one.vector is not None), 1)
    vectors = np.array([np.zeros(size, np.float32) if one.vector is None else one.vector for one in group])
    cosines = vectors @ vectors.T
    chinese = np.array([one.chinese for one in group])
    # Texts of two languages share no words, however alike they are.
    words = np.where((chinese[:, None] != chinese[None, :]) & both, expected_word_scores(cosines), words)
    return np.where(both, (cosines + words) / 2, words), cosines, both


def _supporters(near: npt.NDArray[np.float64], group: Sequence[ScoredStatement]) -> tuple[ScoredStatement, ...]:
    order = sorted(range(len(group)), key=lambda number: (-near[number], number))
    return tuple(group[number] for number in order if near[number] > 0)


def _shared(a: Mapping[str, float], b: Mapping[str, float]) -> float:
    small, large = (a, b) if len(a) <= len(b) else (b, a)
    return sum(weight * large[word] for word, weight in small.items() if word in large)


def _evidence(close: npt.NDArray[np.float64], group: Sequence[ScoredStatement], window: Window) -> float:
    """Add up what supports a statement: each session counts, and another agent of the session a little."""
    sessions: dict[str, dict[str | None, float]] = defaultdict(dict)
    for near, one in zip(close, group, strict=True):
        strength = min(1.0, (near - _NO_STRENGTH) / _TO_FULL_STRENGTH) if near > 0 else 0.0
        for number in _copies(one, window) if strength > 0 else ():
            entry = window.entry(number)
            agents = sessions[entry.session_id]
            agents[entry.agent_id] = max(strength, agents.get(entry.agent_id, 0.0))
    total = sum(_of_a_session(sorted(agents.values(), reverse=True)) for agents in sessions.values())
    return total**_GROWTH if total > 1 else total * _ALONE


def _copies(one: ScoredStatement, window: Window) -> list[int]:
    """Return the entries that are weighed: those that count, of the first sessions with this wording."""
    counting = [number for number in one.deduped.quotes if window.doubt(number) is None]
    sessions = [*dict.fromkeys(window.entry(number).session_id for number in counting)][:_MOST_COPIES]
    return [number for number in counting if window.entry(number).session_id in sessions]


def _of_a_session(strengths: list[float]) -> float:
    return strengths[0] + min(_MOST_FROM_OTHERS, _OTHER_AGENT * sum(strengths[1:]))


def quality(deduped: DedupedStatement) -> float:
    """Return how good a statement is by itself: worth remembering, clear, and central to what its session says."""
    statement = deduped.statement
    likely = _LEAST_LIKELY + (1 - _LEAST_LIKELY) * statement.worth
    told = _CENTRAL * max(-2.0, min(2.0, deduped.centrality)) + statement.emphasis
    return float(likely * statement.clarity**2 * math.exp(told))


def _worth(one: ScoredStatement, weights: Mapping[str, float]) -> float:
    """Return how much a statement is worth deciding on: good by itself, complete, specific, and often talked about."""
    telling = sum(weights[word] for word in one.tfidf) / (len(one.tfidf) * max(weights.values()))
    whole = min(1.0, one.deduped.statement.terms / _WHOLE)
    company = 1 + math.log1p(one.deduped.company)
    return float(quality(one.deduped) * telling**1.75 * whole * company)
