"""Show, word by word, what turns one text into another, in spaced scripts and in Chinese."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from difflib import Match, SequenceMatcher
from functools import cache
from itertools import accumulate, chain, groupby, takewhile
from operator import itemgetter
from typing import NamedTuple

from memsieve.model import Edit
from memsieve.models import bundled
from memsieve.text.normalize import simplified_forms
from memsieve.text.scripts import HAN, HAN_MARKS
from memsieve.text.tokenize import tokenize

# Steps of difflib for two texts, under a second: without a bound they grow with the square of the length, or worse.
_MOST_STEPS = 2_000_000

_HAN = HAN_MARKS + HAN
# Hangul has spaces: a diff keeps its words whole.
_UNSPACED = f"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff{_HAN}"
# What is no space and not in here belongs to a word: letters, digits, accents, emoji.
_PUNCTUATION = (
    r"!-/:-@\[-`{-~\u00a1-\u00a9\u00ab-\u00b1\u00b4\u00b6-\u00b8\u00bb\u00bf\u060c\u061b\u061f\u06d4\u0964\u0965"
    r"\u2010-\u2027\u2030-\u205e\u3000-\u3004\u3008-\u3020\u3030\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65"
)
_LETTER = rf"[^\s{_PUNCTUATION}{_UNSPACED}]"
_PARTS = re.compile(rf"(\d+(?:[.,:/-]\d+)+|{_LETTER}+(?:['’]{_LETTER}+)*|[{_HAN}]+|\S|\A)(\s*)")
_HAN_RUN = re.compile(f"[{_HAN}]+")
_CHINESE_NUMBER = re.compile("[〇零一二两三四五六七八九十百千万亿]+")
_LONGEST_WORD = 6

Run = tuple[Edit, str]


class _Token(NamedTuple):
    """A word or a mark of punctuation, and the white space after it."""

    word: str
    space: str


class _Block(NamedTuple):
    """The same words in both texts, or words that others took the place of."""

    same: bool
    old: Sequence[_Token]
    new: Sequence[_Token]


def word_diff(old: str, new: str) -> tuple[Run, ...]:
    """Return runs of words: those not ADDED joined are exactly `old`, those not REMOVED joined are exactly `new`."""
    blocks = _without_islands(list(_blocks(_tokens(old), _tokens(new))))
    runs = (run for run in _runs(_pieces(blocks)) if run[1])
    return tuple((edit, "".join(text for _, text in group)) for edit, group in groupby(runs, key=itemgetter(0)))


def _tokens(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    for part, space in _PARTS.findall(text):
        words = _chinese_words(part) if _HAN_RUN.fullmatch(part) else [part]
        # An accent or a vowel sign stays with its letter.
        if tokens and not tokens[-1].space and unicodedata.category(part[0]).startswith("M"):
            words[0] = tokens.pop().word + words[0]
        tokens += [_Token(word, "") for word in words[:-1]]
        tokens.append(_Token(words[-1], space))
    return tokens


def _chinese_words(run: str) -> list[str]:
    """Cut a run of Chinese into the longest known words, from its beginning on; a number stays whole."""
    simple, words, at = run.translate(simplified_forms()), [], 0
    while at < len(run):
        number = _CHINESE_NUMBER.match(run, at)
        size = max(len(number[0]) if number else 1, _known(simple[at : at + _LONGEST_WORD]))
        words.append(run[at : at + size])
        at += size
    return words


def _known(text: str) -> int:
    return next((size for size in range(len(text), 1, -1) if text[:size] in _vocabulary()), 1)


@cache
def _vocabulary() -> frozenset[str]:
    return frozenset(bundled.tokens().chinese)


def _blocks(old: list[_Token], new: list[_Token]) -> Iterator[_Block]:
    head = _shared(zip(old, new, strict=False))
    tail = _shared(zip(reversed(old[head:]), reversed(new[head:]), strict=False))
    yield _Block(True, old[:head], new[:head])
    yield from _middle(old[head : len(old) - tail], new[head : len(new) - tail])
    yield _Block(True, old[len(old) - tail :], new[len(new) - tail :])


def _shared(pairs: Iterable[tuple[_Token, _Token]]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0].word == pair[1].word, pairs))


def _middle(old: list[_Token], new: list[_Token]) -> Iterator[_Block]:
    matcher = _BoundedMatcher([token.word for token in old], [token.word for token in new])
    for tag, i, j, k, m in matcher.get_opcodes():
        yield _Block(tag == "equal", old[i:j], new[k:m])


class _BoundedMatcher(SequenceMatcher[str]):
    """Matches until its steps are spent; where it has not looked by then nothing is the same."""

    def __init__(self, first: list[str], second: list[str]) -> None:
        super().__init__(None, first, second, autojunk=False)
        counts = Counter(second)
        self._steps = list(accumulate((1 + counts[word] for word in first), initial=0))
        self._left = _MOST_STEPS

    def find_longest_match(self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None) -> Match:
        steps = self._steps[-1 if ahi is None else ahi] - self._steps[alo]
        if steps > self._left:
            return Match(alo, blo, 0)
        self._left -= steps
        return super().find_longest_match(alo, ahi, blo, bhi)


def _without_islands(blocks: list[_Block]) -> list[_Block]:
    """Let a lone stop word between two replacements go with them: "25 to 30", not 25 and 30 apart."""
    kept: list[_Block] = []
    for block in (block for block in blocks if block.old or block.new):
        kept.append(block)
        match kept[-3:]:
            case [before, island, after] if _replaced(before) and _is_island(island) and _replaced(after):
                kept[-3:] = [_as_one([before, island, after])]
    return kept


def _as_one(blocks: Sequence[_Block]) -> _Block:
    old = chain.from_iterable(block.old for block in blocks)
    new = chain.from_iterable(block.new for block in blocks)
    return _Block(False, list(old), list(new))


def _replaced(block: _Block) -> bool:
    return not block.same and bool(block.old) and bool(block.new)


def _is_island(block: _Block) -> bool:
    return block.same and len(block.old) == 1 and block.old[0].word.isalpha() and not tokenize(block.old[0].word)


def _pieces(blocks: Iterable[_Block]) -> Iterator[tuple[str, str]]:
    """Yield the pieces of both texts: one piece where they are equal, two where they differ."""
    for block in blocks:
        if not block.same:
            yield _text(block.old), _text(block.new)
            continue
        for before, after in zip(block.old, block.new, strict=True):
            yield before.word, after.word
            yield before.space, after.space


def _text(tokens: Iterable[_Token]) -> str:
    return "".join(token.word + token.space for token in tokens)


def _runs(pieces: Iterable[tuple[str, str]]) -> Iterator[Run]:
    removed = added = ""
    for before, after in pieces:
        if before != after:
            removed, added = removed + before, added + after
        elif before:
            yield from _change(removed, added)
            removed = added = ""
            yield Edit.SAME, before
    yield from _change(removed, added)


def _change(removed: str, added: str) -> Iterator[Run]:
    """Give what went and what came; the white space that both end with is not part of it."""
    pairs = zip(reversed(removed), reversed(added), strict=False)
    size = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1] and pair[0].isspace(), pairs))
    yield Edit.REMOVED, removed[: len(removed) - size]
    yield Edit.ADDED, added[: len(added) - size]
    yield Edit.SAME, added[len(added) - size :]
