"""Writing systems: the one range of Han characters, and which scripts a text is in.

The constants are contents of a character class of `re`.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

MAX_FOREIGN_SHARE = 0.15

HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
# Iteration mark, closing mark and zero, which stand within Chinese words.
HAN_MARKS = "\u3005-\u3007"
# Scripts written without spaces, and Hangul.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Myanmar, Khmer
    f"\u3040-\u30ff\u31f0-\u31ff{HAN_MARKS}{HAN}"  # Kana, Han
    "\u1100-\u11ff\uac00-\ud7af"  # Hangul
)

_SPACED = {
    "Latin": "A-Za-z\u00aa\u00b5\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff",
    "Greek": "\u0370-\u03ff\u1f00-\u1fff",
    "Cyrillic": "\u0400-\u052f\u1c80-\u1c8f\u2de0-\u2dff\ua640-\ua69f",
    "Hebrew": "\u0591-\u05ff",
    "Arabic": "\u0600-\u06ff\u0750-\u077f\u08a0-\u08ff",
    "Devanagari": "\u0900-\u0963\u0970-\u097f",
}
_WITHOUT_SPACES = {
    "Thai": "\u0e01-\u0e4e",
    "Kana": "\u3041-\u30ff\u31f0-\u31ff\uff66-\uff9f",
    "Hangul": "\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3",
    "Han": f"\u3005\u3007{HAN}",
}
# Python counts ², ½, ① and Ⅷ as word characters; like plain digits they belong to no script.
_NUMBERS = "\u00b2\u00b3\u00b9\u00bc-\u00be\u2070-\u2089\u2150-\u218f\u2460-\u249b\u24ea-\u24ff\u2776-\u2793"


_HAN_CHARACTER = re.compile(f"[{HAN}]")


def is_han(character: str) -> bool:
    """Say whether a text begins with a Chinese character."""
    return _HAN_CHARACTER.match(character) is not None


def count_han(text: str) -> int:
    """Return the number of Chinese characters in a text."""
    return 0 if text.isascii() else len(_HAN_CHARACTER.findall(text))


def readable(text: str, scripts: frozenset[str]) -> bool:
    """Say whether nearly all of a text is in these scripts.

    A word counts as one unit, and so does each character of a script that puts no space between words. Digits,
    punctuation and symbols count for nothing; a text of them alone is not readable, because it has no meaning to
    compare, only characters.
    """
    familiar, foreign = _units(scripts)
    known = familiar.count(text)
    if not known or text.isascii():
        return known > 0
    unknown = foreign.count(text)
    return unknown <= MAX_FOREIGN_SHARE * (known + unknown)


class _Units(NamedTuple):
    words: re.Pattern[str]
    characters: re.Pattern[str]

    def count(self, text: str) -> int:
        return len(self.words.findall(text)) + sum(map(len, self.characters.findall(text)))


@cache
def _units(scripts: frozenset[str]) -> tuple[_Units, _Units]:
    """Return what finds the units of these scripts, and those of every other."""
    words = "".join(ranges for name, ranges in _SPACED.items() if name in scripts)
    characters = "".join(ranges for name, ranges in _WITHOUT_SPACES.items() if name in scripts)
    others = "".join(ranges for name, ranges in _WITHOUT_SPACES.items() if name not in scripts)
    strange = re.compile(rf"[^\W\d_{_NUMBERS}{words}{characters}{others}]+")
    return _Units(_runs(words), _runs(characters)), _Units(strange, _runs(others))


def _runs(ranges: str) -> re.Pattern[str]:
    return re.compile(f"[{ranges}]+" if ranges else r"(?!)")
