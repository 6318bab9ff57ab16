"""The entries that a digest looks at, which of them count as evidence, and their statements, each once."""

from __future__ import annotations

import re
import threading
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from heapq import nlargest

from memsieve.digest.statements import ClearStatement, statements
from memsieve.model import CheckName, Decision, Entry, Receipt, SourceDoubt, Vector
from memsieve.text.normalize import normalized

# What states less clearly than this is set aside.
LEAST_CLARITY = 0.45
# A long entry is represented by its clearest statements: it says more than anybody can decide on.
_MOST_PER_ENTRY = 6
_MOST_FIGURES = 4
_DIGITS = re.compile(r"\d+")
_FIGURE = re.compile(r"[-−]?\d+(?:[.,:/]\d+)*")


class Window:
    """Receipts by their number, in the order they were recorded; whether one is in doubt is looked up once."""

    def __init__(self, receipts: Sequence[Receipt]) -> None:
        self.receipts = receipts
        self._doubts: dict[int, SourceDoubt | None] = {}

    def __len__(self) -> int:
        return len(self.receipts)

    @property
    def ids(self) -> frozenset[str]:
        """The ids of all entries."""
        return frozenset(receipt.entry.id for receipt in self.receipts)

    def entry(self, number: int) -> Entry:
        """Return an entry."""
        return self.receipts[number].entry

    def doubt(self, number: int) -> SourceDoubt | None:
        """Return why an entry counts for nothing, or None."""
        if number not in self._doubts:
            self._doubts[number] = _doubt(self.receipts[number])
        return self._doubts[number]

    def flagged(self, number: int) -> bool:
        """Say whether the filter found an instruction in an entry when it was recorded."""
        return _passed(self.receipts[number]).get(CheckName.INJECTION) is False

    def quote(self, statement: DedupedStatement) -> str:
        """Return a statement in the words of the first entry that counts."""
        return next(words for number, words in statement.quotes.items() if self.doubt(number) is None)

    def counts(self, statement: DedupedStatement) -> bool:
        """Say whether an entry that counts holds a statement."""
        return any(self.doubt(number) is None for number in statement.quotes)


def _doubt(receipt: Receipt) -> SourceDoubt | None:
    passed = _passed(receipt)
    if passed.get(CheckName.INJECTION) is False or (
        CheckName.INJECTION not in passed and _injected(receipt.entry.content)
    ):
        return SourceDoubt.INJECTION
    if passed.get(CheckName.ECHO) is False:
        return SourceDoubt.ECHO
    # While a judge has not answered, the check has not passed, and nothing is known.
    judged = receipt.admission.decision is not Decision.PENDING
    return SourceDoubt.INCONSISTENT if judged and passed.get(CheckName.CONSISTENCY) is False else None


def _passed(receipt: Receipt) -> dict[str, bool]:
    return {check.name: check.passed for check in receipt.admission.checks}


def _injected(content: str) -> bool:
    # Imported on first use: nearly every entry was checked when it was recorded.
    from memsieve.ingress.checks.injection.find import find_injection

    return find_injection(content) is not None


@dataclass(slots=True)
class DedupedStatement:
    """One statement, the wording of each entry that has it, and how much else is said about it.

    Its vector is that of the entry that says least beside it; `exact` when that is nothing.
    """

    statement: ClearStatement
    quotes: dict[int, str] = field(default_factory=dict)
    vector: Vector | None = None
    exact: bool = False
    company: float = 0.0


def deduplicate(receipts: Sequence[Receipt], given_up: threading.Event) -> list[DedupedStatement]:
    """Return the statements of the entries, each once, in the order they were first made; entries are numbered.

    Once `given_up`, the rest is left out.
    """
    found: dict[str, DedupedStatement] = {}
    shortest: dict[str, int] = {}
    for number, receipt in enumerate(receipts):
        if given_up.is_set():
            return []
        entry = receipt.entry
        for statement in _clearest(entry.content):
            key = _key(statement.text)
            deduped = found.setdefault(key, DedupedStatement(statement))
            deduped.quotes.setdefault(number, statement.text)
            beside = len(entry.content.strip()) - len(statement.text)
            if entry.embedding is not None and beside < shortest.get(key, beside + 1):
                deduped.vector, deduped.exact, shortest[key] = entry.embedding, beside == 0, beside
    return _without_readings(list(found.values()), receipts)


def _key(text: str) -> str:
    """Return a key that is equal for equal wordings: the letters, and the figures with signs and points."""
    return f"{normalized(text)} {_FIGURE.findall(text)}"


def _without_readings(deduped: list[DedupedStatement], receipts: Sequence[Receipt]) -> list[DedupedStatement]:
    """Leave out what is repeated again and again with other figures in it: a tool reads it off, nobody claims it.

    The figures that half of the sessions agree on stay, whatever others make of it.
    """
    kinds = [_DIGITS.sub("0", normalized(each.statement.text)) for each in deduped]
    speaking = [{receipts[number].entry.session_id for number in each.quotes} for each in deduped]
    counts, sessions = Counter(kinds), defaultdict[str, set[str]](set)
    for kind, mine in zip(kinds, speaking, strict=True):
        sessions[kind] |= mine
    return [
        each
        for each, kind, mine in zip(deduped, kinds, speaking, strict=True)
        if counts[kind] <= _MOST_FIGURES or 2 * len(mine) >= len(sessions[kind]) > 1
    ]


def _clearest(content: str) -> list[ClearStatement]:
    clear = [each for each in statements(content) if each.clarity >= LEAST_CLARITY]
    return nlargest(_MOST_PER_ENTRY, clear, key=lambda each: each.clarity)
