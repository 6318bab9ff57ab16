"""A sentence that may order its reader about, the words that show it, and how it fits the text around it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memsieve.ingress.checks.injection.phrases import load_table, pattern

# A sentence is read up to here: what it orders is in its first words.
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

    def led_by(self, lead: str) -> Opening:
        """Return the opening with one more lead."""
        return Opening(order=self.order, verb=self.verb, rest=self.rest, leads=self.leads | {lead})


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A sentence that opens like an order, a wish or a question."""

    start: int
    text: str
    opening: Opening
    listed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """What differs between languages: sentences that may be orders, with their own signs, and the terms of a text."""

    code: str
    sentences: Callable[[str], Iterator[tuple[Sentence, set[str]]]]
    terms: Callable[[str], list[str]]


class LanguageWords:
    """The words of one language in `data/`: verbs by what they order, and patterns of leads, statements and topics."""

    def __init__(self, name: str) -> None:
        self.table: Mapping[str, Any] = load_table(name)
        self.verbs = {verb: order for order, verbs in reversed(self.table["verbs"].items()) for verb in verbs.split()}
        self.leads = self.patterns("leads")
        self._stated = self.patterns("stated")
        self._topics = self.patterns("topics")

    def patterns(self, key: str) -> Mapping[str, re.Pattern[str]]:
        """Return the patterns of a table, compiled."""
        return {name: compiled(text) for name, text in self.table[key].items()}

    def stated_order(self, fragment: str) -> str | None:
        """Return what a sentence orders without an imperative, or None."""
        return next((order for order, pattern in self._stated.items() if pattern.match(fragment)), None)

    def signs(self, sentence: Sentence) -> set[str]:
        """Return the signs of a sentence that every language has: its opening, its leads and its topics."""
        topics = {topic for topic, pattern in self._topics.items() if pattern.search(sentence.text)}
        return {sentence.opening.order, *sentence.opening.leads} | topics


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


def compiled(text: str) -> re.Pattern[str]:
    """Compile a pattern of `data/`; case does not matter."""
    return re.compile(pattern(text), re.IGNORECASE)


def _company(others: int) -> str:
    if others >= _MANY:
        return "among many orders"
    return "among some orders" if others >= _SOME else "beside another order"
