"""PostgreSQL's errors in memsieve's words, in one place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from psycopg import Error, errors
from psycopg_pool import PoolClosed, PoolTimeout

from memsieve.errors import (
    Conflict,
    Forbidden,
    InvalidInput,
    MemsieveError,
    SchemaOutdated,
    StoreCorrupt,
    StoreUnavailable,
)

_UNKNOWN_NAMES = (errors.UndefinedTable, errors.UndefinedColumn, errors.UndefinedFunction, errors.UndefinedObject)
_TOLD: list[tuple[tuple[type[Error], ...], type[MemsieveError], str]] = [
    (
        (PoolTimeout,),
        StoreUnavailable,
        (
            "PostgreSQL does not answer. Nothing was written: try again, and see that the server of database_url is "
            "up; `memsieve doctor` says why."
        ),
    ),
    (
        (errors.ReadOnlySqlTransaction,),
        StoreUnavailable,
        (
            "PostgreSQL takes no writes here ({said}), as a standby does: nothing was written. Point database_url to "
            "the primary, or name all hosts in it with target_session_attrs=read-write."
        ),
    ),
    (
        (errors.InsufficientPrivilege,),
        Forbidden,
        "PostgreSQL refused, and nothing was changed: {said}. GRANT the database user the role that this deed needs.",
    ),
    (_UNKNOWN_NAMES, SchemaOutdated, "The database is not this version's: {said}. Run: memsieve migrate"),
    (
        (errors.IntegrityError, errors.RaiseException),
        Conflict,
        "PostgreSQL refused, and nothing was written: {said}.",
    ),
    (
        (errors.DiskFull, errors.OutOfMemory),
        StoreUnavailable,
        "The database server has no room left ({said}): nothing was written. Free some and try again.",
    ),
    (
        (errors.DataCorrupted, errors.IndexCorrupted),
        StoreCorrupt,
        "The database is damaged ({said}). Nothing was changed: restore a backup.",
    ),
]


# What the driver says names the server, its port and its files.
_PUBLIC: dict[type[MemsieveError], str] = {
    StoreUnavailable: "PostgreSQL does not take this now.",
    StoreCorrupt: "The database is damaged.",
}


@contextmanager
def translated() -> Iterator[None]:
    """Raise whatever the driver raises within as one of memsieve's errors."""
    try:
        yield
    except PoolClosed as exc:
        raise StoreUnavailable("This memory is closed. Open it again to go on.") from exc
    except Error as exc:
        raise _in_our_words(exc) from exc


def _in_our_words(exc: Error) -> MemsieveError:
    said = (str(exc).strip() or type(exc).__name__).splitlines()[0].rstrip(".")
    for kinds, ours, message in _TOLD:
        if isinstance(exc, kinds):
            return ours(message.format(said=said), public=_PUBLIC.get(ours))
    if isinstance(exc, errors.DataError):
        return InvalidInput(f"PostgreSQL cannot keep this: {said}.", field="content")
    return StoreUnavailable(f"PostgreSQL did not answer ({said}). Try again.", public=_PUBLIC[StoreUnavailable])
