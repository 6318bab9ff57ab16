"""The entries that a digest looks at, and which of them count as evidence."""

from __future__ import annotations

from collections.abc import Sequence

from memsieve.digest.sayings import Saying
from memsieve.model import CheckName, Decision, Entry, Receipt, SourceDoubt


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

    def quote(self, saying: Saying) -> str:
        """Return the words of the first entry that counts."""
        return next(words for number, words in saying.quotes.items() if self.doubt(number) is None)

    def counts(self, saying: Saying) -> bool:
        """Say whether anybody said it whose words count."""
        return any(self.doubt(number) is None for number in saying.quotes)


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
