"""What the checks look at: one entry, and what surrounds it in its project and session."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memsieve.config import FilterSettings
from memsieve.model import Check, CheckName, ContextItem, Entry, Passages, Tombstone, Vector, excerpt
from memsieve.ports import LONG_TEXT, Verdict

if TYPE_CHECKING:
    from memsieve.worth.weigh import WeighedText


@dataclass(frozen=True, slots=True)
class Substance:
    """What of a content is worth remembering; all of it where that is not asked, or where nothing is."""

    content: str
    passages: Passages | None = None
    weighed: WeighedText | None = field(default=None, repr=False)

    @property
    def excerpt(self) -> str:
        """The passages worth remembering, word for word."""
        return excerpt(self.content, self.passages)


async def read_substance(content: str, settings: FilterSettings) -> Substance:
    """Weigh the passages of a content, where that check is on."""
    if CheckName.SUBSTANCE in settings.disabled_checks:
        return Substance(content)
    weighed = await asyncio.to_thread(_weigh, content) if len(content) > LONG_TEXT else _weigh(content)
    worthy = weighed.spans(settings.min_worth)
    whole = not worthy or excerpt(content, worthy) == content.strip()
    return Substance(content, None if whole else worthy, weighed)


def _weigh(content: str) -> WeighedText:
    # Imported on first use: a command that records nothing need not wait for the model.
    from memsieve.worth.weigh import weigh_text

    return weigh_text(content)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """An entry at the filter; `verdict` is None until a judge has given one.

    Words and vector are those of its excerpt, what would be admitted of it: all of it where nobody read its substance.
    """

    entry: Entry
    words: tuple[str, ...]
    vector: Vector | None
    substance: Substance | None = None
    working: Sequence[Entry] = ()
    tombstones: Sequence[Tombstone] = ()
    served: Sequence[ContextItem] = ()
    verdict: Verdict | None = None

    @property
    def excerpt(self) -> str:
        """What would be admitted of it."""
        return self.substance.excerpt if self.substance else self.entry.content

    @property
    def weighed(self) -> WeighedText:
        """The passages of it with their worth, also where the filter in force does not ask for that."""
        known = self.substance and self.substance.weighed
        return known or _weigh(self.entry.content)


CheckFunction = Callable[[Candidate, FilterSettings], Check]
