"""Whether two claims are about one thing, so that only one of them can hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from memsieve.claims import compare
from memsieve.claims.statement import Statement
from memsieve.contradiction import guards
from memsieve.contradiction.claim import Claim

# Words two claims must share: the less plain they are, the more.
_FEW_WORDS = 2
_ENOUGH_WORDS = 3
_MANY_WORDS = 5
# They stand before a value and name nothing: "contains 48 pages", 共有48页.
_EMPTY = frozenset("contains contained includes included comprises comprised amounts amounted 共 达 约 正".split())


def same(a: Claim, b: Claim, slot: Collection[str], more: float) -> bool:
    """Say whether two claims are about one thing: nearly all other words in common, persons and names too."""
    if a.said.pronouns != b.said.pronouns or other_names(a.said, b.said, slot):
        return False
    return _words_agree(a, b, slot, more) and a.setting.difference(slot) == b.setting.difference(slot)


def _words_agree(a: Claim, b: Claim, slot: Collection[str], more: float) -> bool:
    shared = compare.shared(a.said, b.said)
    left, right = rest(a.said, b.said, slot), rest(b.said, a.said, slot)
    if shared < 1 or left + right > shared:
        return False
    frame = len(a.said.frame ^ b.said.frame)
    partial = guards.partial(a.setting)
    if a.beside(b) and a.piece.contrasted:
        return not partial and not left + right and shared >= _FEW_WORDS
    if a.sentence.doubtful or b.sentence.doubtful or partial:
        return left + right == 0 and shared >= more + (_MANY_WORDS if partial else _ENOUGH_WORDS) and frame <= 1
    if not left and not right:
        return shared >= _FEW_WORDS or (shared >= 1 and frame <= 1)
    if not left or not right:
        return shared >= _FEW_WORDS + more and left + right <= shared / 2
    measured = sum(word.startswith("#") for word in a.said.words)
    return shared - measured > _ENOUGH_WORDS + more and max(left, right) <= shared / 4


def other_thing(a: Statement, b: Statement, first: int, second: int) -> bool:
    """Tell "the image" from "the compressed image": a word of its own before what is said of it, at these places."""
    return bool(_named(a, first) - Counter(b.order) or _named(b, second) - Counter(a.order))


def _named(said: Statement, end: int) -> Counter[str]:
    return Counter(word for word in said.order[:end] if said.said.get(word, word) not in _EMPTY)


def rest(a: Statement, b: Statement, slot: Collection[str]) -> float:
    """Return the weight of the words that only the first holds, apart from the slot where the two differ."""
    return sum(
        max(0.0, w - b.words.get(word, 0.0)) for word, w in a.words.items() if a.said.get(word, word) not in slot
    )


def other_names(a: Statement, b: Statement, slot: Collection[str]) -> bool:
    """Say whether one names somebody or something that the other does not."""
    return any(
        one.said.get(name, name) not in slot
        for one, other in ((a, b), (b, a))
        for name in one.names - other.words.keys()
    )
