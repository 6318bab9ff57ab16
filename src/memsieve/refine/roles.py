"""Whether two texts with the same concepts turn them round: who calls whom."""

from __future__ import annotations

import re

from memsieve.model import Reason
from memsieve.refine.concepts import sequence

# Between neighbours these let either order say the same, and where only one text has them, a passive may turn it back.
_EITHER_WAY = re.compile(
    r"\b(?:and|or|both|between|by|same|equals?|with|like|versus|vs)\b|[和与或跟同、被由在]|之间|一样|等于",
    re.IGNORECASE,
)
_EXCHANGED = 2
_WITHIN = r"(?:\s+(?:in|of|at|for|from|on|the|an?|each|every|all))*\s*(?:的|之)?\s*(?:每个|每一个?|各个?|这个|那个)?\s*"


def turned_round(text: str, other: str) -> Reason | None:
    """Return which two concepts changed places, when this is all that differs."""
    joints = _EITHER_WAY.findall(text.lower())
    mine, theirs = sequence(text), sequence(other)
    if len(mine) != len(theirs) or joints != _EITHER_WAY.findall(other.lower()):
        return None
    unlike = [place for place, pair in enumerate(zip(mine, theirs, strict=True)) if pair[0] != pair[1]]
    if len(unlike) != _EXCHANGED or (joints and unlike[1] - unlike[0] == 1):
        return None
    first, second = unlike
    if (mine[first], mine[second]) != (theirs[second], theirs[first]):
        return None
    if _one_thing(mine[first], mine[second], text) and _one_thing(mine[first], mine[second], other):
        return None
    return Reason.of("difference.exchanged", first=mine[first], second=mine[second])


def _one_thing(first: str, second: str, text: str) -> bool:
    """Say whether two concepts are one thing in a text: the Lyon office, the office in Lyon."""
    pairs = ((first, second), (second, first))
    return any(re.search(rf"{re.escape(a)}[a-z]*{_WITHIN}{re.escape(b)}", text, re.IGNORECASE) for a, b in pairs)
