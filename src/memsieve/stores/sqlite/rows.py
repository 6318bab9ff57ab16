"""How records lie in columns: times, vectors, words, JSON, and whole entries."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import unicodedata
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import numpy as np

from memsieve.model import Admission, Check, Decision, Entry, Vector


def time_text(moment: datetime) -> str:
    """Return a moment as RFC 3339 in UTC, of one width so that text order is time order."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def text_time(text: str) -> datetime:
    """Return the moment that a text names."""
    return datetime.fromisoformat(text)


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


def entry_from(row: sqlite3.Row, embedder: str) -> Entry:
    """Return the entry of a row; a vector of another embedder is left out."""
    return Entry(
        id=row["id"],
        project_id=row["project_id"],
        session_id=row["session_id"],
        content=row["content"],
        created_at=text_time(row["created_at"]),
        agent_id=row["agent_id"],
        node_id=row["node_id"],
        confidence=row["confidence"],
        metadata=json.loads(row["raw_metadata"]),
        embedding=vector_from(row, embedder),
    )


def vector_from(row: sqlite3.Row, embedder: str) -> Vector | None:
    """Return a row's vector if this embedder made it."""
    return blob_vector(row["embedding"]) if row["embedder"] == embedder else None


def checks_text(checks: tuple[Check, ...]) -> str:
    """Return checks as JSON."""
    return json_text([[check.name, check.passed, check.score, check.reason] for check in checks])


def admission_from(row: sqlite3.Row) -> Admission:
    """Return the admission of a row."""
    return Admission(
        decision=Decision(row["decision"]),
        checks=tuple(
            Check(name=name, passed=passed, score=score, reason=reason)
            for name, passed, score, reason in json.loads(row["checks"])
        ),
        decided_at=text_time(row["decided_at"]),
        shadow=None if row["shadow"] is None else Decision(row["shadow"]),
    )
