"""Which exit code an error has: one table."""

from __future__ import annotations

from memsieve.errors import (
    ConfigError,
    Conflict,
    EmbedderError,
    Forbidden,
    InvalidInput,
    JudgeError,
    KnowledgeBaseError,
    MemsieveError,
    NotFound,
    SchemaOutdated,
    StoreCorrupt,
    StoreUnavailable,
)

USAGE = 2
PROBLEM_FOUND = 8

_CODES: dict[type[MemsieveError], int] = {
    InvalidInput: USAGE,
    ConfigError: USAGE,
    NotFound: 3,
    Conflict: 4,
    Forbidden: 5,
    StoreUnavailable: 6,
    StoreCorrupt: 6,
    SchemaOutdated: 6,
    KnowledgeBaseError: 6,
    EmbedderError: 7,
    JudgeError: 7,
}

TABLE = """\
[bold]Exit codes[/bold]
  0    done; an entry that the filter refused is done, too
  1    something unexpected: please report it; one of several has failed
  2    wrong usage, input or settings
  3    no such entry, insight, memory or project
  4    the request disagrees with what is stored
  5    not allowed: this needs a person, or a key that is valid and may do it
  6    the store is down, damaged or of another version; a knowledge base is missing or broken
  7    the embedder or the judge failed
  8    `doctor`, `audit verify`, `migrate --check` or `kb check` found something
  130  interrupted
"""


def exit_code(error: MemsieveError) -> int:
    """Return the exit code of an error: its own, or that of the nearest class above it."""
    return next((_CODES[kind] for kind in type(error).__mro__ if kind in _CODES), 1)
