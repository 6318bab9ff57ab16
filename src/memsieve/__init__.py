"""Memory purification for AI agents: nothing becomes memory just because an agent said it."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memsieve.config import FilterSettings, Settings
    from memsieve.errors import (
        ConfigError,
        Conflict,
        EmbedderError,
        InvalidInput,
        KnowledgeBaseError,
        MemsieveError,
        NotFound,
        StoreUnavailable,
    )
    from memsieve.kb.base import KnowledgeBase
    from memsieve.kb.items import Item
    from memsieve.memory import AsyncMemory, Memory
    from memsieve.model import (
        Admission,
        Answer,
        Check,
        ContextItem,
        Decision,
        Entry,
        EntryFilter,
        LongTermMemory,
        Receipt,
        ReviewStatus,
    )
    from memsieve.project import AsyncProject, AsyncReview, Project, Review

__all__ = [
    "Admission",
    "Answer",
    "AsyncMemory",
    "AsyncProject",
    "AsyncReview",
    "Check",
    "ConfigError",
    "Conflict",
    "ContextItem",
    "Decision",
    "EmbedderError",
    "Entry",
    "EntryFilter",
    "FilterSettings",
    "InvalidInput",
    "Item",
    "KnowledgeBase",
    "KnowledgeBaseError",
    "LongTermMemory",
    "Memory",
    "MemsieveError",
    "NotFound",
    "Project",
    "Receipt",
    "Review",
    "ReviewStatus",
    "Settings",
    "StoreUnavailable",
]

_HOMES = {
    "config": "FilterSettings Settings",
    "errors": "ConfigError Conflict EmbedderError InvalidInput KnowledgeBaseError MemsieveError NotFound "
    "StoreUnavailable",
    "kb.base": "KnowledgeBase",
    "kb.items": "Item",
    "memory": "AsyncMemory Memory",
    "model": "Admission Answer Check ContextItem Decision Entry EntryFilter LongTermMemory Receipt ReviewStatus",
    "project": "AsyncProject AsyncReview Project Review",
}


# Loaded when first asked for: the command line's --help needs none of it, and the numerics take a third of a second.
def __getattr__(name: str) -> Any:
    for module, names in _HOMES.items():
        if name in names.split():
            value = getattr(import_module(f"memsieve.{module}"), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module 'memsieve' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
