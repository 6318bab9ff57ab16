"""Chinese sentences that open like an order, and the signs for and against each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

from memsieve.ingress.checks.injection.sentence import REACH, Language, LanguageWords, Opening, Sentence, compiled
from memsieve.text.scripts import HAN
from memsieve.text.word_lists import stop_words

_END = re.compile(rf"[。!?;\n]+[\"」』)]{{0,3}}|(?<=[{HAN}])\s+(?=[{HAN}])")
_HAN = re.compile(f"[{HAN}]")
_GAP = re.compile(r"[\s\"'「『(*>•·,、:-]{0,12}")
_COMMA = re.compile(r"[,、:]")
_STOP = re.compile(r"[。!?][\"」』)]{0,3}$")
_CLAUSE_WITHIN = 40
_CLAUSES = 2
_LEADS = 8
_LONGEST_VERB = 4
_LEAST = 4
_SHORT = 7
_LONG = 30
_VERY_LONG = 60
_COMMON = stop_words("injection.pairs")


def _sentences(folded: str) -> Iterator[tuple[Sentence, set[str]]]:
    start = 0
    seen = set()
    for end in (*(found.end() for found in _END.finditer(folded)), len(folded)):
        fragment = folded[start : min(end, start + REACH)].strip()
        if (
            len(fragment) > _LEAST
            and fragment not in seen
            and _HAN.search(fragment)
            and (opening := _opening(fragment))
        ):
            seen.add(fragment)
            sentence = Sentence(start=start, text=fragment, opening=opening)
            yield sentence, _signs(sentence)
        start = end


def _opening(fragment: str) -> Opening | None:
    if opening := _imperative(fragment):
        return opening
    if order := _words().stated_order(fragment):
        return Opening(order=order)
    at = 0
    for _ in range(_CLAUSES):
        comma = _COMMA.search(fragment, at, _CLAUSE_WITHIN)
        if not comma:
            break
        at = comma.end()
        opening = _imperative(fragment[at:])
        if opening and opening.verb:
            return opening.led_by("after a clause")
    return Opening(order="a question") if _words().asked.search(fragment) else None


def _imperative(fragment: str) -> Opening | None:
    at = 0
    leads = set()
    for _ in range(_LEADS):
        gap = _GAP.match(fragment, at)
        at = gap.end() if gap else at
        verb = _verb(fragment, at)
        lead, end = _lead(fragment, at)
        if not lead or len(verb) > end - at:
            break
        leads.add(lead)
        at = end
    if verb := _verb(fragment, at):
        order = f"an order {_words().verbs[verb]}"
        return Opening(order=order, verb=verb, rest=fragment[at + len(verb) :], leads=frozenset(leads))
    if leads - {"led into", "asked for politely", "forbidden", "said to be made sure of"}:
        return Opening(order="an order of another kind", rest=fragment[at:], leads=frozenset(leads))
    return None


def _lead(fragment: str, at: int) -> tuple[str, int]:
    for lead, pattern in _words().leads.items():
        if found := pattern.match(fragment, at):
            return lead, found.end()
    return "", at


def _verb(fragment: str, at: int) -> str:
    words = _words()
    if fragment.startswith(words.other_words, at):
        return ""
    sizes = range(_LONGEST_VERB, 0, -1)
    verb = next((fragment[at : at + size] for size in sizes if fragment[at : at + size] in words.verbs), "")
    # "创作的过程" speaks of an action and orders none.
    return "" if fragment.startswith("的", at + len(verb)) else verb


def _signs(sentence: Sentence) -> set[str]:
    fragment, opening = sentence.text, sentence.opening
    signs = _words().signs(sentence)
    if opening.verb in _words().prepositions:
        signs.add(f"“{opening.verb}” first")
    size = len(_HAN.findall(fragment))
    checks = {
        "a verb of one character": len(opening.verb) == 1,
        "then one or some": bool(opening.verb and _words().one.match(opening.rest)),
        "few words": size < _SHORT,
        "many words": size > _LONG,
        "very many words": size > _VERY_LONG,
        "without a full stop": not _STOP.search(fragment),
        "a question mark": fragment.endswith(("?", "吗", "呢")),
    }
    return signs | {sign for sign, holds in checks.items() if holds}


def _terms(folded: str) -> list[str]:
    found = (first + second for first, second in pairwise(_HAN.findall(folded)))
    return [pair for pair in found if pair not in _COMMON]


class _ChineseWords(LanguageWords):
    def __init__(self) -> None:
        super().__init__("weigh_zh.toml")
        self.prepositions = frozenset(self.table["prepositions"].split())
        self.other_words = tuple(self.table["other_words"].split())
        self.one = compiled(self.table["one"])
        self.asked = re.compile(rf"{self.table['question']}[^?]{{0,{REACH}}}(?:\?|[吗呢]$)|吗\?$")


@cache
def _words() -> _ChineseWords:
    return _ChineseWords()


CHINESE = Language(code="zh", sentences=_sentences, terms=_terms)
