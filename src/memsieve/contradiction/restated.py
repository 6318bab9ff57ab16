"""Find a fact that one text states again with another value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import nlargest

from memsieve.claims import statement
from memsieve.claims.restated import MOST_WORDS, SURE, compatible, model, token_ids, words_shared
from memsieve.claims.statement import Statement
from memsieve.contradiction import guards, sentences
from memsieve.contradiction.find import Contradiction
from memsieve.model import Reason
from memsieve.text.scripts import HAN

_FEWEST_WORDS = 4
# Bounds on the work for one text: each sentence is held against so many before it, and the likeliest pairs are scored.
_REACH = 150
_MOST_PAIRS = 12

_WORD = re.compile(rf"[A-Za-z0-9']+|[{HAN}]{{1,2}}")
# A field of JSON, a line of a traceback, a row of a table, an equation.
_NO_PROSE = re.compile(r"""\s*(?:["“'][\w ]+["”']\s*:|[{\[]|File\s"|[$>#|])|[^\n]*\s[=|]\s""")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence that may state a fact, as the model will see it."""

    piece: sentences.Piece
    ids: frozenset[int]
    said: Statement


def likely_pairs(text: str) -> list[tuple[str, str]]:
    """Return the pairs of sentences that share most of their words and don't plainly say the same, likeliest first."""
    pairs = _pairs(list(_candidates(text)))
    return [(a.piece.whole, b.piece.whole) for a, b in pairs if not compatible(a.said, b.said)]


def surest(pairs: Sequence[tuple[str, str]]) -> Contradiction | None:
    """Return the pair that most surely says one thing with two values, or None where none does."""
    scored = [(model().score(*pair), pair) for pair in pairs]
    score, (first, second) = max(scored, key=lambda found: found[0])
    difference = Reason.of("difference.restated", certainty=round(score, 2))
    return Contradiction(first, second, "values", difference) if score >= SURE else None


def _candidates(text: str) -> Iterator[Candidate]:
    number = -1
    for piece in sentences.pieces(text):
        # The first piece of a sentence is all of it; its clauses follow.
        if piece.sentence == number:
            continue
        number = piece.sentence
        if _prose(piece.whole) and not guards.asks(piece.whole) and not guards.takes_back(piece.whole):
            said = statement.read(piece.whole)
            if said.frame or said.pronouns or said.denials:
                yield Candidate(piece, token_ids(piece.whole), said)


def _prose(sentence: str) -> bool:
    return not _NO_PROSE.match(sentence) and len(_WORD.findall(sentence)) >= _FEWEST_WORDS


def _pairs(candidates: list[Candidate]) -> list[tuple[Candidate, Candidate]]:
    """Return the pairs that share most of their words, the likeliest first."""
    shared = (
        (words_shared(first.ids, second.ids), number, place)
        for number, second in enumerate(candidates)
        for place, first in enumerate(candidates[max(0, number - _REACH) : number], max(0, number - _REACH))
        if _by_one_speaker(first.piece, second.piece)
    )
    best = nlargest(_MOST_PAIRS, (found for found in shared if found[0] >= MOST_WORDS))
    return [(candidates[place], candidates[number]) for _, number, place in best]


def _by_one_speaker(a: sentences.Piece, b: sentences.Piece) -> bool:
    items = a.listed and b.listed and a.line != b.line
    return a.speaker == b.speaker and not items
