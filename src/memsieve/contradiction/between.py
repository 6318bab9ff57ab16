"""Find where two texts, said by different people perhaps, exclude each other."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from memsieve.bundled.simplify import simplified_forms
from memsieve.contradiction.find import Contradiction, find_contradiction
from memsieve.contradiction.restated import likely_pairs, surest

_SAME_ORDER = 0.75
_WORD = re.compile(r"[a-z0-9]+|[\u3400-\u9fff]")


def between(first: str, second: str) -> str | None:
    """Say how two texts contradict each other; None where they do not, whatever each of them does in itself."""
    # The rules know simplified characters only.
    one, other = (" ".join(text.split()).translate(simplified_forms()) for text in (first, second))
    text = f"{one}\n{other}"
    found = find_contradiction(text)
    if found is not None and _apart(found, one, other):
        return found.explanation
    pairs = [pair for pair in likely_pairs(text) if pair[0] in one and pair[1] in other and _in_one_order(*pair)]
    sure = surest(pairs) if pairs else None
    return None if sure is None else sure.explanation


def _in_one_order(first: str, second: str) -> bool:
    """Say whether two sentences are built alike: where they are not, the model takes other words for other values."""
    one, other = (_WORD.findall(sentence.lower()) for sentence in (first, second))
    return SequenceMatcher(None, one, other, autojunk=False).ratio() >= _SAME_ORDER


def _apart(found: Contradiction, one: str, other: str) -> bool:
    return found.first in one and found.second in other
