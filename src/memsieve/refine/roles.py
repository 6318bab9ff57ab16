"""Whether two texts with the same concepts turn them round: who calls whom."""

from __future__ import annotations

import re

from memsieve.refine.concepts import sequence

# Between neighbours these let either order say the same, and where only one text has them, a passive may turn it back.
_EITHER_WAY = re.compile(
    r"\b(?:and|or|both|between|by|same|equals?|with|like|versus|vs)\b|[和与或跟同、被由在]|之间|一样|等于",
    re.IGNORECASE,
)
_EXCHANGED = 2


def turned_round(text: str, other: str) -> str | None:
    """Say which two concepts changed places, when this is all that differs."""
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
    return f"{mine[first]!r} and {mine[second]!r} are the other way round"
