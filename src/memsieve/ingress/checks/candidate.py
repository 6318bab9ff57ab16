"""What the checks look at: one entry, and what surrounds it in its project and session."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memsieve.config import FilterSettings
from memsieve.model import Check, ContextItem, Entry, Tombstone, Vector
from memsieve.ports import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """An entry at the filter; `verdict` is None until a judge has given one."""

    entry: Entry
    words: tuple[str, ...]
    vector: Vector | None
    working: Sequence[Entry] = ()
    tombstones: Sequence[Tombstone] = ()
    served: Sequence[ContextItem] = ()
    verdict: Verdict | None = None


CheckFunction = Callable[[Candidate, FilterSettings], Check]
