"""English sentences that open like an order, and the signs for and against each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from memsieve.ingress.checks.injection.sentence import REACH, Language, LanguageWords, Opening, Sentence, compiled
from memsieve.text.word_lists import stop_words

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
_COMMON = stop_words("injection")


def _sentences_with_signs(text: str) -> Iterator[tuple[Sentence, set[str]]]:
    shape = _shape(text)
    # Text that was folded has no capitals, and a small letter tells nothing.
    void = {"a small first letter"} if text.islower() else set()
    for sentence in _sentences(text):
        yield sentence, (shape | _signs(sentence)) - void


def _sentences(text: str) -> Iterator[Sentence]:
    start = 0
    seen = set()
    for end in (*(found.end() for found in _END.finditer(text)), len(text)):
        item = _LISTED.match(text, start, end)
        # What is numbered within a line is a plan, as it is where phrases are looked for.
        numbered = _NUMBERED.search(text, max(0, start - 5), start)
        for at, opening in () if numbered else _openings(text, item.end() if item else start, end):
            fragment = text[at : min(end, at + REACH)].strip()
            if fragment not in seen:
                seen.add(fragment)
                yield Sentence(start=at, text=fragment, opening=opening, listed=bool(item))
        start = end


def _openings(text: str, start: int, end: int) -> Iterator[tuple[int, Opening]]:
    colon = text.find(": ", start, min(end, start + _COLON_WITHIN)) + 2
    for at in (start, colon) if colon > start + 1 else (start,):
        if opening := _opening(text[at : min(end, at + REACH)].strip()):
            yield at, opening
            break
    for word in _CAPITAL.finditer(text, start + 1, end):
        known = word[1].lower() in _BEGINNINGS | _words().verbs.keys()
        if not known or _WITHIN.search(text, max(start, word.start() - 20), word.start()):
            continue
        if opening := _opening(text[word.start() : min(end, word.start() + REACH)]):
            yield word.start(), opening.led_by("begun in mid-sentence")


def _opening(fragment: str) -> Opening | None:
    if opening := _imperative(fragment):
        return opening
    if _words().clauses.match(fragment):
        at = 0
        for _ in range(_CLAUSES):
            at = fragment.find(",", at, _CLAUSE_WITHIN) + 1
            if not at:
                break
            opening = _imperative(fragment[at:])
            if opening and opening.verb:
                return opening.led_by("after a clause")
    order = _words().stated_order(fragment)
    return Opening(order=order) if order else None


def _imperative(fragment: str) -> Opening | None:
    at, leads = _lead(fragment)
    verb = _WORD.match(fragment, at)
    if not verb:
        return None
    after = _WORD.match(fragment, verb.end() + 1)
    order = _order(verb[0].lower(), after[0].lower() if after else "")
    if order:
        return Opening(
            order=f"an order {order}", verb=verb[0].lower(), rest=fragment[verb.end() :].lstrip(), leads=leads
        )
    if leads - {"led into", "asked for politely", "forbidden"}:
        return Opening(order="an order of another kind", rest=fragment[at:], leads=leads)
    return None


def _order(verb: str, after: str) -> str | None:
    words = _words()
    if verb in words.only_before:
        order, followers = words.only_before[verb]
        return order if after in followers else None
    if f"{verb} {after}" in words.idioms or (after in words.noun_before and verb != "think"):
        return None
    return words.verbs.get(verb)


def _lead(fragment: str) -> tuple[int, frozenset[str]]:
    leads = set()
    at = 0
    for _ in range(_LEADS):
        gap = _GAP.match(fragment, at)
        at = gap.end() if gap else at
        for lead, pattern in _words().leads.items():
            if found := pattern.match(fragment, at):
                leads.add(lead)
                at = found.end()
                break
        else:
            break
    return at, frozenset(leads)


def _signs(sentence: Sentence) -> set[str]:
    fragment, opening = sentence.text, sentence.opening
    signs = _words().signs(sentence)
    if opening.verb:
        signs.add(_following(opening.rest))
    size = len(_WORD.findall(fragment))
    checks = {
        "in a list": sentence.listed,
        "without a full stop": not fragment.rstrip("\"') ").endswith((".", "!", "?")),
        "a question mark": fragment.endswith("?"),
        "an exclamation mark": fragment.endswith("!"),
        "a small first letter": fragment[:1].islower(),
        "in quotation marks": fragment[:1] in "\"'",
        "few words": size < _SHORT,
        "many words": size > _LONG,
        "a name": bool(_NAME.search(fragment)),
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
    kind = next((kind for kind, known in _words().following.items() if word[0].lower() in known), None)
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


class _EnglishWords(LanguageWords):
    def __init__(self) -> None:
        super().__init__("weigh_en.toml")
        self.clauses = compiled(self.table["clauses"])
        self.idioms = frozenset(" ".join(self.table["idioms"].split()).split(", "))
        self.noun_before = frozenset(self.table["noun_before"].split())
        self.only_before = {verb: (order, after.split()) for verb, (order, after) in self.table["only_before"].items()}
        self.following = {kind: frozenset(words.split()) for kind, words in self.table["following"].items()}


@cache
def _words() -> _EnglishWords:
    return _EnglishWords()


ENGLISH = Language(code="en", sentences=_sentences_with_signs, terms=_terms)
