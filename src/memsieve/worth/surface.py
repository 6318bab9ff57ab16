"""What a passage looks like, whatever its words are: shares of kinds of signs, and how it begins and ends."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

import numpy as np
import numpy.typing as npt

from memsieve.text.scripts import HAN

Numbers = npt.NDArray[np.float32]

_CLASSES = (
    "0-9\uff10-\uff19",
    "A-Z",
    "a-zà-öø-ÿ",
    HAN,
    " \t\u3000\xa0",
    "\n",
    ",，、",
    ".。",
    "?？",
    "!！",
    ":：",
    ";；",
    "()（）",
    r"\[\]{}<>",
    "\"'“”‘’「」『』《》",
    "=|/_#$%&*+~^@`",
    r"\\-",
    "\u2190-\u2bff\U0001f300-\U0001faff",
)
_WIDTH = len(_CLASSES) + 1
_LINES = 5
_LAST = 0x1FBFF
_LONGEST = 6.0
SIZE = 3 * _WIDTH + 2


def surface(passages: Sequence[str]) -> Numbers:
    """Return one row of features for each passage; none is empty."""
    codes = np.frombuffer("".join(passages).encode("utf-32-le", "surrogatepass"), np.uint32)
    classes = _table()[np.minimum(codes, _LAST)]
    lengths = np.array([len(passage) for passage in passages])
    ends = np.cumsum(lengths)
    owners = np.repeat(np.arange(len(passages)) * _WIDTH, lengths)
    counts = np.bincount(owners + classes, minlength=len(passages) * _WIDTH).reshape(len(passages), _WIDTH)
    kinds = _kinds()
    size = lengths[:, None]
    lines = np.minimum(counts[:, _LINES : _LINES + 1], 8) / 8
    parts = [counts / size, kinds[classes[ends - lengths]], kinds[classes[ends - 1]], np.log1p(size) / _LONGEST, lines]
    return np.hstack(parts, dtype=np.float32)


@cache
def _kinds() -> Numbers:
    return np.eye(_WIDTH, dtype=np.float32)


@cache
def _table() -> npt.NDArray[np.uint8]:
    """Return the class of each character, the last standing for all beyond."""
    table = np.full(_LAST + 1, len(_CLASSES), np.uint8)
    for number, ranges in enumerate(_CLASSES):
        for low, high in re.findall(r"(\\?.)(?:-(\\?.))?", ranges, re.DOTALL):
            begin = ord(low[-1])
            table[begin : min(ord(high[-1]) if high else begin, _LAST) + 1] = number
    return table
