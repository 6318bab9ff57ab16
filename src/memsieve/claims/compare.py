"""Whether two texts about the same thing claim the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from string import ascii_letters, digits

from memsieve.claims import pair_model
from memsieve.claims.opposites import CONTRAST, KIND, opposites, same_kind
from memsieve.claims.statement import Statement, Value, read_statement
from memsieve.model import Reason
from memsieve.text.normalize import fold
from memsieve.text.numbers import QuantityKind
from memsieve.text.sentences import split_sentences

_MOST_SENTENCES = 40
# A longer one is read in pieces: the work on each grows with the square of its length.
_LONGEST_SENTENCE = 4000
# With more values that have no equal, the text is a table and no claim.
_MOST_VALUES = 64
# Each takes the model some milliseconds.
_MOST_SCORED = 8
_ALIKE = 0.5
# Marks that end, join or enclose; others, as those of 5%, -5 and C#, are part of the content.
_MARKS = re.compile(r"""[\s.,;:!?…·、。"'“”‘’«»「」『』《》〈〉()\[\]【】]+""")
# Letters, digits and the full stop as Chinese type has them: no sentence is seen to end there.
_WIDE = str.maketrans({chr(ord(sign) + 0xFEE0): sign for sign in f".{digits}{ascii_letters}"})
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference between two statements: its kind, and the two sides in words."""

    kind: str
    first: str
    second: str = ""

    @property
    def reason(self) -> Reason:
        """The difference in words."""
        return Reason.of(f"difference.{self.kind}", first=self.first, second=self.second)


def find_conflict(a: str, b: str) -> Reason | None:
    """Return how two texts about the same thing differ in what they claim; None when they agree."""
    if a == b:
        return None
    a, b = a.translate(_WIDE), b.translate(_WIDE)
    if _words(a) == _words(b):
        return None
    pairs = _pairs(_sentences(a), _sentences(b))
    for first, second in pairs:
        difference = compare(first, second) or _distinction(first, second)
        if difference is not None:
            return difference.reason
    for first, second in pairs[:_MOST_SCORED]:
        if pair_model.gives_another_value(first, second):
            return Difference("values", first.text, second.text).reason
    return None


def _words(text: str) -> tuple[str, list[str]]:
    """Return the words of a text without its marks: other marks would split equal texts into unequal sentences."""
    folded = fold(text)
    return _MARKS.sub("", folded), _NUMBER.findall(folded)


def compare(a: Statement, b: Statement) -> Difference | None:
    """Find where two statements about the same thing exclude each other."""
    return different_values(a, b) or opposite_words(a, b) or denial(a, b)


def different_values(a: Statement, b: Statement) -> Difference | None:
    """Find a value that one statement gives and the other gives otherwise."""
    left, right = _unmatched(a.values, b.values), _unmatched(b.values, a.values)
    for first in left:
        for second in right:
            if first.quantity.kind is not QuantityKind.LABEL and _comparable(first, second):
                return Difference(first.quantity.kind, first.text, second.text)
    return None


def opposite_words(a: Statement, b: Statement) -> Difference | None:
    """Find a word whose opposite is in the other statement, unless one of the two is denied."""
    others = b.words.keys() - a.words.keys()
    for first in a.words.keys() - b.words.keys():
        for second in opposites(first) & others:
            if (first in a.denied) == (second in b.denied):
                return Difference("words", a.as_written(first), b.as_written(second))
    return None


def denial(a: Statement, b: Statement) -> Difference | None:
    """Find a word that one statement denies and the other affirms."""
    if (a.denials - b.denials) % 2 == 0:
        return None
    for denying, other in ((a, b), (b, a)):
        heads = denying.denied - other.denied
        if heads and heads <= other.words.keys():
            head = "".join(dict.fromkeys(denying.as_written(word) for word in denying.order if word in heads))
            return Difference("denial", head)
    return None


def _distinction(a: Statement, b: Statement) -> Difference | None:
    """Find what tells two items apart: labels, places, colours, before and after."""
    left = [value for value in _unmatched(a.values, b.values) if value.quantity.kind is QuantityKind.LABEL]
    right = [value for value in _unmatched(b.values, a.values) if value.quantity.kind is QuantityKind.LABEL]
    if left and right:
        return Difference("labels", left[0].text, right[0].text)
    seconds = _contrasted(b, a)
    for first in _contrasted(a, b):
        for second in seconds:
            if same_kind(first, second) or second in CONTRAST.get(first, ()):
                return Difference("words", a.as_written(first), b.as_written(second))
    return None


def _contrasted(a: Statement, b: Statement) -> list[str]:
    """Return the words that only the first statement has, of those in the tables."""
    return [word for word in (a.words.keys() | a.frame) - b.words.keys() - b.frame if word in KIND or word in CONTRAST]


def _unmatched(values: list[Value], others: list[Value]) -> list[Value]:
    equal = {_exactly(other) for other in others}
    rest = islice((value for value in values if _exactly(value) not in equal), _MOST_VALUES)
    return [value for value in rest if not any(_agree(value, other) for other in others)]


def _exactly(value: Value) -> tuple[QuantityKind, tuple[float | str | None, ...], str]:
    return value.quantity.kind, value.quantity.value, value.quantity.unit


def _agree(a: Value, b: Value) -> bool:
    kind = a.quantity.kind
    if kind is not b.quantity.kind or not _same_unit(a.quantity.unit, b.quantity.unit):
        return False
    return a.quantity.same(b.quantity) or ((a.rough or b.rough) and a.quantity.near(b.quantity))


def _comparable(a: Value, b: Value) -> bool:
    if a.quantity.kind is not b.quantity.kind or not _same_unit(a.quantity.unit, b.quantity.unit):
        return False
    return not a.things or not b.things or not set(a.things).isdisjoint(b.things)


def _same_unit(a: str, b: str) -> bool:
    return a == b or not a or not b


def _sentences(text: str) -> list[Statement]:
    pieces = (piece for sentence in split_sentences(text) for piece in _pieces(sentence))
    return [read_statement(piece) for piece in islice(pieces, _MOST_SENTENCES)]


def _pieces(sentence: str) -> Iterator[str]:
    """Yield a sentence, or where it is too long, pieces of it that end between two words where any do."""
    while len(sentence) > _LONGEST_SENTENCE:
        end = sentence.rfind(" ", 1, _LONGEST_SENTENCE)
        end = end if end > 0 else _LONGEST_SENTENCE
        yield sentence[:end]
        sentence = sentence[end:].lstrip()
    yield sentence


def _pairs(a: list[Statement], b: list[Statement]) -> list[tuple[Statement, Statement]]:
    if len(a) == len(b) == 1:
        return [(a[0], b[0])]
    ours, others = [_words(s.text) for s in a], [_words(s.text) for s in b]
    left = [s for s, words in zip(a, ours, strict=True) if words not in others]
    rest = [s for s, words in zip(b, others, strict=True) if words not in ours]
    pairs = [(s, max(rest, key=lambda other: similarity(s, other))) for s in left if rest]
    return [(first, second) for first, second in pairs if similarity(first, second) >= _ALIKE]


def shared_weight(a: Statement, b: Statement) -> float:
    """Return the weight of the words that both statements have."""
    small, large = (a.words, b.words) if len(a.words) <= len(b.words) else (b.words, a.words)
    return sum(min(weight, large[word]) for word, weight in small.items() if word in large)


def similarity(a: Statement, b: Statement) -> float:
    """Return the share of words that two statements have in common, 0..1."""
    return 2 * shared_weight(a, b) / ((a.weight + b.weight) or 1.0)
