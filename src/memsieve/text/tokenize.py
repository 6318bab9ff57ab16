"""Cut text into tokens: one tokenizer for spaced scripts, Chinese and every other language."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby, pairwise
from operator import itemgetter

from memsieve.text.normalize import fold
from memsieve.text.scripts import UNSPACED, count_han
from memsieve.text.stems import snowball_stem
from memsieve.text.word_lists import stop_words

# Scripts without spaces, and Hangul, whose words carry their particles, are cut into characters and pairs.
_RUNS = re.compile(rf"(?P<unspaced>[{UNSPACED}]+)|\d+(?:[.,:/-]\d+)+|(?:(?![{UNSPACED}])[^\W_])+")

STOP_WORDS = stop_words("tokens")
_STOP_CHARACTERS = stop_words("tokens.characters")
_STOP_PAIRS = stop_words("tokens.pairs")


def tokenize(text: str) -> tuple[str, ...]:
    """Return the tokens of a text: folded, stemmed, without stop words."""
    tokens: list[str] = []
    for match in _RUNS.finditer(fold(text)):
        run = match.group()
        if match["unspaced"]:
            tokens += _characters_and_pairs(run)
        elif run not in STOP_WORDS:
            tokens.append(snowball_stem(run))
    return tuple(tokens)


def shared_terms(query: str, text: str) -> tuple[str, ...]:
    """Return the words of a text that a query has too, each once, folded and whole: `decided` for `decision`."""
    wanted = frozenset(tokenize(query))
    found: dict[str, None] = {}
    for match in _RUNS.finditer(fold(text)):
        run = match.group()
        if match["unspaced"]:
            found.update(dict.fromkeys(_pieces(run, wanted)))
        elif run not in STOP_WORDS and snowball_stem(run) in wanted:
            found[run] = None
    return tuple(found)


def is_chinese(tokens: Sequence[str]) -> bool:
    """Say whether tokens are mostly Chinese; two characters stand for one word of other languages."""
    if "".join(tokens).isascii():
        return False
    chinese = count_han("".join(token[0] for token in tokens))
    # Each character counts, and each pair of neighbours.
    return chinese / 2 > len(tokens) - chinese


def _characters_and_pairs(run: str) -> list[str]:
    pairs = [pair for pair in map("".join, pairwise(run)) if pair not in _STOP_PAIRS]
    return [character for character in run if character not in _STOP_CHARACTERS] + pairs


def _pieces(run: str, wanted: frozenset[str]) -> list[str]:
    """Return the longest pieces of a run whose characters or pairs are wanted."""
    marked = [character in wanted for character in run]
    for place, pair in enumerate(map("".join, pairwise(run))):
        if pair in wanted:
            marked[place] = marked[place + 1] = True
    groups = groupby(zip(marked, run, strict=True), key=itemgetter(0))
    return ["".join(character for _, character in group) for marks, group in groups if marks]
