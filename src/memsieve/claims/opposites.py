"""Whether two words exclude each other: by the tables, by a negating prefix, or as two of one kind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from memsieve.text.scripts import is_han
from memsieve.text.stems import stem
from memsieve.text.word_lists import load_sections

_TABLES = load_sections("memsieve.claims", "opposites.txt")


def _pairs(*sections: str) -> Iterator[tuple[set[str], set[str]]]:
    for row in (row for section in sections for row in _TABLES[section]):
        left, right = row.split(" | ")
        yield set(map(stem, left.split())), set(map(stem, right.split()))


def _degrees() -> Iterator[tuple[set[str], set[str]]]:
    degrees, adjectives = (" ".join(_TABLES[name]).split() for name in ("degrees.chinese", "adjectives.chinese"))
    for pair in adjectives:
        yield {degree + pair[0] for degree in degrees}, {degree + pair[1] for degree in degrees}


def _opposites(pairs: Iterable[tuple[set[str], set[str]]]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for left, right in pairs:
        for word in left:
            found.setdefault(word, set()).update(right)
        for word in right:
            found.setdefault(word, set()).update(left)
    return {word: frozenset(others - {word}) for word, others in found.items()}


def _kinds() -> dict[str, tuple[int, str]]:
    """Return the kind of every stem, and which member of it the stem is a name of."""
    return {
        stem(word): (number, member)
        for number, row in enumerate(_TABLES["kinds"] + _TABLES["kinds.chinese"])
        for member in row.split()
        for word in member.split("/")
    }


OPPOSITE = _opposites([*_pairs("states", "opposites", "states.chinese", "opposites.chinese"), *_degrees()])
CONTRAST = _opposites(_pairs("contrasts", "contrasts.chinese"))
EXCLUSIVE = _opposites(_pairs("states", "states.chinese"))
KIND = _kinds()
CHINESE_WORDS = frozenset(word for word in (*OPPOSITE, *CONTRAST, *KIND) if is_han(word))

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
