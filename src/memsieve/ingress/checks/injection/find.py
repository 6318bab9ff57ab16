"""Instructions aimed at whoever reads the memory later, in English and Chinese, plain or in disguise."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from memsieve.ingress.checks.injection.chinese import CHINESE
from memsieve.ingress.checks.injection.disguise import find_hidden, fold, show_unseen, squeezed, unveiled
from memsieve.ingress.checks.injection.english import ENGLISH
from memsieve.ingress.checks.injection.phrases import Phrase, chinese_phrases, english_phrases, load_marks, load_table
from memsieve.ingress.checks.injection.sentence import Language, Sentence, Surroundings
from memsieve.model import Reason
from memsieve.text.scripts import HAN

QUOTE_LENGTH = 80
_DEPTH = 2
_GAP = r"(?:[\s_*,~\-]{1,12})"
_LEAD = 48
_SENTENCE = 160
_REACH = 480
_MENTIONABLE = {"override", "persona", "standing order", "secrecy", "disclosure"}
# Letter spacing swallows the gaps between words; these kinds can be told without them.
_UNSPACED = {"override", "secrecy", "disclosure", "standing order"}

_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")
_LEAD_IN = (
    *("please", "also", "then", "now", "and", "next", "additionally", "kindly", "so", "but", "instead"),
    *("you must", "you should", "请你", "你", "请", "并", "然后", "同时", "并且"),
)
_OPENING = re.compile(
    rf"(?:^|[.!?;:。]['\")\]]{{0,2}}\s{{0,3}}|\n[\s>]{{0,20}}|[|\"'(\[>]\s{{0,2}}|(?<=[{HAN}]),)"
    rf"(?:(?:{'|'.join(_LEAD_IN)}),?\s{{0,2}})*$"
)
_NUMBERED = re.compile(r"(?:^|\s)\d{1,2}[.)]\s{1,3}$")
_CAPITAL = re.compile(r"[A-Z][a-z]+[ ,][a-z'\"]")
_MID_TITLE = re.compile(
    r"(?:\b(?:to|and|or|we|you|i|can|of|the|a|an|will|not|let|should|must|in|for|with|how|who|they|it)|[-*•–—#/&.,)]|\d)\s*$"
)
_QUOTE_BEGUN = re.compile(r"(?:(?<![a-z])['`]|[\"「『])[^'\"`「」『』\n]{0,30}$")
_QUOTE_ENDED = re.compile(r"[^'\"`「」『』\n]{0,40}['\"`」』]")
LANGUAGES = (ENGLISH, CHINESE)
# At 0 an order and an ordinary sentence are equally likely.
THRESHOLD = -0.25
# The table of what each sign weighs, by language, and the name in it of what every sentence weighs.
WEIGHTS = "weights.toml"
BASE = "base"
_TELLING = 3
_QUOTES = str.maketrans("’‘“”", "''\"\"")

_Found = tuple[str, int, int]
_Rules = Mapping[str, Sequence["_Rule"]]
_Candidates = Iterator[tuple[int, Sequence["_Rule"]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Injection:
    """An instruction found in a text: its kind, the words themselves, and why they are refused.

    An instruction found by its signs has their sum as score; one found by a known phrase has none.
    """

    kind: str
    quote: str
    reason: Reason
    score: float | None = None


def find_injection(text: str) -> Injection | None:
    """Return the first instruction to the reader that the text holds, or None.

    A phrase that is only mentioned passes: in a sentence that speaks of an attack it must stand in quotation marks, or
    be said of a model. Where mention and use cannot be told apart, the text is refused.
    """
    if hidden := find_hidden(text):
        what, start, end = hidden
        reason = Reason.of("injection.hidden_text", what=Reason.of(f"hidden.{what}"))
        return Injection(kind="hidden text", quote=_quote(text[start:end]), reason=reason)
    return _search(text, _DEPTH)


def _search(text: str, depth: int) -> Injection | None:
    folded = fold(text)
    shown = text if len(text) == len(folded) else folded
    if found := _mark(folded) or _phrase(folded, shown, _english(folded)) or _phrase(folded, shown, _chinese(folded)):
        kind, start, end = found
        return Injection(kind=kind, quote=_quote(shown[start:end]), reason=_reason(kind))
    if depth == _DEPTH and (weighed := _weighed(shown, folded)):
        return weighed
    return _disguised(text, folded, depth) if depth else None


def _weighed(shown: str, folded: str) -> Injection | None:
    found = heaviest(shown, folded)
    if found is None or found.score < THRESHOLD:
        return None
    kind = (
        "answer shaping"
        if "your answer" in found.signs
        else load_marks().kinds.get(found.sentence.opening.order, "task")
    )
    signs = tuple(Reason.of(f"sign.{_slug(sign)}") for sign in found.signs)
    reason = Reason.of("injection.weighed", kind=_reason(kind), signs=signs)
    return Injection(kind=kind, quote=_quote(found.sentence.text), reason=reason, score=found.score)


def _disguised(text: str, folded: str, depth: int) -> Injection | None:
    for run in squeezed(folded):
        for kind, start, end in _matches(run, run, _unspaced(run)):
            reason = _disguised_by("letter_spacing", _reason(kind))
            return Injection(kind=kind, quote=_quote(run[start:end]), reason=reason)
    for disguise, plain in unveiled(text, folded):
        if inner := _search(plain, depth - 1):
            reason = _disguised_by(_slug(disguise), inner.reason)
            return Injection(kind=inner.kind, quote=inner.quote, reason=reason)
    return None


def _disguised_by(disguise: str, reason: Reason) -> Reason:
    return Reason.of("injection.disguised", kind=reason, disguise=Reason.of(f"disguise.{disguise}"))


def _reason(kind: str) -> Reason:
    return Reason.of(f"injection.{_slug(kind)}")


def _slug(name: str) -> str:
    return name.replace(" ", "_")


def _mark(folded: str) -> _Found | None:
    for mark in load_marks().marks:
        if mark.sign in folded and (found := _compiled(mark.pattern).search(folded)):
            return mark.kind, found.start(), found.end()
    return None


def _phrase(folded: str, shown: str, candidates: _Candidates) -> _Found | None:
    return next((found for found in _matches(folded, shown, candidates) if not _mentioned(folded, *found)), None)


def _matches(text: str, shown: str, candidates: _Candidates) -> Iterator[_Found]:
    tried = set()
    for start, rules in candidates:
        # Repetition is the cheapest way to slow a filter down: the same surroundings are tried once.
        since = max(0, start - _SENTENCE)
        surroundings = (start - since, hash(shown[since : start + _REACH]))
        if surroundings in tried:
            continue
        tried.add(surroundings)
        opens = _opens(text, shown, start)
        for rule in rules:
            if (opens or not rule.phrase.opens) and (found := rule.match(text, start)):
                yield rule.phrase.kind, start, found.end()


def _opens(text: str, shown: str, at: int) -> bool:
    since = max(0, at - _LEAD)
    before = text[since:at].rstrip(" ,")
    if not before[-1:].isalnum() or before.endswith(_LEAD_IN):
        return bool(_OPENING.search(text, since, at)) and not _NUMBERED.search(text, since, at)
    # Planted text often follows a cut-off sentence: only its capital letter shows where it begins.
    return shown[at].isupper() and bool(_CAPITAL.match(shown, at)) and not _MID_TITLE.search(text, since, at)


def _mentioned(text: str, kind: str, start: int, end: int) -> bool:
    if kind == "system prompt":
        # Code and talk about prompts quote them.
        return text[max(0, start - 1) : start] in {'"', "'", "`", "「", "『"}
    if kind not in _MENTIONABLE:
        return False
    since, marks = max(0, start - _LEAD), load_marks()
    if marks.negated.search(text, since, start):
        return True
    if not marks.attack_talk.search(text, max(0, start - _SENTENCE), end + _SENTENCE):
        return False
    quoted = _QUOTE_BEGUN.search(text, since, start) and _QUOTE_ENDED.match(text, end)
    return bool(quoted or marks.reported.search(text, since, start))


def _english(folded: str) -> _Candidates:
    rules = _english_rules()
    for word in _WORD.finditer(folded):
        if word[0] in rules:
            yield word.start(), rules[word[0]]


def _chinese(folded: str) -> _Candidates:
    return iter(()) if folded.isascii() else _anywhere(folded, *_chinese_rules())


def _unspaced(run: str) -> _Candidates:
    return _anywhere(run, *_unspaced_rules())


def _anywhere(text: str, rules: _Rules, starts: re.Pattern[str]) -> _Candidates:
    for found in starts.finditer(text):
        yield found.start(), rules[found[0] + found[found.lastindex or 0]]


class _Rule:
    """A phrase with one of its starts; the pattern is compiled when it is first tried."""

    __slots__ = ("_pattern", "_skip", "_spaced", "phrase")

    def __init__(self, phrase: Phrase, skip: int, *, spaced: bool) -> None:
        self.phrase = phrase
        self._skip = skip
        self._spaced = spaced
        self._pattern: re.Pattern[str] | None = None

    def match(self, text: str, start: int) -> re.Match[str] | None:
        """Match the rest of the phrase after its start."""
        if self._pattern is None:
            then = self.phrase.then
            self._pattern = _compiled(
                then.replace(" ", _GAP) if self._spaced else then.replace(" ", "(?:)").replace(r"\b", "")
            )
        return self._pattern.match(text, start + self._skip)


@cache
def _english_rules() -> _Rules:
    return _by_start(english_phrases(), spaced=True)


@cache
def _chinese_rules() -> tuple[_Rules, re.Pattern[str]]:
    rules = _by_start(chinese_phrases(), spaced=False)
    return rules, _starts(rules)


@cache
def _unspaced_rules() -> tuple[_Rules, re.Pattern[str]]:
    phrases = (*english_phrases("phrases"), *chinese_phrases("phrases"))
    rules = _by_start([one for one in phrases if one.kind in _UNSPACED and not one.opens], spaced=False)
    return rules, _starts(rules)


def _by_start(phrases: Sequence[Phrase], *, spaced: bool) -> _Rules:
    """Index the phrases by what they start with, so that a text is only tried where one could begin."""
    rules = [(start, _Rule(phrase, len(start), spaced=spaced)) for phrase in phrases for start in phrase.starts]
    return {
        start: tuple(rule for begin, rule in rules if begin == start or (not spaced and start.startswith(begin)))
        for start, _ in rules
    }


def _starts(starts: Iterable[str]) -> re.Pattern[str]:
    """Match the first character of any start and capture the rest: `re` finds a set of characters fastest."""
    rests: dict[str, list[str]] = defaultdict(list)
    for start in sorted(starts, key=len, reverse=True):
        rests[start[0]].append(start[1:])
    return re.compile("|".join(f"{first}(?=({'|'.join(ends)}))" for first, ends in rests.items()))


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _quote(excerpt: str) -> str:
    shown = show_unseen(" ".join(excerpt.split()))
    return shown if len(shown) <= QUOTE_LENGTH else shown[: QUOTE_LENGTH - 1] + "…"


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """A sentence, what it came to, and what spoke for it: its opening, and its heaviest signs."""

    score: float
    sentence: Sentence
    signs: tuple[str, ...]


def heaviest(text: str, folded: str) -> Weighed | None:
    """Return the sentence of which most speaks for an order to the reader, or None where none could be one."""
    return max(_weighed_sentences(text, folded), key=lambda weighed: weighed.score, default=None)


def weighable(text: str, language: Language) -> list[tuple[Sentence, set[str]]]:
    """Return each sentence that may be an order, with its signs; Chinese text is to be folded before."""
    found = list(language.sentences(text))
    if not found:
        return []
    around = Surroundings(language.terms(text), [sentence for sentence, _ in found])
    return [(sentence, signs | around.signs(sentence, language.terms(sentence.text))) for sentence, signs in found]


def _weighed_sentences(text: str, folded: str) -> Iterator[Weighed]:
    for sentence, signs in weighable(text.translate(_QUOTES), ENGLISH):
        yield _weigh(sentence, signs, load_table(WEIGHTS)[ENGLISH.code])
    if not folded.isascii():
        for sentence, signs in weighable(folded, CHINESE):
            yield _weigh(sentence, signs, load_table(WEIGHTS)[CHINESE.code])


def _weigh(sentence: Sentence, signs: Iterable[str], weights: Mapping[str, float]) -> Weighed:
    known = {sign: weights[sign] for sign in signs if sign in weights}
    order = sentence.opening.order
    telling = sorted(
        (sign for sign in known if known[sign] > 0 and sign != order), key=lambda sign: (-known[sign], sign)
    )
    score = weights[BASE] + sum(known.values())
    return Weighed(score=round(score, 2), sentence=sentence, signs=(order, *telling[:_TELLING]))
