"""English sentences that open like an order, and the signs for and against each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from memsieve.ingress.checks.injection.weigh import english_words as words
from memsieve.ingress.checks.injection.weigh.sentence import REACH, Opening, Sentence, Surroundings

_END = re.compile(r"(?<![.!?])[.!?]+[\"')\]]{0,3}(?=\s|$)|(?<=[a-z)])[.!?](?=[A-Z][a-z])|\n+|\s\|\s?|;\s")
_LISTED = re.compile(r"\s{0,40}(?:[-*•–+#>|]{1,8}|\d{1,2}[.)]|[a-z][.)]|\(\w\)|step \d{1,3})[\s*]{0,8}", re.IGNORECASE)
_NUMBERED = re.compile(r"(?:^|\s)\d{1,2}[.)]\s?$")
_WORD = re.compile(r"[A-Za-z][A-Za-z'-]{0,30}|\d{1,12}")
_GAP = re.compile(r"[\s\"'(*_,:>-]{0,12}")
# Planted text often follows a cut-off sentence: only its capital letter shows where it begins.
_CAPITAL = re.compile(r"(?<=\s)([A-Z][a-z]{1,15}(?:'[a-z]{1,2})?)(?= [a-z0-9'\"])")
_WITHIN = re.compile(
    r"(?:\b(?:to|and|or|we|you|i|can|of|the|a|an|will|not|let|should|must|in|for|with|how|who|they|it|i'll|we'll)|"
    r"[-*•–—#/&,]|(?:^|\s)\d{1,2}[.)])\s*$",
    re.IGNORECASE,
)
_BEGINNINGS = frozenset("please can could would your you what how who why which don't never always".split())
_LIST_LINE = re.compile(r"^[ \t]{0,20}(?:[-*•#]|\d{1,2}[.)])\s", re.MULTILINE)
_CODE = re.compile(r"```|</|\{\"|\(\)|\\n")
_NAME = re.compile(r"[a-z,] [A-Z][a-z]")
_COLON_WITHIN = 60
_CLAUSE_WITHIN = 140
_LEADS = 8
_CLAUSES = 2
_SHORT = 5
_LONG = 30
_STEM = 6
_CONTENT = 4
_COMMON = frozenset(
    "about above after again also another answer because been before being between both could does each every from "
    "have "
    "into just like make more most must only other over please really reply response same should some such than "
    "that their "
    "them then there these they this those through under until very want were what when where which while will "
    "with would "
    "your yours".split()
)


def weighable(text: str) -> list[tuple[Sentence, set[str]]]:
    """Return each sentence that may be an order, with its signs."""
    found = list(_sentences(text))
    if not found:
        return []
    around = Surroundings(_terms(text), found)
    shape = _shape(text)
    found_signs = ((sentence, _signs(sentence) | around.signs(sentence, _terms(sentence.text))) for sentence in found)
    # Text that was folded has no capitals, and a small letter tells nothing.
    void = {"a small first letter"} if text.islower() else set()
    return [(sentence, (shape | signs) - void) for sentence, signs in found_signs]


def _sentences(text: str) -> Iterator[Sentence]:
    start = 0
    seen = set()
    for end in (*(found.end() for found in _END.finditer(text)), len(text)):
        item = _LISTED.match(text, start, end)
        # What is numbered within a line is a plan, as it is where phrases are looked for.
        numbered = _NUMBERED.search(text, max(0, start - 5), start)
        for at, opening in () if numbered else _openings(text, item.end() if item else start, end):
            said = text[at : min(end, at + REACH)].strip()
            if said not in seen:
                seen.add(said)
                yield Sentence(start=at, text=said, opening=opening, listed=bool(item))
        start = end


def _openings(text: str, start: int, end: int) -> Iterator[tuple[int, Opening]]:
    colon = text.find(": ", start, min(end, start + _COLON_WITHIN)) + 2
    for at in (start, colon) if colon > start + 1 else (start,):
        if opening := _opening(text[at : min(end, at + REACH)].strip()):
            yield at, opening
            break
    for word in _CAPITAL.finditer(text, start + 1, end):
        known = word[1].lower() in _BEGINNINGS | _verbs().keys()
        if not known or _WITHIN.search(text, max(start, word.start() - 20), word.start()):
            continue
        if opening := _opening(text[word.start() : min(end, word.start() + REACH)]):
            yield word.start(), _with(opening, "begun in mid-sentence")


def _opening(said: str) -> Opening | None:
    if opening := _imperative(said):
        return opening
    if _pattern(words.CLAUSES).match(said):
        at = 0
        for _ in range(_CLAUSES):
            at = said.find(",", at, _CLAUSE_WITHIN) + 1
            if not at:
                break
            opening = _imperative(said[at:])
            if opening and opening.verb:
                return _with(opening, "after a clause")
    order = next((order for order, pattern in words.STATED.items() if _pattern(pattern).match(said)), None)
    return Opening(order=order) if order else None


def _with(opening: Opening, lead: str) -> Opening:
    return Opening(order=opening.order, verb=opening.verb, rest=opening.rest, leads=opening.leads | {lead})


def _imperative(said: str) -> Opening | None:
    at, leads = _lead(said)
    verb = _WORD.match(said, at)
    if not verb:
        return None
    after = _WORD.match(said, verb.end() + 1)
    order = _order(verb[0].lower(), after[0].lower() if after else "")
    if order:
        return Opening(order=f"an order {order}", verb=verb[0].lower(), rest=said[verb.end() :].lstrip(), leads=leads)
    if leads - {"led into", "asked for politely", "forbidden"}:
        return Opening(order="an order of another kind", rest=said[at:], leads=leads)
    return None


def _order(verb: str, after: str) -> str | None:
    if verb in words.ONLY_BEFORE:
        order, followers = words.ONLY_BEFORE[verb]
        return order if after in followers.split() else None
    if f"{verb} {after}" in _idioms() or (after in words.NOUN_BEFORE.split() and verb != "think"):
        return None
    return _verbs().get(verb)


def _lead(said: str) -> tuple[int, frozenset[str]]:
    leads = set()
    at = 0
    for _ in range(_LEADS):
        gap = _GAP.match(said, at)
        at = gap.end() if gap else at
        for lead, pattern in words.LEADS.items():
            if found := _pattern(pattern).match(said, at):
                leads.add(lead)
                at = found.end()
                break
        else:
            break
    return at, frozenset(leads)


def _signs(sentence: Sentence) -> set[str]:
    said, opening = sentence.text, sentence.opening
    signs = {opening.order, *opening.leads}
    signs |= {topic for topic, pattern in words.TOPICS.items() if _pattern(pattern).search(said)}
    if opening.verb:
        signs.add(_following(opening.rest))
    size = len(_WORD.findall(said))
    checks = {
        "in a list": sentence.listed,
        "without a full stop": not said.rstrip("\"') ").endswith((".", "!", "?")),
        "a question mark": said.endswith("?"),
        "an exclamation mark": said.endswith("!"),
        "a small first letter": said[:1].islower(),
        "in quotation marks": said[:1] in "\"'",
        "few words": size < _SHORT,
        "many words": size > _LONG,
        "a name": bool(_NAME.search(said)),
    }
    return signs | {sign for sign, holds in checks.items() if holds}


def _following(rest: str) -> str:
    if rest[:1] in {'"', "'", "#"}:
        return "then a quotation"
    word = _WORD.match(rest)
    if not word:
        return "then nothing"
    if word[0].isdigit():
        return "then a or some"
    kind = next((kind for kind, known in words.FOLLOWING.items() if word[0].lower() in known.split()), None)
    return kind or ("then several" if word[0].endswith("s") else "then a bare word")


def _shape(text: str) -> set[str]:
    signs = set()
    if len(_LIST_LINE.findall(text)) > 1:
        signs.add("in a text with lists")
    if _CODE.search(text):
        signs.add("in a text with code")
    return signs


def _terms(text: str) -> list[str]:
    found = (word.lower() for word in _WORD.findall(text))
    return [word[:_STEM] for word in found if len(word) >= _CONTENT and word not in _COMMON]


@cache
def _verbs() -> dict[str, str]:
    return {verb: order for order, verbs in reversed(words.VERBS.items()) for verb in verbs.split()}


@cache
def _idioms() -> frozenset[str]:
    return frozenset(words.IDIOMS.split(", "))


@cache
def _pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)
