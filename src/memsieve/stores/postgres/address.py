"""Where PostgreSQL is: what a URL says of it."""

from __future__ import annotations

from typing import Any

from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from memsieve.errors import ConfigError

# A host that vanished is noticed, and nobody holds up a project for longer than a minute.
_CONNECTION: dict[str, Any] = {
    "application_name": "memsieve",
    "connect_timeout": 5,
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
