"""What one sentence says: its words, its values, and what it denies."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from memsieve.claims.opposites import CHINESE_WORDS
from memsieve.text import numbers
from memsieve.text.normalize import unify
from memsieve.text.numbers import LABELS, Quantity, QuantityKind
from memsieve.text.scripts import HAN
from memsieve.text.stems import stem
from memsieve.text.word_lists import WordFile, stop_words

_FILE = WordFile("memsieve.claims", "statement.txt")


def _persons(section: str) -> dict[str, str]:
    return {word: person for person, *words in _FILE.rows(section) for word in words}


_PRONOUNS = _persons("pronouns")
_HAN_PRONOUNS = _persons("pronouns.chinese")
_NEGATIONS = frozenset(_FILE.words("negations"))
_TO_NEGATIONS = frozenset(_FILE.words("verbs of denial"))
# After these, "not" denies nothing.
_EMPTY_AFTER = frozenset(_FILE.words("not denied"))
_FUNCTION = stop_words("claims")
_HAN_FUNCTION = stop_words("claims.characters")

# 张三 and 李四 are names for anybody, and no numbers.
_HAN_NAMES = "张三|李四|王五|赵六"
_HAN_WORD = "|".join(sorted(CHINESE_WORDS, key=len, reverse=True))
_TOKEN = re.compile(
    rf"""
    (?P<word>[a-z][a-z0-9_]*(?:[-'’.][a-z0-9_]+)*)
  | (?P<digit>[0-9$€£¥\#])
  | (?P<empty>{"|".join(_FILE.words("no denial.chinese"))})
  | (?P<term>{_HAN_NAMES}|{_HAN_WORD})
  | (?P<deny>{"|".join(_FILE.words("negations.chinese"))})
  | (?P<pronoun>{"|".join(_HAN_PRONOUNS)})
  | (?P<clock>凌晨|早上|上午|中午|下午|晚上|星期|礼拜|周|第)
  | (?P<han>[{HAN}])
  | (?P<other>[^\W_a-z]+)
    """,
    re.VERBOSE,
)
_LOOSE = re.compile(
    r"(?:about|around|approximately|roughly|nearly|almost|some|~|(?:约|大约|大概|近|将近|左右|上下)[有是为]?)\s*$"
)
_BOUND = re.compile(
    r"(?:at least|at most|more than|less than|fewer than|over|under|up to|above|below|within|minimum of|maximum of|"
    r"[<>≤≥]=?|超过|至少|最多|不到|不足|低于|高于|多于|少于|小于|大于|以内|最少)\s*(?:the\s)?$"
)
_ROUGH_AFTER = re.compile(r"\s*(?:左右|上下|or so)")
_MAY_COUNT = frozenset({"digit", "clock"})
# "No, that is right" answers somebody; it denies nothing in its own sentence.
_INTERJECTION = re.compile(
    r"no\s*(?:[,.!;-]|no\b|problem\b|worries\b|way\b|doubt\b|i\b|you\b|we\b|it\b|that\b|they\b|$)"
)
_PARTICLES = frozenset({"on", "off", "up", "down"})
_DIRECTIONS = frozenset({"up", "down"})
_GOING = frozenset("go goes went gone going".split())
_CLAUSE_END = re.compile(r"\s*(?:$|[.,;:!?)]|and\b|again\b|now\b)")
_BOUND_AFTER = re.compile(r"\s*(?:or (?:more|less|fewer)|\+|以上|以下|以内|之内)")
_HAN_WEIGHT = 0.5
_HEAD_LENGTH = 2
_DENIED = "not"
_THINGS = 2


@dataclass(slots=True)
class Value:
    """A quantity in its sentence: what it counts, and whether it is only a bound or a rough figure."""

    quantity: Quantity
    text: str
    position: int
    things: list[str] = field(default_factory=list)
    bound: bool = False
    rough: bool = False


@dataclass(slots=True)
class Statement:
    """One sentence, read: the words it holds, which of them it denies, and its values."""

    text: str
    words: dict[str, float] = field(default_factory=dict)
    frame: set[str] = field(default_factory=set)
    pronouns: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    denied: set[str] = field(default_factory=set)
    denials: int = 0
    values: list[Value] = field(default_factory=list)
    order: list[str] = field(default_factory=list)
    surface: dict[str, str] = field(default_factory=dict)

    @property
    def weight(self) -> float:
        return sum(self.words.values())

    def as_written(self, word: str) -> str:
        """Return the word of the text that has this stem."""
        return self.surface.get(word, word)


def read_statement(text: str) -> Statement:
    """Read one sentence."""
    return _Reader(text).read()


class _Reader:
    """Goes through a sentence once, word by word, skipping over what it took for a number."""

    def __init__(self, text: str) -> None:
        self.text = unify(text)
        lower = self.text.lower()
        # A few letters change length in lower case; positions must stay true.
        self.lower = lower if len(lower) == len(self.text) else self.text
        self.out = Statement(text)
        self.head_left = 0
        self.before = ""
        self.end = 0
        self.counted: list[str] | None = None

    def read(self) -> Statement:
        position = 0
        while found := _TOKEN.search(self.lower, position):
            start, position = found.span()
            if self.counted is not None and self.lower[self.end : start].strip():
                self.counted = None
            position = self._token(found.lastgroup or "", found[0], start) or position
            self.end = position
        return self.out

    def _token(self, group: str, token: str, start: int) -> int | None:
        """Take in one token; return where to go on when it was the start of something longer."""
        if group in _MAY_COUNT or self._may_count(token):
            quantity = numbers.read(self.lower, start, self.before)
            if quantity is not None:
                self._value(quantity, start)
                return quantity.end
        denials = self.out.denials
        match group:
            case "word":
                self._word(token, start)
            case "deny":
                self._deny()
            case "empty":
                self._frame(token)
            case "pronoun":
                self.out.pronouns.add(_HAN_PRONOUNS[token])
                self.counted = None
            case "han" if token in _HAN_FUNCTION:
                self._frame(token)
            case "han" | "clock":
                for character in token:
                    self._content(character, _HAN_WEIGHT)
            case _:
                self._content(token, 1.0)
        self.before = _DENIED if self.out.denials > denials else token
        return None

    def _may_count(self, token: str) -> bool:
        return token in numbers.STARTS or token in LABELS or token[-1] in "0123456789"

    def _value(self, quantity: Quantity, start: int) -> None:
        head = self.lower[max(0, start - 16) : start]
        bound = _BOUND.search(head) or _BOUND_AFTER.match(self.lower, quantity.end)
        rough = quantity.loose or _LOOSE.search(head) or _ROUGH_AFTER.match(self.lower, quantity.end)
        value = Value(
            quantity, self.text[start : quantity.end].strip(" .,"), len(self.out.order), [], bool(bound), bool(rough)
        )
        self.out.values.append(value)
        if quantity.unit:
            self.out.words["#" + quantity.unit] = 1.0
        self.before = ""
        self.counted = value.things if quantity.kind is QuantityKind.NUMBER else None

    def _word(self, token: str, start: int) -> None:
        token = token.replace("’", "'")
        if token.endswith("n't") or token in _NEGATIONS:
            if not _INTERJECTION.match(self.lower, start):
                self._deny()
            return
        token = token.split("'")[0]
        if token in _PRONOUNS:
            self.out.pronouns.add(_PRONOUNS[token])
        if (token in _FUNCTION and not self._particle(token, start)) or token in _EMPTY_AFTER:
            self._function(token)
            return
        root = stem(token)
        if self.text[start].isupper() and start:
            self.out.names.add(root)
        self._content(root, 1.0)
        self.out.surface[root] = token
        if root in _TO_NEGATIONS and self.lower.startswith(" to ", start + len(token)):
            self._deny()

    def _particle(self, token: str, start: int) -> bool:
        """Tell "it is up." and "it went up by" from "up to": elsewhere it is no state."""
        if token in _DIRECTIONS and self.before in _GOING:
            return True
        return token in _PARTICLES and bool(_CLAUSE_END.match(self.lower, start + len(token)))

    def _function(self, token: str) -> None:
        self._frame(token)
        if token in _EMPTY_AFTER and self.before == _DENIED and self.head_left:
            self.head_left = 0
            self.out.denials -= 1

    def _deny(self) -> None:
        self.out.denials += 1
        self.head_left = _HEAD_LENGTH
        self.counted = None

    def _frame(self, token: str) -> None:
        self.out.frame.add(token)
        self.counted = None

    def _content(self, token: str, weight: float) -> None:
        self.out.words[token] = self.out.words.get(token, 0.0) + weight
        self.out.order.append(token)
        if self.head_left:
            self.out.denied.add(token)
            self.head_left -= 1 if weight < 1 else self.head_left
        if self.counted is not None and len(self.counted) < _THINGS:
            self.counted.append(token)
