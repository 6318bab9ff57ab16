"""Where memories come from and whom they reached."""

from __future__ import annotations

from dataclasses import dataclass

from memsieve.model.answers import Serving
from memsieve.model.audit import AuditEvent
from memsieve.model.entries import Receipt
from memsieve.model.memories import LongTermMemory


@dataclass(frozen=True, slots=True, kw_only=True)
class Retirement:
    """A retired memory and everyone who was served it."""

    memory: LongTermMemory
    served: tuple[Serving, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lineage:
    """Where a memory or an entry came from and where it went."""

    entries: tuple[Receipt, ...]
    memories: tuple[LongTermMemory, ...]
    events: tuple[AuditEvent, ...]
    served: tuple[Serving, ...]
