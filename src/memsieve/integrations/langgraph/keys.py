"""By what an output is known again, so that it is stored once however often it is seen."""

from __future__ import annotations

from memsieve.integrations.outputs import Found
from memsieve.integrations.said import key_of


def key_for(session_id: str, found: Found, otherwise: str) -> str:
    """Return the key of a text: its message's id in the session, where it has one.

    Middleware and callback make the same of the same message, so that both may be used.
    """
    return key_of(session_id, found.origin or otherwise, found.text)
