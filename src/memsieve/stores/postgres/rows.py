"""How vectors lie in PostgreSQL's columns, and how rows with vectors are read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from pgvector import HalfVector
from psycopg import sql

from memsieve.model import Receipt, ReviewStatus, Vector
from memsieve.stores import rows
from memsieve.stores.postgres.database import Connection
from memsieve.stores.rows import Codecs, FieldKind, json_text
from memsieve.stores.shared_sql import approvals_of, review_of_entry


def half(vector: Vector | None) -> HalfVector | None:
    """Return a vector as float16, half the size at a loss nobody can measure."""
    return None if vector is None else HalfVector(vector)


def half_text(vector: Vector | None) -> str | None:
    """Return a vector as text, many times as fast as its own class would write it."""
    return None if vector is None else str(np.asarray(vector, np.float16).tolist())


def array_text(values: Iterable[object]) -> str:
    """Return values as an array's text, many times as fast as the driver, which looks for each one's type."""
    quoted = [str(value).replace("\\", r"\\").replace('"', r"\"") for value in values]
    return '{"' + '","'.join(quoted) + '"}' if quoted else "{}"


def sent_vector(sent: bytes | None) -> Vector | None:
    """Return a vector that `halfvec_send` made: two numbers of two bytes, and then those of the vector."""
    return None if sent is None else _of_length_one(np.frombuffer(sent, ">f2", offset=4))


def vector_of(stored: HalfVector | None) -> Vector | None:
    """Return a stored vector, of length one again."""
    return None if stored is None else _of_length_one(stored.to_numpy())


def vector_from(row: Mapping[str, Any], embedder: str) -> Vector | None:
    """Return a row's vector if this embedder made it."""
    return vector_of(row["embedding"]) if row["embedder"] == embedder else None


def _of_length_one(numbers: npt.NDArray[np.float16]) -> Vector:
    vector = numbers.astype(np.float32)
    return vector / np.linalg.norm(vector)


async def fetch(
    connection: Connection,
    query: str | sql.Composed,
    values: Sequence[Any] | Mapping[str, Any],
    *,
    prepare: bool | None = None,
) -> list[dict[str, Any]]:
    """Return the rows of a query in binary, which is how vectors are read fastest."""
    cursor = connection.cursor(binary=True)
    await cursor.execute(query, values, prepare=prepare)
    return await cursor.fetchall()


# How PostgreSQL's driver is given the kinds of an entry's fields; what it reads needs nothing.
WRITTEN: Codecs = {FieldKind.JSON: json_text}

REVIEW = review_of_entry()
_PROMOTED = f"""
SELECT entry_id, min(promoted_at) AS promoted_at
FROM ({approvals_of("= ANY(%(ids)s)", project="%(project_id)s")}) approvals GROUP BY entry_id
"""  # noqa: S608 - made of constants
RECEIPTS = f"""
SELECT q.*, a.decision, a.checks, a.shadow, a.passages, a.decided_at, a.embedder, a.embedding, {REVIEW} AS review
FROM quarantine_logs q JOIN admissions a ON a.project_id = q.project_id AND a.entry_id = q.id
WHERE q.project_id = %(project_id)s
"""  # noqa: S608 - made of constants


async def fetch_receipts(connection: Connection, query: str, values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of a query over receipts, with the time of approval: few rows have one, so it is asked apart."""
    # Planned anew each time: which way is short depends on what is asked for.
    found = await fetch(connection, query, values, prepare=False)
    if ids := [row["id"] for row in found if row["review"] == ReviewStatus.PROMOTED]:
        approved = await fetch(connection, _PROMOTED, {"project_id": values["project_id"], "ids": ids})
        times = {row["entry_id"]: row["promoted_at"] for row in approved}
        for row in found:
            row["promoted_at"] = times.get(row["id"])
    return found


def receipt_from(row: Mapping[str, Any], embedder: str) -> Receipt:
    """Return the receipt of a row; a vector of another embedder is left out."""
    return rows.receipt_from(row, vector_from(row, embedder))
