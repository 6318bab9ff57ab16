"""Find where two texts, perhaps of different speakers, contradict each other."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from functools import lru_cache

from memsieve.claims.claim import Contradiction
from memsieve.claims.pair_model import MOST_TOKENS
from memsieve.claims.within_text import find_contradiction, likely_pairs, surest
from memsieve.model import Reason
from memsieve.text.normalize import simplify
from memsieve.text.scripts import HAN

_SAME_ORDER = 0.75
_WORD = re.compile(rf"[a-z0-9]+|[{HAN}]")


# One digest asks about the same two quotes more than once.
@lru_cache(maxsize=4096)
def find_contradiction_between(first: str, second: str) -> Reason | None:
    """Return how two texts contradict each other; None where they do not, whatever each of them does in itself."""
    # The rules know simplified characters only.
    one, other = (simplify(" ".join(text.split())) for text in (first, second))
    # Some rules, and the model, depend on the order of the two sentences; the result must not.
    found = _found(one, other) or _found(other, one)
    return None if found is None else found.difference


def _found(one: str, other: str) -> Contradiction | None:
    text = f"{one}\n{other}"
    by_rules = find_contradiction(text)
    if by_rules is not None and by_rules.first in one and by_rules.second in other:
        return by_rules
    pairs = [pair for pair in likely_pairs(text) if pair[0] in one and pair[1] in other and _in_one_order(*pair)]
    return surest(pairs) if pairs else None


def _in_one_order(first: str, second: str) -> bool:
    """Say whether two sentences are built alike: otherwise the model mistakes other words for other values."""
    one, other = (_WORD.findall(sentence.lower())[:MOST_TOKENS] for sentence in (first, second))
    return SequenceMatcher(None, one, other, autojunk=False).ratio() >= _SAME_ORDER
