"""What became of the lines of an import."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

MAX_ERRORS = 20


class Outcome(StrEnum):
    """What became of a line."""

    RECORDED = "recorded"
    ALREADY_KNOWN = "already_known"
    PROMOTED = "promoted"
    SKIPPED = "skipped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of an import: where it stood, what became of it, and why if nothing did."""

    number: int
    end: int
    outcome: Outcome
    admitted: bool = False
    reason: str = ""


@dataclass(slots=True, kw_only=True)
class Tally:
    """How an import went."""

    counts: dict[Outcome, int] = field(default_factory=lambda: dict.fromkeys(Outcome, 0))
    admitted: int = 0
    skipped_for: Counter[str] = field(default_factory=Counter)
    errors: list[dict[str, Any]] = field(default_factory=list)

    def add(self, line: Line) -> None:
        """Count one more line."""
        self.counts[line.outcome] += 1
        self.admitted += line.admitted
        if line.outcome is Outcome.SKIPPED:
            self.skipped_for[line.reason] += 1
        if line.outcome is Outcome.FAILED and len(self.errors) < MAX_ERRORS:
            self.errors.append({"line": line.number, "reason": line.reason})

    def summary(self) -> dict[str, Any]:
        """Return the counts."""
        counts = {str(outcome): count for outcome, count in self.counts.items()}
        return {"recorded": counts.pop("recorded"), "admitted": self.admitted, **counts, "errors": self.errors}
