"""One claim of a text, and whether two claims are about one thing, so that only one of them can hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

from memsieve.claims import compare, guards
from memsieve.claims.clauses import Clause
from memsieve.claims.statement import Statement, read_statement
from memsieve.model import Reason

# How many words two claims must share: more where a contradiction is less plain.
_FEW_WORDS = 2
_ENOUGH_WORDS = 3
_MANY_WORDS = 5
# Words before a value that name nothing: "contains 48 pages", 共有48页.
_EMPTY = frozenset("contains contained includes included comprises comprised amounts amounted 共 达 约 正".split())


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two sentences of one text that cannot both hold."""

    first: str
    second: str
    kind: str
    difference: Reason


@dataclass(frozen=True)
class SentenceContext:
    """Facts about the sentence of a claim, shared by all its clauses."""

    text: str

    @cached_property
    def asserted(self) -> bool:
        return guards.asserts(self.text)

    @cached_property
    def hypothetical(self) -> bool:
        return guards.is_hypothetical(self.text)

    @cached_property
    def doubtful(self) -> bool:
        return self.hypothetical or guards.is_contrasted(self.text)


@dataclass(frozen=True)
class Claim:
    """A clause and the statement read from it, with what keeps it from contradicting others."""

    clause: Clause
    statement: Statement
    sentence: SentenceContext

    @cached_property
    def setting(self) -> frozenset[str]:
        return guards.setting(self.clause.text)

    @cached_property
    def subject(self) -> tuple[frozenset[str], int]:
        """Return what the head of the sentence names, and how often it denies."""
        lead = read_statement(self.clause.lead)
        return frozenset(lead.words), lead.denials

    @cached_property
    def condition(self) -> str:
        return guards.condition(self.clause.text)

    def beside(self, other: Claim) -> bool:
        """Say whether both are in one sentence."""
        return self.clause.sentence == other.clause.sentence

    def unlike_values(self, other: Claim) -> bool:
        """Say whether the two give values that do not agree one by one."""
        if len(self.statement.values) != len(other.statement.values):
            return True
        pairs = zip(self.statement.values, other.statement.values, strict=True)
        return any(not x.quantity.fits(y.quantity) for x, y in pairs)


def same_topic(a: Claim, b: Claim, slot: Collection[str], more: float) -> bool:
    """Say whether two claims are about one thing: nearly all other words in common, persons and names too."""
    if a.statement.pronouns != b.statement.pronouns or names_differ(a.statement, b.statement, slot):
        return False
    return _words_agree(a, b, slot, more) and a.setting.difference(slot) == b.setting.difference(slot)


def _words_agree(a: Claim, b: Claim, slot: Collection[str], more: float) -> bool:
    shared = compare.shared_weight(a.statement, b.statement)
    left, right = unshared_weight(a.statement, b.statement, slot), unshared_weight(b.statement, a.statement, slot)
    if shared < 1 or left + right > shared:
        return False
    frame = len(a.statement.frame ^ b.statement.frame)
    partial = guards.is_partial(a.setting)
    if a.beside(b) and a.clause.contrasted:
        return not partial and not left + right and shared >= _FEW_WORDS
    if a.sentence.doubtful or b.sentence.doubtful or partial:
        return left + right == 0 and shared >= more + (_MANY_WORDS if partial else _ENOUGH_WORDS) and frame <= 1
    if not left and not right:
        return shared >= _FEW_WORDS or (shared >= 1 and frame <= 1)
    if not left or not right:
        return shared >= _FEW_WORDS + more and left + right <= shared / 2
    measured = sum(word.startswith("#") for word in a.statement.words)
    return shared - measured > _ENOUGH_WORDS + more and max(left, right) <= shared / 4


def names_another_thing(a: Statement, b: Statement, first: int, second: int) -> bool:
    """Tell "the image" from "the compressed image": a word of its own before what is said of it, at these places."""
    return bool(_named(a, first) - Counter(b.order) or _named(b, second) - Counter(a.order))


def _named(statement: Statement, end: int) -> Counter[str]:
    return Counter(word for word in statement.order[:end] if statement.as_written(word) not in _EMPTY)


def unshared_weight(a: Statement, b: Statement, slot: Collection[str]) -> float:
    """Return the weight of the words that only the first holds, apart from the slot where the two differ."""
    return sum(max(0.0, w - b.words.get(word, 0.0)) for word, w in a.words.items() if a.as_written(word) not in slot)


def names_differ(a: Statement, b: Statement, slot: Collection[str]) -> bool:
    """Say whether one names somebody or something that the other does not."""
    return any(
        one.as_written(name) not in slot for one, other in ((a, b), (b, a)) for name in one.names - other.words.keys()
    )
