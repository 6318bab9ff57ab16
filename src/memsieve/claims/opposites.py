"""Whether two words exclude each other: by the tables, by a negating prefix, or as two of one kind."""

from __future__ import annotations

from functools import lru_cache

from memsieve.claims.antonyms import (
    CHINESE_ADJECTIVES,
    CHINESE_CONTRASTS,
    CHINESE_DEGREES,
    CHINESE_KINDS,
    CHINESE_OPPOSITES,
    CHINESE_STATES,
    CONTRASTS,
    KINDS,
    OPPOSITES,
    STATES,
)
from memsieve.text.stems import stem


def _opposites(*tables: tuple[tuple[str, str], ...]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for left, right in (pair for table in tables for pair in table):
        sides = [{stem(word) for word in side.split()} for side in (left, right)]
        for word in sides[0]:
            found.setdefault(word, set()).update(sides[1])
        for word in sides[1]:
            found.setdefault(word, set()).update(sides[0])
    return {word: frozenset(others - {word}) for word, others in found.items()}


def _kinds(*tables: tuple[str, ...]) -> dict[str, tuple[int, str]]:
    """Return the kind of every stem, and which member of it the stem is a name of."""
    rows = [row for table in tables for row in table]
    return {
        stem(word): (number, member)
        for number, row in enumerate(rows)
        for member in row.split()
        for word in member.split("/")
    }


def _degrees() -> tuple[tuple[str, str], ...]:
    return tuple(
        (
            " ".join(degree + pair[0] for degree in CHINESE_DEGREES),
            " ".join(degree + pair[1] for degree in CHINESE_DEGREES),
        )
        for pair in CHINESE_ADJECTIVES
    )


OPPOSITE = _opposites(STATES, OPPOSITES, CHINESE_STATES, CHINESE_OPPOSITES, _degrees())
CONTRAST = _opposites(CONTRASTS, CHINESE_CONTRASTS)
EXCLUSIVE = _opposites(STATES, CHINESE_STATES)
KIND = _kinds(KINDS, CHINESE_KINDS)
CHINESE_WORDS = frozenset(word for word in (*OPPOSITE, *CONTRAST, *KIND) if "一" <= word[0] <= "鿿")

_SHORTEST = 4
_PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non", "non-", "mis")


@lru_cache(maxsize=20_000)
def opposites(word: str) -> frozenset[str]:
    """Return the stems that exclude this one, by the table or by a negating prefix."""
    return OPPOSITE.get(word, frozenset()) | _negated(word)


def exclusive(first: str, second: str) -> bool:
    """Say whether no thing can be both at once."""
    return second in EXCLUSIVE.get(first, ()) or second in _negated(first)


def same_kind(first: str, second: str) -> bool:
    """Say whether two stems are different members of one kind (colours, countries…)."""
    if first not in KIND or second not in KIND:
        return False
    (kind, member), (other_kind, other_member) = KIND[first], KIND[second]
    return kind == other_kind and member != other_member


def _negated(word: str) -> frozenset[str]:
    if len(word) < _SHORTEST or not word.isascii():
        return frozenset()
    longer = {prefix + word for prefix in _PREFIXES}
    shorter = {word.removeprefix(prefix) for prefix in _PREFIXES if word.startswith(prefix)}
    return frozenset(longer | {rest for rest in shorter if len(rest) >= _SHORTEST})
