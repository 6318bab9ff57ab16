"""What the entries of a window say: each statement once, with everyone who said it in these words."""

from __future__ import annotations

import re
import threading
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from heapq import nlargest

from memsieve.digest.statements import Statement, statements
from memsieve.model import Receipt, Vector
from memsieve.text.normalize import normalized

# What states less clearly than this is set aside.
LEAST_CLARITY = 0.45
# A long entry says more than anybody can decide on; its clearest statements stand for it.
_MOST_PER_ENTRY = 6
_MOST_FIGURES = 4
_DIGITS = re.compile(r"\d+")
_FIGURE = re.compile(r"[-−]?\d+(?:[.,:/]\d+)*")


@dataclass(slots=True)
class Saying:
    """One statement, the entries that hold it with the words they hold it in, and how much else is said about it.

    Its vector is that of the entry that says least beside it; `exact` when that is nothing.
    """

    statement: Statement
    quotes: dict[int, str] = field(default_factory=dict)
    vector: Vector | None = None
    exact: bool = False
    company: float = 0.0


def sayings(receipts: Sequence[Receipt], given_up: threading.Event) -> list[Saying]:
    """Return what the entries say, in the order it was first said; entries are numbered as they come.

    Once `given_up`, nobody waits for the rest.
    """
    found: dict[str, Saying] = {}
    shortest: dict[str, int] = {}
    for number, receipt in enumerate(receipts):
        if given_up.is_set():
            return []
        entry = receipt.entry
        for statement in _clearest(entry.content):
            key = _key(statement.text)
            saying = found.setdefault(key, Saying(statement))
            saying.quotes.setdefault(number, statement.text)
            beside = len(entry.content.strip()) - len(statement.text)
            if entry.embedding is not None and beside < shortest.get(key, beside + 1):
                saying.vector, saying.exact, shortest[key] = entry.embedding, beside == 0, beside
    return _without_readings(list(found.values()), receipts)


def _key(text: str) -> str:
    """Return what is the same in two wordings that are one: their letters, and their figures with signs and points."""
    return f"{normalized(text)} {_FIGURE.findall(text)}"


def _without_readings(said: list[Saying], receipts: Sequence[Receipt]) -> list[Saying]:
    """Leave out what is said again and again with other figures in it: a tool reads it off, nobody claims it.

    The figures that half of the sessions agree on stay, whatever others make of it.
    """
    kinds = [_DIGITS.sub("0", normalized(saying.statement.text)) for saying in said]
    speaking = [{receipts[number].entry.session_id for number in saying.quotes} for saying in said]
    counts, sessions = Counter(kinds), defaultdict[str, set[str]](set)
    for kind, mine in zip(kinds, speaking, strict=True):
        sessions[kind] |= mine
    return [
        saying
        for saying, kind, mine in zip(said, kinds, speaking, strict=True)
        if counts[kind] <= _MOST_FIGURES or 2 * len(mine) >= len(sessions[kind]) > 1
    ]


def _clearest(content: str) -> list[Statement]:
    clear = [each for each in statements(content) if each.clarity >= LEAST_CLARITY]
    return nlargest(_MOST_PER_ENTRY, clear, key=lambda each: each.clarity)
