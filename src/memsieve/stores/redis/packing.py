"""How an entry lies in Redis: its text, the embedder that saw it last, and the vector, one after the other."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote, unquote

from memsieve.model import Entry, Layer, Vector
from memsieve.ports import CLOCK_SKEW, WORKING_LIFE, Clock
from memsieve.stores.redis.server import foreign
from memsieve.stores.rows import ENTRY, blob_vector, entry_document, entry_of, vector_blob

ALL_ORDERS = "wm:{*}:order"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
# The key names the project.
_PACKED = ENTRY.keys() - {"project_id"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Packed:
    """The three parts of a packed entry."""

    text: dict[str, Any]
    embedder: str
    vector: bytes


def keys_of(project_id: str) -> tuple[str, str]:
    """Return a project's keys, which one node of a cluster holds: the order of its entries, and the entries."""
    tag = quote(project_id, safe=":@")
    return f"wm:{{{tag}}}:order", f"wm:{{{tag}}}:entries"


def project_of(key: str) -> str:
    """Return the project that a key belongs to."""
    return unquote(key.partition("{")[2].rpartition("}")[0])


def times(clock: Clock | None) -> tuple[str | int, int, int]:
    """Return what every script begins with: the time, empty for the server's own, a whole life, and the skew."""
    return "" if clock is None else microseconds(clock() - _EPOCH), microseconds(WORKING_LIFE), microseconds(CLOCK_SKEW)


def microseconds(span: timedelta) -> int:
    """Return a time span in microseconds."""
    return span // _MICROSECOND


def pack(entry: Entry, embedder: str) -> bytes:
    """Return an entry as Redis stores it."""
    text = {name: value for name, value in entry_document(entry).items() if name in _PACKED}
    return b"\n".join((line(text), line(embedder), pack_vector(entry.embedding)))


def pack_vector(vector: Vector | None) -> bytes:
    """Return a vector as Redis stores it, empty for none."""
    return vector_blob(vector) or b""


def line(value: object) -> bytes:
    """Return a value as one line, which holds no line break."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def unpack(packed: bytes, project_id: str) -> Packed:
    """Return the parts of a packed entry."""
    try:
        text, embedder, vector = packed.split(b"\n", 2)
        return Packed(text=dict(json.loads(text)), embedder=str(json.loads(embedder)), vector=vector)
    except (TypeError, ValueError) as exc:
        raise foreign(keys_of(project_id)) from exc


def entry_from(packed: Packed, project_id: str, score: int, embedder: str) -> Entry:
    """Return an entry as it is in working memory; a vector of another embedder is left out."""
    try:
        # A later version may have packed fields that this one does not know.
        return entry_of(
            {name: value for name, value in packed.text.items() if name in _PACKED},
            project_id=project_id,
            layer=Layer.WORKING,
            embedding=blob_vector(packed.vector or None) if packed.embedder == embedder else None,
            expires_at=_EPOCH + timedelta(milliseconds=score // 1000) + WORKING_LIFE,
        )
    except (KeyError, TypeError, ValueError) as exc:
        raise foreign(keys_of(project_id)) from exc
