"""Refuse what cannot be kept, with a clear error, before anything is stored."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from memsieve.errors import InvalidInput

MAX_NAME_LENGTH = 128
# Nobody sees these, or they turn the reading direction: two names that differ in them look alike. A regular expression.
UNSEEN = r"\u00ad\u180e\u200b\u2060\ufeff\u202a-\u202e\u2066-\u2069"
_UNSEEN = re.compile(f"[{UNSEEN}]")
_PROJECT_NAME = re.compile(r"\w[\w.:@-]*")


def project_name(value: object) -> str:
    """Return a project name in its one spelling, or refuse it."""
    text = unicodedata.normalize("NFC", name(value, field="project_id"))
    if not _PROJECT_NAME.fullmatch(text) or ".." in text:
        raise InvalidInput(
            f"{text!r} is not a project name. Use letters, digits and . _ - : @ "
            "(any language), beginning with a letter or digit, without '..'.",
            field="project_id",
        )
    return text


def name(value: object, *, field: str) -> str:
    """Return a short printable name (session, agent, person…), or refuse it."""
    if not isinstance(value, str):
        raise InvalidInput(f"{field} must be text, not {type(value).__name__}.", field=field)
    stripped = value.strip()
    if not stripped:
        raise InvalidInput(f"{field} is empty. Give it a name.", field=field)
    if len(stripped) > MAX_NAME_LENGTH:
        raise InvalidInput(f"{field} has {len(stripped)} characters; {MAX_NAME_LENGTH} is the most.", field=field)
    bad = next((c for c in stripped if unicodedata.category(c) in {"Cc", "Cs"}), None)
    if bad is not None:
        raise InvalidInput(f"{field} holds {bad!r}, which is no printable character. Remove it.", field=field)
    unseen = _UNSEEN.search(stripped)
    if unseen is not None:
        raise InvalidInput(
            f"{field} holds the invisible character U+{ord(unseen[0]):04X}, so that it looks like another. Remove it.",
            field=field,
        )
    return stripped


def text(value: object, *, field: str, max_bytes: int) -> str:
    """Return a text that can be kept: valid Unicode, not blank, not too large."""
    if not isinstance(value, str):
        raise InvalidInput(f"{field} must be text, not {type(value).__name__}.", field=field)
    size = len(_encoded(value, field))
    if not value.strip():
        raise InvalidInput(f"{field} is empty. Write something in it.", field=field)
    if size > max_bytes:
        raise InvalidInput(
            f"{field} has {size} bytes; {max_bytes} is the most. Split it, or raise MEMSIEVE_MAX_CONTENT_BYTES.",
            field=field,
        )
    return value


def confidence(value: object) -> float | None:
    """Return a confidence in 0..1, or None when none was given."""
    return None if value is None else number(value, field="confidence", most=1)


def number(value: object, *, field: str, most: float) -> float:
    """Return a number from 0 to the most."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
        raise InvalidInput(f"{field} is {value!r}; it must be a number from 0 to {most}.", field=field)
    return float(value)


def whole_number(value: object, *, field: str, most: int) -> int:
    """Return a whole number from 0 to the most."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        raise InvalidInput(f"{field} is {value!r}; it must be a whole number from 0 to {most}.", field=field)
    return value


def line_range(*, after: object, before: object, limit: object, most: int) -> None:
    """Refuse what names no lines of a log."""
    whole_number(after, field="after", most=2**62)
    whole_number(limit, field="limit", most=most)
    if before is not None:
        whole_number(before, field="before", most=2**62)


def one_of(value: object, allowed: Sequence[object], *, field: str) -> None:
    """Refuse a value that is none of these."""
    if value not in allowed:
        known = ", ".join(str(each) for each in allowed if each is not None)
        raise InvalidInput(f"{field} is {value!r}; it must be one of {known}.", field=field)


def decides_later(decide: str, *, wait: bool) -> bool:
    """Tell whether the decision is left for later; nobody waits for what is."""
    one_of(decide, ("now", "later"), field="decide")
    if wait and decide == "later":
        raise InvalidInput("decide='later' and wait=True exclude each other. Choose one.", field="decide")
    return decide == "later"


def moment(value: object, *, field: str, latest: datetime) -> datetime:
    """Return a time with its zone that is not in the future: `latest` leaves room for clocks that differ."""
    if not isinstance(value, datetime) or value.tzinfo is None:
        raise InvalidInput(f"{field} is {value!r}; it must be a datetime with a time zone.", field=field)
    if value > latest:
        raise InvalidInput(f"{field} {value.isoformat()} lies in the future. Correct it.", field=field)
    return value


def metadata(value: object, max_bytes: int) -> dict[str, Any]:
    """Return metadata that JSON can carry."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InvalidInput(f"metadata must be a mapping, not {type(value).__name__}.", field="metadata")
    try:
        written = json.dumps(dict(value), ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as exc:
        raise InvalidInput(f"metadata cannot be written as JSON: {exc}.", field="metadata") from exc
    if len(_encoded(written, "metadata")) > max_bytes or "\\u0000" in written.replace("\\\\", ""):
        raise InvalidInput(f"metadata holds a NUL or more than {max_bytes} bytes. Make it smaller.", field="metadata")
    kept: dict[str, Any] = json.loads(written)
    return kept


def _encoded(value: str, field: str) -> bytes:
    if "\0" in value:
        raise InvalidInput(f"{field} holds a NUL character at position {value.index(chr(0))}. Remove it.", field=field)
    try:
        return value.encode()
    except UnicodeEncodeError as exc:
        raise InvalidInput(
            f"{field} is not valid Unicode: lone surrogate at position {exc.start}. Decode it properly and try again.",
            field=field,
        ) from exc
