"""How much speaks for a sentence being an order to the reader."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from memsieve.ingress.checks.injection.weigh import chinese, english
from memsieve.ingress.checks.injection.weigh.sentence import Sentence
from memsieve.ingress.checks.injection.weigh.weights import CHINESE, ENGLISH

# At 0 an order and an ordinary sentence are held to be equally likely.
THRESHOLD = -0.25
BASE = "base"
_TELLING = 3
_QUOTES = str.maketrans("’‘“”", "''\"\"")


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """A sentence, what it came to, and what spoke for it: its opening, and its heaviest signs."""

    score: float
    sentence: Sentence
    signs: tuple[str, ...]


def heaviest(text: str, folded: str) -> Weighed | None:
    """Return the sentence of which most speaks for an order to the reader, or None where none could be one."""
    return max(_weighed(text, folded), key=lambda weighed: weighed.score, default=None)


def _weighed(text: str, folded: str) -> Iterator[Weighed]:
    for sentence, signs in english.weighable(text.translate(_QUOTES)):
        yield _weigh(sentence, signs, ENGLISH)
    if not folded.isascii():
        for sentence, signs in chinese.weighable(folded):
            yield _weigh(sentence, signs, CHINESE)


def _weigh(sentence: Sentence, signs: Iterable[str], weights: Mapping[str, float]) -> Weighed:
    known = {sign: weights[sign] for sign in signs if sign in weights}
    order = sentence.opening.order
    telling = sorted(
        (sign for sign in known if known[sign] > 0 and sign != order), key=lambda sign: (-known[sign], sign)
    )
    score = weights[BASE] + sum(known.values())
    return Weighed(score=round(score, 2), sentence=sentence, signs=(order, *telling[:_TELLING]))
