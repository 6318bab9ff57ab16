"""A sentence that may order its reader about, and how it stands to the text around it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

# A sentence is looked at up to here: what it orders stands in its first words.
REACH = 400
_LARGE = 20
_SOME = 2
_MANY = 4
# The share of its terms that the rest of the text has as well.
_STRANGE = 0.1
_NEARLY_STRANGE = 0.25
_AKIN = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """How a sentence opens: what it orders, its verb, what stood before the verb, and what follows."""

    order: str
    verb: str = ""
    rest: str = ""
    leads: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A sentence that opens like an order, a wish or a question."""

    start: int
    text: str
    opening: Opening
    listed: bool = False


class Surroundings:
    """The text around a sentence: its terms, and how many of its sentences open with a verb."""

    def __init__(self, terms: Iterable[str], sentences: Sequence[Sentence]) -> None:
        self._terms = Counter(terms)
        self._size = self._terms.total()
        self._orders = sum(bool(sentence.opening.verb) for sentence in sentences)

    def signs(self, sentence: Sentence, terms: Iterable[str]) -> set[str]:
        """Return how the sentence fits in; a planted order has few words in common with its host."""
        own = Counter(terms)
        signs = {self._fit(own)}
        if self._size - own.total() < _LARGE:
            signs.add("in a short text")
        if others := self._orders - bool(sentence.opening.verb):
            signs.add(_company(others))
        return signs

    def _fit(self, own: Counter[str]) -> str:
        if self._size == own.total():
            return "alone"
        shared = sum(self._terms[term] > times for term, times in own.items()) / max(1, len(own))
        if shared <= _STRANGE:
            return "strange to the rest"
        if shared <= _NEARLY_STRANGE:
            return "nearly strange to the rest"
        return "akin to the rest" if shared >= _AKIN else "partly akin to the rest"


def _company(others: int) -> str:
    if others >= _MANY:
        return "among many orders"
    return "among some orders" if others >= _SOME else "beside another order"
