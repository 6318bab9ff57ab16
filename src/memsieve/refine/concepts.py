"""What a text is about: its terms, code names and values, with every form of one folded into one."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from functools import lru_cache

from memsieve.refine import fillers, names
from memsieve.refine.regions import mainland
from memsieve.refine.segment import segment
from memsieve.text import numbers
from memsieve.text.normalize import simplified_forms
from memsieve.text.numbers import CLASSIFIERS, LABELS, Kind, Quantity
from memsieve.text.scripts import HAN, is_han
from memsieve.text.stems import stem
from memsieve.text.tokenize import tokenize

_TOKEN = re.compile(
    rf"""
    (?a:(?P<path>{names.URL}|{names.FILE}|{names.FOLDER})
      | (?P<flag>{names.FLAG})
      | (?P<code>{names.CALL}|{names.SNAKE}|{names.CAMEL}|{names.DOTTED})
      | (?P<version>\b[Vv]\d+(?:\.\d+)*\b)
      | (?P<tag>{names.TAGGED}))
  | (?P<word>[A-Za-z][A-Za-z0-9]*(?:\+\+|\#)?(?:['’][A-Za-z]+)?)
  | (?P<number>(?:[Uu][Ss])?[$€£¥]?\d)
  | (?P<han>[{HAN}]+)
  | (?P<other>[^\W_]+)
    """,
    re.VERBOSE,
)
_VERSION = re.compile(r"(?:v|ver|version)\s?(\d+(?:\.\d+)*)")
_HAN_VALUES = frozenset(numbers.HAN_DIGITS) | frozenset("第周星礼百上下早晚凌中")
_FILLERS = frozenset(map(stem, fillers.ENGLISH))
# Light verbs in small letters, requests of HTTP in capitals.
_REQUESTS = frozenset({"GET", "PUT"})
# What transcripts write for a sound.
_TRANSCRIBED = re.compile(r"\{(?:disfmarker|vocalsound|nonvocalsound|gap|pause|comment)\}")
_SEPARATORS = re.compile(r"[_\s]+")
_LONGEST_KEPT = 200
_LONGEST_REMEMBERED = 4000
_PAIR = 2


def overlap(finding: str, other: str) -> float:
    """Return the share of a finding's concepts that the other text has too; 0 where it has none."""
    return share(concepts(finding), concepts(other))


def share(mine: AbstractSet[str], theirs: AbstractSet[str]) -> float:
    """Return the share of these concepts that the others hold."""
    return len(shared(mine, theirs)) / len(mine) if mine else 0.0


def shared(mine: AbstractSet[str], theirs: AbstractSet[str]) -> frozenset[str]:
    """Return those of these concepts that the others hold, as they are or within a longer name."""
    same = mine & theirs
    longer = "\n".join(theirs) + "\n"
    return frozenset(same) | {concept for concept in mine - same if _within(concept, longer)}


def _within(concept: str, longer: str) -> bool:
    """Tell that 熔断 is in 熔断器, and main.py in src/main.py."""
    if is_han(concept):
        return len(concept) >= _PAIR and concept in longer
    return "." in concept and f"/{concept}\n" in longer


def concepts(text: str) -> frozenset[str]:
    """Return what a text is about, folded, in no order."""
    return _remembered(text) if len(text) <= _LONGEST_REMEMBERED else _remembered_long(text)


# A memory is held against many findings; the largest texts must not pile up.
@lru_cache(maxsize=2048)
def _remembered(text: str) -> frozenset[str]:
    return frozenset(sequence(text))


# Two that are compared ask for theirs again and again.
@lru_cache(maxsize=4)
def _remembered_long(text: str) -> frozenset[str]:
    return frozenset(sequence(text))


def sequence(text: str) -> tuple[str, ...]:
    """Return the concepts of a text in its order, each as often as it stands there."""
    said = _TRANSCRIBED.sub(" ", one_form(text))
    return tuple(concept[:_LONGEST_KEPT] for concept in _Walk(said).concepts())


def one_form(text: str) -> str:
    """Return a text in one width and script, and Chinese in the words of one side."""
    return text if text.isascii() else mainland(unicodedata.normalize("NFKC", text).translate(simplified_forms()))


class _Walk:
    """Goes through a text once, word by word, skipping over what it took for a value."""

    def __init__(self, text: str) -> None:
        lower = text.lower()
        # A few letters change length in lower case; positions must stay true.
        self.text, self.lower = (text, lower) if len(lower) == len(text) else (lower, lower)
        self.before = ""
        self.position = self.taken = 0

    def concepts(self) -> Iterator[str]:
        while found := _TOKEN.search(self.text, self.position):
            self.position = found.end()
            yield from getattr(self, "_" + (found.lastgroup or ""))(found[0], found.start())
            self.before = found[0].lower()

    def _path(self, token: str, _: int) -> Iterator[str]:
        yield token.lower().replace("\\", "/").removeprefix("./").rstrip("/")

    def _flag(self, token: str, _: int) -> Iterator[str]:
        yield token.lower().replace("_", "-")

    def _version(self, token: str, _: int) -> Iterator[str]:
        yield token.lower()

    def _code(self, token: str, _: int) -> Iterator[str]:
        name = _SEPARATORS.sub("", token.removesuffix("()").replace("::", ".").replace("->", ".")).lower()
        yield stemmed(name) if name.isalpha() else name

    def _tag(self, token: str, start: int) -> Iterator[str]:
        yield from self._labelled(start) if self._is_label(token) else [re.sub("[- ]", "", token).lower()]

    def _is_label(self, token: str) -> bool:
        return re.split(r"[-\s\d]", token)[0].lower() in LABELS

    def _word(self, token: str, start: int) -> Iterator[str]:
        lower = token.lower()
        if lower.removesuffix("s") in numbers.STARTS or lower in LABELS or lower[-1].isdigit():
            yield from self._labelled(start) or _known(lower)
        else:
            yield from [lower] if token in _REQUESTS else _known(lower)

    def _labelled(self, start: int) -> list[str]:
        found = self._value(start)
        return [] if found == ["1"] else found

    def _number(self, _: str, start: int) -> list[str]:
        return self._value(start)

    def _value(self, start: int) -> list[str]:
        """Return the value that starts here, and go on behind it."""
        quantity = numbers.read(self.lower, start, self.before)
        if quantity is None:
            return []
        self.taken = quantity.end
        self.position = max(self.position, quantity.end)
        return [quantity_concept(quantity)]

    def _han(self, run: str, start: int) -> Iterator[str]:
        rare = ""
        for word in segment(run):
            begin, start = start, start + len(word)
            if begin < self.taken:
                continue
            found = self._value(begin) if word[0] in _HAN_VALUES else []
            # Characters that make no word of the vocabulary make one together: 熔断.
            if not found and len(word) == 1 and word not in fillers.CHINESE:
                rare += word
                continue
            yield from [rare] if rare else ()
            rare = ""
            yield from found or ([word] if word not in fillers.CHINESE else ())
        yield from [rare] if rare else ()

    def _other(self, token: str, _: int) -> Iterator[str]:
        yield from tokenize(token)


def _known(word: str) -> list[str]:
    concept = word_concept(word)
    return [] if concept is None else [concept]


def quantity_concept(quantity: Quantity) -> str:
    """Return a value as one concept, the same however it is written."""
    if quantity.kind is Kind.NUMBER:
        unit = "" if quantity.unit in CLASSIFIERS else quantity.unit
        return f"{quantity.number:g}{unit}"
    value = ":".join(str(part) for part in quantity.value if part is not None)
    if quantity.kind is Kind.LABEL:
        return _VERSION.sub(r"v\1", value)
    return f"{quantity.kind}:{value}"


@lru_cache(maxsize=65536)
def word_concept(word: str) -> str | None:
    """Return the one form of an English word, or None where it carries nothing."""
    word = re.sub("['’].*", "", word)
    if word[-1] in "+#":
        return word
    root = stem(word)
    if not tokenize(word) or word in fillers.ENGLISH or root in _FILLERS:
        return None
    return stemmed(fillers.SHORT_FORMS.get(word, word))


def stemmed(word: str) -> str:
    """Return a lower-case word without its endings: first its forms, then what is derived from it."""
    root = stem(word)
    # "wrote" becomes "write", and "write" loses its last letter.
    root = stem(root) if root.endswith("e") else root
    return "".join(tokenize(root)) or word
