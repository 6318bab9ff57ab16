"""Find in a group of sayings the one that the others bear out, and say how much it weighs."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from memsieve.digest.cluster import bag
from memsieve.digest.sayings import Saying
from memsieve.digest.window import Window
from memsieve.model import Vector
from memsieve.retrieval.index import expected_word_scores
from memsieve.text.tokenize import is_chinese

# From here on one statement bears the other out: so near by vectors, and so near by vectors and words together.
ALIKE_BY_VECTOR = 0.6
ALIKE = 0.5
# Between two languages vectors alone tell.
ALIKE_ACROSS = 0.7
# So near, a statement adds nothing to the weight of another, and so much nearer it adds all it can.
_NO_STRENGTH, _TO_FULL_STRENGTH = 0.45, 0.25
# Who says it word for word may have copied it: of one wording so many sessions are weighed.
_MOST_COPIES = 3
# What other agents of the same session add: they heard each other.
_OTHER_AGENT = 0.3
_MOST_FROM_OTHERS = 0.6
# Ten sessions are not ten times as much as one; what stands alone weighs less.
_GROWTH = 0.85
_ALONE = 0.75
# How much it takes from a lead to add something that nobody else says.
_BARE = 2
# So many words that tell something make a statement whole.
_WHOLE = 9


@dataclass(frozen=True, slots=True)
class Spoken:
    """A saying as it can be compared with others: with how much each of its words tells."""

    saying: Saying
    bag: Mapping[str, float]
    chinese: bool

    @property
    def text(self) -> str:
        return self.saying.statement.text

    @property
    def vector(self) -> Vector | None:
        return self.saying.vector


@dataclass(frozen=True, slots=True)
class Finding:
    """What a group says: the sentence that is borne out best, and the sayings for and against it, nearest first."""

    lead: Spoken
    support: tuple[Spoken, ...]
    value: float
    against: tuple[Spoken, ...] = ()

    @property
    def alone(self) -> bool:
        """Whether one entry says it and no other."""
        return len(self.entries) == 1

    @property
    def entries(self) -> list[int]:
        """The entries behind it, in the order they were recorded."""
        return sorted({entry for one in (*self.support, *self.against) for entry in one.saying.quotes})


def spoken(saying: Saying, weights: Mapping[str, float]) -> Spoken:
    """Return a saying as it can be compared with others."""
    words = saying.statement.words
    return Spoken(saying, bag(words, weights), is_chinese(words))


def weigh(said: Sequence[Spoken], window: Window, weights: Mapping[str, float]) -> Finding | None:
    """Return what a group finds: each saying is tried as the one that the others bear out.

    None where nobody whose words count says anything of it.
    """
    close = closeness(said)
    values = [
        _evidence(near, said, window) * _worth(one, weights) if window.counts(one.saying) else 0.0
        for near, one in zip(close, said, strict=True)
    ]
    # A lead that adds something would be believed for what the others say: who adds more than another loses.
    best = int(
        np.argmax([value * share**_BARE for value, share in zip(values, _shares(close, said, window), strict=True)])
    )
    if values[best] <= 0:
        return None
    return Finding(said[best], _bearing(close[best], said), max(values))


def gathered(finding: Finding, more: Sequence[Spoken]) -> Finding:
    """Return a finding with those of other sayings that bear its lead out as well."""
    said = [finding.lead, *(one for one in (*finding.support, *more) if one is not finding.lead)]
    near = closeness(said)[0]
    return Finding(finding.lead, _bearing(near, said), finding.value)


def _shares(close: npt.NDArray[np.float64], said: Sequence[Spoken], window: Window) -> list[float]:
    """Return how much of each saying is borne out, compared with the best; one that stands alone as the least is."""
    shares = [borne_out(one, _bearing(near, said), window) for near, one in zip(close, said, strict=True)]
    known = [share for share in shares if share is not None] or [1.0]
    return [(min(known) if share is None else share) / (max(known) or 1.0) for share in shares]


def borne_out(one: Spoken, others: Sequence[Spoken], window: Window) -> float | None:
    """Return how much of what a statement tells other sessions tell too, 0..1: what it adds is its own.

    None where nobody else says it in its language, so that there is nothing to compare.
    """
    sessions = _sessions(one, window)
    elsewhere = [each for each in others if each.chinese == one.chinese and _sessions(each, window) - sessions]
    if len(sessions) > 1:
        return 1.0
    if not elsewhere:
        return None
    said = {word for each in elsewhere for word in each.bag}
    return sum(weight * weight for word, weight in one.bag.items() if word in said)


def _sessions(one: Spoken, window: Window) -> set[str]:
    return {window.entry(number).session_id for number in one.saying.quotes if window.doubt(number) is None}


def closeness(said: Sequence[Spoken]) -> npt.NDArray[np.float64]:
    """Return for each two sayings how near they are, 0 where they do not bear each other out."""
    near, cosines, both = _near(said)
    chinese = np.array([one.chinese for one in said])
    least = np.where(chinese[:, None] != chinese[None, :], ALIKE_ACROSS, ALIKE_BY_VECTOR)
    close = np.where((near >= ALIKE) & (~both | (cosines >= least)), near, 0.0)
    np.fill_diagonal(close, 1.0)
    return close


def nearness(said: Sequence[Spoken]) -> npt.NDArray[np.float64]:
    """Return for each two sayings how near they are, 0..1."""
    return _near(said)[0]


def _near(
    said: Sequence[Spoken],
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float32], npt.NDArray[np.bool_]]:
    """Return how near each two sayings are by words and vectors, by vectors alone, and whether both have one."""
    words = np.array([[_shared(a.bag, b.bag) for b in said] for a in said])
    known = np.array([one.vector is not None for one in said])
    both = known[:, None] & known[None, :]
    size = next((len(one.vector) for one in said if one.vector is not None), 1)
    vectors = np.array([np.zeros(size, np.float32) if one.vector is None else one.vector for one in said])
    cosines = vectors @ vectors.T
    chinese = np.array([one.chinese for one in said])
    # Texts of two languages share no words, however alike they are.
    words = np.where((chinese[:, None] != chinese[None, :]) & both, expected_word_scores(cosines), words)
    return np.where(both, (cosines + words) / 2, words), cosines, both


def _bearing(near: npt.NDArray[np.float64], said: Sequence[Spoken]) -> tuple[Spoken, ...]:
    order = sorted(range(len(said)), key=lambda number: (-near[number], number))
    return tuple(said[number] for number in order if near[number] > 0)


def _shared(a: Mapping[str, float], b: Mapping[str, float]) -> float:
    small, large = (a, b) if len(a) <= len(b) else (b, a)
    return sum(weight * large[word] for word, weight in small.items() if word in large)


def _evidence(close: npt.NDArray[np.float64], said: Sequence[Spoken], window: Window) -> float:
    """Add up what bears a saying out: each session counts, and another agent of the session a little."""
    sessions: dict[str, dict[str | None, float]] = defaultdict(dict)
    for near, one in zip(close, said, strict=True):
        strength = min(1.0, (near - _NO_STRENGTH) / _TO_FULL_STRENGTH) if near > 0 else 0.0
        for number in _copies(one, window) if strength > 0 else ():
            entry = window.entry(number)
            agents = sessions[entry.session_id]
            agents[entry.agent_id] = max(strength, agents.get(entry.agent_id, 0.0))
    total = sum(_of_a_session(sorted(agents.values(), reverse=True)) for agents in sessions.values())
    return total**_GROWTH if total > 1 else total * _ALONE


def _copies(one: Spoken, window: Window) -> list[int]:
    """Return the entries that are weighed: those that count, of the first sessions that said it."""
    counting = [number for number in one.saying.quotes if window.doubt(number) is None]
    sessions = [*dict.fromkeys(window.entry(number).session_id for number in counting)][:_MOST_COPIES]
    return [number for number in counting if window.entry(number).session_id in sessions]


def _of_a_session(strengths: list[float]) -> float:
    return strengths[0] + min(_MOST_FROM_OTHERS, _OTHER_AGENT * sum(strengths[1:]))


def _worth(one: Spoken, weights: Mapping[str, float]) -> float:
    """Return how much a statement is worth deciding on: clear, whole, telling, and about what much is said about."""
    statement = one.saying.statement
    telling = sum(weights[word] for word in one.bag) / (len(one.bag) * max(weights.values()))
    whole = min(1.0, statement.terms / _WHOLE)
    central = 1 + math.log1p(one.saying.company)
    return float(statement.clarity**2 * telling**1.75 * whole * central)
