"""How records lie in the columns of any engine, and entries in JSON: vectors apart."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

import numpy as np

from memsieve.errors import Conflict, InvalidInput, NotFound
from memsieve.model import (
    Admission,
    ApiKey,
    Approval,
    Check,
    Chunk,
    ContextItem,
    Decision,
    Entry,
    Event,
    EventKind,
    KeyRole,
    Layer,
    LongTermMemory,
    Reason,
    Receipt,
    ReviewStatus,
    Scope,
    Serving,
    Source,
    Tombstone,
    TombstoneKind,
    Vector,
)

# A number of a row that no row has.
BEYOND_ALL = 2**63 - 1


class FieldKind(StrEnum):
    """The kind of value in a field of an entry; each engine writes and reads each kind in its own way."""

    TEXT = "text"
    NUMBER = "number"
    JSON = "json"
    MOMENT = "moment"


Codecs = Mapping[FieldKind, Callable[[Any], Any]]

_KINDS = {
    "str": FieldKind.TEXT,
    "float": FieldKind.NUMBER,
    "Mapping[str, Any]": FieldKind.JSON,
    "datetime": FieldKind.MOMENT,
}
# A tier gives these, or holds them beside the entry's own columns.
_NOT_OWN = {"layer", "embedding", "expires_at", "promoted_at"}

# The fields of an entry that every tier keeps, with their kinds. A field that is new in the record is kept too: with a
# migration for each engine that adds its column, nothing else in the stores changes.
ENTRY = {
    field.name: _KINDS[str(field.type).removesuffix(" | None")] for field in fields(Entry) if field.name not in _NOT_OWN
}
# Where a column is named otherwise than its field.
QUARANTINE_COLUMNS = {name: "raw_metadata" if name == "metadata" else name for name in ENTRY}
WORKING_COLUMNS = {name: "entry_id" if name == "id" else name for name in ENTRY}


def entry_values(entry: Entry, codecs: Codecs) -> dict[str, Any]:
    """Return the values of an entry's own fields by their names, each written by the codec of its kind, if any."""
    return {name: _coded(getattr(entry, name), codecs.get(kind)) for name, kind in ENTRY.items()}


def entry_from(
    values: Mapping[str, Any],
    embedding: Vector | None,
    *,
    columns: Mapping[str, str] = QUARANTINE_COLUMNS,
    codecs: Codecs | None = None,
    **given: Any,
) -> Entry:
    """Return the entry of its columns, each read by the codec of its kind, if any, with what the tier gives."""
    reading = codecs or {}
    own = {name: _coded(values[columns[name]], reading.get(kind)) for name, kind in ENTRY.items()}
    return Entry(**own, embedding=embedding, **given)


_JSON_WRITTEN: Codecs = {FieldKind.JSON: dict, FieldKind.MOMENT: lambda moment: moment.astimezone(UTC).isoformat()}
_JSON_READ: Codecs = {FieldKind.MOMENT: datetime.fromisoformat}


def entry_document(entry: Entry) -> dict[str, Any]:
    """Return an entry's own fields as JSON carries them."""
    return entry_values(entry, _JSON_WRITTEN)


def entry_of(document: Mapping[str, Any], **given: Any) -> Entry:
    """Return the entry of a document; one from before a field was there gives the field's default.

    A field that is missing and has no default, or that no entry has, raises TypeError.
    """
    own = {
        name: _coded(value, _JSON_READ.get(ENTRY[name]) if name in ENTRY else None) for name, value in document.items()
    }
    return Entry(**own, **given)


def _coded(value: Any, codec: Callable[[Any], Any] | None) -> Any:
    return value if value is None or codec is None else codec(value)


def vector_blob(vector: Vector | None) -> bytes | None:
    """Return a vector as float16, half the size at a loss nobody can measure."""
    return None if vector is None else np.asarray(vector, np.float16).tobytes()


def blob_vector(blob: bytes | None) -> Vector | None:
    """Return a stored vector, of length one again."""
    if blob is None:
        return None
    vector = np.frombuffer(blob, np.float16).astype(np.float32)
    return vector / np.linalg.norm(vector)


def words_text(words: tuple[str, ...]) -> str:
    """Return cut words as one text."""
    return " ".join(words)


def text_words(text: str) -> tuple[str, ...]:
    """Return the cut words of a text."""
    return tuple(text.split(" ")) if text else ()


def json_text(value: Mapping[str, Any] | list[Any]) -> str:
    """Return a value as JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def content_hash(content: str) -> str:
    """Return a key that is the same for texts that differ only in white space and encoding of accents."""
    return hashlib.sha256(" ".join(unicodedata.normalize("NFC", content).split()).encode()).hexdigest()


def checks_text(checks: Iterable[Check]) -> str:
    """Return checks as JSON."""
    return json_text([[check.name, check.passed, check.score, check.reason.dump()] for check in checks])


def passages_text(admission: Admission) -> str | None:
    """Return the passages that were admitted as JSON, None where all was."""
    return None if admission.passages is None else json_text([list(span) for span in admission.passages])


def failed_text(check: str) -> str:
    """Return how the JSON of checks begins to tell of one that failed; within a text its quotes would be escaped."""
    return json_text([check, False]).removesuffix("]")


def pending(entry: Entry) -> Receipt:
    """Return the receipt of an entry that was just recorded."""
    waits = Admission(decision=Decision.PENDING, checks=(), decided_at=entry.created_at)
    return Receipt(entry=entry, admission=waits, new=True)


def receipt_from(values: Mapping[str, Any], embedding: Vector | None, codecs: Codecs | None = None) -> Receipt:
    """Return the receipt of an entry's columns, those of its admission, and its review."""
    review = None if values["review"] is None else ReviewStatus(values["review"])
    entry = entry_from(values, embedding, codecs=codecs)
    if review is ReviewStatus.PROMOTED:
        entry = replace(entry, layer=Layer.LONGTERM, promoted_at=values.get("promoted_at"))
    return Receipt(
        entry=entry,
        admission=Admission(
            decision=Decision(values["decision"]),
            checks=tuple(
                Check(name=name, passed=passed, score=score, reason=Reason.load(reason))
                for name, passed, score, reason in values["checks"]
            ),
            decided_at=values["decided_at"],
            shadow=None if values["shadow"] is None else Decision(values["shadow"]),
            passages=None if values["passages"] is None else tuple((start, end) for start, end in values["passages"]),
        ),
        review=review,
    )


