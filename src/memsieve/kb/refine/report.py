"""The report of a refine run: the outcome and reason of each file, as a record and as Markdown."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Self

from memsieve.model import Refinement

_SPECIAL = re.compile(r"[\\`*_{}\[\]<>|]")
_BREAKS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


class FileOutcome(StrEnum):
    """The outcome of a file in staging."""

    PROMOTED = "promoted"
    CORRECTED = "corrected"
    OBSERVING = "observing"
    DUPLICATE = "duplicate"
    TOO_NARROW = "too_narrow"
    KEPT = "kept"


_HEADINGS = {
    FileOutcome.PROMOTED: "Promoted to atoms",
    FileOutcome.CORRECTED: "Corrected atoms",
    FileOutcome.OBSERVING: "Kept, observing",
    FileOutcome.DUPLICATE: "Deleted as duplicates",
    FileOutcome.TOO_NARROW: "Deleted as too narrow",
    FileOutcome.KEPT: "Kept, not understood",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RefinedFile:
    """The outcome of one file and why; `atom` is the path it was written to, or the atom that says it already."""

    file: str
    outcome: FileOutcome
    reason: str
    observations: int | None = None
    atom: str | None = None
    id: str | None = None

    @property
    def label(self) -> str:
        """The outcome for people: `observing 2/3`."""
        if self.outcome is FileOutcome.OBSERVING:
            return f"{self.outcome} {self.observations}/{Refinement.NEEDED}"
        return self.outcome.replace("_", " ")

    @classmethod
    def read(cls, row: Mapping[str, Any]) -> Self:
        """Parse a row of the journal."""
        return cls(**{**row, "outcome": FileOutcome(row["outcome"])})


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What one run of refine did, or would do."""

    run: str
    task: str | None
    at: datetime
    items: tuple[RefinedFile, ...]
    cleared: tuple[str, ...] = ()
    trimmed: tuple[str, ...] = ()
    resumed: bool = False
    dry_run: bool = False

    @property
    def counts(self) -> dict[str, int]:
        """The number of files by outcome, zeros included."""
        found = Counter(item.outcome for item in self.items)
        return {str(outcome): found[outcome] for outcome in FileOutcome}

    def document(self) -> dict[str, Any]:
        """Return the report as a JSON object."""
        plain = asdict(self) | {"at": self.at.isoformat(), "counts": self.counts}
        return plain | {key: list(plain[key]) for key in ("items", "cleared", "trimmed")}

    def markdown(self) -> str:
        """Return the report as Markdown, as kept in `session/staging-report.md`."""
        parts = [self._head(), *(self._part(outcome) for outcome in FileOutcome), self._cleaning()]
        return "\n\n".join(filter(None, parts)) + "\n"

    def _head(self) -> str:
        lines = [
            "# What refine did",
            f"{self.at:%Y-%m-%d %H:%M:%S} UTC, run {self.run}, task {_escaped(self.task or '-')}.",
        ]
        if self.resumed:
            lines.append("An earlier run was interrupted; this one finished its work, and tells of both.")
        counts = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in self.counts.items() if count)
        return "\n\n".join([*lines, f"{_files(len(self.items))}: {counts or 'nothing waited in staging'}."])

    def _part(self, outcome: FileOutcome) -> str:
        rows = [_line(item) for item in self.items if item.outcome is outcome]
        return "\n".join([f"## {_HEADINGS[outcome]}", "", *rows]) if rows else ""

    def _cleaning(self) -> str:
        done = [*_named("Cleared from session", self.cleared), *_named("Reports trimmed", self.trimmed)]
        return "\n".join(["## Cleaned up", "", *done]) if done else ""


def _escaped(text: str) -> str:
    """Escape a text for one line of Markdown."""
    return _SPECIAL.sub(r"\\\g<0>", _BREAKS.sub(" ", text))


def _line(item: RefinedFile) -> str:
    seen = f" ({item.observations} of {Refinement.NEEDED})" if item.outcome is FileOutcome.OBSERVING else ""
    where = f" → {_escaped(item.atom)}" if item.atom else ""
    return f"- **{_escaped(item.file)}**{seen}{where}: {_escaped(item.reason)}"


def _named(title: str, names: Sequence[str]) -> list[str]:
    return [f"- {title}: {', '.join(map(_escaped, names))}"] if names else []


def _files(count: int) -> str:
    return "1 file" if count == 1 else f"{count} files"
