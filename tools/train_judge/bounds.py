"""Numbers given as bounds: "at least 5" and "at most 9" agree, "at least 9" and "at most 5" do not."""

from __future__ import annotations

import random
import re

from tools.train_judge.english import MONTHS
from tools.train_judge.spans import Change, is_chinese, put

_DIGITS = re.compile(
    r"(?<![\w.,$€£#/:-])(?<![\u4e00-\u9fff]第)\d[\d,]*(?![\w:/.-]|[,]\d|\s?[%％])|"
    r"(?<=[有了达到为共出花费用])\d[\d,]*(?=[个人名家万亿元天次])"
)
_NO_AMOUNT = re.compile(
    r"(?:[A-Z][\w.]*|between|and|from|on|[\x22“]|^|、|从|到|和|至|[-–]|number|step|page|chapter|room|version|level|"
    r"than|about|least|most|January|March|May|about|around|over|under|to|第|约|近|于|过|少|多|大概|左右|port|HTTP|"
    r"line|RFC|see|issue|in|at|of|base|号|第几|every|查看|参见)\s?$"
)
_NO_COUNT = re.compile(
    rf"\s?(?:[年月日号点岁、和到至\"”)）]|[-–]|and\b|to\b|,|th\b|or\b|points|多|[\u4e00-\u9fff]{{1,2}}(?:以上|以下|"
    rf"左右|以内)|{'|'.join(MONTHS)})|\s?(?:[A-Z])"
)
_COUNTED = re.compile(r"\s?(?:[a-z]{3}|[个位名家次种件条台张本辆间座项套份篇层人元天小分公米块倍万亿例列])")
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_WORDS = {
    False: {"more": ("more than ", "over ", "at least "), "less": ("fewer than ", "less than ", "at most ", "under ")},
    True: {"more": ("超过", "至少", "不少于", "多于"), "less": ("不到", "最多", "少于", "不超过", "至多")},
}


def _spot(sentence: str) -> re.Match[str] | None:
    for match in _DIGITS.finditer(sentence):
        if (
            match[0][-1] == ","
            or _YEAR.fullmatch(match[0])
            or _NO_AMOUNT.search(sentence[: match.start()])
            or _NO_COUNT.match(sentence[match.end() :])
        ):
            continue
        if _COUNTED.match(sentence[match.end() :]) and 4 <= int(match[0].replace(",", "")) < 10**7:
            return match
    return None


def _with(sentence: str, match: re.Match[str], way: str, value: float, chance: random.Random) -> str:
    word = chance.choice(_WORDS[is_chinese(sentence)][way])
    return put(sentence, Change(*match.span(), f"{word}{round(value)}"))


def broken(sentence: str, chance: random.Random) -> tuple[str, str] | None:
    """Return the sentence and a bound that its number breaks, or two bounds that exclude each other."""
    match = _spot(sentence)
    if match is None:
        return None
    value = int(match[0].replace(",", ""))
    low, high = value * chance.choice((0.5, 0.7, 0.3)), value * chance.choice((1.5, 2, 3)) + 1
    if chance.random() < 0.5:
        changed = (
            _with(sentence, match, "less", low, chance)
            if chance.random() < 0.5
            else _with(sentence, match, "more", high, chance)
        )
        return sentence, changed
    return _with(sentence, match, "more", value, chance), _with(sentence, match, "less", low, chance)


def agreeing(sentence: str, chance: random.Random) -> tuple[str, str] | None:
    """Return two bounds that both may hold."""
    match = _spot(sentence)
    if match is None:
        return None
    value = int(match[0].replace(",", ""))
    low, high = value * chance.choice((0.5, 0.7, 0.3)), value * chance.choice((1.5, 2, 3)) + 1
    return _with(sentence, match, "more", low, chance), _with(sentence, match, "less", high, chance)


def kept(sentence: str, chance: random.Random) -> str | None:
    """Return the sentence with a bound that its number keeps."""
    match = _spot(sentence)
    if match is None or "?" in sentence or "？" in sentence:
        return None
    value = int(match[0].replace(",", ""))
    if chance.random() < 0.5:
        return _with(sentence, match, "more", max(1, int(value * chance.choice((0.8, 0.9, 0.95))) - 1), chance)
    return _with(sentence, match, "less", int(value * chance.choice((1.05, 1.1, 1.3))) + 1, chance)
