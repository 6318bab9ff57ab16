"""Score how likely a sentence is an order to the reader."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from memsieve.ingress.checks.injection.chinese import CHINESE
from memsieve.ingress.checks.injection.english import ENGLISH
from memsieve.ingress.checks.injection.phrases import load_table
from memsieve.ingress.checks.injection.sentence import Language, Sentence, Surroundings

LANGUAGES = (ENGLISH, CHINESE)
# At 0 an order and an ordinary sentence are equally likely.
THRESHOLD = -0.25
# The table of what each sign weighs, by language, and the name in it of what every sentence weighs.
WEIGHTS = "weights.toml"
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


def weighable(text: str, language: Language) -> list[tuple[Sentence, set[str]]]:
    """Return each sentence that may be an order, with its signs; Chinese text is to be folded before."""
    found = list(language.sentences(text))
    if not found:
        return []
    around = Surroundings(language.terms(text), [sentence for sentence, _ in found])
    return [(sentence, signs | around.signs(sentence, language.terms(sentence.text))) for sentence, signs in found]


def _weighed(text: str, folded: str) -> Iterator[Weighed]:
    for sentence, signs in weighable(text.translate(_QUOTES), ENGLISH):
        yield _weigh(sentence, signs, load_table(WEIGHTS)[ENGLISH.code])
    if not folded.isascii():
        for sentence, signs in weighable(folded, CHINESE):
            yield _weigh(sentence, signs, load_table(WEIGHTS)[CHINESE.code])


def _weigh(sentence: Sentence, signs: Iterable[str], weights: Mapping[str, float]) -> Weighed:
    known = {sign: weights[sign] for sign in signs if sign in weights}
    order = sentence.opening.order
    telling = sorted(
        (sign for sign in known if known[sign] > 0 and sign != order), key=lambda sign: (-known[sign], sign)
    )
    score = weights[BASE] + sum(known.values())
    return Weighed(score=round(score, 2), sentence=sentence, signs=(order, *telling[:_TELLING]))
