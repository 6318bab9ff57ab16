"""Numbers, dates and times as values: "$5M", "five million dollars" and 500万美元 are one amount."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from memsieve.text.scripts import HAN, is_han
from memsieve.text.word_lists import WordFile

_FILE = WordFile("memsieve.text", "numbers.txt")
MONTHS = {name: number for number, names in enumerate(_FILE.rows("months"), start=1) for name in names}
WEEKDAYS = {day: number for number, day in enumerate(_FILE.words("weekdays"), start=1)}
CHINESE_WEEKDAYS = {day: number for number, day in enumerate("一二三四五六日", start=1)} | {"天": 7}
NUMERALS = {word: number for number, word in enumerate(_FILE.words("numerals"))} | {
    word: 10 * number for number, word in enumerate(_FILE.words("tens"), start=2)
}
SCALES = {word: float(size) for size, *words in _FILE.rows("scales") for word in words}
CHINESE_DIGITS = {digit: number for number, digit in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
CHINESE_SCALES = {"十": 10.0, "百": 100.0, "千": 1e3, "万": 1e4, "亿": 1e8}
# What each unit measures, and its factor to the base unit.
MEASURES = {word: (dimension, float(factor)) for dimension, factor, *words in _FILE.rows("measures") for word in words}
CLASSIFIERS = "".join(_FILE.words("classifiers"))
LABELS = frozenset(_FILE.words("labels"))

_WORD = "|".join(sorted(NUMERALS, key=len, reverse=True))
_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_UNIT = "|".join(sorted((re.escape(u) for u in MEASURES if u.isascii() and u != "$"), key=len, reverse=True))
_HAN_UNIT = "|".join(sorted((u for u in MEASURES if is_han(u)), key=len, reverse=True))
HAN_DIGITS = "零〇一二两三四五六七八九十百千万亿"
_DIGITS = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_LARGE = "thousand|million|billion|trillion"
_ONE = "[一二三四五六七八九]"
_HALF_DAYS = "凌晨|早上|上午|中午|下午|晚上|早|晚"

_DATE = re.compile(
    rf"""
    (?P<y>\d{{4}})[-/.](?P<m>\d{{1,2}})[-/.](?P<d>\d{{1,2}})(?!\d)
  | (?:(?P<hy>\d{{4}})\s?年\s?)?(?P<hm>\d{{1,2}}|十[一二]?|{_ONE})\s?月
    (?:份|\s?(?P<hd>\d{{1,2}}|[二三]?十{_ONE}?|{_ONE})\s?[日号])?
  | (?P<year>(?:1[5-9]|20)\d\d)(?:\s?年(?![前后内以])|[-–/]\d\d(?![-–/.\d]))
  | (?P<month>{_MONTH})\b\.?(?:\s+(?:the\s+)?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?![:%]))?(?:,?\s+(?P<my>\d{{4}})\b)?
  | (?P<day2>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<month2>{_MONTH})\b\.?(?:,?\s+(?P<my2>\d{{4}})\b)?
    """,
    re.VERBOSE,
)
_CLOCK = re.compile(
    rf"""
    (?P<h>\d{{1,2}}):(?P<min>\d\d)(?::\d\d)?(?:\s?(?P<p>[ap])\.?m\b\.?)?(?![\d:])
  | (?P<h2>\d{{1,2}})\s?(?:(?P<p2>[ap])\.?m\b\.?|o'clock)
  | (?P<hp>{_HALF_DAYS})?\s?(?P<hh>\d{{1,2}}|十[一二]?|两|{_ONE})\s?点(?![{HAN}]?[击评儿子])
    (?:钟|整|(?P<half>半)|\s?(?P<hmin>\d{{1,2}})\s?分)?
    """,
    re.VERBOSE,
)
_WEEKDAY = re.compile(rf"(?:星期|周|礼拜)(?P<han>[一二三四五六日天])|(?P<english>{'|'.join(WEEKDAYS)})s?\b")
_ORDINAL = re.compile(
    rf"\d+(?:st|nd|rd|th)\b|[一二三四五六七八九十]+(?:季度|期|号楼|楼|班)|第\s?(?:\d+|[{HAN_DIGITS}]+)"
)
_AMOUNT = re.compile(
    rf"""
    (?:(?P<money>(?:us)?\$|[€£¥])|(?P<percent>百分之))?\s?
    (?:(?P<digits>{_DIGITS})(?:\s?(?P<scale>hundred|{_LARGE}|k|mn?|bn?|[十百千]?[万亿]|[百千])(?![a-z]))?
      |(?P<words>a\s(?:hundred|dozen|{_LARGE})\b|dozen|(?:{_WORD})(?:[\s-](?:and\s)?(?:{_WORD}|hundred|dozen|{_LARGE}))*\b)
      |(?P<han>[{HAN_DIGITS}]+(?(percent)(?:点[零〇一二三四五六七八九]+)?)))
    (?P<over>多|余|几)?
    (?:[\s-]?(?P<unit>(?:{_UNIT})(?![a-z])|{_HAN_UNIT}|[{CLASSIFIERS}]))?
    """,
    re.VERBOSE,
)
_LABEL = re.compile(r"[a-z]+s?\s?#?\s?(\d+(?:\.\d+)*)\b(?!\s?(?:%|percent|million|thousand|billion|[ap]m\b))(?![:/])")
_CODE = re.compile(r"(?:q[1-4]|h[12]|fy\s?\d\d(?:\d\d)?|v\d+(?:\.\d+)*)\b")
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d(?![\d,.]*\d|\s?%)")
_YEAR_BEFORE = frozenset("in since by of until during from year early late mid around before after through".split())
NUMBER_WORDS = frozenset(NUMERALS) | {"hundred", "thousand", "million", "billion", "dozen"}
# "May" and "march" are words of their own; only a word of time before them makes them months.
_DOUBTFUL_MONTHS = {"may", "march", "mar", "jan", "dec", "sep", "sun"}
_ROUGHLY = 0.15
_ROUNDING = 0.0005
_TENTH = 0.11
_YEARS = range(1500, 2100)
_NO_NUMBER_BEFORE = frozenset(
    "this that which the no not any each every another other first last next right wrong new".split()
)
_CHINESE_IDIOMS = frozenset("十分 千万 百分 万一 三四 七八 一一 万千 亿万 千百 一二 二三 两三 三五 一百分".split())
STARTS = frozenset(MONTHS) | frozenset(WEEKDAYS) | NUMBER_WORDS | frozenset(HAN_DIGITS) | {"a"}


class QuantityKind(StrEnum):
    """The kind of a quantity; a label names a thing and measures nothing."""

    DATE = "dates"
    WEEKDAY = "weekdays"
    CLOCK = "times"
    NUMBER = "numbers"
    LABEL = "labels"


@dataclass(frozen=True, slots=True)
class Quantity:
    """One value in a text, with what it measures and what it counts."""

    kind: QuantityKind
    value: tuple[float | str | None, ...]
    unit: str
    end: int
    loose: bool = False

    @property
    def number(self) -> float:
        return float(self.value[0] or 0)

    def near(self, other: Quantity) -> bool:
        """Say whether "about" could make both one value."""
        if self.kind is not QuantityKind.NUMBER or other.kind is not QuantityKind.NUMBER:
            return False
        return abs(self.number - other.number) <= _ROUGHLY * max(abs(self.number), abs(other.number))

    def same(self, other: Quantity) -> bool:
        """Say whether both give one value, as far as both say it."""
        if self.kind is not other.kind:
            return False
        if self.kind is QuantityKind.NUMBER:
            return _near(self.number, other.number)
        return all(a == b for a, b in zip(self.value, other.value, strict=True) if a is not None and b is not None)

    def fits(self, other: Quantity) -> bool:
        """Say whether both may belong to one thing: years are never rounded."""
        return self.same(other) and not (self.year and other.year and self.number != other.number)

    @property
    def year(self) -> bool:
        return self.kind is QuantityKind.NUMBER and not self.unit and self.number in _YEARS


def read(text: str, start: int, before: str) -> Quantity | None:
    """Read the quantity that starts here in lower-case text, if one does; `before` is the word before it."""
    return (
        _read_date(text, start, before)
        or _read_clock(text, start)
        or _read_weekday(text, start)
        or _read_label(text, start)
        or _read_year(text, start, before)
        or _read_amount(text, start, before)
    )


def _read_date(text: str, start: int, before: str) -> Quantity | None:
    found = _DATE.match(text, start)
    if not found or _is_no_date(found, before):
        return None
    year = found["y"] or found["hy"] or found["year"] or found["my"] or found["my2"]
    month = found["m"] or found["hm"] or found["month"] or found["month2"]
    day = found["d"] or found["hd"] or found["day"] or found["day2"]
    value = (_whole(year), MONTHS.get(month or "") or _whole(month), _whole(day))
    return Quantity(QuantityKind.DATE, value, "", found.end())


def _is_no_date(found: re.Match[str], before: str) -> bool:
    doubtful = found["month"] in _DOUBTFUL_MONTHS and not found["day"] and not found["my"]
    return doubtful and before not in _YEAR_BEFORE | {"last", "next", "this", "to"}


def _read_clock(text: str, start: int) -> Quantity | None:
    found = _CLOCK.match(text, start)
    # Without a half of the day, 一点 is "a little" or "one point".
    if not found or (found["hh"] == "一" and not found["hp"]):
        return None
    hour = _whole(found["h"] or found["h2"] or found["hh"]) or 0
    minute = 30 if found["half"] else _whole(found["min"] or found["hmin"]) or 0
    half = found["p"] or found["p2"]
    if found["hp"]:
        half = "p" if found["hp"] in "中午下午晚上晚" else "a"
    if hour > 12:  # noqa: PLR2004
        half = "p"
    return Quantity(QuantityKind.CLOCK, (hour % 12 * 60 + minute, half), "", found.end())


def _read_weekday(text: str, start: int) -> Quantity | None:
    found = _WEEKDAY.match(text, start)
    if not found:
        return None
    number = CHINESE_WEEKDAYS[found["han"]] if found["han"] else WEEKDAYS[found["english"]]
    return Quantity(QuantityKind.WEEKDAY, (number,), "", found.end())


def _read_label(text: str, start: int) -> Quantity | None:
    found = _ORDINAL.match(text, start) or _CODE.match(text, start)
    if not found and text[start].isalpha() and text[start].isascii():
        found = _LABEL.match(text, start)
        if found and re.match("[a-z]+", found[0])[0] not in LABELS:  # type: ignore[index]
            return None
    return Quantity(QuantityKind.LABEL, (found[0].replace(" ", ""),), "", found.end()) if found else None


def _read_year(text: str, start: int, before: str) -> Quantity | None:
    found = _YEAR.match(text, start)
    if not found or before not in _YEAR_BEFORE:
        return None
    return Quantity(QuantityKind.DATE, (int(found[0]), None, None), "", found.end())


def _read_amount(text: str, start: int, before: str) -> Quantity | None:
    found = _AMOUNT.match(text, start)
    if not found or _is_no_amount(found, before):
        return None
    unit = found["unit"] or ""
    dimension, factor = MEASURES.get(unit, (unit, 1.0))
    if found["money"]:
        dimension = found["money"][-1]
    if found["percent"]:
        dimension = "%"
    value = _number(found) * factor
    return Quantity(QuantityKind.NUMBER, (value,), dimension, found.end(), loose=bool(found["over"]))


def _is_no_amount(found: re.Match[str], before: str) -> bool:
    """Tell numerals from the many words made of them: 一起, 十分, "this one"."""
    if found["words"] == "one":
        return not found["unit"] and before in _NO_NUMBER_BEFORE
    han = found["han"]
    if not han or found["percent"]:
        return False
    measured = found["unit"] or len(han) > 1
    return not measured or (han == "一" and found["unit"] not in MEASURES) or found[0] in _CHINESE_IDIOMS


def _number(found: re.Match[str]) -> float:
    if found["digits"]:
        scale = found["scale"] or ""
        return float(found["digits"].replace(",", "")) * (SCALES.get(scale) or _han_scale(scale))
    return _english_number(found["words"]) if found["words"] else _han_number(found["han"])


def _english_number(words: str) -> float:
    total = part = 0.0
    for word in re.findall("[a-z]+", words):
        if word in NUMERALS:
            part += NUMERALS[word]
        elif word in {"hundred", "dozen"}:
            part = (part or 1) * SCALES[word]
        elif word in SCALES:
            total += (part or 1) * SCALES[word]
            part = 0
    return total + part


def _han_scale(scale: str) -> float:
    product = 1.0
    for character in scale:
        product *= CHINESE_SCALES[character]
    return product


def _han_number(text: str) -> float:
    whole, _, decimals = text.partition("点")
    if decimals:
        return float(f"{_han_number(whole):.0f}.{''.join(str(CHINESE_DIGITS[digit]) for digit in decimals)}")
    if not any(character in CHINESE_SCALES for character in text):
        return float("".join(str(CHINESE_DIGITS[character]) for character in text))
    total = section = digit = 0.0
    for character in text:
        if character in CHINESE_DIGITS:
            digit = CHINESE_DIGITS[character]
        elif character in "万亿":
            total = (total + section + digit) * CHINESE_SCALES[character]
            section = digit = 0
        else:
            section += (digit or 1) * CHINESE_SCALES[character]
            digit = 0
    return total + section + digit


def _whole(text: str | None) -> int | None:
    if not text:
        return None
    return int(text) if text.isdigit() else int(_han_number(text))


def _near(first: float, second: float) -> bool:
    """Allow for rounding: 3.14 is 3.1."""
    apart, size = abs(first - second), max(abs(first), abs(second))
    # Two digits are the fewest to round to, and make a tenth at most.
    return apart <= _ROUNDING * size or (apart <= _TENTH * size and _rounded(first, second))


def _rounded(first: float, second: float) -> bool:
    digits = min(_significant(first), _significant(second))
    return digits > 1 and f"{first:.{digits - 1}e}" == f"{second:.{digits - 1}e}"


def _significant(value: float) -> int:
    return len(f"{value:.9e}".split("e")[0].replace(".", "").replace("-", "").rstrip("0"))
