"""Write a number another way, or turn it into another number."""

from __future__ import annotations

import random
import re

_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen".split()
)
_TENS = "zero ten twenty thirty forty fifty sixty seventy eighty ninety".split()
_DIGITS = "零一二三四五六七八九"
_READ = {digit: value for value, digit in enumerate(_DIGITS)} | {"两": 2, "〇": 0}
_SCALE = {"十": 10, "百": 100, "千": 1000, "万": 10_000, "亿": 100_000_000}


def english(number: int) -> str:
    """Spell a number below a billion in English words."""
    for size, name in ((1_000_000, "million"), (1000, "thousand"), (100, "hundred")):
        if number >= size:
            head, rest = divmod(number, size)
            joint = " and " if rest and size == 100 else " "
            return f"{english(head)} {name}" + (joint + english(rest) if rest else "")
    if number < 20:
        return _SMALL[number]
    tens, ones = divmod(number, 10)
    return _TENS[tens] + (f"-{_SMALL[ones]}" if ones else "")


def chinese(number: int) -> str:
    """Spell a number below a trillion in Chinese characters."""
    for size, name in ((100_000_000, "亿"), (10_000, "万")):
        if number >= size:
            head, rest = divmod(number, size)
            gap = "零" if rest and rest < size // 10 else ""
            return chinese(head) + name + (gap + chinese(rest) if rest else "")
    written, skipped = "", False
    for size, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit, number = divmod(number, size)
        if digit:
            written += ("零" if skipped and written else "") + _DIGITS[digit] + name
            skipped = False
        else:
            skipped = True
    return re.sub("^一十", "十", written) or "零"


def read_chinese(written: str) -> int | None:
    """Return the value of a number in Chinese characters, or None where it is none."""
    total = section = digit = 0
    for sign in written:
        if sign in _READ:
            digit = _READ[sign]
        elif sign in "十百千":
            section += (digit or 1) * _SCALE[sign]
            digit = 0
        elif sign in "万亿":
            total = (total + section + digit) * _SCALE[sign]
            section = digit = 0
        else:
            return None
    return total + section + digit


def other(number: int, chance: random.Random) -> int:
    """Return another number of about the same size, now and then far off."""
    way = chance.random()
    if way < 0.4:
        moved = number + chance.choice((1, 2, 3, 5, 10, -1, -2, -3))
    elif way < 0.6:
        moved = chance.choice((number * 2, number * 3, number * 10, number // 2, number + 100))
    elif way < 0.8 and number >= 10:
        moved = int("".join(chance.sample(str(number), len(str(number)))))
    else:
        size = 10 ** max(1, len(str(number)))
        moved = chance.randrange(max(1, size // 10), size)
    return moved if moved > 0 and moved != number else number + chance.randint(1, 9)


def other_digits(written: str, chance: random.Random) -> str:
    """Return another number in the same spelling: thousands separated, decimals kept."""
    if "." in written:
        whole, part = written.split(".", 1)
        if chance.random() < 0.5:
            fresh = str(chance.randrange(10 ** len(part))).zfill(len(part))
            if fresh != part:
                return f"{whole}.{fresh}"
        return f"{other_digits(whole, chance)}.{part}"
    number = other(int(written.replace(",", "")), chance)
    if "," in written:
        return f"{number:,}"
    return str(number).zfill(len(written)) if written.startswith("0") else str(number)
