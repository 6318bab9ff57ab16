"""What one sentence says: its words, its values, and what it denies."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from memsieve.claims.opposites import CHINESE_WORDS
from memsieve.text import numbers
from memsieve.text.normalize import unify
from memsieve.text.numbers import LABELS, Kind, Quantity
from memsieve.text.scripts import HAN
from memsieve.text.stems import stem

_FUNCTION = frozenset(
    "a an the and or but so of to in on at for by with from as is are was were be been being am do does did have "
    "has had "
    "having this that these those there here it its will shall would can could should may might must than then "
    "too very "
    "just also really quite well uh um oh ok okay yeah yes like kind sort lot about into onto over under up out "
    "off down "
    "if because while when where which who whom whose what how why such own same s t re ve ll d m let us get got "
    "go going "
    "gonna wanna be's not n't no nor never none nobody nothing neither cannot without any some each every both "
    "all only even "
    "still already yet again however therefore thus hence moreover furthermore actually basically mean know think "
    "guess say "
    "please note we i you he she they me him her them my your his our their mine yours ours theirs one ones thing "
    "things "
    "known currently always everyone everybody everything able please simply indeed clearly obviously overall".split()
)
_PRONOUNS = {
    word: person
    for person, words in {
        "i": "i me my mine", "you": "you your yours", "he": "he him his", "she": "she her hers", "it": "it its",
        "we": "we us our ours", "they": "they them their theirs", "this": "this these", "that": "that those",
    }.items()
    for word in words.split()
}  # fmt: skip
_HAN_PRONOUNS = {
    word: person
    for person, words in {
        "we": "我们 咱们", "yous": "你们", "they": "他们 她们 它们", "all": "大家", "i": "我", "you": "你 您",
        "he": "他", "she": "她", "it": "它", "this": "这", "that": "那",
    }.items()
    for word in words.split()
}  # fmt: skip
_NEGATIONS = frozenset("not n't never no none nobody nothing neither nor cannot without unable cant dont".split())
_TO_NEGATIONS = frozenset("fail refuse decline forget".split())
# After these, "not" denies nothing: not only, not just, no doubt, no matter…
_EMPTY_AFTER = frozenset("only just merely simply necessarily least mention doubt matter sure wonder problem".split())
_HAN_EMPTY = (
    "不仅 不但 不只 不光 不单 不过(?![敏期滤关]) 不同(?![意步]) 不少(?!于) 不断(?![电网开]) 不错(?!过) 不如(?![期实]) "
    "不管 不论 不妨 不禁 不愧 不止 不料 不久 差不多 对不起 "
    "不好意思 了不起 "
    "无论 无线 无疑 无非 非常 非洲 除非 未来 未必 要不 不然 不要紧 是不是 有没有 能不能 要不要 会不会 可不可以 "
    "对不对 好不好 "
    "行不行 不一定 不得不 不能不 不可不 不会不 没关系 没问题 没事 不客气 特别 分别 区别 个别 类别 级别 别人 性别 "
    "识别 别的 告别 "
    "非得 不知不觉 不得了 没准 不由得 不外乎 无所谓 不至于 左不过 免不了 少不了 不动产 不等式 不可避免 不可或缺 "
    "已经 所有 全部 全都 总是 始终 一直 任何 多个 若干"
).split()
_HAN_NEGATIONS = (
    "从来没有 从来不 从没 没有一个 无一 并没有 并不是 并非 并不 并未 没有 不是 尚未 从未 从不 毫不 没能 未能 "
    "无法 不 没 未 无 非 别"
).split()
_HAN_FUNCTION = frozenset(
    "的了着过是在和与就都也很还又吧呢啊吗呀嘛哦嗯把被给对向从到为以于及而且或但个些么所则之其将"
    "会能可要想让使得地上下里中这那有一来去说看样什已即"
)

# Everyman's names, which are no numbers.
_HAN_NAMES = "张三|李四|王五|赵六"
_HAN_WORD = "|".join(sorted(CHINESE_WORDS, key=len, reverse=True))
_TOKEN = re.compile(
    rf"""
    (?P<word>[a-z][a-z0-9_]*(?:[-'’.][a-z0-9_]+)*)
  | (?P<digit>[0-9$€£¥\#])
  | (?P<empty>{"|".join(_HAN_EMPTY)})
  | (?P<term>{_HAN_NAMES}|{_HAN_WORD})
  | (?P<deny>{"|".join(_HAN_NEGATIONS)})
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
    """A quantity where it stands: what it counts, and whether it is only a bound or a rough figure."""

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
    said: dict[str, str] = field(default_factory=dict)

    @property
    def weight(self) -> float:
        return sum(self.words.values())


def read(text: str) -> Statement:
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
        getattr(self, "_" + group)(token, start)
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
        self.counted = value.things if quantity.kind is Kind.NUMBER else None

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
        self.out.said[root] = token
        if root in _TO_NEGATIONS and self.lower.startswith(" to ", start + len(token)):
            self._deny()

    def _particle(self, token: str, start: int) -> bool:
        """Tell "it is up." and "it went up by" from "up to": elsewhere it is no state."""
        if token in _DIRECTIONS and self.before in _GOING:
            return True
        return token in _PARTICLES and bool(_CLAUSE_END.match(self.lower, start + len(token)))

    def _function(self, token: str) -> None:
        self.out.frame.add(token)
        self.counted = None
        if token in _EMPTY_AFTER and self.before == _DENIED and self.head_left:
            self.head_left = 0
            self.out.denials -= 1

    def _deny(self, *_: str | int) -> None:
        self.out.denials += 1
        self.head_left = _HEAD_LENGTH
        self.counted = None

    def _empty(self, token: str, _: int) -> None:
        self.out.frame.add(token)
        self.counted = None

    def _term(self, token: str, _: int) -> None:
        self._content(token, 1.0)

    def _pronoun(self, token: str, _: int) -> None:
        self.out.pronouns.add(_HAN_PRONOUNS[token])
        self.counted = None

    def _han(self, token: str, _: int) -> None:
        if token in _HAN_FUNCTION:
            self.out.frame.add(token)
            self.counted = None
        else:
            self._content(token, _HAN_WEIGHT)

    def _clock(self, token: str, _: int) -> None:
        for character in token:
            self._content(character, _HAN_WEIGHT)

    def _other(self, token: str, _: int) -> None:
        self._content(token, 1.0)

    _digit = _other

    def _content(self, token: str, weight: float) -> None:
        self.out.words[token] = self.out.words.get(token, 0.0) + weight
        self.out.order.append(token)
        if self.head_left:
            self.out.denied.add(token)
            self.head_left -= 1 if weight < 1 else self.head_left
        if self.counted is not None and len(self.counted) < _THINGS:
            self.counted.append(token)
