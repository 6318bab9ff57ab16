"""A sentence that takes back its own claim: "both up and down", 既可行又不可行."""

from __future__ import annotations

import re

from memsieve.claims.opposites import exclusive
from memsieve.model import Reason
from memsieve.text.stems import stem

_HINT = re.compile(r"\band\b|既|同时")
_ENGLISH = re.compile(
    r"\b(?:is|are|was|were|be|stays?|remains?)\s+(?P<both>both\s+)?(?P<first>\w+)\s+and\s+(?:(?:is|are|was|were)\s+)?"
    r"(?P<deny>not\s+)?(?P<second>\w+)(?P<once>\s+(?:at the same time|at once|simultaneously))?\s*(?:$|[.,;!])",
    re.IGNORECASE,
)
_CHINESE = re.compile(
    r"(?:既|同时)是?(?P<first>[^不没未，。；,;]{1,8}?)的?[，,]?(?:又|且|也|和)是?(?P<deny>不|没有|未|没)?(?P<second>[^，。；,;]{1,8}?)的?(?:$|[，。；！,;!])"
)


def find(sentence: str) -> Reason | None:
    """Return which two words of one sentence exclude each other, or None."""
    if not _HINT.search(sentence):
        return None
    for found in (*_ENGLISH.finditer(sentence), *_CHINESE.finditer(sentence)):
        first, second = stem(found["first"].lower()), stem(found["second"].lower())
        denied = bool(found["deny"])
        if (denied and first == second) or (not denied and _stressed(found) and exclusive(first, second)):
            code = "difference.paradox_denied" if denied else "difference.paradox"
            return Reason.of(code, first=found["first"], second=found["second"])
    return None


def _stressed(found: re.Match[str]) -> bool:
    """Tell "both up and down" from the loose "up and down"."""
    groups = found.groupdict()
    return "both" not in groups or bool(groups["both"] or groups["once"])
