"""What keeps two statements from contradicting: another time, speaker or part, or no claim at all."""

from __future__ import annotations

import re

from memsieve.text.scripts import HAN
from memsieve.text.word_lists import WordFile

_FILE = WordFile("memsieve.claims", "guards.txt")
_NO_CLAIM = _FILE.pattern("no claim", or_this=r"[?？]|[:：]\s*$|")
_QUESTION = re.compile(
    r"\s*(?:(?:so|and|but|or),?\s)?(?:(?:do|does|did|is|are|was|were|can|will|have|has)\s(?:we|you|it|that|this|they|there|he|she|i|the)\b"
    r"|(?:what|why|how|who)\b)",
    re.IGNORECASE,
)
_DOUBTFUL = _FILE.pattern("doubtful", or_this='["“”「『«]|')
_CONTRAST = re.compile(r"\b(?:while|although|though|whereas|but|however)\b|但|而|却|虽", re.IGNORECASE)
# A condition asserts nothing by itself.
_CONDITION = re.compile(
    r"\s*(?:if|unless|in\scase|provided|suppose|assuming)\b[^,]*|\s*(?:如果|假如|假设|要是|倘若|若(?!干)|除非)[^,，]*",
    re.IGNORECASE,
)
# Between the words of both languages: a part that has only a letter, as plan A.
_SETTING = re.compile(
    rf"\b(?:{_FILE.one_of('setting')})\b"
    rf"|(?-i:\b[a-z]+\sA\b|[A-H](?=[{HAN}])|(?<=[{HAN}])\s?[A-H](?![A-Za-z]))"
    rf"|{_FILE.one_of('setting.chinese')}",
    re.IGNORECASE,
)
_PARTIAL, _TIMES, _AMOUNTS = (frozenset(_FILE.words(section)) for section in ("partial", "times", "amounts"))
_NEVER = re.compile(r"\bnever\b|从未|从没|从来没有", re.IGNORECASE)
_UNCOUNTED = _PARTIAL | _AMOUNTS | {"every", "each", "每", "without"}
_ASKS = re.compile(r"[?？]|[:：]\s*$|[吗呢][。.]?\s*$")
_TAKES_BACK = _FILE.pattern("taken back")


def is_question(sentence: str) -> bool:
    """Say whether a sentence is a question, or only announces what follows."""
    return bool(_ASKS.search(sentence) or _QUESTION.match(sentence))


def is_correction(sentence: str) -> bool:
    """Say whether a sentence corrects an earlier one or reports a change."""
    return bool(_TAKES_BACK.search(sentence))


def asserts(sentence: str) -> bool:
    """Say whether a sentence asserts something that stays as it is."""
    return not _NO_CLAIM.search(sentence) and not _QUESTION.match(sentence)


def condition(text: str) -> str:
    """Return the condition that a text begins with, or nothing."""
    found = _CONDITION.match(text)
    return found[0].strip().lower() if found else ""


def is_hypothetical(sentence: str) -> bool:
    """Say whether a sentence is conditional, vague, or somebody else's word."""
    return bool(_DOUBTFUL.search(sentence))


def is_contrasted(sentence: str) -> bool:
    """Say whether a sentence sets one thing against another."""
    return bool(_CONTRAST.search(sentence))


def is_doubtful(sentence: str) -> bool:
    """Say whether a sentence may contradict only its own repetition."""
    return is_hypothetical(sentence) or is_contrasted(sentence)


def setting(sentence: str) -> frozenset[str]:
    """Return the words that say when, which part, or in what sense."""
    return frozenset(match[0].lower() for match in _SETTING.finditer(sentence))


def is_partial(words: frozenset[str]) -> bool:
    """Say whether a setting covers some things and leaves others out."""
    return not words.isdisjoint(_PARTIAL)


def is_dated(words: frozenset[str]) -> bool:
    """Say whether a setting only says when something happened."""
    return bool(words) and words <= _TIMES


def says_never(sentence: str) -> bool:
    """Say whether a sentence denies something for all time."""
    return bool(_NEVER.search(sentence))


def amounts(words: frozenset[str]) -> frozenset[str]:
    """Return the words of a setting that count without a number."""
    return words & _AMOUNTS


def uncounted(words: frozenset[str]) -> frozenset[str]:
    """Return a setting without the words that count."""
    return words - _UNCOUNTED
