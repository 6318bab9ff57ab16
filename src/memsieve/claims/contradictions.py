"""Find where a text contradicts itself, or another text: by rules, and by the pair model.

`find_contradiction` explains what it finds. `likely_pairs` and `surest` find a fact that is stated again with another
value, which the model sees and does not explain.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from heapq import nlargest
from itertools import islice

from memsieve.claims import compare, guards, quantifiers
from memsieve.claims.claim import (
    Claim,
    Clause,
    Contradiction,
    SentenceContext,
    names_another_thing,
    names_differ,
    same_topic,
    split_claim_clauses,
    unshared_weight,
)
from memsieve.claims.compare import Difference
from memsieve.claims.opposites import exclusive, same_kind
from memsieve.claims.pair_model import MOST_TOKENS, MOST_WORDS, SURE, compatible, pair_model, token_ids, words_shared
from memsieve.claims.statement import Statement, Value, read_statement
from memsieve.model import Reason
from memsieve.text.normalize import simplify
from memsieve.text.numbers import QuantityKind
from memsieve.text.scripts import HAN
from memsieve.text.stems import stem

# Limits that keep the time linear in the length of a text.
_MOST_PIECES = 1600
_MOST_PAIRS = 3000
_COMMON = 40
_JOINING = 12
_SURE = 3
_BEING = frozenset("is are was were be 是 在 为".split())
_FEWEST_WORDS = 4
# Each sentence is compared with this many before it, and only the likeliest pairs are scored.
_MOST_BEFORE = 150
_MOST_SCORED = 12

_WORDS = re.compile(rf"[A-Za-z0-9']+|[{HAN}]{{1,2}}")
# A field of JSON, a line of a traceback, a row of a table, an equation.
_NO_PROSE = re.compile(r"""\s*(?:["“'][\w ]+["”']\s*:|[{\[]|File\s"|[$>#|])|[^\n]*\s[=|]\s""")

_PARADOX_HINT = re.compile(r"\band\b|既|同时")
_ENGLISH_PARADOX = re.compile(
    r"\b(?:is|are|was|were|be|stays?|remains?)\s+(?P<both>both\s+)?(?P<first>\w+)\s+and\s+(?:(?:is|are|was|were)\s+)?"
    r"(?P<deny>not\s+)?(?P<second>\w+)(?P<once>\s+(?:at the same time|at once|simultaneously))?\s*(?:$|[.,;!])",
    re.IGNORECASE,
)
_CHINESE_PARADOX = re.compile(
    r"(?:既|同时)是?(?P<first>[^不没未，。；,;]{1,8}?)的?[，,]?(?:又|且|也|和)是?(?P<deny>不|没有|未|没)?(?P<second>[^，。；,;]{1,8}?)的?(?:$|[，。；！,;!])"
)


def find_contradiction(text: str) -> Contradiction | None:
    """Return the first contradiction within a text, or None."""
    claims = list(islice(_claims(text), _MOST_PIECES))
    for claim in claims:
        difference = _find_paradox(claim.clause.text)
        if difference is not None and claim.sentence.asserted:
            return Contradiction(claim.clause.whole, claim.clause.whole, "words", difference)
    for first, second in _pairs(claims):
        found = _contradict(first, second)
        if found is not None:
            return Contradiction(first.clause.whole, second.clause.whole, found.kind, found.reason)
    return None


def _claims(text: str) -> Iterator[Claim]:
    sentence = SentenceContext("")
    for clause in split_claim_clauses(text):
        sentence = sentence if sentence.text == clause.whole else SentenceContext(clause.whole)
        statement = read_statement(clause.text)
        # Without any small word or full stop it is a heading, a label or a row of a table.
        if statement.frame or statement.pronouns or statement.denials or clause.whole[-1] in ".。!！;；":
            yield Claim(clause, statement, sentence)


def _pairs(claims: list[Claim]) -> Iterator[tuple[Claim, Claim]]:
    """Give the pairs that share one of their rarest words, in the order of the text."""
    holders: dict[str, list[int]] = defaultdict(list)
    for number, claim in enumerate(claims):
        for word in claim.statement.words:
            holders[word].append(number)
    numbered = ((other, number) for number, claim in enumerate(claims) for other in _partners(claim, number, holders))
    for other, number in islice(numbered, _MOST_PAIRS):
        yield claims[other], claims[number]


def _partners(claim: Claim, number: int, holders: dict[str, list[int]]) -> list[int]:
    repeated = [holders[word] for word in claim.statement.words if 1 < len(holders[word]) <= _COMMON]
    rarest = sorted(repeated, key=len)[:_JOINING]
    return sorted({other for group in rarest for other in group if other < number})


def _contradict(a: Claim, b: Claim) -> Difference | None:
    if not _may_be_compared(a, b):
        return None
    found = (
        _different_values(a, b)
        or _opposites(a, b)
        or _denial(a, b)
        or _never(a, b)
        or _one_of_a_kind(a, b)
        or _other_place(a, b)
        or quantifiers.find_counterexample(a, b)
    )
    return found if found and _both_asserted(a, b) and _same_subject(a, b) else None


def _both_asserted(a: Claim, b: Claim) -> bool:
    return a.sentence.asserted and b.sentence.asserted and a.condition == b.condition


def _may_be_compared(a: Claim, b: Claim) -> bool:
    if a.clause.speaker != b.clause.speaker or (a.clause.listed and b.clause.listed and a.clause.line != b.clause.line):
        return False
    return not a.beside(b) or _coordinated(a, b)


def _same_subject(a: Claim, b: Claim) -> bool:
    """Compare later clauses of two sentences only where both sentences begin alike: that is where the subject is."""
    if a.beside(b):
        return True
    if a.clause.lead and b.clause.lead:
        return a.subject == b.subject and guards.setting(a.clause.whole) == guards.setting(b.clause.whole)
    return _says_nothing(a.clause.lead or b.clause.lead)


def _says_nothing(lead: str) -> bool:
    """Tell "to put it simply," from "in Paris," and "last year,": it names nothing that narrows the claim."""
    statement = read_statement(lead)
    counts = any(value.quantity.value != (1.0,) for value in statement.values)
    return not statement.names and not counts and not guards.setting(lead) and not guards.is_doubtful(lead)


def _coordinated(a: Claim, b: Claim) -> bool:
    """Say whether two clauses of one sentence are full claims of their own, side by side."""
    if a.clause.text in b.clause.text or b.clause.text in a.clause.text or a.sentence.hypothetical:
        return False
    if a.clause.contrasted:
        return bool(a.statement.order and b.statement.order) and a.statement.order[0] == b.statement.order[0]
    return bool(a.statement.frame & b.statement.frame & _BEING)


def _different_values(a: Claim, b: Claim) -> Difference | None:
    one, other = a.statement, b.statement
    found = compare.different_values(one, other)
    if found is None or len(one.values) != len(other.values):
        return None
    unlike = [(x, y) for x, y in zip(one.values, other.values, strict=True) if not x.quantity.fits(y.quantity)]
    if len(unlike) != 1 or (one.denials - other.denials) % 2 or compare.opposite_words(one, other):
        return None
    first, second = unlike[0]
    if first.bound != second.bound or first.rough != second.rough:
        return None
    if names_another_thing(one, other, len(one.order), len(other.order)):
        return None
    return found if same_topic(a, b, set(), 0.0) else None


def _opposites(a: Claim, b: Claim) -> Difference | None:
    one, other = a.statement, b.statement
    found = compare.opposite_words(one, other)
    slot = {found.first, found.second} if found else set()
    if found is None or (a.unlike_values(b) and not quantifiers.all_but_some(a, b)):
        return None
    if (one.denials - other.denials) % 2:
        if not _denied_after(one, found.first) or not _denied_after(other, found.second):
            return None
        slot.add("without")
    if names_another_thing(one, other, _place(one, found.first), _place(other, found.second)):
        return None
    return found if same_topic(a, b, slot, 0.0) else None


def _denied_after(statement: Statement, word: str) -> bool:
    """Tell "failed without errors" from "did not fail": what is denied is something else, further on."""
    return statement.denied <= set(statement.order[_place(statement, word) + 1 :])


def _place(statement: Statement, word: str) -> int:
    return next(
        (n for n, root in enumerate(statement.order) if statement.as_written(root) == word), len(statement.order)
    )


def _denial(a: Claim, b: Claim) -> Difference | None:
    found = compare.denial(a.statement, b.statement)
    if found is None or a.unlike_values(b) or abs(a.statement.denials - b.statement.denials) != 1:
        return None
    denied = a.statement.denied ^ b.statement.denied
    if names_another_thing(a.statement, b.statement, _first(a.statement, denied), _first(b.statement, denied)):
        return None
    return found if same_topic(a, b, set(), 1.0) else None


def _never(a: Claim, b: Claim) -> Difference | None:
    """Find "she approved it this morning" before "she never approved it": no time is left out."""
    one, other = a.statement, b.statement
    if not guards.says_never(b.clause.text) or b.setting or one.denials or other.denials != 1:
        return None
    if a.sentence.doubtful or b.sentence.doubtful or one.values or other.values or not guards.is_dated(a.setting):
        return None
    if one.pronouns - {"this"} != other.pronouns or names_differ(one, other, ()):
        return None
    times = {*a.setting, *"".join(a.setting)}
    alike = not unshared_weight(one, other, times) and not unshared_weight(other, one, ())
    return compare.denial(one, other) if alike and compare.shared_weight(one, other) >= _SURE else None


def _first(statement: Statement, words: set[str]) -> int:
    return next((n for n, root in enumerate(statement.order) if root in words), len(statement.order))


def _one_of_a_kind(a: Claim, b: Claim) -> Difference | None:
    """Find "it is red" beside "it is blue": only as the last word after a form of "to be"."""
    if not a.statement.order or not b.statement.order or not a.statement.frame & b.statement.frame & _BEING:
        return None
    first, second = a.statement.order[-1], b.statement.order[-1]
    if not same_kind(first, second) or a.statement.denials or b.statement.denials or a.unlike_values(b):
        return None
    slot = {a.statement.as_written(first), b.statement.as_written(second)}
    return Difference("words", *sorted(slot)) if same_topic(a, b, slot, 0.0) else None


def _other_place(a: Claim, b: Claim) -> Difference | None:
    """Find "it is in room 3" beside "it is in room 5": only at the end, after a form of "to be"."""
    one, other = a.statement, b.statement
    if len(one.values) != 1 or len(other.values) != 1 or not one.frame & other.frame & _BEING:
        return None
    first, second = one.values[0], other.values[0]
    if not _ends_with_label(one) or not _ends_with_label(other) or first.quantity.same(second.quantity):
        return None
    if one.denials or other.denials or _label_noun(first) != _label_noun(second):
        return None
    return Difference("labels", first.text, second.text) if same_topic(a, b, (), 0.0) else None


def _ends_with_label(statement: Statement) -> bool:
    value = statement.values[0]
    return value.quantity.kind is QuantityKind.LABEL and value.position == len(statement.order) > 0


def _label_noun(value: Value) -> str:
    return value.text.lower().strip("0123456789.# 第一二三四五六七八九十")


def _find_paradox(sentence: str) -> Reason | None:
    """Return which two words of a sentence like "it is both up and down" exclude each other, or None."""
    if not _PARADOX_HINT.search(sentence):
        return None
    for found in (*_ENGLISH_PARADOX.finditer(sentence), *_CHINESE_PARADOX.finditer(sentence)):
        first, second = stem(found["first"].lower()), stem(found["second"].lower())
        denied = bool(found["deny"])
        if (denied and first == second) or (not denied and _stressed(found) and exclusive(first, second)):
            code = "difference.paradox_denied" if denied else "difference.paradox"
            return Reason.of(code, first=found["first"], second=found["second"])
    return None


def _stressed(found: re.Match[str]) -> bool:
    """Tell "both up and down" from the loose "up and down"."""
    groups = found.groupdict()
    return "both" not in groups or bool(groups["both"] or groups["once"])


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A sentence that may state a fact, as the pair model sees it."""

    clause: Clause
    ids: frozenset[int]
    statement: Statement


def likely_pairs(text: str) -> list[tuple[str, str]]:
    """Return the pairs of sentences that share most of their words and differ in some, likeliest first."""
    pairs = _restated_pairs(list(_candidates(text)))
    return [(a.clause.whole, b.clause.whole) for a, b in pairs if not compatible(a.statement, b.statement)]


def surest(pairs: Sequence[tuple[str, str]]) -> Contradiction | None:
    """Return the pair that the model is surest about, or None where it is not sure of any."""
    scored = [(pair_model().score(*pair), pair) for pair in pairs]
    score, (first, second) = max(scored, key=lambda found: found[0])
    difference = Reason.of("difference.restated", certainty=round(score, 2))
    return Contradiction(first, second, "values", difference) if score >= SURE else None


def _candidates(text: str) -> Iterator[_Candidate]:
    number = -1
    for clause in split_claim_clauses(text):
        # The first clause of a sentence is all of it; its clauses follow.
        if clause.sentence == number:
            continue
        number = clause.sentence
        if _prose(clause.whole) and not guards.is_question(clause.whole) and not guards.is_correction(clause.whole):
            statement = read_statement(clause.whole)
            if statement.frame or statement.pronouns or statement.denials:
                yield _Candidate(clause, token_ids(clause.whole), statement)


def _prose(sentence: str) -> bool:
    return not _NO_PROSE.match(sentence) and len(_WORDS.findall(sentence)) >= _FEWEST_WORDS


def _restated_pairs(candidates: list[_Candidate]) -> list[tuple[_Candidate, _Candidate]]:
    """Return the pairs that share most of their words, the likeliest first."""
    shared = (
        (words_shared(first.ids, second.ids), number, place)
        for number, second in enumerate(candidates)
        for place, first in enumerate(candidates[max(0, number - _MOST_BEFORE) : number], max(0, number - _MOST_BEFORE))
        if _by_one_speaker(first.clause, second.clause)
    )
    best = nlargest(_MOST_SCORED, (found for found in shared if found[0] >= MOST_WORDS))
    return [(candidates[place], candidates[number]) for _, number, place in best]


def _by_one_speaker(a: Clause, b: Clause) -> bool:
    items = a.listed and b.listed and a.line != b.line
    return a.speaker == b.speaker and not items


_SAME_ORDER = 0.75
_WORD = re.compile(rf"[a-z0-9]+|[{HAN}]")


# One digest asks about the same two quotes more than once.
@lru_cache(maxsize=4096)
def find_contradiction_between(first: str, second: str) -> Reason | None:
    """Return how two texts contradict each other; None where they do not, whatever each of them does in itself."""
    # The rules know simplified characters only.
    one, other = (simplify(" ".join(text.split())) for text in (first, second))
    # Some rules, and the model, depend on the order of the two sentences; the result must not.
    found = _found(one, other) or _found(other, one)
    return None if found is None else found.difference


def _found(one: str, other: str) -> Contradiction | None:
    text = f"{one}\n{other}"
    by_rules = find_contradiction(text)
    if by_rules is not None and by_rules.first in one and by_rules.second in other:
        return by_rules
    pairs = [pair for pair in likely_pairs(text) if pair[0] in one and pair[1] in other and _in_one_order(*pair)]
    return surest(pairs) if pairs else None


def _in_one_order(first: str, second: str) -> bool:
    """Say whether two sentences are built alike: otherwise the model mistakes other words for other values."""
    one, other = (_WORD.findall(sentence.lower())[:MOST_TOKENS] for sentence in (first, second))
    return SequenceMatcher(None, one, other, autojunk=False).ratio() >= _SAME_ORDER
