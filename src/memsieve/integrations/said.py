"""What was said, made ready to be recorded: whatever an agent puts out can be kept."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from memsieve.model import EntryFields
from memsieve.validate import MAX_NAME_LENGTH, UNSEEN

MAX_BYTES = 64 * 1024
MAX_METADATA_BYTES = 8 * 1024
_UNSEEN = re.compile(f"[{UNSEEN}]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One text, by whom and where; the key tells it from all others, so that it is stored once."""

    text: str
    session_id: str
    key: str
    fields: EntryFields = field(default_factory=EntryFields)


def key_of(*parts: str) -> str:
    """Return the key of what these parts tell from all else."""
    told = hashlib.blake2b(digest_size=16)
    for part in parts:
        data = part.encode(errors="replace")
        told.update(len(data).to_bytes(8) + data)
    return told.hexdigest()


def mended(text: str) -> str:
    """Return a text without what no store keeps: NUL, and halves of characters."""
    return text.replace("\0", "\ufffd").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def named(name: object) -> str | None:
    """Return a name of a framework's as one that can be kept, or None if nothing is left of it."""
    if name is None:
        return None
    kept = (c for c in _UNSEEN.sub("", str(name)) if unicodedata.category(c) not in {"Cc", "Cs"})
    return "".join(kept).strip()[:MAX_NAME_LENGTH].strip() or None


def plain(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return metadata as JSON can carry it; what cannot be is written as text."""
    written = mended(json.dumps(_plain(metadata), ensure_ascii=False, default=str, skipkeys=True))
    if len(written.encode()) > MAX_METADATA_BYTES:
        return {"metadata_too_large": sorted(map(str, metadata))[:20]}
    kept: dict[str, Any] = json.loads(written)
    return kept


def parts(text: str, most: int = MAX_BYTES) -> list[str]:
    """Cut a text that is too long for one entry, at line ends where there are some."""
    return [text] if len(text.encode()) <= most else list(_cut(text, most))


def _cut(text: str, most: int) -> Iterator[str]:
    data = text.encode()
    while len(data) > most:
        piece = data[:most].decode(errors="ignore")
        line_end = piece.rfind("\n")
        if line_end > len(piece) // 2:
            piece = piece[: line_end + 1]
        yield piece
        data = data[len(piece.encode()) :]
    yield data.decode()


def _plain(value: Any) -> Any:
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):  # noqa: PLR0124 - NaN
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(one) for one in value]
    return value
