"""What a text is about: its terms, code names and values, with every form of one folded into one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from functools import cache, lru_cache
from math import inf, log

from memsieve.model import Reason
from memsieve.models import bundled
from memsieve.refine import names
from memsieve.text import numbers
from memsieve.text.normalize import unify
from memsieve.text.numbers import CLASSIFIERS, LABELS, Quantity, QuantityKind
from memsieve.text.scripts import HAN, is_han
from memsieve.text.stems import stem
from memsieve.text.tokenize import tokenize
from memsieve.text.word_lists import load_sections, stop_words

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
_FILLERS = stop_words("concepts")
_FILLER_STEMS = frozenset(map(stem, _FILLERS))
_CHINESE_FILLERS = stop_words("concepts.chinese")
_SHORT_FORMS = {
    short: full
    for full, *shorts in map(str.split, load_sections("memsieve.refine", "short_forms.txt")["short forms"])
    for short in shorts
}
_MAINLAND = dict(map(str.split, load_sections("memsieve.refine", "regions.txt")["mainland"]))
# 方程式 is an equation, and no program.
_REGIONAL = re.compile("(?<!方)(?:" + "|".join(sorted(_MAINLAND, key=len, reverse=True)) + ")")
# Light verbs in small letters, requests of HTTP in capitals.
_REQUESTS = frozenset({"GET", "PUT"})
# What transcripts write for a sound.
_TRANSCRIBED = re.compile(r"\{(?:disfmarker|vocalsound|nonvocalsound|gap|pause|comment)\}")
_SEPARATORS = re.compile(r"[_\s]+")
_LONGEST_KEPT = 200
_LONGEST_REMEMBERED = 4000
_PAIR = 2

_LONGEST_WORD = 6
# What a word of this place in the vocabulary costs grows with its place; a character alone costs more than most words.
_COST_ALONE = 11.5
_COST_EACH = 3.0
# The vocabulary holds a few pieces that are no words, all of them with a particle.
_PARTICLES = frozenset("的了着吗呢吧啊")
_PARTICLE_WORDS = frozenset("目的 标的 的确 了解 着重 着手 沿着 接着 随着 意味着 为了 罢了 明了 未了".split())

# Between neighbours these let either order say the same, and where only one text has them, a passive may turn it back.
_EITHER_WAY = re.compile(
    r"\b(?:and|or|both|between|by|same|equals?|with|like|versus|vs)\b|[和与或跟同、被由在]|之间|一样|等于",
    re.IGNORECASE,
)
_EXCHANGED = 2
_PART_OF = (
    r"(?:\s+(?:in|of|at|for|from|on|the|an?|each|every|all))*\s*(?:的|之)?\s*(?:每个|每一个?|各个?|这个|那个)?\s*"
)


def share(mine: AbstractSet[str], theirs: AbstractSet[str]) -> float:
    """Return the share of these concepts that are among the others."""
    return len(shared(mine, theirs)) / len(mine) if mine else 0.0


def shared(mine: AbstractSet[str], theirs: AbstractSet[str]) -> frozenset[str]:
    """Return those of these concepts that are among the others, as they are or within a longer name."""
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


# A memory is compared with many findings; the largest texts must not pile up in the cache.
@lru_cache(maxsize=2048)
def _remembered(text: str) -> frozenset[str]:
    return frozenset(concept_sequence(text))


# Two that are compared ask for theirs again and again.
@lru_cache(maxsize=4)
def _remembered_long(text: str) -> frozenset[str]:
    return frozenset(concept_sequence(text))


def concept_sequence(text: str) -> tuple[str, ...]:
    """Return the concepts of a text in its order, each as often as it occurs."""
    plain = _TRANSCRIBED.sub(" ", one_region(text))
    return tuple(concept[:_LONGEST_KEPT] for concept in _Walk(plain).concepts())


def one_region(text: str) -> str:
    """Return a text in one width and script, and Chinese in the words of the mainland."""
    return text if text.isascii() else _REGIONAL.sub(lambda found: _MAINLAND[found[0]], unify(text))


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
            yield from self._of_token(found.lastgroup, found[0], found.start())
            self.before = found[0].lower()

    def _of_token(self, group: str | None, token: str, start: int) -> Iterator[str]:
        match group:
            case "path":
                yield token.lower().replace("\\", "/").removeprefix("./").rstrip("/")
            case "flag":
                yield token.lower().replace("_", "-")
            case "version":
                yield token.lower()
            case "code":
                yield self._code(token)
            case "tag" if self._is_label(token):
                yield from self._labelled(start)
            case "tag":
                yield re.sub("[- ]", "", token).lower()
            case "word":
                yield from self._word(token, start)
            case "number":
                yield from self._value(start)
            case "han":
                yield from self._han(token, start)
            case _:
                yield from tokenize(token)

    def _code(self, token: str) -> str:
        name = _SEPARATORS.sub("", token.removesuffix("()").replace("::", ".").replace("->", ".")).lower()
        return stemmed(name) if name.isalpha() else name

    def _is_label(self, token: str) -> bool:
        return re.split(r"[-\s\d]", token)[0].lower() in LABELS

    def _word(self, token: str, start: int) -> list[str]:
        lower = token.lower()
        if lower.removesuffix("s") in numbers.STARTS or lower in LABELS or lower[-1].isdigit():
            return self._labelled(start) or _known(lower)
        return [lower] if token in _REQUESTS else _known(lower)

    def _labelled(self, start: int) -> list[str]:
        found = self._value(start)
        return [] if found == ["1"] else found

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
            if not found and len(word) == 1 and word not in _CHINESE_FILLERS:
                rare += word
                continue
            yield from [rare] if rare else ()
            rare = ""
            yield from found or ([word] if word not in _CHINESE_FILLERS else ())
        yield from [rare] if rare else ()


def _known(word: str) -> list[str]:
    concept = word_concept(word)
    return [] if concept is None else [concept]


def quantity_concept(quantity: Quantity) -> str:
    """Return a value as one concept, the same however it is written."""
    if quantity.kind is QuantityKind.NUMBER:
        unit = "" if quantity.unit in CLASSIFIERS else quantity.unit
        return f"{quantity.number:g}{unit}"
    value = ":".join(str(part) for part in quantity.value if part is not None)
    if quantity.kind is QuantityKind.LABEL:
        return _VERSION.sub(r"v\1", value)
    return f"{quantity.kind}:{value}"


@lru_cache(maxsize=65536)
def word_concept(word: str) -> str | None:
    """Return the one form of an English word, or None where it carries nothing."""
    word = re.sub("['’].*", "", word)
    if word[-1] in "+#":
        return word
    root = stem(word)
    if not tokenize(word) or word in _FILLERS or root in _FILLER_STEMS:
        return None
    return stemmed(_SHORT_FORMS.get(word, word))


def stemmed(word: str) -> str:
    """Return a lower-case word without its endings: first its forms, then what is derived from it."""
    root = stem(word)
    # "wrote" becomes "write", and "write" loses its last letter.
    root = stem(root) if root.endswith("e") else root
    return "".join(tokenize(root)) or word


def segment(run: str) -> list[str]:
    """Return the words of a run of simplified Chinese, the likeliest cut of all."""
    table = _word_costs()
    costs, starts = [0.0, *[inf] * len(run)], [0] * (len(run) + 1)
    for start in range(len(run)):
        for end in range(start + 1, min(len(run), start + _LONGEST_WORD) + 1):
            cost = _COST_ALONE if end == start + 1 else table.get(run[start:end])
            if cost is None:
                break
            if costs[start] + cost < costs[end]:
                costs[end], starts[end] = costs[start] + cost, start
    return _words_from(run, starts)


def _words_from(run: str, starts: list[int]) -> list[str]:
    words, end = [], len(run)
    while end:
        words.append(run[starts[end] : end])
        end = starts[end]
    return words[::-1]


@cache
def _word_costs() -> dict[str, float]:
    """Return what each word costs; what a word only begins with is beyond price, and what is not in it begins none."""
    words = [word for word in bundled.tokens().chinese if len(word) > 1 and _is_word(word)]
    table = {word[:length]: inf for word in words for length in range(2, len(word))}
    return table | {word: _COST_EACH + log(place) for place, word in enumerate(words, start=2)}


def _is_word(word: str) -> bool:
    return word in _PARTICLE_WORDS or _PARTICLES.isdisjoint(word)


def find_exchange(text: str, other: str) -> Reason | None:
    """Return which two concepts changed places, when this is all that differs."""
    joints = _EITHER_WAY.findall(text.lower())
    mine, theirs = concept_sequence(text), concept_sequence(other)
    if len(mine) != len(theirs) or joints != _EITHER_WAY.findall(other.lower()):
        return None
    unlike = [place for place, pair in enumerate(zip(mine, theirs, strict=True)) if pair[0] != pair[1]]
    if len(unlike) != _EXCHANGED or (joints and unlike[1] - unlike[0] == 1):
        return None
    first, second = unlike
    if (mine[first], mine[second]) != (theirs[second], theirs[first]):
        return None
    if _are_one_thing(mine[first], mine[second], text) and _are_one_thing(mine[first], mine[second], other):
        return None
    return Reason.of("difference.exchanged", first=mine[first], second=mine[second])


def _are_one_thing(first: str, second: str, text: str) -> bool:
    """Say whether two concepts are one thing in a text: the Lyon office, the office in Lyon."""
    pairs = ((first, second), (second, first))
    return any(re.search(rf"{re.escape(a)}[a-z]*{_PART_OF}{re.escape(b)}", text, re.IGNORECASE) for a, b in pairs)
