"""Find where one text says two things that exclude each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from memsieve.claims import compare, statement
from memsieve.claims.compare import Difference
from memsieve.claims.opposites import same_kind
from memsieve.claims.statement import Statement, Value
from memsieve.contradiction import guards, paradox, sentences, topic, universal
from memsieve.contradiction.claim import Claim, Sentence
from memsieve.model import Reason
from memsieve.text.numbers import Kind

# Bounds on the work for one text, so that its time grows with its length and no faster.
_MOST_PIECES = 1600
_MOST_PAIRS = 3000
_COMMON = 40
_JOINING = 12
_SURE = 3
_BEING = frozenset("is are was were be 是 在 为".split())


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two sentences of one text that cannot both hold."""

    first: str
    second: str
    kind: str
    difference: Reason


def find_contradiction(text: str) -> Contradiction | None:
    """Return the first contradiction within a text, or None."""
    claims = list(islice(_claims(text), _MOST_PIECES))
    for claim in claims:
        difference = paradox.find(claim.piece.text)
        if difference is not None and claim.sentence.asserted:
            return Contradiction(claim.piece.whole, claim.piece.whole, "words", difference)
    for first, second in _pairs(claims):
        found = _contradict(first, second)
        if found is not None:
            return Contradiction(first.piece.whole, second.piece.whole, found.kind, found.reason)
    return None


def _claims(text: str) -> Iterator[Claim]:
    sentence = Sentence("")
    for piece in sentences.pieces(text):
        sentence = sentence if sentence.text == piece.whole else Sentence(piece.whole)
        said = statement.read(piece.text)
        # Without any small word or full stop it is a heading, a label or a row of a table.
        if said.frame or said.pronouns or said.denials or piece.whole[-1] in ".。!！;；":
            yield Claim(piece, said, sentence)


def _pairs(claims: list[Claim]) -> Iterator[tuple[Claim, Claim]]:
    """Give the pairs that share one of their rarest words, in the order of the text."""
    holders: dict[str, list[int]] = defaultdict(list)
    for number, claim in enumerate(claims):
        for word in claim.said.words:
            holders[word].append(number)
    numbered = ((other, number) for number, claim in enumerate(claims) for other in _partners(claim, number, holders))
    for other, number in islice(numbered, _MOST_PAIRS):
        yield claims[other], claims[number]


def _partners(claim: Claim, number: int, holders: dict[str, list[int]]) -> list[int]:
    repeated = [holders[word] for word in claim.said.words if 1 < len(holders[word]) <= _COMMON]
    rarest = sorted(repeated, key=len)[:_JOINING]
    return sorted({other for group in rarest for other in group if other < number})


def _contradict(a: Claim, b: Claim) -> Difference | None:
    if not _may_be_held_together(a, b):
        return None
    found = (
        _different_values(a, b)
        or _opposites(a, b)
        or _denial(a, b)
        or _never(a, b)
        or _one_of_a_kind(a, b)
        or _other_place(a, b)
        or universal.find(a, b)
    )
    return found if found and _both_asserted(a, b) and _same_subject(a, b) else None


def _both_asserted(a: Claim, b: Claim) -> bool:
    return a.sentence.asserted and b.sentence.asserted and a.condition == b.condition


def _may_be_held_together(a: Claim, b: Claim) -> bool:
    if a.piece.speaker != b.piece.speaker or (a.piece.listed and b.piece.listed and a.piece.line != b.piece.line):
        return False
    return not a.beside(b) or _coordinated(a, b)


def _same_subject(a: Claim, b: Claim) -> bool:
    """Hold later clauses of two sentences together only where both begin alike: the subject stands there."""
    if a.beside(b):
        return True
    if a.piece.lead and b.piece.lead:
        return a.subject == b.subject and guards.setting(a.piece.whole) == guards.setting(b.piece.whole)
    return _says_nothing(a.piece.lead or b.piece.lead)


def _says_nothing(lead: str) -> bool:
    """Tell "to put it simply," from "in Paris," and "last year,": it names nothing that narrows the claim."""
    said = statement.read(lead)
    counts = any(value.quantity.value != (1.0,) for value in said.values)
    return not said.names and not counts and not guards.setting(lead) and not guards.doubtful(lead)


def _coordinated(a: Claim, b: Claim) -> bool:
    """Say whether two clauses of one sentence are full claims of their own, side by side."""
    if a.piece.text in b.piece.text or b.piece.text in a.piece.text or a.sentence.hypothetical:
        return False
    if a.piece.contrasted:
        return bool(a.said.order and b.said.order) and a.said.order[0] == b.said.order[0]
    return bool(a.said.frame & b.said.frame & _BEING)


