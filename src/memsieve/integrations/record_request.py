"""A text to record, made valid: whatever an agent outputs can be stored."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self, cast

from memsieve import validate
from memsieve.errors import InvalidInput
from memsieve.model import CALLER_FIELDS, EntryFields
from memsieve.validate import MAX_NAME_LENGTH, UNSEEN

MAX_BYTES = 64 * 1024
MAX_METADATA_BYTES = 8 * 1024
_UNSEEN = re.compile(f"[{UNSEEN}]")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordRequest:
    """A text to record, and the fields of its entry; by the idempotency key it is stored once."""

    text: str
    session_id: str
    key: str
    fields: EntryFields = field(default_factory=EntryFields)

    @classmethod
    def of(cls, text: str, given: Mapping[str, Any]) -> Self:
        """Make a request of what a caller gave; a wrong text or no session is an error, all else is made valid."""
        if not isinstance(text, str):
            raise InvalidInput(
                f"A text is recorded, not {type(text).__name__}: find it with outputs.texts().", field="text"
            )
        if given["session_id"] is None:
            raise InvalidInput(
                "No session is named. Give the recorder a session_id, or the framework a thread id.", field="session_id"
            )
        confidence, metadata = given.get("confidence"), json_metadata(given.get("metadata", {}))
        try:
            confidence = validate.confidence(confidence)
        except InvalidInput:
            confidence, metadata = None, {**metadata, "confidence": str(confidence)[:MAX_NAME_LENGTH]}
        fields = {name: valid_name(given.get(name)) for name in CALLER_FIELDS}
        return cls(
            text=valid_text(text),
            session_id=valid_name(given["session_id"]) or "unnamed",
            fields=cast("EntryFields", {**fields, "confidence": confidence, "metadata": metadata}),
            key=key_of(str(given["key"])) if "key" in given else uuid.uuid4().hex,
        )

    def split(self, max_bytes: int) -> list[Self]:
        """Return the request, or one for each part of a text that is too long for one entry."""
        pieces = parts(self.text, max_bytes)
        if len(pieces) == 1:
            return [self]
        metadata = self.fields.get("metadata") or {}
        return [
            replace(
                self,
                text=piece,
                key=f"{self.key}-{number}",
                fields={**self.fields, "metadata": {**metadata, "part": number, "parts": len(pieces)}},
            )
            for number, piece in enumerate(pieces, 1)
            if piece.strip()
        ]


def key_of(*parts: str) -> str:
    """Return an idempotency key for a sequence of strings."""
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        data = part.encode(errors="replace")
        digest.update(len(data).to_bytes(8) + data)
    return digest.hexdigest()


def valid_text(text: str) -> str:
    """Replace what no store accepts: NUL and lone surrogates."""
    return text.replace("\0", "\ufffd").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def valid_name(name: object) -> str | None:
    """Return a framework's name as a valid one, or None if nothing is left of it."""
    if name is None:
        return None
    kept = (c for c in _UNSEEN.sub("", str(name)) if unicodedata.category(c) not in {"Cc", "Cs"})
    return "".join(kept).strip()[:MAX_NAME_LENGTH].strip() or None


def json_metadata(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return metadata as JSON values; other values become text."""
    written = valid_text(json.dumps(_json_value(metadata), ensure_ascii=False, default=str, skipkeys=True))
    if len(written.encode()) > MAX_METADATA_BYTES:
        return {"metadata_too_large": sorted(map(str, metadata))[:20]}
    kept: dict[str, Any] = json.loads(written)
    return kept


def parts(text: str, most: int = MAX_BYTES) -> list[str]:
    """Split a text that is too long for one entry, at line ends if there are any."""
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


def _json_value(value: Any) -> Any:
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):  # noqa: PLR0124 - NaN
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): _json_value(one) for key, one in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_json_value(one) for one in value]
    return value
