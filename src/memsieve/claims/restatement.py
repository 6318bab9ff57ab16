"""How much two texts say the same: by vectors where the embedder reads both, else by their words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from memsieve.model import Tombstone, Vector
from memsieve.text.normalize import normalized
from memsieve.text.sentences import split_sentences
from memsieve.text.tokenize import tokenize

# Fewer words than this are too few to say that one text holds another.
_MIN_WORDS = 5
# An embedder reads the beginning of a long text only: beyond this many words, the words must agree as well.
_MOST_WORDS = 120
# Chinese paraphrases share about two thirds of their characters and pairs where English ones have a cosine of 0.8.
_WORDS_TO_COSINE = 1.25
# Words of a short text are found in a long one by chance: at 0.9 in one of 200 real texts, at 0.8 in one of 30.
_LESS_FOR_A_PART = 0.1
_MAX_QUOTE = 80


def closeness(words: Sequence[str], vector: Vector | None, other_words: Sequence[str], other: Vector | None) -> float:
    """Return the cosine of two vectors, or where one is missing, words in common on the same scale; 0..1."""
    if vector is None or other is None:
        return min(1.0, _WORDS_TO_COSINE * _in_common(words, other_words))
    # Vectors are stored at half precision: digits after the sixth are noise, and 0.9 must be 0.9.
    cosine = min(1.0, max(0.0, round(float(vector @ other), 6)))
    if max(len(words), len(other_words)) <= _MOST_WORDS:
        return cosine
    return min(cosine, _in_common(words, other_words))


def _in_common(words: Iterable[str], other_words: Iterable[str]) -> float:
    mine, theirs = set(words), set(other_words)
    return 2 * len(mine & theirs) / (len(mine) + len(theirs)) if mine and theirs else 0.0


def coverage(words: Iterable[str], other_words: Iterable[str]) -> float:
    """Return the share of these words that the other text has too; 0 when there are too few to tell."""
    mine = set(words)
    return len(mine.intersection(other_words)) / len(mine) if len(mine) >= _MIN_WORDS else 0.0


class DecidedText(NamedTuple):
    """A text that was decided on, with its tokens and its vector."""

    content: str
    words: tuple[str, ...]
    embedding: Vector | None


def restatement_score(content: str, vector: Vector | None, decided: DecidedText | Tombstone) -> float:
    """Return the share of a decided text that is in the content, or of the content that is in it, 0..1.

    It is compared with the whole content and with every two neighbouring sentences of it.
    """
    mine, theirs = normalized(content), normalized(decided.content)
    if mine == theirs:
        return 1.0
    words = cached_tokens(content)
    if len(set(decided.words)) >= _MIN_WORDS and theirs in mine:
        return 1.0
    if len(set(words)) >= _MIN_WORDS and mine in theirs:
        return 1.0
    whole = closeness(words, vector, decided.words, decided.embedding)
    part_of_it = coverage(words, decided.words) - _LESS_FOR_A_PART
    return max(whole, part_of_it, *(coverage(decided.words, part) for part in _neighbours(content)))


@lru_cache(maxsize=4)
def _neighbours(content: str) -> list[tuple[str, ...]]:
    """Return the tokens of every two neighbouring sentences of a text; it is compared with many tombstones."""
    sentences = [tokenize(sentence) for sentence in split_sentences(content)]
    return [first + second for first, second in pairwise(sentences)] or sentences


# The tokens of the largest texts take megabytes, so the cache is small.
@lru_cache(maxsize=256)
def cached_tokens(text: str) -> tuple[str, ...]:
    """Return the tokens of a text that is compared again and again."""
    return tokenize(text)


def excerpt(text: str) -> str:
    """Return the first words of a text on one line, as a reason quotes it."""
    line = " ".join(text.split())
    return line if len(line) <= _MAX_QUOTE else f"{line[: _MAX_QUOTE - 1]}…"
