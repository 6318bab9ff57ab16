"""Whether a text is about one spot or one moment and holds nothing general.

A good finding called narrow is lost, a narrow one let through costs a look: in doubt, a text is not narrow.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from memsieve.model import Reason
from memsieve.refine import names
from memsieve.refine.concepts import concepts
from memsieve.text import numbers
from memsieve.text.normalize import unify
from memsieve.text.numbers import QuantityKind
from memsieve.text.scripts import HAN
from memsieve.text.sentences import split_clauses, split_sentences
from memsieve.text.word_lists import WordFile

_FILE = WordFile("memsieve.refine", "narrow.txt")


def _spaced(section: str) -> str:
    """Return the alternatives of a section with spaces that count where those of the pattern around them do not."""
    return _FILE.one_of(section).replace(" ", r"\s+")


_GENERAL = _FILE.pattern("general")
_LASTING_UNITS = frozenset({"$", "€", "£", "¥", "%", "size", "length", "weight", "°"})
_VALUE_START = re.compile(r"(?<![\w.])[$€£¥]?\d|百分之|[一二两三四五六七八九十百千]")
# A clause with this many concepts says something of its own.
_TELLING = 3

_DOING, _DOING_NOW = _spaced("doing"), _spaced("doing now")
_DO, _DO_TOGETHER, _DID = _spaced("do"), _spaced("do together"), _spaced("did")
_NOW = f"(?:{_spaced('now')})"
# "I am running a bakery" and "I just opened my shop" are no moments.
_LASTING = r"(?!\s+(?:a|an|my|our|up|for)\b)"
_ENGLISH_MOMENT = re.compile(
    rf"""
    \blet\s+me\s+(?:just\s+|quickly\s+|now\s+|first\s+)*(?:{_DO}|wait)\b
  | \blet['’]?s\s+(?:just\s+|quickly\s+|now\s+|first\s+|all\s+)*(?:{_DO_TOGETHER})\b
  | \bi(?:['’]?m|\s+am|\s+was)\s+(?:just\s+|now\s+|still\s+|currently\s+|also\s+)*
        (?:{_DOING})\b{_LASTING}
  | \bi(?:['’]?m|\s+am|\s+was)\s+(?:just|now)\s+(?:{_DOING_NOW})\b
  | \bi(?:['’]?m|\s+am)\s+(?:still\s+|currently\s+)*(?:{_DOING_NOW})\b
        (?=.*\b(?:{_NOW}|build|tests?|pipeline|ci|deploy)\b)
  | \b(?:we(?:['’]re|\s+are)|he['’]s|she['’]s|[a-z]+\s+is)\s+(?:just\s+|now\s+|still\s+|currently\s+)*
        (?:{_DOING})\b(?=.*\b{_NOW}\b)
  | \bi(?:['’]ll|\s+will|['’]?m\s+going\s+to|\s+am\s+going\s+to|['’]?m\s+gonna)\s+
        (?:just\s+|now\s+|quickly\s+|first\s+|go\s+and\s+)*
        (?:{_DO}|be\s+(?:right\s+)?back|ping\s+you|let\s+you\s+know|wait)\b
  | \bi(?:['’]?ve|\s+have)?\s+just\s+(?:{_DID})\b{_LASTING}
  | \bi(?:['’]?ve|\s+have)?\s+(?:already\s+)?(?:{_DID})\b(?=.*\b{_NOW}\b)
  | \b(?:give\s+me|just)\s+(?:a|one)\s+(?:second|sec|moment|minute)\b|\b(?:hold|hang)\s+on\b
  | \bone\s+(?:moment|sec|second)\b|\b(?:brb|be\s+right\s+back|bear\s+with\s+me|where\s+was\s+i)\b
  | \bcan\s+you\s+(?:see|hear)\s+(?:me|my)\b
  | \bi(?:['’]?m|\s+am|\s+have\s+to|\s+need\s+to|['’]?ve\s+got\s+to)\s+
        (?:leav(?:e|ing)|go(?:ing)?|run|step(?:ping)?|head(?:ing)?)(?:\s+(?:home|out|away|off))?
        \s*(?:now|soon|early|today|at\s+\d|in\s+(?:\d|a)|for\s+(?:lunch|coffee|a))
  | \b(?:is|am|was)\s+(?:sick|ill|off\s+sick|out\s+(?:sick|of\s+(?:the\s+)?office)|on\s+(?:leave|holiday|vacation)|
        at\s+lunch|in\s+a\s+meeting)\s+(?:{_NOW}|tomorrow|this\s+week)\b
    """,
    re.VERBOSE | re.IGNORECASE,
)
_HAN_DO, _HAN_AWAY = _FILE.one_of("do.chinese"), _FILE.one_of("away.chinese")
_HAN_SOON = f"(?:{_FILE.one_of('now.chinese')})"
_CHINESE_MOMENT = re.compile(
    rf"""
    我(?:也|就|都|那|这边|这里)*{_HAN_SOON}+(?:把[^，。；,;]{{1,24}}?)?(?:{_HAN_DO})(?!到?的|病|房|牙|婚)
  | 我在(?:跑|编译|测试|调试|重启|部署|查日志)
  | 我们(?:就|现在)*(?:先|来|再|接着)(?:{_HAN_DO})(?=一下|下|一会|$|[，。,.!！])
  | (?:让|容|等)我(?:先|再|来|去|想)*(?:{_HAN_DO}|想)
  | 我(?:{_HAN_DO})(?:一下|下|一眼)
  | 稍等|等一下|等一等|等等我|请稍候|稍后再说|等会儿?再|失陪|马上回来|马上就?好
  | [{HAN}]{{1,3}}(?:今天|现在|明天|这周|下午|上午)(?:{_HAN_AWAY})
  | (?:听|看)得?[到见](?:我|吗|屏幕)
    """,
    re.VERBOSE,
)
_LEARNED = _FILE.pattern("learned")
# The moment itself has few words; a clause beside it must say nothing.
_MOST_IN_A_MOMENT = 7

_CONDITION, _PLACE = _FILE.pattern("condition"), _FILE.pattern("place")
_FLAW, _STATUS = _FILE.pattern("flaw"), _FILE.pattern("status")
_DONE = _FILE.one_of("edit.chinese")
_EDIT = re.compile(
    rf"\b(?:{_FILE.one_of('edited')})\b|(?:^|[.;]\s)\s*(?:{_FILE.one_of('edit')})\b"
    rf"|(?:改|修|删|加|挪|移|换|调整|格式化|{_DONE})(?:好|掉|完|过|动)?(?:了|过)|[已刚](?:经)?(?:改|修|删|加|移|{_DONE})",
    re.IGNORECASE,
)
# A longer text is about more than one spot, whatever it names.
_LONGEST_SPOT = 400


def why_narrow(text: str) -> Reason | None:
    """Return why a text is too narrow to keep; None when something in it is, or may be, general."""
    plain = unify(text)
    if _general(plain):
        return None
    if found := _spot(plain):
        return found
    if quote := _moments(plain):
        return Reason.of("refine.narrow_moment", quote=quote)
    return None


def _moments(text: str) -> str | None:
    """Return the first moment of a text in which every sentence that says something is one."""
    quote = None
    for sentence in split_sentences(text):
        found = _moment(sentence)
        if found is None and len(concepts(sentence)) > 1:
            return None
        quote = quote or found
    return quote


def _general(text: str) -> bool:
    """Say whether a text holds a word that makes it a rule, a habit, a decision or a reason."""
    return _GENERAL.search(text) is not None


def _telling(clause: str, concepts_needed: int = _TELLING) -> bool:
    """Say whether a clause has enough concepts to say something of its own."""
    return len(concepts(clause)) >= concepts_needed


def _measures(text: str) -> bool:
    """Say whether a text holds a price, a share or a size: these outlast a moment."""
    lower = text.lower()
    values = (numbers.read(lower, found.start(), "") for found in _VALUE_START.finditer(lower))
    return any(value and value.kind is QuantityKind.NUMBER and value.unit in _LASTING_UNITS for value in values)


def _moment(sentence: str) -> str | None:
    """Return the words that make a sentence somebody's moment, when it says nothing else."""
    found = _find_moment(sentence)
    if not found or _LEARNED.search(sentence) or _measures(sentence):
        return None
    return None if any(map(_says_more_than_moment, split_clauses(sentence))) else " ".join(found[0].split())


def _find_moment(text: str) -> re.Match[str] | None:
    return _ENGLISH_MOMENT.search(text) or _CHINESE_MOMENT.search(text)


def _says_more_than_moment(clause: str) -> bool:
    return _telling(clause, _MOST_IN_A_MOMENT) if _find_moment(clause) else _telling(clause)


def _spot(text: str) -> Reason | None:
    """Return why a text is about one place in the code or one ticket alone, or None."""
    if len(text) > _LONGEST_SPOT or _measures(text):
        return None
    anchors = _Anchors.of(text)
    if not anchors.one or not anchors.local(text) or any(map(_says_more_than_spot, split_clauses(text))):
        return None
    return anchors.reason


def _says_more_than_spot(clause: str) -> bool:
    about_it = _Anchors.of(clause).reason or any(words.search(clause) for words in (_FLAW, _EDIT, _STATUS))
    return not about_it and _telling(clause)


@dataclass(frozen=True, slots=True)
class _Anchors:
    """The places a text names: a function in a file on a line is one."""

    files: list[str]
    functions: list[str]
    tickets: list[str]
    lines: list[str]

    @classmethod
    def of(cls, text: str) -> _Anchors:
        return cls(names.files(text), names.functions(text), names.tickets(text), names.lines(text))

    @property
    def one(self) -> bool:
        return max(len(self.files), len(self.functions), len(self.tickets)) == 1

    def local(self, text: str) -> bool:
        """Say whether the text tells a flaw, an edit or a state of its one place."""
        if self.tickets and (_STATUS.search(text) or _EDIT.search(text)):
            return True
        if not self.files and not self.functions:
            return False
        if self.lines:
            return True
        fact = _CONDITION.search(text) or _PLACE.search(text)
        return not fact and bool(_FLAW.search(text) or _EDIT.search(text))

    @property
    def reason(self) -> Reason | None:
        """Which place the text is about; None where it names none."""
        line = f", {self.lines[0]}" if self.lines else ""
        for kind, found in (("file", self.files), ("function", self.functions), ("ticket", self.tickets)):
            if found:
                return Reason.of(f"refine.narrow_{kind}", place=f"{found[0]}{line}")
        return None
