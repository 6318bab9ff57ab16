"""Chinese sentences that open like an order, and the signs for and against each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

from memsieve.ingress.checks.injection.weigh import chinese_words as words
from memsieve.ingress.checks.injection.weigh.sentence import REACH, Opening, Sentence, Surroundings

_END = re.compile(r"[。!?;\n]+[\"」』)]{0,3}|(?<=[\u4e00-\u9fff])\s+(?=[\u4e00-\u9fff])")
_HAN = re.compile(r"[\u4e00-\u9fff]")
_GAP = re.compile(r"[\s\"'「『(*>•·,、:-]{0,12}")
_COMMA = re.compile(r"[,、:]")
_ASKED = re.compile(rf"{words.QUESTION}[^?]{{0,{REACH}}}(?:\?|[吗呢]$)|吗\?$")
_STOP = re.compile(r"[。!?][\"」』)]{0,3}$")
_CLAUSE_WITHIN = 40
_CLAUSES = 2
_LEADS = 8
_LONGEST_VERB = 4
_LEAST = 4
_SHORT = 7
_LONG = 30
_VERY_LONG = 60
_COMMON = frozenset(
    "我们 一个 这个 什么 一下 可以 没有 就是 自己 他们 知道 因为 所以 如果 但是 进行 的时 时候 的一 是一 了一 不是 "
    "的人 "
    "一些".split()
)


def weighable(folded: str) -> list[tuple[Sentence, set[str]]]:
    """Return each sentence that may be an order, with its signs."""
    found = list(_sentences(folded))
    if not found:
        return []
    around = Surroundings(_terms(folded), found)
    return [(sentence, _signs(sentence) | around.signs(sentence, _terms(sentence.text))) for sentence in found]


def _sentences(folded: str) -> Iterator[Sentence]:
    start = 0
    seen = set()
    for end in (*(found.end() for found in _END.finditer(folded)), len(folded)):
        said = folded[start : min(end, start + REACH)].strip()
        if len(said) > _LEAST and said not in seen and _HAN.search(said) and (opening := _opening(said)):
            seen.add(said)
            yield Sentence(start=start, text=said, opening=opening)
        start = end


def _opening(said: str) -> Opening | None:
    if opening := _imperative(said):
        return opening
    for order, pattern in words.STATED.items():
        if _pattern(pattern).match(said):
            return Opening(order=order)
    at = 0
    for _ in range(_CLAUSES):
        comma = _COMMA.search(said, at, _CLAUSE_WITHIN)
        if not comma:
            break
        at = comma.end()
        opening = _imperative(said[at:])
        if opening and opening.verb:
            leads = opening.leads | {"after a clause"}
            return Opening(order=opening.order, verb=opening.verb, rest=opening.rest, leads=leads)
    return Opening(order="a question") if _ASKED.search(said) else None


def _imperative(said: str) -> Opening | None:
    at = 0
    leads = set()
    for _ in range(_LEADS):
        gap = _GAP.match(said, at)
        at = gap.end() if gap else at
        verb = _verb(said, at)
        lead, end = _lead(said, at)
        if not lead or len(verb) > end - at:
            break
        leads.add(lead)
        at = end
    if verb := _verb(said, at):
        order = f"an order {_verbs()[verb]}"
        return Opening(order=order, verb=verb, rest=said[at + len(verb) :], leads=frozenset(leads))
    if leads - {"led into", "asked for politely", "forbidden", "said to be made sure of"}:
        return Opening(order="an order of another kind", rest=said[at:], leads=frozenset(leads))
    return None


def _lead(said: str, at: int) -> tuple[str, int]:
    for lead, pattern in words.LEADS.items():
        if found := _pattern(pattern).match(said, at):
            return lead, found.end()
    return "", at


def _verb(said: str, at: int) -> str:
    if said.startswith(tuple(words.OTHER_WORDS.split()), at):
        return ""
    sizes = range(_LONGEST_VERB, 0, -1)
    verb = next((said[at : at + size] for size in sizes if said[at : at + size] in _verbs()), "")
    # "创作的过程" speaks of a deed and orders none.
    return "" if said.startswith("的", at + len(verb)) else verb


def _signs(sentence: Sentence) -> set[str]:
    said, opening = sentence.text, sentence.opening
    signs = {opening.order, *opening.leads}
    signs |= {topic for topic, pattern in words.TOPICS.items() if _pattern(pattern).search(said)}
    if opening.verb in words.PREPOSITIONS.split():
        signs.add(f"“{opening.verb}” first")
    size = len(_HAN.findall(said))
    checks = {
        "a verb of one character": len(opening.verb) == 1,
        "then one or some": bool(opening.verb and _pattern(words.ONE).match(opening.rest)),
        "few words": size < _SHORT,
        "many words": size > _LONG,
        "very many words": size > _VERY_LONG,
        "without a full stop": not _STOP.search(said),
        "a question mark": said.endswith(("?", "吗", "呢")),
    }
    return signs | {sign for sign, holds in checks.items() if holds}


def _terms(folded: str) -> list[str]:
    found = (first + second for first, second in pairwise(_HAN.findall(folded)))
    return [pair for pair in found if pair not in _COMMON]


@cache
def _verbs() -> dict[str, str]:
    return {verb: order for order, verbs in reversed(words.VERBS.items()) for verb in verbs.split()}


@cache
def _pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)
