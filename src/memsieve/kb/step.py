"""One step of refining: what is written before what goes, so that doing it twice does it once."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

from memsieve.kb.report import Refined


@dataclass(frozen=True, slots=True)
class Write:
    """A file as it shall be; `before` is the mark of what it held when this was decided, None where there was none."""

    path: str
    text: str
    before: str | None


@dataclass(frozen=True, slots=True)
class Delete:
    """A file that goes, if it still holds what was decided on."""

    path: str
    before: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What was decided on one finding, or on several that say the same."""

    items: tuple[Refined, ...]
    write: Write | None = None
    deletes: tuple[Delete, ...] = ()
    # The new atom, to which its relations point back before the finding goes.
    atom: str | None = None

    def row(self) -> dict[str, Any]:
        """Return the step as the journal keeps it."""
        return asdict(self)

    @classmethod
    def read(cls, row: Mapping[str, Any]) -> Self:
        """Return a step from its row of the journal."""
        return cls(
            items=tuple(Refined.read(each) for each in row["items"]),
            write=None if row["write"] is None else Write(**row["write"]),
            deletes=tuple(Delete(**each) for each in row["deletes"]),
            atom=row["atom"],
        )


def mark(content: str | bytes) -> str:
    """Return what tells one content from another."""
    return hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()