def _different_values(a: Claim, b: Claim) -> Difference | None:
    found = compare.different_values(a.said, b.said)
    if found is None or len(a.said.values) != len(b.said.values):
        return None
    unlike = [(x, y) for x, y in zip(a.said.values, b.said.values, strict=True) if not x.quantity.fits(y.quantity)]
    if len(unlike) != 1 or (a.said.denials - b.said.denials) % 2 or compare.opposite_words(a.said, b.said):
        return None
    first, second = unlike[0]
    if first.bound != second.bound or first.rough != second.rough:
        return None
    if topic.other_thing(a.said, b.said, len(a.said.order), len(b.said.order)):
        return None
    return found if topic.same(a, b, set(), 0.0) else None


def _opposites(a: Claim, b: Claim) -> Difference | None:
    found = compare.opposite_words(a.said, b.said)
    slot = {found.first, found.second} if found else set()
    if found is None or (a.unlike_values(b) and not universal.all_but_some(a, b)):
        return None
    if (a.said.denials - b.said.denials) % 2:
        if not _denied_after(a.said, found.first) or not _denied_after(b.said, found.second):
            return None
        slot.add("without")
    if topic.other_thing(a.said, b.said, _place(a.said, found.first), _place(b.said, found.second)):
        return None
    return found if topic.same(a, b, slot, 0.0) else None


def _denied_after(said: Statement, word: str) -> bool:
    """Tell "failed without errors" from "did not fail": what is denied is something else, further on."""
    return said.denied <= set(said.order[_place(said, word) + 1 :])


def _place(said: Statement, word: str) -> int:
    return next((n for n, root in enumerate(said.order) if said.said.get(root, root) == word), len(said.order))


def _denial(a: Claim, b: Claim) -> Difference | None:
    found = compare.denial(a.said, b.said)
    if found is None or a.unlike_values(b) or abs(a.said.denials - b.said.denials) != 1:
        return None
    denied = a.said.denied ^ b.said.denied
    if topic.other_thing(a.said, b.said, _first(a.said, denied), _first(b.said, denied)):
        return None
    return found if topic.same(a, b, set(), 1.0) else None


def _never(a: Claim, b: Claim) -> Difference | None:
    """Find "she approved it this morning" before "she never approved it": no time is left out."""
    if not guards.never(b.piece.text) or b.setting or a.said.denials or b.said.denials != 1:
        return None
    if a.sentence.doubtful or b.sentence.doubtful or a.said.values or b.said.values or not guards.dated(a.setting):
        return None
    if a.said.pronouns - {"this"} != b.said.pronouns or topic.other_names(a.said, b.said, ()):
        return None
    times = {*a.setting, *"".join(a.setting)}
    alike = not topic.rest(a.said, b.said, times) and not topic.rest(b.said, a.said, ())
    return compare.denial(a.said, b.said) if alike and compare.shared(a.said, b.said) >= _SURE else None


def _first(said: Statement, words: set[str]) -> int:
    return next((n for n, root in enumerate(said.order) if root in words), len(said.order))


def _one_of_a_kind(a: Claim, b: Claim) -> Difference | None:
    """Find "it is red" beside "it is blue": only as the last word after a form of "to be"."""
    if not a.said.order or not b.said.order or not a.said.frame & b.said.frame & _BEING:
        return None
    first, second = a.said.order[-1], b.said.order[-1]
    if not same_kind(first, second) or a.said.denials or b.said.denials or a.unlike_values(b):
        return None
    slot = {a.said.said.get(first, first), b.said.said.get(second, second)}
    return Difference("words", *sorted(slot)) if topic.same(a, b, slot, 0.0) else None


def _other_place(a: Claim, b: Claim) -> Difference | None:
    """Find "it is in room 3" beside "it is in room 5": only at the end, after a form of "to be"."""
    if len(a.said.values) != 1 or len(b.said.values) != 1 or not a.said.frame & b.said.frame & _BEING:
        return None
    first, second = a.said.values[0], b.said.values[0]
    if not _ends_with_label(a.said) or not _ends_with_label(b.said) or first.quantity.same(second.quantity):
        return None
    if a.said.denials or b.said.denials or _label_noun(first) != _label_noun(second):
        return None
    return Difference("labels", first.text, second.text) if topic.same(a, b, (), 0.0) else None


def _ends_with_label(said: Statement) -> bool:
    value = said.values[0]
    return value.quantity.kind is Kind.LABEL and value.position == len(said.order) > 0


def _label_noun(value: Value) -> str:
    return value.text.lower().strip("0123456789.# 第一二三四五六七八九十")
