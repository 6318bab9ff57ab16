"""All or none against some: "nobody came" beside "forty people came", "all passed" beside "three did not"."""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import takewhile

from memsieve.claims import compare, guards
from memsieve.claims.claim import Claim, names_differ, unshared_weight
from memsieve.claims.compare import Difference
from memsieve.claims.statement import Value
from memsieve.text.numbers import QuantityKind

_ALL = frozenset("all every always everyone everybody 所有 全部 全都".split())
# They only carry the count: "three people", 存在三个.
_CARRIERS = frozenset("person people 人 员 存在 exist exists time times".split())
_PEOPLE = frozenset(
    "engineers developers members users customers clients employees students colleagues managers reviewers guests "
    "participants volunteers experts analysts designers teachers doctors directors testers operators".split()
)
_PERSON_UNITS = frozenset("名 位".split())
_PASSIVE = frozenset("is are was were be been".split())
_NOBODY = re.compile(r"\b(?:nobody|no one)\b|没有?人|无人", re.IGNORECASE)
_ENOUGH_WORDS = 3
_NO = re.compile(r"\b(?:no|none|any|without)\b|没有|无", re.IGNORECASE)
_NONE_OF = re.compile(r"\s*(?:none of|no)\s", re.IGNORECASE)


def find_counterexample(a: Claim, b: Claim) -> Difference | None:
    """Find a rule for all or none that a counted part of the same things breaks."""
    if a.statement.pronouns != b.statement.pronouns:
        return None
    found = _broken(a, b) or _broken(b, a)
    return found if found and not a.sentence.hypothetical and not b.sentence.hypothetical else None


def all_but_some(a: Claim, b: Claim) -> bool:
    """Tell "all tests passed, three tests failed" from "five tests passed, three tests failed"."""
    return any(_all(whole) and not _all(part) and _some(whole, part) for whole, part in ((a, b), (b, a)))


def _broken(whole: Claim, part: Claim) -> Difference | None:
    denials = part.statement.denials - whole.statement.denials
    if denials == -1 and whole.statement.denied:
        return _none_but_some(whole, part)
    return _all_but_others(whole, part) if denials in {0, 1} and _all(whole) and not _all(part) else None


def _none_but_some(whole: Claim, part: Claim) -> Difference | None:
    if _NONE_OF.match(whole.clause.text) and _is_the_rest(part, whole):
        return Difference("numbers", "none", "all")
    heads = whole.statement.denied if _NO.search(whole.clause.text) else set()
    doers = _doers(whole, part) if _NOBODY.search(whole.clause.text) else set()
    some = _some(whole, part, doers) if _covers(whole, part, doers, heads) else ""
    return Difference("numbers", "none", some) if some else None


def _doers(whole: Claim, part: Claim) -> set[str]:
    """Return the words for the people counted in the part, where they do what nobody does."""
    read = part.statement
    if len(read.values) != 1 or ("by" not in read.frame and read.frame & _PASSIVE - whole.statement.frame):
        return set()
    value = read.values[0]
    words = list(takewhile(lambda word: word not in whole.statement.words, read.order[value.position :]))
    written = {read.as_written(word) for word in words}
    return {*words, *written} if value.quantity.unit in _PERSON_UNITS or written <= _PEOPLE else set()


def _all_but_others(whole: Claim, part: Claim) -> Difference | None:
    counted = set(part.statement.values[-1].things) if part.statement.values else set()
    if part.statement.denials:
        some = _some(whole, part) if _covers(whole, part, set(), counted) else ""
        return Difference("numbers", "all", f"{some} not") if some else None
    found = compare.opposite_words(whole.statement, part.statement)
    slot = {found.first, found.second} if found else set()
    return found if found and _covers(whole, part, slot, counted) and _some(whole, part) else None


def _is_the_rest(part: Claim, whole: Claim) -> bool:
    """Tell "the disk is encrypted" beside "none of the data on the disk is encrypted"."""
    one, other = whole.statement, part.statement
    if one.denials - other.denials != 1 or whole.unlike_values(part) or whole.setting != part.setting:
        return False
    more, missing = unshared_weight(one, other, ()), unshared_weight(other, one, ())
    enough = compare.shared_weight(one, other) >= _ENOUGH_WORDS
    return not names_differ(one, other, ()) and not missing and more <= 1 and enough


def _all(claim: Claim) -> bool:
    return not claim.statement.denials and not claim.statement.frame.isdisjoint(_ALL)


def _some(whole: Claim, part: Claim, doers: Collection[str] = ()) -> str:
    """Return the words that count the part, or nothing where it is not counted."""
    if _all(whole) and len(whole.statement.values) == len(part.statement.values) == 1:
        total, count = whole.statement.values[0], part.statement.values[0]
        return count.text if _counts(total) and _counts(count) and _fewer(count, total) else ""
    extra = [v for v in part.statement.values if not any(v.quantity.fits(w.quantity) for w in whole.statement.values)]
    if len(part.statement.values) - len(whole.statement.values) != len(extra) or len(extra) > 1:
        return ""
    if extra:
        things = set(extra[0].things)
        about = not things or not things.isdisjoint(whole.statement.words.keys() | _CARRIERS | set(doers))
        return extra[0].text if about and _counts(extra[0]) else ""
    return next(iter(sorted(guards.amounts(part.setting) - whole.setting)), "")


def _counts(value: Value) -> bool:
    return value.quantity.kind is QuantityKind.NUMBER and value.quantity.number > 0 and not value.bound


def _fewer(count: Value, total: Value) -> bool:
    return count.quantity.number < total.quantity.number


def _covers(whole: Claim, part: Claim, slot: set[str], heads: set[str]) -> bool:
    """Say whether the rule holds for the part: all its words return there, and others only narrow a head."""
    apart = slot | _CARRIERS
    if unshared_weight(whole.statement, part.statement, apart) or names_differ(whole.statement, part.statement, apart):
        return False
    if guards.uncounted(whole.setting) - slot != guards.uncounted(part.setting) - slot:
        return False
    apart |= guards.amounts(part.setting)
    shared = compare.shared_weight(whole.statement, part.statement)
    return shared >= 1 and _only_narrows(whole, part, apart, heads)


def _only_narrows(whole: Claim, part: Claim, apart: set[str], heads: set[str]) -> bool:
    """Tell "three critical errors" (some errors) from "three divisions of the company" (not the company)."""
    added, counted = False, part.statement.values[-1].position if part.statement.values else 0
    for place, word in enumerate(part.statement.order):
        if word in whole.statement.words:
            if added and word not in heads:
                return False
            added = False
        elif part.statement.as_written(word) not in apart:
            if place < counted:
                return False
            added = True
    return not added