def in_order_of(receipts: Iterable[Receipt], entry_ids: Sequence[str]) -> list[Receipt]:
    """Return receipts in the order of their entries' ids, each once."""
    by_id = {receipt.entry.id: receipt for receipt in receipts}
    return [by_id[entry_id] for entry_id in dict.fromkeys(entry_ids) if entry_id in by_id]


def require_same(entry: Entry, stored: Entry) -> None:
    """Refuse an entry whose id or idempotency key is known with other content than this."""
    if stored.content != entry.content:
        raise Conflict(
            f"Entry {stored.id} was recorded with other content under the same id or idempotency key. "
            "Nothing was changed: use a new key for new content."
        )


def gone(entry_id: str) -> NotFound:
    """Say that an entry is no longer there to be decided on."""
    return NotFound(f"Entry {entry_id!r} was deleted; there is nothing to decide on.", subject=entry_id)


def tombstone_columns(
    scope: Scope, tombstone: Tombstone, embedder: str, embedding: object, at: datetime | str
) -> tuple[Any, ...]:
    """Return the columns of a tombstone; its vector and time as the engine keeps them."""
    content, words = tombstone.content, words_text(tombstone.words)
    first = (scope.project_id, tombstone.id, tombstone.kind, tombstone.source_id, content, content_hash(content), words)
    return (*first, embedder, embedding, scope.actor, at, tombstone.reason)


def tombstone_from(values: Mapping[str, Any], embedding: Vector | None) -> Tombstone:
    """Return the tombstone of its columns."""
    return Tombstone(
        id=values["id"],
        project_id=values["project_id"],
        kind=TombstoneKind(values["kind"]),
        source_id=values["source_id"],
        content=values["content"],
        words=text_words(values["words"]),
        by=values["buried_by"],
        at=values["buried_at"],
        reason=values["reason"],
        embedding=embedding,
    )


def memory_from(values: Mapping[str, Any], entry_ids: Iterable[str], chunks: Iterable[Chunk]) -> LongTermMemory:
    """Return the memory of the columns of its approval, with its sources and chunks."""
    return LongTermMemory(
        approval=Approval(
            id=values["id"],
            project_id=values["project_id"],
            content=values["content"],
            by=values["promoted_by"],
            at=values["promoted_at"],
            entry_ids=tuple(entry_ids),
        ),
        chunks=tuple(chunks),
        retired_at=values["retired_at"],
        retired_by=values["retired_by"],
        retired_reason=values["retired_reason"],
    )


def served_from(values: Mapping[str, Any], embedding: Vector | None) -> ContextItem:
    """Return an item that was served, from its columns; how well it fitted then does not matter any more."""
    return ContextItem(
        id=values["item_id"],
        content=values["content"],
        source=Source(values["source"]),
        score=1.0,
        created_at=values["at"],
        embedding=embedding,
    )


def serving_from(values: Mapping[str, Any]) -> Serving:
    """Return a serving of its columns."""
    return Serving(
        answer_id=values["answer_id"],
        item_id=values["item_id"],
        session_id=values["session_id"],
        agent_id=values["agent_id"],
        query=values["query"],
        at=values["at"],
    )


def key_from(values: Mapping[str, Any]) -> ApiKey:
    """Return a key of its columns; the hash of its secret stays behind."""
    return ApiKey(
        id=values["id"],
        name=values["name"],
        role=KeyRole(values["role"]),
        project_id=values["project_id"],
        made_at=values["made_at"],
        made_by=values["made_by"],
        last_used_at=values["last_used_at"],
        revoked_at=values["revoked_at"],
        revoked_by=values["revoked_by"],
    )


# Not beyond the largest number that an engine has.
_POSITION_NUMBER = re.compile("[0-7][0-9a-f]{15}")


def position_of(*numbers: int) -> str:
    """Return the position that these numbers give."""
    return "-".join(f"{number:016x}" for number in numbers)


def numbers_of(position: str, many: int) -> list[int]:
    """Return the `many` numbers of a position."""
    parts = position.split("-") if isinstance(position, str) else []
    if len(parts) != many or not all(_POSITION_NUMBER.fullmatch(part) for part in parts):
        raise InvalidInput(
            f"{position!r} is no position among this memory's events. Give the id of an event that it sent, or none, "
            "to begin with what happens next.",
            field="position",
        )
    return [int(part, 16) for part in parts]


def event_from(values: Mapping[str, Any], *numbers: int) -> Event:
    """Return the event of its columns at a position."""
    return Event(
        position=position_of(*numbers),
        project_id=values["project_id"],
        kind=EventKind(values["kind"]),
        at=values["at"],
        subject=values["subject"],
    )
