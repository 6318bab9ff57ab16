"""How to connect to PostgreSQL by a URL, and its driver's errors in memsieve's words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from psycopg import Error, ProgrammingError, errors
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg_pool import PoolClosed, PoolTimeout

from memsieve.errors import (
    ConfigError,
    Conflict,
    Forbidden,
    InvalidInput,
    MemsieveError,
    SchemaOutdated,
    StoreCorrupt,
    StoreUnavailable,
)

ANSWER_SECONDS = 5
# A host that vanished is noticed, and nobody holds up a project for longer than a minute.
_CONNECTION: dict[str, Any] = {
    "application_name": "memsieve",
    "connect_timeout": ANSWER_SECONDS,
    "tcp_user_timeout": 5000,
    "options": "-c timezone=UTC -c idle_in_transaction_session_timeout=60s",
}


def conninfo(url: str) -> str:
    """Return how to connect by a URL, or refuse it; what is refused is not repeated: it may hold a password."""
    try:
        return make_conninfo(**{**_CONNECTION, **conninfo_to_dict(url)})
    except ProgrammingError:
        # Nor is the cause, which quotes it.
        raise ConfigError(
            "database_url is no address of a PostgreSQL database. Write it like postgresql://user:password@host:5432/name."
        ) from None


def answer_seconds(url: str) -> float:
    """Return how long a caller waits for a server that is down: the URL's `connect_timeout`, or 5 seconds."""
    given = conninfo_to_dict(conninfo(url))["connect_timeout"]
    try:
        seconds = int(str(given))
    except ValueError:
        raise ConfigError(f"connect_timeout in database_url is a number of whole seconds, not {given!r}.") from None
    return float(seconds) if seconds > 0 else float(ANSWER_SECONDS)


_UNKNOWN_NAMES = (errors.UndefinedTable, errors.UndefinedColumn, errors.UndefinedFunction, errors.UndefinedObject)
_ERRORS: list[tuple[tuple[type[Error], ...], type[MemsieveError], str]] = [
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
            "PostgreSQL takes no writes here ({reason}), as a standby does: nothing was written. Point database_url to "
            "the primary, or name all hosts in it with target_session_attrs=read-write."
        ),
    ),
    (
        (errors.InsufficientPrivilege,),
        Forbidden,
        "PostgreSQL refused, and nothing was changed: {reason}. GRANT the database user the role that this needs.",
    ),
    (_UNKNOWN_NAMES, SchemaOutdated, "The database is not this version's: {reason}. Run: memsieve migrate"),
    (
        (errors.IntegrityError, errors.RaiseException),
        Conflict,
        "PostgreSQL refused, and nothing was written: {reason}.",
    ),
    (
        (errors.DiskFull, errors.OutOfMemory),
        StoreUnavailable,
        "The database server has no room left ({reason}): nothing was written. Free some and try again.",
    ),
    (
        (errors.DataCorrupted, errors.IndexCorrupted),
        StoreCorrupt,
        "The database is damaged ({reason}). Nothing was changed: restore a backup.",
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
    reason = (str(exc).strip() or type(exc).__name__).splitlines()[0].rstrip(".")
    for kinds, ours, message in _ERRORS:
        if isinstance(exc, kinds):
            return ours(message.format(reason=reason), public=_PUBLIC.get(ours))
    if isinstance(exc, errors.DataError):
        return InvalidInput(f"PostgreSQL cannot keep this: {reason}.", field="content")
    return StoreUnavailable(f"PostgreSQL did not answer ({reason}). Try again.", public=_PUBLIC[StoreUnavailable])
