"""Names and identifiers harvested from the texts, so that one can stand in for another of the same shape."""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable

from tools.train_judge import english
from tools.train_judge.corpus import Document
from tools.train_judge.spans import Change, Edit, is_chinese, put_one

_TOKEN = re.compile(r"(?<![\w.@/'’-])[A-Za-z][\w.-]*\w(?:\(\))?(?![\w@/])", re.ASCII)
_SHAPES = (
    (
        "file",
        re.compile(r"[\w-]+\.(?:py|md|txt|csv|json|ya?ml|html?|css|js|ts|xlsx|pdf|png|jpg|sh|toml|xml|sql|log|zip)"),
    ),
    ("call", re.compile(r"[\w.]+\(\)")),
    ("code", re.compile(r"(?=.*\d)[A-Za-z]{1,3}\d{3,}[A-Za-z]{0,2}")),
    ("snake", re.compile(r"[a-zA-Z]+(?:_[a-zA-Z\d]+)+")),
    ("dotted", re.compile(r"[a-z]\w+(?:\.[a-z]\w+)+")),
    ("camel", re.compile(r"[a-z]+(?:[A-Z][a-z]+)+")),
    ("pascal", re.compile(r"(?:[A-Z][a-z]+){2,}")),
    ("caps", re.compile(r"[A-Z]{2,6}")),
    ("name", re.compile(r"[A-Z][a-z]{2,}")),
)
_SUFFIX = "酒店|饭店|宾馆|公园|大学|公司|银行|医院|餐厅|博物馆|广场|寺|中学|集团|科技"
_PLACE = re.compile(
    rf"(?:^|(?<=[在去到是叫选，,：“《、为]))([\u4e00-\u9fff]{{2,8}}?)({_SUFFIX})(?=[。，,的吧了、是”》在有]|$)"
)
_NO_NAME = frozenset(
    word.lower()
    for word in (
        *english.DAYS,
        *english.MONTHS,
        *"The This That These Those And But So Yes No Okay Well Now Then There Here What When Where Who Why How "
        "If It We You They He She "
        "Note Please Thanks Thank Sure Also However Return Returns True False None Let Mr Mrs Ms Dr God Lord Yeah "
        "Right Alright Oh Ok Um Uh "
        "Not For In On At To Of By As An Or All Some Each Any Our Your My His Her Its Their Can May Will Would "
        "Should Could Is Are Was Were "
        "Do Does Did Have Has Had One Two Three First Second Next Last New Old See Use Using Used Step "
        "Plan Task".split(),
    )
)
_PLACE_NOISE = re.compile("[我你您他她它们这那哪的了是有在和就都也说会要想可以需能请帮]|什么|附近|推荐|一个|一家")
_RARE = 3


class Names:
    """Pools of names by source and shape, and the edit that swaps one for another."""

    def __init__(self, documents: Iterable[Document]) -> None:
        """Collect what looks like a name inside the sentences."""
        counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        for document in documents:
            for sentence in document.sentences:
                for shape, match in _names(sentence):
                    counts[document.source, shape][match[0]] += 1
                for match in _places(sentence):
                    counts[document.source, match[2]][match[1]] += 1
        self._pools = {key: _often(pool, key[1]) for key, pool in counts.items()}

    def of(self, source: str) -> Edit:
        """Return the edit that takes its names from one source."""
        return lambda sentence, chance: self._swap(sentence, source, chance)

    def _swap(self, sentence: str, source: str, chance: random.Random) -> str | None:
        spots = [(match.span(), shape, match[0]) for shape, match in _names(sentence)]
        spots += [(match.span(1), match[2], match[1]) for match in _places(sentence)]
        found = [
            Change(*span, other) for span, shape, name in spots if (other := self._other(source, shape, name, chance))
        ]
        return put_one(sentence, found, chance)

    def _other(self, source: str, shape: str, name: str, chance: random.Random) -> str | None:
        if shape == "code":
            return re.sub(
                r"\d", lambda digit: str((int(digit[0]) + chance.randint(1, 8)) % 10), name, count=chance.randint(1, 3)
            )
        pool = self._pools.get((source, shape), [])
        if len(pool) < 2:
            return None
        other = chance.choice(pool)
        return other if other.lower() not in name.lower() and name.lower() not in other.lower() else None


def _names(sentence: str) -> list[tuple[str, re.Match[str]]]:
    """Return names that do not begin the sentence (there every word is written large)."""
    found = []
    mixed = is_chinese(sentence)
    for match in _TOKEN.finditer(sentence):
        if (
            (not mixed and match[0].isalpha() and match[0].islower())
            or match[0].lower() in _NO_NAME
            or (match.start() == 0 and not mixed)
        ):
            continue
        if not mixed and sentence[: match.start()].rstrip()[-1:] in ".!?:\"“'‘(*":
            continue
        shape = next((name for name, pattern in _SHAPES if pattern.fullmatch(match[0])), None)
        if shape is None and mixed and match[0].isascii() and match[0].isalpha():
            shape = "latin"
        if shape:
            found.append((shape, match))
    return found


def _places(sentence: str) -> list[re.Match[str]]:
    return [match for match in _PLACE.finditer(sentence) if not _PLACE_NOISE.search(match[1])]


def _often(pool: Counter[str], shape: str) -> list[str]:
    least = _RARE if shape in ("name", "latin") else 1
    return [name for name, count in pool.items() if count >= least]
